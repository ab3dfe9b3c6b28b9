// Parses the words of the command line: a command follows '--', a URL comes last.

import type { ServerConfig } from '@plumb/tool/internal'
import { fail, isDebugging, preview, type Result, succeed } from '@plumb/wire'
import type { InspectFlags, InspectRequest, InspectVerbName } from './inspection.js'

interface Verb {
  readonly name: InspectVerbName
  /** As help shows them. */
  readonly words: string
  readonly says: string
  /** Without the server. */
  readonly example: string
  readonly least: number
  readonly most: number
}

export const INSPECT_VERBS: readonly Verb[] = [
  { name: 'tools', words: '', says: 'the tools of a server, one a line', example: 'tools', least: 0, most: 0 },
  {
    name: 'call',
    words: 'NAME [JSON | -]',
    says: 'call a tool, or with - once for each line of input',
    example: 'call search \'{"text":"x"}\'',
    least: 1,
    most: 2,
  },
  {
    name: 'prompts',
    words: '[NAME [JSON]]',
    says: 'the prompts of a server, or the messages of one',
    example: 'prompts review',
    least: 0,
    most: 2,
  },
  { name: 'resources', words: '[URI]', says: 'the resources of a server, or what one holds', example: 'resources', least: 0, most: 1 },
]

/** `command`: the words after '--'. Undefined: there is none. */
export const readAsked = (
  { name, words: shown, least, most }: Verb,
  given: readonly string[],
  command: readonly string[] | undefined,
  flags: InspectFlags,
): Result<InspectRequest> => {
  const words = command === undefined ? given.slice(0, -1) : given.slice(0, given.length - command.length)
  const last = given.at(-1)
  if (command?.length === 0) return fail('usage', `no command is given behind '--', as in 'plumb-mcp ${name} -- ./server.sh'`)
  if (command === undefined && !(last !== undefined && /^(https?|wss?):\/\//i.test(last))) {
    const found = last === undefined ? '' : `, and '${preview(last)}' is not one`
    return fail('usage', `which server? '${name}' ends with its URL${found}, or with '--' and the command that starts it`)
  }
  if (words.length < least || words.length > most) {
    return fail(
      'usage',
      `'${name}' takes ${shown === '' ? 'no word' : shown} before the server, and was ` +
        `given ${words.length === 0 ? 'none' : `'${preview(words.join(' '))}'`}`,
    )
  }
  const config = command === undefined ? byUrl(last as string, flags) : byCommand(command, flags)
  return config.ok ? succeed({ verb: name, words, config: config.value, isVerbose: flags.verbose === true || isDebugging() }) : config
}

const byCommand = ([command = '', ...args]: readonly string[], flags: InspectFlags): Result<ServerConfig> => {
  const { env } = flags
  for (const key of OF_URL) {
    if (flags[key] !== undefined) return fail('usage', `${LONG[key]} is for servers that are reached by URL`)
  }
  return succeed({ command, args, ...(env === undefined ? {} : { env }), ...connectionOf(flags) })
}

const byUrl = (url: string, flags: InspectFlags): Result<ServerConfig> => {
  const { env, tokenEnv, clientIdEnv, clientSecretEnv, auth, transport } = flags
  if (env !== undefined) return fail('usage', '--env is for servers that are started')
  const isSocket = /^wss?:/i.test(url)
  if (auth !== undefined && auth !== 'query') return fail('usage', `--auth is 'query', not '${preview(auth)}'`)
  if (transport !== undefined && transport !== 'sse' && transport !== 'ws')
    return fail('usage', `--transport is 'sse' or 'ws', not '${preview(transport)}'`)
  return succeed({
    url,
    ...(tokenEnv === undefined ? {} : { token_env: tokenEnv }),
    ...(clientIdEnv === undefined ? {} : { client_id_env: clientIdEnv }),
    ...(clientSecretEnv === undefined ? {} : { client_secret_env: clientSecretEnv }),
    ...(auth === undefined ? {} : { auth }),
    ...(transport === undefined && !isSocket ? {} : { transport: transport ?? 'ws' }),
    ...connectionOf(flags),
  })
}

const OF_URL = ['tokenEnv', 'clientIdEnv', 'clientSecretEnv', 'auth', 'transport'] as const
const LONG: Readonly<Record<(typeof OF_URL)[number], string>> = {
  tokenEnv: '--token-env',
  clientIdEnv: '--client-id-env',
  clientSecretEnv: '--client-secret-env',
  auth: '--auth',
  transport: '--transport',
}

const connectionOf = ({ revision, handshakeTimeout, timeout, cacheTtl }: InspectFlags): Partial<ServerConfig> => ({
  ...(revision === undefined ? {} : { revision }),
  ...(handshakeTimeout === undefined ? {} : { handshake_timeout: handshakeTimeout }),
  ...(timeout === undefined ? {} : { timeout }),
  ...(cacheTtl === undefined ? {} : { cache_ttl: cacheTtl }),
})
