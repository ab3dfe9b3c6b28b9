export { canonicalText, hashOf } from './canonical.js'
export type { EntryKey } from './entry.js'
export { EntryTable } from './entry-table.js'
export {
  type AnswerSource,
  type Asked,
  approvalsOf,
  joinKept,
  type KeptAnswers,
  type KeptOptions,
  openGiving,
  openKept,
  openKeptForChildren,
  type StorePlace,
} from './kept.js'
export { differingPaths, nearestRequest } from './nearest-request.js'
