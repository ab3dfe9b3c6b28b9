// A server on stdin and stdout: it has one client, and ends with it.

import { fault } from '@plumb/wire'
import { openCalls, openClient } from '../server/client.js'
import type { Client } from '../server/method.js'
import type { ServerContext } from '../server/server-context.js'
import { openStateless } from '../stateless/stateless-server.js'
import { splitRevisions } from './split-revisions.js'
import { openStdioTransport, type StdioOptions } from './transport.js'

export interface StdioServer {
  /** Resolves when the input has ended and all is answered, or when the answers are no longer read. */
  readonly finished: Promise<void>
  listChanged(): void
  close(): Promise<void>
}

/** The interval at which the output is probed for a reader, while answers are due and no requests come (ms). */
const LOOK_MS = 1000

export const serveStdio = async (context: ServerContext, options: StdioOptions): Promise<StdioServer> => {
  const transport = openStdioTransport(options)
  // Whatever revision its requests are of, the client is one.
  const calls = openCalls(context)
  const stateless = openStateless(context, undefined, calls)
  let session: Promise<Client> | undefined
  let client: Client | undefined
  await splitRevisions(transport, stateless, (inner) => {
    session = openClient(inner, context, calls)
    session.then(
      (opened) => {
        client = opened
      },
      (error: unknown) => options.report(fault('internal', String(error))),
    )
  })
  // A pipe shows that its reader has closed only when it is written to.
  const lastCalls = async (): Promise<void> => {
    const probe = (): void => {
      if (client) client.level = 'debug'
      client?.log('info', `the input has ended, and ${context.calls.size === 1 ? '1 call is' : `${context.calls.size} calls are`} at work`)
    }
    const timer = setInterval(probe, LOOK_MS)
    await Promise.race([Promise.all([transport.answered(), context.calls.idle()]), transport.broken])
    clearInterval(timer)
  }
  return {
    finished: Promise.race([transport.ended.then(lastCalls), transport.broken]),
    listChanged: () => client?.listChanged(),
    close: async () => {
      stateless.endListeners()
      await (session ? (await session).close() : transport.close())
      await transport.flush()
    },
  }
}
