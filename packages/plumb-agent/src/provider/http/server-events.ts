// Server-sent events: from bytes that are cut anywhere to the data of each.

import { isUtf8 } from 'node:buffer'
import { TextDecoder } from 'node:util'
import { createParser, type EventSourceParser } from 'eventsource-parser'
import { Unreadable } from './failure.js'
import { readJson } from './json-path.js'
import { MAX_EVENT_LENGTH } from './timing.js'

/** The data of the event that ends a stream of OpenAI's. */
export const END = '[DONE]'

/** Whether a body that begins so is a stream of events. Undefined: it may be. */
export const areEvents = (chunk: Buffer): boolean | undefined => {
  const start = chunk
    .toString('latin1', 0, 64)
    .replace(/^\xef\xbb\xbf/, '')
    .trimStart()
  if (/^[{["<]/.test(start)) return false
  return /^(?:(?:data|event|id|retry)?:)/.test(start) ? true : undefined
}

/** Whether a body is lines of JSON, which some servers send in place of events. */
export const areJsonLines = (body: Buffer): boolean => {
  if (!body.includes('\n{')) return false
  const [first = ''] = body.toString().trimStart().split('\n', 1)
  return isWhole(first)
}

/** The beginning of a byte-order mark. */
const MARK = 0xef

export class ServerEvents {
  #ready: string[] = []
  #isTooLong = false
  #hasBegun = false
  /** From the first chunk on that is not whole characters alone. */
  #decoder: TextDecoder | undefined
  readonly #parser: EventSourceParser = createParser({
    onEvent: ({ data, event }) => {
      for (const part of partsOf(data)) {
        const meant = meaningOf(part, event)
        if (meant !== undefined) this.#ready.push(meant)
      }
    },
    onError: ({ type, field = '', value = '', line = '' }) => {
      this.#isTooLong ||= type === 'max-buffer-size-exceeded'
      const meant = type === 'unknown-field' ? meaningOfLine(line, field, value) : undefined
      if (meant !== undefined) this.#ready.push(meant)
    },
    maxBufferSize: MAX_EVENT_LENGTH,
  })

  /** The data of the events that end in it. Throws `Unreadable`. */
  take(chunk: Buffer): readonly string[] {
    this.#parser.feed(this.#decode(chunk))
    if (this.#isTooLong) throw new Unreadable(`sent an event of more than ${MAX_EVENT_LENGTH} characters`)
    return this.#taken()
  }

  /** An event that has no end counts if it is whole, as a last line without its newline does; else it was cut, and is dropped. */
  end(): readonly string[] {
    this.#parser.feed('\n\n')
    return this.#taken().filter(isWhole)
  }

  #taken(): readonly string[] {
    const ready = this.#ready
    this.#ready = []
    return ready
  }

  // A character may be cut between two chunks; what is not UTF-8 is an error, never U+FFFD.
  #decode(chunk: Buffer): string {
    // A mark is left out at the beginning alone: further on it is a character.
    const ignoreBOM = this.#hasBegun
    this.#hasBegun = true
    if (!this.#decoder && (ignoreBOM || chunk[0] !== MARK) && isUtf8(chunk)) return chunk.toString()
    this.#decoder ??= new TextDecoder('utf-8', { fatal: true, ignoreBOM })
    try {
      return this.#decoder.decode(chunk, { stream: true })
    } catch {
      throw new Unreadable('sent bytes that are not UTF-8', true)
    }
  }
}

// Some servers write no blank line between their events.
const partsOf = (data: string): readonly string[] => {
  if (!data.includes('\n')) return [data]
  const lines = data.split('\n')
  return lines.every(isWhole) ? lines : [data]
}

// Proxies keep a connection alive with events that have no data, or a word (`ping`). Of an error, all that it says is about it.
const meaningOf = (data: string, event: string | undefined): string | undefined => {
  const isError = event === 'error' && !data.includes('"error"')
  if (!isError && data.length <= MAX_WORD) {
    const word = data.trim()
    if (word === '' || BARE_WORD.test(word)) return undefined
    if (word === END) return END
  }
  if (!isError) return data
  return data.trim() === '' ? '{"error":"an error, without a word"}' : `{"error":${readJson(data).ok ? data : JSON.stringify(data)}}`
}

// Gateways lose the `data:` of lines, and llama.cpp once wrote `error:` in its place.
const meaningOfLine = (line: string, field: string, value: string): string | undefined => {
  const word = line.trim()
  if (word === END) return END
  if (word.startsWith('{')) return isWhole(word) ? word : undefined
  return field.trim() === 'error' ? meaningOf(value, 'error') : undefined
}

const MAX_WORD = 40
const BARE_WORD = /^[a-zA-Z][\w-]*(?: [\w-]+){0,2}$/

const isWhole = (data: string): boolean => data === END || readJson(data).ok
