// An initialized connection, as its users see it.

import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import type { Json } from '@plumb/lang'
import { fail, fault, preview, type Result, type SchemaCheck, succeed } from '@plumb/wire'
import { outputCheck, readAnswer } from './answer.js'
import { openCatalogue } from './catalogue.js'
import type { ConnectOptions, McpConnection, McpPrompt, McpTool, ServerConfig } from './connection.js'
import type { Link } from './link.js'
import { readPages } from './pages.js'
import type { Places } from './raw-places.js'
import type { Life, Request } from './requests.js'
import { watchTools } from './tool-changes.js'
import { readTools } from './tool-list.js'

export interface SessionParts {
  readonly client: Client
  readonly protocol: string
  readonly link: Link
  readonly life: Life
  readonly request: Request
  readonly places: Places
  readonly server: string
  readonly config: ServerConfig
  readonly options: ConnectOptions
}

export const openSession = async (parts: SessionParts): Promise<McpConnection> => {
  const { client, link, life, request, places, server, options } = parts
  const capabilities = (client.getServerCapabilities() ?? {}) as { readonly [name: string]: Json }
  const about = `MCP server '${server}'`
  const { name = '', version = '' } = client.getServerVersion() ?? {}
  const identity = { name, version }
  const catalogue = openCatalogue(parts.config, { cwd: options.cwd })
  const changes = watchTools(server)
  let listing: Promise<Result<readonly McpTool[]>> | undefined
  // Once the server has told of a change, it is asked itself.
  let mayBeKept = true
  let isKept = false
  let checks = new Map<string, () => Result<SchemaCheck | undefined>>()

  const list = async (method: string, key: string) => {
    const question = { method, about: () => `${method} of ${about}`, otherwise: 'bad_reply' as const }
    // All pages together have the time of one answer.
    const until = performance.now() + timeoutMs(parts.config)
    return readPages((params) => request({ ...question, params }, { timeoutMs: Math.max(1, until - performance.now()) }), key, server)
  }
  const ask = async (method: string, params: Readonly<Record<string, unknown>>): Promise<Result<Json>> => {
    const result = await request({ method, params, about: () => `${method} of ${about}`, otherwise: 'bad_reply' })
    return result.ok ? succeed(result.value as Json) : result
  }
  const listTools = async (): Promise<Result<readonly McpTool[]>> => {
    const kept = mayBeKept ? await catalogue.read(identity) : undefined
    mayBeKept = false
    isKept = kept !== undefined
    const items = kept || capabilities.tools === undefined ? succeed([]) : await list('tools/list', 'tools')
    if (!items.ok) return items
    const tools = kept ?? readTools(items.value, server, options.note)
    if (!kept) await catalogue.write(identity, tools)
    for (const change of changes.see(tools)) options.note(change)
    checks = new Map(tools.map((tool) => [tool.name, once(() => outputCheck(tool))]))
    return succeed(tools)
  }

  const { ToolListChangedNotificationSchema } = await import('./mcp-client.late.js')
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => {
    // Told once, however often it is said before somebody looks.
    if (!listing) return
    listing = undefined
    options.onToolsChanged?.()
  })

  const listed = (): Promise<Result<readonly McpTool[]>> => {
    if (listing) return listing
    const asked = listTools()
    listing = asked
    // A list that could not be had is asked for again.
    void asked.then(({ ok }) => {
      if (!ok && listing === asked) listing = undefined
    })
    return asked
  }
  const tools: McpConnection['tools'] = async (wanted = []) => {
    const list = await listed()
    if (!isKept || !list.ok || wanted.every((name) => list.value.some((tool) => tool.name === name))) return list
    listing = undefined
    return listed()
  }

  const call: McpConnection['call'] = async (name, input, callOptions) => {
    const of = () => `tool '${preview(name)}' of ${about}`
    if (!input.trimStart().startsWith('{'))
      return fail('input_type_mismatch', `the input of ${of()} is to be a JSON object`, { server, tool: name })
    const check = checks.get(name)?.() ?? succeed(undefined)
    if (!check.ok)
      return fail('bad_reply', `${of()} has an output schema that cannot be used: ${check.error.detail}`, { server, tool: name })
    const place = places.hold(input)
    try {
      const question = { method: 'tools/call', params: { name, arguments: place }, about: of, otherwise: 'tool_crashed' as const }
      const result = await request(question, callOptions)
      return result.ok ? readAnswer(result.value, { server, tool: name, check: check.value }) : result
    } finally {
      places.release(place)
    }
  }

  const instructions = client.getInstructions()
  let leaving: Promise<void> | undefined
  return {
    server: identity,
    capabilities,
    ...(instructions === undefined ? {} : { instructions }),
    protocol: parts.protocol,
    get isDead() {
      return life.dead !== undefined
    },
    tools,
    call,
    prompts: async () => {
      if (capabilities.prompts === undefined) return succeed([])
      return (await list('prompts/list', 'prompts')) as Result<readonly McpPrompt[]>
    },
    prompt: (name, args) => ask('prompts/get', { name, arguments: args }),
    resources: async () => (capabilities.resources === undefined ? succeed([]) : list('resources/list', 'resources')),
    resourceTemplates: async () =>
      capabilities.resources === undefined ? succeed([]) : list('resources/templates/list', 'resourceTemplates'),
    read: (uri) => ask('resources/read', { uri }),
    complete: (ref, argument) => ask('completion/complete', { ref, argument }),
    disconnect: () => {
      leaving ??= (async () => {
        life.die(fault('mcp_dead', `the connection to ${about} was closed`, { server }))
        await link.end()
      })()
      return leaving
    },
  }
}

const timeoutMs = ({ timeout = 60 }: ServerConfig): number => timeout * 1000

const once = <T>(make: () => T): (() => T) => {
  let made: { readonly value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
