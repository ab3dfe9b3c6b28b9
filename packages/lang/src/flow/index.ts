// Where data may go (plumb-flows(7)): a room that is loaded only where it is asked for.

export { checkFlows, type FlowOptions } from './check.js'
export { HIDDEN, hiderOf } from './hide.js'
export { type FlowList, listFlows } from './list.js'
export { flowsOfWires, type WireFlows } from './wires.js'
