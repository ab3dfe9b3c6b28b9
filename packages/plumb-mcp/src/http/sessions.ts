// The clients over HTTP: each with a session of its own, found by an id that cannot be guessed, and gone after a time without a word.

import { randomUUID } from 'node:crypto'
import type { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import { openClient } from '../server/client.js'
import type { Client } from '../server/method.js'
import { asTransport } from '../server/sdk.js'
import type { ServerContext } from '../server/server-context.js'
import { openEventLog } from './event-log.js'

export interface SessionLimits {
  readonly maxSessions: number
  /** Seconds. */
  readonly idleTimeout: number
}

export interface HttpSession {
  readonly transport: WebStandardStreamableHTTPServerTransport
  /** A request of it is being answered; returns how to say that it is over. */
  enter(): () => void
}

export interface HttpSessions {
  get(id: string): HttpSession | undefined
  /** For a client that initializes; it is there under an id once it has. Undefined: there are too many, and all are at work. */
  open(): Promise<HttpSession | undefined>
  /** Of all that are there. */
  each(tell: (client: Client) => void): void
  close(): Promise<void>
}

type Sdk = typeof import('./mcp-http.late.js')

interface Entry extends HttpSession {
  client: Client | undefined
  running: number
  lastMs: number
}

export const openSessions = (sdk: Sdk, context: ServerContext, { maxSessions, idleTimeout }: SessionLimits): HttpSessions => {
  const entries = new Map<string, Entry>()
  const log = openEventLog()
  let opening = 0
  const nowMs = () => performance.now()
  const end = (entry: Entry): Promise<void> | undefined => entry.client?.close()
  const sweep = (): void => {
    const since = nowMs() - idleTimeout * 1000
    for (const entry of entries.values()) if (entry.running === 0 && entry.lastMs < since) void end(entry)
  }
  const timer = setInterval(sweep, Math.min(idleTimeout * 250, 30_000)).unref()
  // The one that has been silent for longest makes room, if it is not at work.
  const makeRoom = async (): Promise<boolean> => {
    if (entries.size + opening < maxSessions) return true
    const idle = [...entries.values()].filter(({ running }) => running === 0).sort((a, b) => a.lastMs - b.lastMs)
    await (idle[0] && end(idle[0]))
    return idle.length > 0
  }
  return {
    get: (id) => entries.get(id),
    open: async () => {
      if (!(await makeRoom())) return undefined
      opening++
      const events = log.forSession()
      const transport = new sdk.WebStandardStreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        eventStore: events,
        retryInterval: RETRY_MS,
        onsessioninitialized: (id) => {
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
          }
        },
      }
      transport.onclose = () => {
        if (transport.sessionId !== undefined) entries.delete(transport.sessionId)
        events.forget()
      }
      try {
        entry.client = await openClient(sdk.Server, asTransport(transport), context)
      } finally {
        opening--
      }
      return entry
    },
    each: (tell) => {
      for (const { client } of entries.values()) if (client) tell(client)
    },
    close: async () => {
      clearInterval(timer)
      await Promise.all([...entries.values()].map(end))
    },
  }
}

const RETRY_MS = 1000
