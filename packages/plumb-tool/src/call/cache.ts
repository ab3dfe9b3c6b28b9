// The stage of `cache`: keeps results for a while, and lets equal calls at the same time share one run.
//
// withCache > Memory, of one session > Store, the results (least recently used go first) and Flight, a run that several callers wait for

import { canonicalJson, type Result, succeed } from '@plumb/wire'
import type { LRUCache } from 'lru-cache'
import type { JsonText } from '../json-text.js'
import type { Call, Session } from './call.js'
import { cancelled } from './cancelled.js'
import { note } from './note.js'
import type { Tool, Wrap } from './tool.js'

/**
 * Gives an answer again to an equal input for `ttlMs`. Errors are not cached. Each session has a memory of its own, since another may not be
 * allowed to see its results.
 */
export const withCache =
  (ttlMs: number): Wrap =>
  (tool) => {
    const memories = new WeakMap<Session, Memory>()
    return {
      ...tool,
      run: async (input, call) => {
        const memory = memories.get(call.session) ?? new Memory(tool, openStore(ttlMs, call.session.nowMs))
        memories.set(call.session, memory)
        return memory.answer(input, call)
      },
    }
  }

class Memory {
  readonly #flights = new Map<string, Flight>()

  constructor(
    private readonly tool: Tool,
    private readonly store: Promise<Store>,
  ) {}

  async answer(input: JsonText, call: Call): Promise<Result<JsonText>> {
    const store = await this.store
    const key = canonicalJson(input)
    const kept = store.get(key)
    if (kept) {
      note(call, 'cache', 'hit')
      return reuse(kept, call)
    }
    const running = this.#flights.get(key)
    note(call, 'cache', running ? 'the same call is running: its result is shared' : 'miss')
    if (!running) return this.#start(key, input, call, store).wait(call)
    const result = await running.wait(call)
    return result.ok ? reuse({ json: result.value, isTruncated: running.isTruncated }, call) : result
  }

  #start(key: string, input: JsonText, call: Call, store: Store): Flight {
    const forget = (): void => {
      if (this.#flights.get(key) === flight) this.#flights.delete(key)
    }
    const flight = new Flight(this.tool, input, call, forget)
    this.#flights.set(key, flight)
    const keep = (result: Result<JsonText>): void => {
      forget()
      if (result.ok && !flight.isPartial) store.set(key, { json: result.value, isTruncated: flight.isTruncated })
    }
    void flight.result.then(keep, forget)
    return flight
  }
}

const reuse = ({ json, isTruncated }: Kept, { record }: Call): Result<JsonText> => {
  record.cached = true
  record.truncated = isTruncated
  return succeed(json)
}

interface Kept {
  readonly json: JsonText
  readonly isTruncated: boolean
}

type Store = Pick<LRUCache<string, Kept>, 'get' | 'set'>

const MAX_ENTRIES = 1000
// Characters of keys and results; a larger result is not cached.
const MAX_SIZE = 16 * 1024 * 1024

const openStore = async (ttlMs: number, nowMs: () => number): Promise<Store> => {
  const { LRUCache } = await import('lru-cache')
  return new LRUCache<string, Kept>({
    max: MAX_ENTRIES,
    maxSize: MAX_SIZE,
    sizeCalculation: ({ json }, key) => json.length + key.length,
    ttl: Math.min(Math.max(1, Math.round(ttlMs)), Number.MAX_SAFE_INTEGER),
    // Reads the clock on each access. The library takes 0 for no time.
    ttlResolution: 0,
    perf: { now: () => nowMs() + 1 },
  })
}

/** One run that several callers wait for. It is stopped when the last of them has cancelled. */
class Flight {
  readonly result: Promise<Result<JsonText>>
  readonly #tool: Tool
  readonly #call: Call
  readonly #abandon = new AbortController()
  readonly #onAbandoned: () => void
  #waiting = 0

  /** Notes of its stages belong to the call that began it. */
  constructor(tool: Tool, input: JsonText, call: Call, onAbandoned: () => void) {
    this.#tool = tool
    this.#call = call
    this.#onAbandoned = onAbandoned
    this.result = tool.run(input, { ...call, signal: this.#abandon.signal })
  }

  get isTruncated(): boolean {
    return this.#call.record.truncated
  }

  get isPartial(): boolean {
    return this.#call.record.isPartial === true
  }

  wait({ signal }: Call): Promise<Result<JsonText>> {
    this.#waiting++
    return new Promise((resolve, reject) => {
      const onAbort = (): void => {
        signal.removeEventListener('abort', onAbort)
        if (--this.#waiting > 0) return resolve(cancelled(this.#tool.name))
        // No caller may join it any more. Its end is awaited, so that the work has ended when the last caller gets its answer.
        this.#onAbandoned()
        this.#abandon.abort()
      }
      this.result.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort))
      if (signal.aborted) onAbort()
      else signal.addEventListener('abort', onAbort, { once: true })
    })
  }
}
