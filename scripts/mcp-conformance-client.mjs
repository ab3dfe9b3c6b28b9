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
        ...['offline-access-scope', 'offline-access-not-supported', 'authorization-server-migration', 'metadata-issuer-mismatch'],
        ...['iss-supported', 'iss-not-advertised', 'iss-supported-missing', 'iss-wrong-issuer', 'iss-unexpected', 'iss-normalized'],
      ].map((name) => [`auth/${name}`, LOGIN]),
    ),
  },
}

const CREDENTIALS = ['--client-id-env', 'CONFORMANCE_ID', '--client-secret-env', 'CONFORMANCE_SECRET']

const LIST = ['tools', '--cache-ttl', '0']

/** The arguments of plumb-mcp in each scenario, without the URL: a list a run. What the suite says of a scenario is given to it. */
const DOES = {
  initialize: () => [LIST],
  tools_call: () => [['call', 'add_numbers', '{"a":5,"b":3}']],
  'sse-retry': () => [['call', 'test_reconnection']],
  'auth/client-credentials-basic': () => [['call', ...CREDENTIALS, 'test-tool']],
  // Passes when the call is refused.
  'auth/resource-mismatch': () => [['call', ...CREDENTIALS, 'test-tool']],
  'request-metadata': () => [LIST],
  'sep-2322-client-request-state': () =>
    ['echo_state', 'no_state', 'unrelated', 'no_result_type'].map((name) => ['call', `test_mrtr_${name}`]),
  'http-standard-headers': () => [
    ...[LIST, ['call', 'test_headers'], ['resources'], ['resources', 'file:///path/to/file%20name.txt']],
    ...[['prompts'], ['prompts', 'test_prompt']],
  ],
  'http-custom-headers': ({ toolCalls }) => toolCalls.map(({ name, arguments: input }) => ['call', name, JSON.stringify(input)]),
  'http-invalid-tool-headers': () => [['call', 'valid_tool', '{"region":"x"}']],
  'json-schema-ref-no-deref': () => [LIST],
}

await runMain(import.meta.url, async () => {
  const { MCP_CONFORMANCE_SCENARIO: scenario, MCP_CONFORMANCE_CONTEXT: given = '{}' } = process.env
  if (DOES[scenario] === undefined) throw new Error(`scenario '${scenario}' is not known here`)
  const context = JSON.parse(given)
  const { client_id = 'none', client_secret = 'none' } = context
  const env = { ...process.env, CONFORMANCE_ID: client_id, CONFORMANCE_SECRET: client_secret }
  const results = []
  for (const words of DOES[scenario](context)) {
    const { status, output } = await run(`${ROOT}/packages/plumb-mcp/bin/plumb-mcp`, [...words, process.argv.at(-1)], { env })
    process.stderr.write(output)
    results.push(status === 0)
  }
  return results.every(Boolean)
})
