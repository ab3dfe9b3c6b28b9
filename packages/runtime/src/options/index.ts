// What the command line of a run may say, in groups that are passed on as such.

export { findDocroot } from './docroot.js'
export { DIRECTIONS, FORMATS, type Format, type RenderOptions, THEMES } from './render-options.js'
export {
  loadingOptions,
  PATIENCE,
  RUN_GROUPS,
  type RunOptions,
  rowsFor,
  runOptions,
  type SpecOptions,
  wordsOfAgents,
} from './run-options.js'
