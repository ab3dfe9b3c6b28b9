export type { Automaton, ProtocolEdge, ProtocolState } from './automaton.js'
export { allowed, labelsOf, mayEnd, mustComeBefore, step } from './automaton.js'
export { type FirstDirections, firstDirections } from './first-directions.js'
