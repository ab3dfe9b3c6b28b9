// Opens an initialized connection from the entry of a spec, with the official SDK. It never reconnects by itself.

import { type Fault, fail, fault, preview, type Result, succeed } from '@plumb/wire'
import { version } from '../package.json'
import type { Connecting, ConnectOptions, McpConnection, ServerConfig } from './connection.js'
import { type Guarded, guard } from './guard.js'
import { openHttp } from './http-link.js'
import type { Link } from './link.js'
import { type Negotiated, negotiate } from './negotiate.js'
import { openMcpConnection } from './open-connection.js'
import { openParameterHeaders, type ParameterHeaders } from './parameter-headers.js'
import { openRawArguments, type RawArguments } from './raw-arguments.js'
import { type Life, openRequests, type Stray, strayWords } from './requests.js'
import { STATELESS, WITH_SESSIONS } from './revision.js'
import { sdkFault } from './sdk-fault.js'
import { readTarget } from './server-url.js'
import { openStdioLink } from './stdio-link.js'
import { waitAtMost } from './wait-at-most.js'
import { openWebSocket } from './web-socket-link.js'

const HANDSHAKE_SECONDS = 30
const CALL_SECONDS = 60

/**
 * Starts or reaches a server of MCP. Never throws. `file_not_found`, `config_invalid` or `missing_key` if the entry is wrong; `child_failed`, `connection_failed`,
 * `unauthorized`, `timeout`, `bad_reply` and the like if the server is; `cancelled` if the signal fired.
 */
export const connectMcp = async (config: ServerConfig, given: ConnectOptions = {}): Promise<Result<McpConnection>> => {
  const server = nameOf(config)
  const options: Connecting = { clientName: 'plumb', note: emitWarning, allowsPrivateNet: true, ...given }
  const { clientName, signal } = options
  const { revision = AUTO } = config
  if (![AUTO, STATELESS, ...WITH_SESSIONS].includes(revision))
    return fail('config_invalid', `'${preview(revision)}' is not a known revision of MCP: ${[STATELESS, ...WITH_SESSIONS].join(', ')}`)
  if (signal?.aborted) return fail('cancelled', `connecting to MCP server '${server}' was cancelled`, { server })
  const places = openRawArguments()
  const parameters = openParameterHeaders()
  let guarded: Guarded | undefined
  let negotiated: Negotiated | undefined
  let isOpen = false
  const life = openLife((why) => guarded?.abandon(why))
  const opened = await openLink(config, options, {
    places,
    parameters,
    answerLost: (id) => {
      const own = negotiated?.ownId(id) ?? id
      if (!guarded?.isPending(own)) return
      const why = gone(server, { detail: 'it cut off an answer' })
      // Without a session the next request works as well as the first.
      if (negotiated?.revision()) guarded.abandon(why, own)
      else life.die(why)
    },
    // A server that has not started yet cannot be dead.
    lost: (why) => life.die(isOpen ? gone(server, why) : why),
    isOpen: () => isOpen,
  })
  if (!opened.ok) return opened
  const link = opened.value
  const agreed = negotiate(link, { server, revision: revision === AUTO ? undefined : revision, silenceMs: options.silenceMs })
  negotiated = agreed
  guarded = guard(agreed)

  const { Client } = await import('./mcp-client.late.js')
  // Answers are checked here, with a validator that withstands hostile schemas.
  const jsonSchemaValidator = { getValidator: () => (input: unknown) => ({ valid: true, data: input, errorMessage: undefined }) as never }
  const client = new Client({ name: clientName, version }, { capabilities: {}, jsonSchemaValidator })
  const seconds = config.handshake_timeout ?? HANDSHAKE_SECONDS
  const shaken = await waitAtMost(seconds * 1000, orAborted(client.connect(guarded.transport), signal))
  if (shaken !== 'done') {
    const isClosed = shaken !== undefined && shaken !== 'aborted'
    if (isClosed && config.url === undefined && revision === AUTO && agreed.isUnanswered()) {
      await link.end()
      // Some older servers exit at any request before initialize.
      return connectMcp({ ...config, revision: WITH_SESSIONS[0] }, given)
    }
    const unmatched = guarded.unmatched()
    const error = failedHandshake(server, shaken, { seconds, link, unmatched, isChild: config.url === undefined })
    await link.end()
    return { ok: false, error }
  }
  isOpen = true
  client.onclose = () => life.die(gone(server, { detail: link.closeReason() ?? 'the connection was closed' }))
  const unmatched = guarded.unmatched
  const stray = () => strayOf(link, unmatched())
  const request = await openRequests({ client, life, server, timeoutMs: (config.timeout ?? CALL_SECONDS) * 1000, stray })
  return succeed(
    await openMcpConnection({
      client,
      protocol: agreed.revision() ?? guarded.protocol(),
      link,
      life,
      request,
      places,
      parameters,
      server,
      config,
      options,
    }),
  )
}

const AUTO = 'auto'
const NO_STRAY: Stray = { lines: 0, last: '', unmatched: 0 }

const emitWarning = ({ error, detail }: Fault): void => process.emitWarning(detail, { type: 'McpWarning', code: error })

const gone = (server: string, { detail, ...extras }: Pick<Fault, 'detail'>): Fault =>
  fault('mcp_dead', `MCP server '${server}' has ended: ${detail}`, { ...extras, server })

const openLife = (onDeath: (why: Fault) => void): Life => {
  let dead: Fault | undefined
  return {
    get dead() {
      return dead
    },
    die: (why) => {
      if (dead) return
      dead = why.error === 'timeout' ? { ...fault('mcp_dead', why.detail), server: why.server } : why
      onDeath(dead)
    },
  }
}

type Shaken = 'done' | 'aborted' | { readonly error: unknown }

const orAborted = (work: Promise<void>, signal: AbortSignal | undefined): Promise<Shaken> =>
  new Promise((resolve) => {
    const abort = (): void => resolve('aborted')
    if (signal?.aborted) abort()
    signal?.addEventListener('abort', abort, { once: true })
    const settle = (shaken: Shaken): void => {
      signal?.removeEventListener('abort', abort)
      resolve(shaken)
    }
    work.then(
      () => settle('done'),
      (error: unknown) => settle({ error }),
    )
  })

interface Handshake {
  readonly seconds: number
  readonly link: Link
  /** Answers that belonged to no request. */
  readonly unmatched: number
  readonly isChild: boolean
}

const strayOf = ({ skipped }: Link, unmatched: number): Stray => {
  const { count = 0, last = '' } = skipped?.() ?? {}
  return { lines: count, last, unmatched }
}

const failedHandshake = (
  server: string,
  shaken: Exclude<Shaken, 'done'> | undefined,
  { seconds, link, unmatched, isChild }: Handshake,
): Fault => {
  const last = link.closeReason()
  const words = last === undefined ? '' : `: ${last}`
  const strays = strayWords(NO_STRAY, { ...NO_STRAY, unmatched })
  if (shaken === 'aborted') return fault('cancelled', `connecting to MCP server '${server}' was cancelled`, { server })
  if (shaken === undefined)
    return fault('timeout', `MCP server '${server}' did not answer the handshake within ${seconds} s${strays}${words}`, { server })
  const why = sdkFault(shaken.error, { about: `the handshake with MCP server '${server}'`, otherwise: 'bad_reply', server })
  const hasClosed = why.error === 'bad_reply' && (shaken.error as { code?: unknown }).code === -32_000 && last !== undefined
  return hasClosed
    ? fault(isChild ? 'child_failed' : 'connection_failed', `MCP server '${server}' ended before the handshake was done${words}`, {
        server,
      })
    : why
}

interface LinkEvents {
  readonly places: RawArguments
  readonly parameters: ParameterHeaders
  /** This request will not be answered. */
  readonly answerLost: (id: number) => void
  /** Nothing more will come. */
  readonly lost: (why: Fault) => void
  /** The handshake is done. */
  readonly isOpen: () => boolean
}

const openLink = async (config: ServerConfig, options: Connecting, events: LinkEvents): Promise<Result<Link>> => {
  const { clientName, cwd, note, allowsPrivateNet } = options
  if (config.url === undefined) return openStdioLink(config, cwd, events.places, options)
  const target = readTarget(config)
  if (!target.ok) return target
  for (const warning of target.value.warnings) note(warning)
  if (config.transport === 'ws') return succeed(await openWebSocket(target.value, allowsPrivateNet, events.places))
  return succeed(await openHttp({ target: target.value, isSse: config.transport === 'sse', allowsPrivateNet, clientName, ...events }))
}

/** A name for people, without keys: that in the spec, or the program or host. */
const nameOf = ({ prefix, command, url }: ServerConfig): string => {
  if (prefix !== undefined) return prefix
  if (command !== undefined) return command.split('/').at(-1) ?? command
  return url !== undefined && URL.canParse(url) ? new URL(url).host : (url ?? '')
}
