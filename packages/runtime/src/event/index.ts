// What happens in a run, told to its listeners: the recorder, the displays, a parent.

export { openEmitter, type RunEmitter } from './emitter.js'
export { EVENTS_FD, type LoggedEvent } from './event-log.js'
export {
  type AgentTelemetry,
  lineText,
  type NodeInfo,
  type RunEvent,
  type RunListener,
  type UntimedEvent,
  type WireInfo,
} from './run-event.js'
export { secretsOf } from './secrets.js'
export { namesCollector, newSpanId, traceparentOf } from './trace.js'
export { placesOf, wiresOf } from './wires.js'
