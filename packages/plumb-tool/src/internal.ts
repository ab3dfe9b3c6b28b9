// What the other executables of this project take of the tools, and nobody else: it may change with any of them. Programs that embed tools have
// index.ts.

export {
  connectMcp,
  type McpAnswer,
  type McpConnection,
  type McpTool,
  openToolListCache,
  type ServerConfig,
  ServerPool,
} from '@plumb/mcp-client'
export { whyNoSandbox } from '@plumb/sandbox'
export { askOnTerminal } from './call/approve.js'
export type { AgentUsage, CallContext, CallEnvelope, CallTrace, KeptParts, McpNote, Session } from './call/call.js'
export { callTelemetry } from './call/call-telemetry.js'
export { cutText } from './call/cut-text.js'
export { perform } from './call/perform.js'
export { secure } from './call/secure.js'
export type { Tool } from './call/tool.js'
export { wordsFor } from './compose/chain-names.js'
export { compose } from './compose/compose.js'
export { COMPOSE_INPUT, NOTATION } from './compose/description.js'
export { makeSession } from './host.js'
export type { JsonText } from './json-text.js'
export { lackedBy, namedProtocol } from './protocol/named.js'
export { notHeld } from './protocol/not-held.js'
export { type Walk, WalkedProtocol } from './protocol/walk.js'
export { WalkedCalls } from './protocol/walked-calls.js'
export { walkedDispatcher } from './protocol/walked-dispatcher.js'
export { withoutCall } from './protocol/without-call.js'
export { findByTypes, findByWords, findChain, writeChain } from './registry/find.js'
export { openRegistry, type Registered, type Registry, type StandIn } from './registry/registry.js'
export { findUnloadable } from './registry/unloadable.js'
export { openDispatcher } from './serve/dispatcher.js'
export { serveLines } from './serve/serve-lines.js'
export { messageText, type PromptMessage } from './source/agent/prompt.js'
export { loadPromptProgram, promptAsSpec } from './source/agent/prompt-program.js'
export { reachOf } from './source/agent/prompt-reach.js'
export { readPromptFile } from './source/agent/read-prompt-file.js'
export { builtinProgram } from './source/builtin/declarations.js'
export { findBuiltin } from './source/builtin/table.js'
export { checkedTool } from './source/checked-tool.js'
export { loadFunctions } from './source/function/load-functions.js'
export { type AgentServers, openAgentServers } from './source/mcp/agent-servers.js'
export type { OfferedTool } from './source/mcp/offered-tool.js'
export { openToolsFile, type ToolsFile } from './source/mcp/tools-file.js'
export { describeAbsence, openTypedServer, type TypedServer, type TypedServerTool } from './source/mcp/typed-server.js'
export { type AgentSandbox, openAgentSandbox } from './source/process/agent-sandbox.js'
export { deepenNesting } from './source/process/nesting-depth.js'
export { watchProgram } from './source/program-files/detect-changes.js'
export { keptPaths } from './source/program-files/protected-files.js'
