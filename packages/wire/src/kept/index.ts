export { canonicalText, hashOf } from './canonical.js'
export {
  type AnswerSource,
  type Asked,
  approvalsOf,
  joinKept,
  type KeptAnswers,
  type KeptOptions,
  openKept,
  type StorePlace,
} from './kept.js'
export { differingPaths, nearestRequest } from './nearest-request.js'
