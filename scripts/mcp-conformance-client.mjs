// The client half of the conformance suite: the suite plays a server, and runs this with its URL to do what a scenario asks of a client.

import { fileURLToPath } from 'node:url'
import { ROOT, run, runMain } from './command.mjs'

const LOGIN = 'logs a person in (authorization code); a server of a spec is reached with a token or client credentials'

export const CLIENT = {
  open: async () => ({ argsOf: () => ['--command', `${process.execPath} ${fileURLToPath(import.meta.url)}`], close: async () => {} }),
  checksCannotApply: {},
  cannotApply: {
    'elicitation-sep1034-client-defaults': 'asks a person in the middle of a call, which is not offered: a run may be unattended',
    'auth/client-credentials-jwt': 'signs with a private key; a spec names an id and a secret',
    'auth/cross-app-access-complete-flow': 'takes over the identity of a person who has logged in elsewhere',
    ...Object.fromEntries(
      [
        ...['metadata-default', 'metadata-var1', 'metadata-var2', 'metadata-var3', 'basic-cimd', 'scope-from-www-authenticate'],
        ...['scope-from-scopes-supported', 'scope-omitted-when-undefined', 'scope-step-up', 'scope-retry-limit'],
        ...['token-endpoint-auth-basic', 'token-endpoint-auth-post', 'token-endpoint-auth-none', 'pre-registration'],
        ...['2025-03-26-oauth-metadata-backcompat', '2025-03-26-oauth-endpoint-fallback'],
        ...['offline-access-scope', 'offline-access-not-supported'],
      ].map((name) => [`auth/${name}`, LOGIN]),
    ),
  },
}

const CREDENTIALS = ['--client-id-env', 'CONFORMANCE_ID', '--client-secret-env', 'CONFORMANCE_SECRET']

/** The arguments of plumb-mcp in each scenario, without the URL. */
const DOES = {
  initialize: ['tools', '--cache-ttl', '0'],
  tools_call: ['call', 'add_numbers', '{"a":5,"b":3}'],
  'sse-retry': ['call', 'test_reconnection'],
  'auth/client-credentials-basic': ['call', ...CREDENTIALS, 'test-tool'],
  // Passes when the call is refused.
  'auth/resource-mismatch': ['call', ...CREDENTIALS, 'test-tool'],
}

await runMain(import.meta.url, async () => {
  const { MCP_CONFORMANCE_SCENARIO: scenario, MCP_CONFORMANCE_CONTEXT: context = '{}' } = process.env
  const words = DOES[scenario]
  if (words === undefined) throw new Error(`scenario '${scenario}' is not known here`)
  const { client_id = 'none', client_secret = 'none' } = JSON.parse(context)
  const env = { ...process.env, CONFORMANCE_ID: client_id, CONFORMANCE_SECRET: client_secret }
  const { status, output } = await run(`${ROOT}/packages/plumb-mcp/bin/plumb-mcp`, [...words, process.argv.at(-1)], { env })
  process.stderr.write(output)
  return status === 0
})
