// Parses the words of the command line: a command follows '--', a URL comes last.

import type { ServerConfig } from '@plumb/tool/internal'
import { demand, fail, flag, isDebugging, longName, type OptionRow, preview, type Result, succeed, type ValuesOf, value } from '@plumb/wire'
import type { InspectRequest, InspectVerbName } from './inspection.js'

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

const pair = (text: string, before: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> => {
  const at = text.indexOf('=')
  demand(at >= 1, 'write NAME=VALUE.')
  return { ...before, [text.slice(0, at)]: text.slice(at + 1) }
}

/** NAME=VALUE, or NAME: the variable of that name here, so that a key stands in no command line. */
const variable = (text: string, before: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> => {
  if (text.includes('=')) return pair(text, before)
  const given = process.env[text]
  demand(/^[A-Za-z_][A-Za-z0-9_]*$/.test(text), 'write NAME=VALUE, or the NAME of a variable of the environment.')
  demand(given !== undefined, `the environment has no ${text}: set it, or write ${text}=VALUE.`)
  return { ...before, [text]: given as string }
}

const number = (text: string, least: (n: number) => boolean, what: string): number => {
  const n = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN
  demand(least(n), `write a number of seconds${what}.`)
  return n
}

const seconds = (text: string): number => number(text, (n) => n > 0, ' over 0')
const secondsOrNone = (text: string): number => number(text, (n) => n >= 0, '')

/** For servers that are reached by URL. */
const URL_ROWS = {
  token_env: value('--token-env <name>', 'the variable that holds the bearer token'),
  client_id_env: value('--client-id-env <name>', 'the variable that holds the id of an OAuth client'),
  client_secret_env: value('--client-secret-env <name>', 'the variable that holds its secret'),
  scope: value('--scope <words>', 'the scope to ask for, of OAuth (that which the server names)'),
  headers: value('--header <name=value>', 'a further header of each request', pair),
  headers_env: value('--header-env <name=variable>', 'a further header, from this variable', pair),
  auth: value('--auth <how>', "'query': id and secret go into the URL"),
  transport: value('--transport <name>', "'sse' or 'ws', for older servers"),
}

/** As the configuration of a server names them. */
const CONNECTION_ROWS = {
  revision: value('--revision <name>', 'of the protocol, such as 2025-11-25 (the newest that the server knows)'),
  handshake_timeout: value('--handshake-timeout <seconds>', 'for the server to start and say who it is (30)', seconds),
  timeout: value('--timeout <seconds>', 'for each answer (60)', seconds),
  cache_ttl: value(
    '--cache-ttl <seconds>',
    'how old a list of its tools may be that was kept; without it the server is asked',
    secondsOrNone,
  ),
}

export const INSPECT_ROWS = {
  env: value('-e, --env <variable>', 'NAME=VALUE for a server that is started, or NAME: as it is here', variable),
  ...URL_ROWS,
  ...CONNECTION_ROWS,
  isVerbose: flag('-v, --verbose', 'all that a server which is started writes to stderr'),
}

type Given = ValuesOf<typeof INSPECT_ROWS>

/** Those of the rows that are given. */
const given = (rows: Readonly<Record<string, OptionRow>>, values: Given): Partial<ServerConfig> =>
  Object.fromEntries(Object.entries(values).filter(([name, one]) => name in rows && one !== undefined))

/** `command`: the words after '--'. Undefined: there is none. */
export const readAsked = (
  { name, words: shown, least, most }: Verb,
  given: readonly string[],
  command: readonly string[] | undefined,
  values: Given,
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
  const config = command === undefined ? byUrl(last as string, values) : byCommand(command, values)
  return config.ok ? succeed({ verb: name, words, config: config.value, isVerbose: values.isVerbose || isDebugging() }) : config
}

const byCommand = ([command = '', ...args]: readonly string[], values: Given): Result<ServerConfig> => {
  const [other] = Object.keys(given(URL_ROWS, values)) as (keyof typeof URL_ROWS)[]
  if (other !== undefined) return fail('usage', `${longName(URL_ROWS[other].flags)} is for servers that are reached by URL`)
  const { env } = values
  return succeed({ command, args, ...(env === undefined ? {} : { env }), ...given(CONNECTION_ROWS, values) })
}

const byUrl = (url: string, values: Given): Result<ServerConfig> => {
  const { env, auth, transport } = values
  if (env !== undefined) return fail('usage', '--env is for servers that are started')
  if (auth !== undefined && auth !== 'query') return fail('usage', `--auth is 'query', not '${preview(auth)}'`)
  if (transport !== undefined && transport !== 'sse' && transport !== 'ws')
    return fail('usage', `--transport is 'sse' or 'ws', not '${preview(transport)}'`)
  const socket = /^wss?:/i.test(url) ? { transport: 'ws' as const } : {}
  return succeed({ url, ...socket, ...given(URL_ROWS, values), ...given(CONNECTION_ROWS, values) })
}
