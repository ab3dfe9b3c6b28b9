// The shortest server on the SDK as it is installed: one tool, `echo`.
'use strict'
const sdk = require('node:module').createRequire(require.resolve('../../../packages/plumb-mcp/package.json'))
const { Server } = sdk('@modelcontextprotocol/sdk/server/index.js')
const { StdioServerTransport } = sdk('@modelcontextprotocol/sdk/server/stdio.js')
const { CallToolRequestSchema, ListToolsRequestSchema } = sdk('@modelcontextprotocol/sdk/types.js')

const inputSchema = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] }
const server = new Server({ name: 'bare', version: '1' }, { capabilities: { tools: {} } })
server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [{ name: 'echo', description: 'Says it again', inputSchema }] }))
server.setRequestHandler(CallToolRequestSchema, ({ params }) => ({ content: [{ type: 'text', text: params.arguments.text }] }))
server.connect(new StdioServerTransport())
