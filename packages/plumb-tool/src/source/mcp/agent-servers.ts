// The servers of one agent, opened at its spawn: their tools under the names that its model sees (plumb-tools(7), MCP servers).

import { EventEmitter } from 'node:events'
import { setTimeout } from 'node:timers/promises'
import type { AgentPlan, Json } from '@plumb/lang'
import { readServer } from '@plumb/mcp-client'
import type { Fault } from '@plumb/wire'
import type { Session } from '../../call/call.js'
import type { Tool } from '../../call/tool.js'
import { type NamedTool, nameTools } from './name-tools.js'
import { type OfferedTool, offerOf, securedTool } from './offered-tool.js'
import { missingFault, type OpenServer, openServer, selectTools } from './open-server.js'
import { typedTool } from './typed-server.js'

export interface AgentServers {
  /** Waits for a slow server's list if it may contain the name. `value`: returns what the tool's type says, else what a model is shown. */
  find(name: string, as: 'content' | 'value'): Promise<Tool | undefined>
  /** The tools that its model sees now. */
  offers(): readonly OfferedTool[]
  /** Calls `listener` at each change of the offers, until the returned function is called. */
  onChange(listener: () => void): () => void
}

/** Or all errors that keep the agent from starting, of category `config`. */
export type OpenedServers =
  | { readonly servers: AgentServers; readonly faults?: undefined }
  | { readonly servers?: undefined; readonly faults: readonly Fault[] }

export interface AgentServersParts {
  readonly plan: Pick<AgentPlan, 'config' | 'specPath'>
  /** Tools that the agent declares: they take precedence over those of servers. */
  readonly declared: readonly string[]
  readonly session: Session
}

/** Opened concurrently, each within its `handshake_timeout`. They are closed with `session.servers`. */
export const openAgentServers = async ({ plan, declared, session }: AgentServersParts): Promise<OpenedServers> => {
  const configs = serversOf(plan).map((value) => readServer(value, plan.specPath))
  const opened = await Promise.all(configs.map((config) => openServer(config, session)))
  const faults = opened.flatMap((result) => (result.kind === 'refused' ? [result.fault] : []))
  if (faults.length > 0) return { faults }
  const ready = opened.flatMap((result) => (result.kind === 'open' ? [result.server] : []))
  return { servers: serve(ready, declared, session) }
}

const serversOf = ({ config }: Pick<AgentPlan, 'config'>): readonly Json[] => (Array.isArray(config.mcp) ? config.mcp : [])

const serve = (open: readonly OpenServer[], declared: readonly string[], session: Session): AgentServers => {
  const warn = (warning: Fault): void => session.servers.warn(warning)
  const lay = (): ReadonlyMap<string, Entry> => {
    // Warnings are about the current tools of the servers.
    const named = nameTools(open, declared, open.every(({ connection }) => connection.isListed) ? warn : () => {})
    const firsts = new Map([...named].reverse().map(([name, { connection }]) => [connection, name]))
    return new Map([...named].map(([name, found]) => [name, entryOf(name, found, firsts.get(found.connection) === name)]))
  }
  const refreshes: Refreshes[] = []
  const changes = new EventEmitter()
  // Changes made by a call are offered with its answer.
  const behindNews = (tool: Tool): Tool => ({
    ...tool,
    run: async (input, call) => {
      const result = await tool.run(input, call)
      const news = refreshes.flatMap(({ running }) => running() ?? [])
      if (news.length > 0) await Promise.race([Promise.all(news), setTimeout(REFRESH_TIMEOUT_MS, undefined, { ref: false })])
      return result
    },
  })
  const entryOf = (name: string, found: NamedTool, isFirst: boolean): Entry => {
    let value: Tool | undefined
    return {
      content: behindNews(securedTool(name, found)),
      get value() {
        value ??= behindNews(typedTool(found.tool, found.config, found.connection).as(name))
        return value
      },
      offer: offerOf(name, found, isFirst),
    }
  }
  let entries = lay()
  const offers = (): readonly OfferedTool[] => [...entries.values()].map(({ offer }) => offer)
  const servers: AgentServers = {
    find: async (name, as) => {
      const late = open.filter(({ prefix, connection }) => !connection.isListed && name.startsWith(`${prefix}:`))
      if (late.length > 0 && !entries.has(name)) {
        await Promise.all(late.map(({ connection }) => connection.listedTools()))
        await Promise.all(refreshes.map(({ running }) => running()))
      }
      return entries.get(name)?.[as]
    },
    offers,
    onChange: (listener) => {
      changes.on('change', listener)
      return () => void changes.off('change', listener)
    },
  }
  for (const server of open) {
    const refresh = oneAtATime(async () => {
      const tools = await server.connection.listedTools()
      if (!tools.ok) return session.servers.isClosed ? undefined : warn(tools.error)
      const missing = missingFault(tools.value, server.config)
      if (missing) warn(missing)
      const before = JSON.stringify(offers())
      server.tools = selectTools(tools.value, server.config)
      entries = lay()
      if (JSON.stringify(offers()) !== before) changes.emit('change')
    })
    server.onToolsChanged(refresh.start)
    refreshes.push(refresh)
  }
  return servers
}

interface Entry {
  readonly content: Tool
  readonly value: Tool
  readonly offer: OfferedTool
}

// Bounded: a server may keep changing its tools.
const PAUSE_MS = 100
/** The longest wait for it (ms). */
const REFRESH_TIMEOUT_MS = 2000

interface Refreshes {
  readonly start: () => void
  /** Work that was started and is not done yet. */
  readonly running: () => Promise<void> | undefined
}

/** However often it is requested meanwhile, it runs once more, and not immediately. */
const oneAtATime = (work: () => Promise<void>): Refreshes => {
  let isRunning = false
  let isWanted = false
  let now: Promise<void> | undefined
  const run = async (): Promise<void> => {
    isRunning = true
    while (isWanted) {
      isWanted = false
      now = work()
      await now
      now = undefined
      await setTimeout(PAUSE_MS, undefined, { ref: false })
    }
    isRunning = false
  }
  const start = (): void => {
    isWanted = true
    if (!isRunning) void run()
  }
  return { start, running: () => now }
}
