// A remote server, over Streamable HTTP or the older SSE, with the SDK's transports.

import type { OAuthClientProvider } from '@modelcontextprotocol/sdk/client/auth.js'
import type { OAuthTokens } from '@modelcontextprotocol/sdk/shared/auth.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { RequestId } from '@modelcontextprotocol/sdk/types.js'
import { addSecret, type Fault } from '@plumb/wire'
import { openHttpDispatcher } from './http-dispatcher.js'
import { type HttpEvents, openFetch } from './http-fetch.js'
import type { Link } from './link.js'
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
  const { url, token, client } = target
  const dispatcher = await openHttpDispatcher(url, allowsPrivateNet)
  let why: Fault | undefined
  let isEnding = false
  const gone = (fault: Fault): void => {
    if (isEnding) return
    why ??= fault
    lost(fault)
  }
  const requests = await openFetch({ ...events, server: url, dispatcher, isSse, hasClient: client !== undefined, lost: gone })
  const options = {
    fetch: (target: string | URL, init?: RequestInit) => requests.fetch(target, init),
    ...(token === undefined ? {} : { requestInit: { headers: { authorization: `Bearer ${token}` } } }),
    ...(client === undefined ? {} : { authProvider: clientCredentials(client.id, client.secret, clientName) }),
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

/**
 * OAuth 2.1 client credentials, as the SDK's provider interface: the SDK finds, fetches and renews the token, which is kept for this
 * connection only. The server names the authorization server; `mayTell` decides whether the secret may be sent there.
 */
const clientCredentials = (id: string, secret: string, clientName: string): OAuthClientProvider => {
  let tokens: OAuthTokens | undefined
  return {
    redirectUrl: undefined,
    clientMetadata: {
      client_name: clientName,
      redirect_uris: [],
      grant_types: ['client_credentials'],
      token_endpoint_auth_method: 'client_secret_basic',
    },
    clientInformation: () => ({ client_id: id, client_secret: secret }),
    tokens: () => tokens,
    saveTokens: (given) => {
      tokens = given
      addSecret(given.access_token)
    },
    prepareTokenRequest: (scope) =>
      new URLSearchParams({ grant_type: 'client_credentials', ...(scope === undefined || scope === '' ? {} : { scope }) }),
    redirectToAuthorization: refuseLogin,
    saveCodeVerifier: refuseLogin,
    codeVerifier: refuseLogin,
  }
}

const refuseLogin = (): never => {
  throw new Error('there is no person to log in')
}
