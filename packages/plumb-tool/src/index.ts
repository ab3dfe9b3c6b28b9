// The library for programs that embed tools (plumb-tools(7), If you come from TypeScript or JavaScript): functions and MCP servers as tools,
// combinations of them, stages around them, and calls. What it does not export is internal.ts's.

export type { Type } from '@plumb/lang'
export type { McpConnection, ServerConfig } from '@plumb/mcp-client'
export { andThen, type Fault, map, orElse, type Result } from '@plumb/wire'
export type { Json } from '@plumb/wire/json'
export { withBreaker } from './call/breaker.js'
export { withCache } from './call/cache.js'
export type { Session } from './call/call.js'
export { withRetry } from './call/retry.js'
export { secure } from './call/secure.js'
export { withTimeout } from './call/timeout.js'
export type { Tool, Wrap } from './call/tool.js'
export { choice, each, handoff, pool, product, sequence, trace } from './combine/compose.js'
export { callTool, connectMcp, type HostConnection, makeSession, perform } from './host.js'
export { Registry } from './host-registry.js'
export { adaptFunction } from './source/function/host-function.js'
