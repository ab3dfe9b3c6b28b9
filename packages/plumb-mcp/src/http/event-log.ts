// The messages that were sent on the streams of a session, for a client that lost one and resumes: by stream, and within a limit that all
// sessions share.

import { randomUUID } from 'node:crypto'
import type { EventStore } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'

export interface EventLog {
  /** For one session; `forget` drops what it keeps. */
  forSession(): EventStore & { forget(): void }
}

interface Entry {
  readonly session: symbol
  readonly stream: string
  readonly message: JSONRPCMessage
  readonly length: number
}

/** Maximum characters of all kept messages. */
const MAX_SIZE = 32 * 1024 * 1024
const MAX_EVENTS = 10_000

export const openEventLog = (mostKept = MAX_SIZE): EventLog => {
  const entries = new Map<string, Entry>()
  let length = 0
  const drop = (id: string, entry: Entry): void => {
    entries.delete(id)
    length -= entry.length
  }
  const shrink = (): void => {
    for (const [id, entry] of entries) {
      if (length <= mostKept && entries.size <= MAX_EVENTS) return
      drop(id, entry)
    }
  }
  return {
    forSession: () => {
      const session = Symbol('session')
      return {
        storeEvent: async (stream, message) => {
          const id = randomUUID()
          const size = JSON.stringify(message).length
          entries.set(id, { session, stream, message, length: size })
          length += size
          shrink()
          return id
        },
        getStreamIdForEventId: async (id) => {
          const entry = entries.get(id)
          return entry?.session === session ? entry.stream : undefined
        },
        replayEventsAfter: async (lastId, { send }) => {
          const last = entries.get(lastId)
          if (last?.session !== session) throw new Error('the event is not known, or no longer')
          let isPast = false
          for (const [id, { message, stream, session: owner }] of entries) {
            // Never messages of another stream.
            if (isPast && owner === session && stream === last.stream && Object.keys(message).length > 0) await send(id, message)
            isPast ||= id === lastId
          }
          return last.stream
        },
        forget: () => {
          for (const [id, entry] of entries) if (entry.session === session) drop(id, entry)
        },
      }
    },
  }
}
