// What is used of the official SDK, in one bundle that is loaded for the first connection.

export { Client } from '@modelcontextprotocol/sdk/client/index.js'
export { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js'
export { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
export { ResultSchema, ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js'
