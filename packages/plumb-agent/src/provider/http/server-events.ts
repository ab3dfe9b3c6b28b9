// Parses a stream of server-sent events, from chunks of bytes to the data of each event.

import { TextDecoder } from 'node:util'
import { createParser } from 'eventsource-parser'
import { Unreadable } from './failure.js'
import { readJson } from './json-path.js'
import { MAX_EVENT_LENGTH } from './timing.js'

/**
 * An event that is not terminated when the stream ends counts if it is complete, as a last line without its newline does; else it was cut,
 * and is dropped.
 */
export async function* serverEvents(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  // A character may be split between two chunks; invalid UTF-8 is an error, never U+FFFD.
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let events: string[] = []
  let isTooLong = false
  const parser = createParser({
    onEvent: ({ data }) => events.push(data),
    onError: ({ type }) => {
      isTooLong ||= type === 'max-buffer-size-exceeded'
    },
    maxBufferSize: MAX_EVENT_LENGTH,
  })
  for await (const chunk of body) {
    parser.feed(decode(decoder, chunk))
    if (isTooLong) throw new Unreadable(`sent an event of more than ${MAX_EVENT_LENGTH} characters`)
    const ready = events
    events = []
    yield* ready
  }
  parser.feed('\n\n')
  yield* events.filter(isWhole)
}

const isWhole = (data: string): boolean => data === '[DONE]' || readJson(data).ok

const decode = (decoder: TextDecoder, chunk: Uint8Array): string => {
  try {
    return decoder.decode(chunk, { stream: true })
  } catch {
    throw new Unreadable('sent bytes that are not UTF-8')
  }
}
