// OAuth 2.1 client credentials, as the SDK's provider interface: the SDK finds, fetches and renews the token, which is kept for this
// connection only. Which scope to ask for, how the client shows who it is, and how often it asks is decided here.

import type { OAuthClientProvider } from '@modelcontextprotocol/sdk/client/auth.js'
import type { OAuthTokens } from '@modelcontextprotocol/sdk/shared/auth.js'
import { addSecret, isRecord } from '@plumb/wire'

export interface OAuthClientOptions {
  readonly id: string
  readonly secret: string
  /** The scope of the spec. Undefined: that which the server names. */
  readonly scope: string | undefined
  readonly clientName: string
}

export interface OAuthClient {
  readonly provider: OAuthClientProvider
  /** The `WWW-Authenticate` of a 401, or of a 403. */
  readonly readChallenge: (status: number, header: string | null) => void
  /** A JSON document that was fetched on the way to a token, such as the metadata of the server. */
  readonly readMetadata: (document: unknown) => void
  /** A request for a token that was refused is not made again: some issuers lock a client. At the start none that failed at all is. */
  readonly tokenResponse: (body: string, ask: () => Promise<Response>, isStarting: boolean) => Promise<Response>
}

export const openOAuthClient = ({ id, secret, scope, clientName }: OAuthClientOptions): OAuthClient => {
  let tokens: OAuthTokens | undefined
  let challenged: string | undefined
  let supported: string | undefined
  /** Also asked for by a 403. */
  const further = new Set<string>()
  const refused = new Map<string, { readonly status: number; readonly text: string }>()
  const wanted = (): string => [...new Set([...wordsIn(scope ?? challenged ?? supported), ...further])].join(' ')
  const provider: OAuthClientProvider = {
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
    prepareTokenRequest: () => {
      const words = wanted()
      return new URLSearchParams({ grant_type: 'client_credentials', ...(words === '' ? {} : { scope: words }) })
    },
    addClientAuthentication: (headers, parameters, _, metadata) => {
      const methods = metadata?.token_endpoint_auth_methods_supported ?? []
      if (methods.length === 0 || methods.includes('client_secret_basic')) {
        headers.set('authorization', `Basic ${Buffer.from(`${formEncoded(id)}:${formEncoded(secret)}`).toString('base64')}`)
        return
      }
      parameters.set('client_id', id)
      if (methods.includes('client_secret_post')) parameters.set('client_secret', secret)
    },
    redirectToAuthorization: refuseLogin,
    saveCodeVerifier: refuseLogin,
    codeVerifier: refuseLogin,
  }
  return {
    provider,
    readChallenge: (status, header) => {
      const [, quoted, bare] = /(?:^|[\s,])scope=(?:"([^"]*)"|([^\s",]+))/i.exec(header ?? '') ?? []
      const words = quoted ?? bare
      if (words === undefined) return
      if (status === 401) challenged ??= words
      // The token so far is for what was asked before.
      else for (const word of wordsIn(words)) further.add(word)
    },
    readMetadata: (document) => {
      if (!isRecord(document) || !('resource' in document)) return
      const { scopes_supported: scopes } = document
      if (Array.isArray(scopes)) supported ??= scopes.filter((one) => typeof one === 'string').join(' ')
    },
    tokenResponse: async (body, ask, isStarting) => {
      const known = refused.get(body)
      const response = known ? undefined : await ask()
      if (response && (response.ok || (!isStarting && !isRefusal(response.status)))) return response
      const { status, text } = known ?? { status: response?.status ?? 0, text: (await response?.text()) ?? '' }
      refused.set(body, { status, text })
      return new Response(text, { status, headers: { 'content-type': 'application/json' } })
    },
  }
}

/**
 * The metadata of an authorization server, with the members that the SDK wants and client credentials have no use for: an issuer of these alone
 * has none of them.
 */
export const withUnusedMetadata = (document: unknown): unknown => {
  if (!isRecord(document) || typeof document.issuer !== 'string' || !('token_endpoint' in document)) return document
  const { issuer } = document
  return {
    authorization_endpoint: issuer,
    jwks_uri: issuer,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
    ...document,
  }
}

const isRefusal = (status: number): boolean => status >= 400 && status < 500 && status !== 429

const wordsIn = (scope: string | undefined): readonly string[] => (scope ?? '').split(/\s+/).filter((word) => word !== '')

/** RFC 6749, 2.3.1: before Basic both are form-encoded. */
const formEncoded = (text: string): string => new URLSearchParams([['', text]]).toString().slice(1)

const refuseLogin = (): never => {
  throw new Error('there is no person to log in')
}
