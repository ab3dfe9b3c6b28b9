// A binding as a service: processes that live between requests, and a graph of its own for each request (doc/adr/0012-a-graph-for-each-request.md).

export type { AgentQuestion, AskPerson } from '../person/person-agent.js'
export { openServedBinding, openServiceBudget, type ServedBinding } from './open-service.js'
export { answerCheck, runRecorded } from './recorded-run.js'
export type { TelemetryListener } from './request-events.js'
export { type OpenRequestTrace, type RequestTrace, requestTraces } from './request-trace.js'
export type { Memories } from './served-graph.js'
export { runWorker, type WorkerProcessOptions } from './worker-process.js'
