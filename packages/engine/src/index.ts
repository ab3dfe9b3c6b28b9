// All of runs by workers, in a bundle of its own: most runs need nothing of it.

export { answer, approvals, approve, pending } from './approve.js'
export { cancel, type Database, drain, type EngineOptions, engine, type LookOptions, letters, retry, runs } from './look.js'
export { submit } from './submit.js'
export { type WorkFlags, work } from './work.js'
