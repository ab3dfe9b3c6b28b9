// OAuth 2.1 client credentials, in the form in which the SDK asks for them: found, fetched and renewed by it, kept for this connection only.

import type { OAuthClientProvider } from '@modelcontextprotocol/sdk/client/auth.js'
import type { OAuthTokens } from '@modelcontextprotocol/sdk/shared/auth.js'
import { addSecret } from '@plumb/wire'

/** The server names the authorization server; `mayTell` says whether the secret may go there. */
export const clientCredentials = (id: string, secret: string, clientName: string): OAuthClientProvider => {
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
    redirectToAuthorization: nobodyThere,
    saveCodeVerifier: nobodyThere,
    codeVerifier: nobodyThere,
  }
}

const nobodyThere = (): never => {
  throw new Error('nobody is there to log in')
}
