// The parts of the official SDK that are used, in a bundle that is loaded for the first connection.

export { Client } from '@modelcontextprotocol/sdk/client/index.js'
export { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js'
export { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
export { ResultSchema, ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js'
