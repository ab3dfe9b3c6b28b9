// The library for programs that run specs: checks them here, and runs them by the executable that it comes with.

export type { Json } from '@plumb/lang'
export { andThen, type Fault, map, orElse, type Result } from '@plumb/wire'
export { type CallOptions, call, type Run, type RunOptions, run } from './library/run.js'
export { type CompiledSpec, check, compile, type Diagnostic, type Spec } from './library/spec.js'
