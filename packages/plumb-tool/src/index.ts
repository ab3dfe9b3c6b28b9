// The exports for embedding programs: tools, their sources, combinations, safe calls, and the dispatcher.

export type { Json, Type } from '@plumb/lang'
export {
  type ConnectOptions,
  connectMcp,
  type McpAnswer,
  type McpConnection,
  type McpContent,
  type McpTool,
  openToolListCache,
  type PoolOptions,
  type ServerConfig,
  ServerPool,
} from '@plumb/mcp-client'
export type { Authority, Effect, PolicyRule } from '@plumb/policy'
export { whyNoSandbox } from '@plumb/sandbox'
export {
  andThen,
  type Dispatcher,
  type Fault,
  fail,
  map,
  orElse,
  type Result,
  succeed,
  type ToolAnswer,
  type ToolRequest,
} from '@plumb/wire'
export { approveOnTerminal, askOnTerminal } from './call/approve.js'
export { withBreaker } from './call/breaker.js'
export { withCache } from './call/cache.js'
export type { AgentUsage, ApprovalRequest, Call, CallEnvelope, CallRecord, KeptParts, Session, StageNote } from './call/call.js'
export { callTelemetry } from './call/call-telemetry.js'
export { checkedTool } from './call/checked-tool.js'
export { cutText } from './call/cut-text.js'
export { type CallStart, type Performed, perform } from './call/perform.js'
export { withRetry } from './call/retry.js'
export { secure } from './call/secure.js'
export type { CallSettings } from './call/settings.js'
export { withTimeout } from './call/timeout.js'
export type { Tool, Wrap } from './call/tool.js'
export { withValidation } from './call/validate.js'
export { choice, each, handoff, pool, product, sequence, type TraceOptions, trace } from './combine/compose.js'
export { wordsFor } from './compose/chain-names.js'
export { type Composed, type Composition, compose } from './compose/compose.js'
export { COMPOSE_INPUT, NOTATION, signaturesOf } from './compose/description.js'
export { callTool, type HostCall, makeSession } from './host.js'
export type { JsonText } from './json-text.js'
export { findByTypes, findByWords, findChain, writeChain } from './registry/find.js'
export { type OpenedRegistry, openRegistry, type Registered, type Registry, type StandIn } from './registry/registry.js'
export { type DispatcherOptions, openDispatcher } from './serve/dispatcher.js'
export { type Lines, type LinesOptions, serveLines } from './serve/serve-lines.js'
export { messageText, type PromptFile, type PromptMessage } from './source/agent/prompt.js'
export { loadPromptProgram, type PromptProgram, promptAsSpec } from './source/agent/prompt-program.js'
export { reachOf } from './source/agent/prompt-reach.js'
export { readPromptFile } from './source/agent/read-prompt-file.js'
export { builtinProgram } from './source/builtin/declarations.js'
export { findBuiltin } from './source/builtin/table.js'
export { adaptFunction, type FunctionDeclaration, type FunctionTool, type InputOf } from './source/function/host-function.js'
export { type AgentServers, type OpenedServers, openAgentServers } from './source/mcp/agent-servers.js'
export type { OfferedTool } from './source/mcp/offered-tool.js'
export { openToolsFile, type ToolsFile } from './source/mcp/tools-file.js'
export { describeAbsence, openTypedServer, type TypedServer, type TypedServerTool } from './source/mcp/typed-server.js'
export { type AgentSandbox, openAgentSandbox } from './source/process/agent-sandbox.js'
export { deepenNesting } from './source/process/nesting-depth.js'
export { watchProgram } from './source/program-files/detect-changes.js'
export { keptPaths } from './source/program-files/protected-files.js'
