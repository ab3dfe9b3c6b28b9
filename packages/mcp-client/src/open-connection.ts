// An initialized connection.

import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import type { Json } from '@plumb/lang'
import { fail, fault, map, preview, type Result, succeed } from '@plumb/wire'
import { readToolAnswer } from './answer.js'
import type { Connecting, McpAnswer, McpConnection, McpPrompt, ServerConfig } from './connection.js'
import type { Link } from './link.js'
import { type Listing, openListing } from './listing.js'
import { readPages } from './pages.js'
import type { ParameterHeaders } from './parameter-headers.js'
import type { RawArguments } from './raw-arguments.js'
import type { Life, SendRequest } from './requests.js'
import { STATELESS } from './revision.js'
import { openToolListCache } from './tool-list-cache.js'

export interface ConnectionParts {
  readonly client: Client
  readonly protocol: string
  readonly link: Link
  readonly life: Life
  readonly request: SendRequest
  readonly places: RawArguments
  readonly parameters: ParameterHeaders
  readonly server: string
  readonly config: ServerConfig
  readonly options: Connecting
}

export const openMcpConnection = async (parts: ConnectionParts): Promise<McpConnection> => {
  const { client, link, life, server, options } = parts
  const capabilities = (client.getServerCapabilities() ?? {}) as { readonly [name: string]: Json }
  const { name = '', version = '' } = client.getServerVersion() ?? {}
  const identity = { name, version }
  const { list, ask } = openQuestions(parts)
  let ttlMs: number | undefined
  const listTools = async () => {
    const listed = await list('tools/list', 'tools')
    if (listed.ok) ttlMs = listed.value.ttlMs
    return listed.ok ? succeed(listed.value.items) : listed
  }
  const listing = openListing({
    ask: () => (capabilities.tools === undefined ? Promise.resolve(succeed([])) : listTools()),
    ttlMs: () => ttlMs,
    catalogue: openToolListCache(parts.config, { cwd: options.cwd }),
    identity,
    server,
    isMirrored: parts.protocol === STATELESS && parts.config.url !== undefined,
    onUse: parts.parameters.learn,
    note: options.note,
    onChange: () => options.onToolsChanged?.(),
  })
  const { ToolListChangedNotificationSchema } = await import('./mcp-client.late.js')
  client.setNotificationHandler(ToolListChangedNotificationSchema, listing.change)
  // Nothing is requested of a server that offers none of it.
  const listOf = async (capability: string, method: string, key: string) =>
    capabilities[capability] === undefined ? succeed([]) : map(await list(method, key), ({ items }) => items)

  const instructions = client.getInstructions()
  let leaving: Promise<void> | undefined
  return {
    server: identity,
    capabilities,
    ...(instructions === undefined ? {} : { instructions }),
    protocol: parts.protocol,
    place: placeOf(parts.config),
    get isDead() {
      return life.dead !== undefined
    },
    tools: (wanted = []) => listing.tools(wanted),
    listedTools: listing.listed,
    get isListed() {
      return listing.isListed
    },
    call: toolCall(parts, listing),
    stderr: link.stderr,
    prompts: async () => map(await listOf('prompts', 'prompts/list', 'prompts'), (items) => items as unknown as readonly McpPrompt[]),
    prompt: (name, args) => ask('prompts/get', { name, arguments: args }),
    resources: () => listOf('resources', 'resources/list', 'resources'),
    resourceTemplates: () => listOf('resources', 'resources/templates/list', 'resourceTemplates'),
    read: (uri) => ask('resources/read', { uri }),
    complete: (ref, argument) => ask('completion/complete', { ref, argument }),
    disconnect: () => {
      leaving ??= (async () => {
        life.die(fault('mcp_dead', `the connection to MCP server '${server}' was closed`, { server }))
        await link.end()
      })()
      return leaving
    },
  }
}

const placeOf = ({ url }: ServerConfig): McpConnection['place'] => {
  if (url === undefined || !URL.canParse(url)) return { transport: 'pipe' }
  const { hostname, port, protocol } = new URL(url)
  return { transport: 'tcp', host: hostname, port: Number(port) || (/^(https|wss):$/.test(protocol) ? 443 : 80) }
}

const openQuestions = ({ request, server, config, options }: ConnectionParts) => {
  const about = (method: string) => () => `${method} of MCP server '${server}'`
  return {
    list: async (method: string, key: string) => {
      const question = { method, about: about(method), otherwise: 'bad_reply' as const }
      // All pages together have the time limit of one answer.
      const until = performance.now() + timeoutMs(config)
      const page = (params: { readonly cursor?: string }) =>
        request({ ...question, params }, { timeoutMs: Math.max(1, until - performance.now()) })
      return readPages(page, { key, server, note: options.note })
    },
    ask: async (method: string, params: Readonly<Record<string, unknown>>): Promise<Result<Json>> => {
      const result = await request({ method, params, about: about(method), otherwise: 'bad_reply' })
      return result.ok ? succeed(result.value as Json) : result
    },
  }
}

const toolCall =
  ({ request, places, server, link, protocol }: ConnectionParts, listing: Listing): McpConnection['call'] =>
  async (name, input, callOptions) => {
    const of = () => `tool '${preview(name)}' of MCP server '${server}'`
    const where = { server, tool: name }
    const takesNull = protocol === STATELESS
    if (!input.trimStart().startsWith('{')) return fail('input_type_mismatch', `the input of ${of()} is not a JSON object`, where)
    if (listing.needsTask(name)) {
      const why = 'runs as a task alone, and tasks are not offered here: ask its makers for one that answers at once'
      return fail('cannot_run', `${of()} ${why}`, where)
    }
    // The cached schema may be out of date.
    if (!listing.checkOf(name).ok && !listing.isListed) await listing.listed()
    const check = listing.checkOf(name)
    if (!check.ok) return fail('bad_reply', `${of()} has an output schema that cannot be used: ${check.error.detail}`, where)
    const wasListed = listing.isListed
    const { meta, onSent } = callOptions ?? {}
    const held = places.hold(input, onSent)
    try {
      const question = {
        method: 'tools/call',
        params: { name, arguments: held, ...(meta ? { _meta: meta } : {}) },
        about: of,
        otherwise: 'tool_crashed' as const,
      }
      const result = await request(question, callOptions)
      if (isRefusal(result)) listing.change()
      if (!result.ok) return result
      const answer = withMissingAccess(readToolAnswer(result.value, { ...where, takesNull, check: check.value }), link)
      if (answer.ok || wasListed) return answer
      await listing.listed()
      const now = listing.checkOf(name)
      return now.ok ? readToolAnswer(result.value, { ...where, takesNull, check: now.value }) : answer
    } finally {
      places.release(held)
    }
  }

const withMissingAccess = (answer: Result<McpAnswer>, { findMissingAccess }: Link): Result<McpAnswer> => {
  if (!answer.ok || !answer.value.isError || !findMissingAccess) return answer
  const said = answer.value.content.map((block) => ('text' in block ? block.text : '')).join('\n')
  const lacked = findMissingAccess(said)
  return lacked === undefined ? answer : succeed({ ...answer.value, lacked })
}

const timeoutMs = ({ timeout = 60 }: ServerConfig): number => timeout * 1000

/** Detects unknown tools and refused inputs, as protocol errors and as results that carry them. */
const isRefusal = (result: Result<Readonly<Record<string, unknown>>>): boolean => {
  if (!result.ok) return result.error.mcp_code === INVALID_PARAMS
  const { isError, content } = result.value as { readonly isError?: unknown; readonly content?: readonly { readonly text?: unknown }[] }
  return isError === true && Array.isArray(content) && String(content[0]?.text).startsWith(`MCP error ${INVALID_PARAMS}`)
}

const INVALID_PARAMS = -32_602
