// What the command line of a run may say, in groups that are passed on as such.

export { findDocroot } from './docroot.js'
export type { SpecOptions } from './option-groups.js'
export { FORMATS, type Format, type RenderOptions, THEMES } from './render-options.js'
export { PATIENCE_SECONDS, type RunFlags } from './run-flags.js'
export type { RunOptions } from './run-options.js'
export { displayOptionsOf, type RunOption, WATCH_OPTIONS, withSummaryForm } from './watch-options.js'
