// Remembers results for a while, and lets calls that ask the same at once share one run.

import { type Result, succeed } from '@plumb/wire'
import type { JsonText } from '../json-text.js'
import { canonicalJson } from '../json-text.js'
import type { Tool, Wrap } from '../tool.js'
import { type Kept, openStore, type Store } from './cache-store.js'
import type { Call, Session } from './call.js'
import { Flight } from './flight.js'
import { note } from './note.js'

/** Errors are not kept. What one session may see another may not, so each has a memory of its own. */
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
      if (result.ok) store.set(key, { json: result.value, isTruncated: flight.isTruncated })
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
