// The streams of one session on which a client waits for messages that answer no request. It may have several, such as one that broke where
// the server has not noticed: each message goes to the newest.

import type { ServerResponse } from 'node:http'
import type { EventStore, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'

export interface StandingStreams {
  /** The response becomes the newest stream, unless it resumes one of another kind after the event `lastEventId`. */
  take(response: ServerResponse, lastEventId: string | string[] | undefined): Promise<void>
  /** Its client is kept waiting: else it would come back at once, and take the place of the newest. */
  isReplaced(response: ServerResponse): boolean
}

/** Of one session; the oldest is ended for a further one. */
const MAX_STREAMS = 8
/** The interval at which an idle stream shows that it is alive (ms). */
const ALIVE_MS = 15_000

/** The SDK's name for a stream that answers no request. */
const STANDING = '_GET_stream'

type Sdk = Pick<WebStandardStreamableHTTPServerTransport, 'closeStandaloneSSEStream'>

export const openStandingStreams = (transport: Sdk, events: EventStore): StandingStreams => {
  const open: ServerResponse[] = []
  return {
    take: async (response, lastEventId) => {
      const resumed = typeof lastEventId === 'string' ? await events.getStreamIdForEventId?.(lastEventId) : STANDING
      if (resumed !== STANDING) return
      // The SDK has one.
      transport.closeStandaloneSSEStream()
      open.push(response)
      if (open.length > MAX_STREAMS) open.shift()?.end()
      response.once('close', () => {
        const isNewest = open.at(-1) === response
        if (open.includes(response)) open.splice(open.indexOf(response), 1)
        // Their clients open others, one of which is the newest then.
        if (isNewest) for (const other of open.splice(0)) other.end()
      })
    },
    isReplaced: (response) => open.includes(response) && open.at(-1) !== response,
  }
}

/** Until its client leaves, or it is ended. */
export const keepWaiting = (response: ServerResponse): void => {
  const timer = setInterval(() => response.write(':\n\n'), ALIVE_MS).unref()
  response.once('close', () => clearInterval(timer))
}
