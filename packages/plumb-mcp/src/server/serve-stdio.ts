// A server on stdin and stdout: one client, and the end with it.

import { openClient } from './client.js'
import type { ServerContext } from './server-context.js'
import { openStdioTransport, type StdioOptions } from './stdio.js'

export interface StdioServer {
  /** Resolves when the input has ended and all is answered, or when the answers are no longer read. */
  readonly finished: Promise<void>
  listChanged(): void
  close(): Promise<void>
}

/** How often the output is probed for a reader, while answers are due and no requests come. */
const LOOK_MS = 1000

export const serveStdio = async (context: ServerContext, options: StdioOptions): Promise<StdioServer> => {
  const transport = openStdioTransport(options)
  const { Server } = await import('./mcp-server.late.js')
  const client = await openClient(Server, transport, context)
  // A pipe tells that its reader is gone only to who writes to it.
  const lastCalls = async (): Promise<void> => {
    const tell = () =>
      client.log('info', `the input has ended, and ${context.calls.size === 1 ? '1 call is' : `${context.calls.size} calls are`} at work`)
    client.level = 'debug'
    const timer = setInterval(tell, LOOK_MS)
    await Promise.race([Promise.all([transport.answered(), context.calls.idle()]), transport.broken])
    clearInterval(timer)
  }
  return {
    finished: Promise.race([transport.ended.then(lastCalls), transport.broken]),
    listChanged: () => client.listChanged(),
    close: async () => {
      await client.close()
      await transport.flush()
    },
  }
}
