// Connections to MCP servers, with the official SDK.
//
//   server-pool        one connection for equal entries of a spec, as long as a dispatcher lives
//   connect            opens one: a link, what both ends agree on, and then an initialized connection
//   …-link             bytes to and from the server: stdio in a sandbox, HTTP with its streams, WebSocket
//   negotiate, rounds  what the revisions of the protocol differ in
//   listing, pages     its tools, and the prompts and resources it offers, within limits; tool-list-cache keeps them between runs
//   open-connection    a call, and what its answer means

export { connectMcp } from './connect.js'
export type {
  CallOptions,
  ConnectOptions,
  McpAnswer,
  McpConnection,
  McpContent,
  McpServers,
  McpTool,
  Progress,
  ServerConfig,
} from './connection.js'
export { describeServer, effectOf, hostsOf, readServer, sandboxOf } from './server-entry.js'
export { type PoolOptions, ServerPool } from './server-pool.js'
export { openToolListCache } from './tool-list-cache.js'
