// Of the SDK what a server on stdio needs.

export { Server } from '@modelcontextprotocol/sdk/server/index.js'
