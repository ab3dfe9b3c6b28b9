// The analysis of data flows (plumb-flows(7)), loaded only if it is needed.

export { checkFlows, type FlowOptions } from './check.js'
export { HIDDEN, hiderOf } from './hide.js'
export { type FlowList, listFlows } from './list.js'
export { flowsOfWires, type WireFlows } from './wires.js'
