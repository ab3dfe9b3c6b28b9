// All of runs by workers, in a bundle of its own: most runs need nothing of it.

export { answer, approvals, approve, pending } from './approve.js'
export type { SharedLimits } from './lending.js'
export { cancel, type Database, drain, type EngineOptions, engine, type LookOptions, letters, retry, runs } from './look.js'
export { ServedFunds } from './served-funds.js'
export { planServed } from './served-plan.js'
export { type PersonAsked, type Said, ServedRun, type Spending } from './served-run.js'
export { type ServedRow, ServedTables } from './served-tables.js'
export { submit } from './submit.js'
export { type WorkFlags, work } from './work.js'
