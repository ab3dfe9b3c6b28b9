// The clients over HTTP: each with a session, found by an id that cannot be guessed, and closed after a long idle time.

import { randomUUID } from 'node:crypto'
import type { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { openClient } from '../server/client.js'
import type { Client } from '../server/method.js'
import type { ServerContext } from '../server/server-context.js'
import { openEventLog } from './event-log.js'
import { openStandingStreams, type StandingStreams } from './standing-streams.js'

export interface SessionLimits {
  readonly maxSessions: number
  /** Seconds. */
  readonly idleTimeout: number
}

export interface HttpSession {
  readonly transport: WebStandardStreamableHTTPServerTransport
  /** Marks the beginning of a request; returns a function for its end. */
  enter(): () => void
  readonly streams: StandingStreams
}

export interface HttpSessions {
  get(id: string): HttpSession | undefined
  /**
   * Opens a session for a client that initializes: it gets its id once that is done, and is dropped if the first request ends without it.
   * Undefined: there are `maxSessions`, and each has a request in progress.
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
  // Sessions without an id yet. They count from the check of the limit on: others may be opened before they are initialized.
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
  // The session that was idle for longest is closed.
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
      streams: openStandingStreams(transport, events),
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

// Its optional fields are declared without `undefined`, ours with it.
const asTransport = (transport: WebStandardStreamableHTTPServerTransport): Transport => transport as Transport
