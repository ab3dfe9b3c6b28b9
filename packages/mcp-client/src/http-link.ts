// A remote server, over Streamable HTTP or the older SSE, with the SDK's transports.

import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { RequestId } from '@modelcontextprotocol/sdk/types.js'
import type { Fault } from '@plumb/wire'
import { openHttpDispatcher } from './http-dispatcher.js'
import { type HttpEvents, openFetch } from './http-fetch.js'
import type { Link } from './link.js'
import { openOAuthClient } from './oauth-client.js'
import type { ServerTarget } from './server-url.js'
import { waitAtMost } from './wait-at-most.js'

export interface HttpLinkOptions extends HttpEvents {
  readonly target: ServerTarget
  readonly isSse: boolean
  readonly allowsPrivateNet: boolean
  readonly clientName: string
}

/** For the DELETE of the session. */
const LEAVE_MS = 2000

export const openHttp = async ({ target, isSse, allowsPrivateNet, clientName, lost, ...events }: HttpLinkOptions): Promise<Link> => {
  const { SSEClientTransport, StreamableHTTPClientTransport } = await import('./mcp-client.late.js')
  const { url, client } = target
  const oauth = client && openOAuthClient({ ...client, clientName })
  const dispatcher = await openHttpDispatcher(url, allowsPrivateNet)
  let why: Fault | undefined
  let isEnding = false
  const gone = (fault: Fault): void => {
    if (isEnding) return
    why ??= fault
    lost(fault)
  }
  const requests = await openFetch({ ...events, dispatcher, isSse, oauth, target, lost: gone })
  const options = {
    fetch: (target: string | URL, init?: RequestInit) => requests.fetch(target, init),
    ...(oauth ? { authProvider: oauth.provider } : {}),
  }
  const session = isSse ? undefined : new StreamableHTTPClientTransport(url, options)
  const transport = (session ?? new SSEClientTransport(url, options)) as Transport
  const end = async (): Promise<void> => {
    isEnding = true
    // The session has ended anyway if the token is refused or the server is down.
    if (session && !why)
      await waitAtMost(
        LEAVE_MS,
        session.terminateSession().catch(() => {}),
      )
    await transport.close().catch(() => {})
    await dispatcher.destroy().catch(() => {})
  }
  const cancel = (id: RequestId) => requests.cancel(id)
  return { transport, isStream: false, hasSessions: isSse, cancel, closeReason: () => why?.detail, end }
}
