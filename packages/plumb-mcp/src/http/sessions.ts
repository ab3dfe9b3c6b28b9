// The clients over HTTP: each with a session of its own, found by an id that cannot be guessed, and closed when it was idle for long.

import { randomUUID } from 'node:crypto'
import type { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { openClient } from '../server/client.js'
import type { Client } from '../server/method.js'
import type { ServerContext } from '../server/server-context.js'
import { openEventLog } from './event-log.js'

export interface SessionLimits {
  readonly maxSessions: number
  /** Seconds. */
  readonly idleTimeout: number
}

export interface HttpSession {
  readonly transport: WebStandardStreamableHTTPServerTransport
  /** A request of it begins; returns how to say that it is over. */
  enter(): () => void
}

export interface HttpSessions {
  get(id: string): HttpSession | undefined
  /**
   * For a client that initializes: found by its id once that is done, and gone where the first request ends without it. Undefined: there
   * are `maxSessions`, and each has a request at work.
   */
  open(): Promise<HttpSession | undefined>
  /** Calls `visit` with the client of each session. */
  each(visit: (client: Client) => void): void
  close(): Promise<void>
}

type Sdk = typeof import('./mcp-http.late.js')

interface Entry extends HttpSession {
  client: Client | undefined
  running: number
  lastMs: number
}

export const openHttpSessions = (sdk: Sdk, context: ServerContext, { maxSessions, idleTimeout }: SessionLimits): HttpSessions => {
  const entries = new Map<string, Entry>()
  const log = openEventLog()
  // Those that have no id yet. They count from the look at the limit on: others may be opened before they are initialized.
  const initializing = new Set<Entry>()
  const nowMs = () => performance.now()
  const end = async (entry: Entry): Promise<void> => {
    initializing.delete(entry)
    entries.delete(entry.transport.sessionId ?? '')
    await entry.client?.close()
  }
  const sweep = (): void => {
    const since = nowMs() - idleTimeout * 1000
    for (const entry of entries.values()) if (entry.running === 0 && entry.lastMs < since) void end(entry)
  }
  const timer = setInterval(sweep, Math.min(idleTimeout * 250, 30_000)).unref()
  // The session that was idle for longest makes room.
  const makeRoom = (): boolean => {
    if (entries.size + initializing.size < maxSessions) return true
    const [oldest] = [...entries.values()].filter(({ running }) => running === 0).sort((a, b) => a.lastMs - b.lastMs)
    if (oldest) void end(oldest)
    return oldest !== undefined
  }
  const makeEntry = (): Entry => {
    const events = log.forSession()
    const transport = new sdk.WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      eventStore: events,
      retryInterval: RETRY_MS,
      onsessioninitialized: (id) => {
        initializing.delete(entry)
        entries.set(id, entry)
      },
    })
    const entry: Entry = {
      transport,
      client: undefined,
      running: 0,
      lastMs: nowMs(),
      enter: () => {
        entry.running++
        return () => {
          entry.running--
          entry.lastMs = nowMs()
          if (initializing.has(entry)) void end(entry)
        }
      },
    }
    transport.onclose = () => {
      if (transport.sessionId !== undefined) entries.delete(transport.sessionId)
      events.forget()
    }
    return entry
  }
  return {
    get: (id) => entries.get(id),
    open: async () => {
      if (!makeRoom()) return undefined
      const entry = makeEntry()
      initializing.add(entry)
      try {
        entry.client = await openClient(asTransport(entry.transport), context)
      } catch (error) {
        await end(entry)
        throw error
      }
      return entry
    },
    each: (visit) => {
      for (const { client } of entries.values()) if (client) visit(client)
    },
    close: async () => {
      clearInterval(timer)
      await Promise.all([...entries.values(), ...initializing].map(end))
    },
  }
}

const RETRY_MS = 1000

// Its optional fields are stated without `undefined`, and ours with.
const asTransport = (transport: WebStandardStreamableHTTPServerTransport): Transport => transport as Transport
