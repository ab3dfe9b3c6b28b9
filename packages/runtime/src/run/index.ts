// A run from its options to its exit status: choose-graph, instrument (record, limits, listeners), wiring (a channel for each wire, a child or
// a morphism for each node), then input until its end.

export { beginOf } from './begin.js'
export { chooseGraph } from './choose-graph.js'
export { GraphRun, type GraphRunOptions } from './graph-run.js'
export { run } from './run.js'
export { RunLoop } from './run-loop.js'
export type { Wired } from './wired.js'
export { wireUp } from './wiring.js'
