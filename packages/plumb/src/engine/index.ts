// All of runs by workers, in a bundle of its own: most runs need nothing of it.

export { approvals, approve } from './approve.js'
export { cancel, drain, engine, letters, retry, runs } from './look.js'
export { submitRun } from './submit-flags.js'
export { work } from './work.js'
