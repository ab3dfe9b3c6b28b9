// All of runs by workers, in a bundle of its own: most runs need nothing of it.

export { approvals, approve } from './approve.js'
export { cancel, drain, engine, letters, retry, runs } from './look.js'
export { submit } from './submit.js'
export { work } from './work.js'
