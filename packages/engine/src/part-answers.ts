// The kept answers of one part in one worker: its processes ask here, over a socket. What the cache has is in the tables, for all workers; what
// the record gets is held until the message is settled.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type AnswerService, type SharedEntry, type SharedKey, type SharedPlace, type SharedReply, serveAnswers } from '@plumb/ledger/kept'
import { type Fault, fault, type Result, succeed } from '@plumb/wire'
import type { CachedAnswer, CacheOptions, Engine, Numbered, RecordedAnswer } from './engine.js'
import type { PlacesOfAnswers } from './places-of-answers.js'
import { RequestBatcher } from './request-batcher.js'

export interface PartAnswersOptions {
  readonly engine: Engine
  readonly run: string
  readonly part: number
  /** Undefined: nothing is cached. */
  readonly cache: CacheOptions | undefined
  readonly isRecorded: boolean
  readonly places: PlacesOfAnswers
  /** The engine is unavailable. */
  readonly fail: (error: unknown) => void
}

const MAX_ASKED = 500
const MAX_BATCH_BYTES = 8 * 1024 * 1024
const GONE = fault('engine_unavailable', 'the database that has the cache of the run is away')

export class PartAnswers implements AnswerService {
  readonly #o: PartAnswersOptions
  readonly #directory = mkdtempSync(join(tmpdir(), 'plumb-'))
  /** By delivery. */
  readonly #recorded = new Map<string, RecordedAnswer[]>()
  readonly #asking: RequestBatcher<SharedKey, Numbered>
  readonly #keeping: RequestBatcher<CachedAnswer, undefined>
  #closeSocket = (): void => {}

  /** `write_failed` if there can be no socket. */
  static async open(options: PartAnswersOptions): Promise<Result<PartAnswers>> {
    const answers = new PartAnswers(options)
    const served = await serveAnswers(answers.place.path, answers)
    if (served.ok) answers.#closeSocket = served.value
    else answers.close()
    return served.ok ? succeed(answers) : served
  }

  private constructor(options: PartAnswersOptions) {
    this.#o = options
    const { engine, run, places } = options
    this.#asking = new RequestBatcher({
      work: (keys) => engine.findAnswers(run, keys, places.all),
      sizeOf: () => 1,
      maxSize: MAX_ASKED,
      maxItems: MAX_ASKED,
    })
    this.#keeping = new RequestBatcher({
      work: async (answers) => {
        await engine.cacheAnswers(run, answers)
        return answers.map(() => undefined)
      },
      sizeOf: ({ answer, request }) => answer.length + (request?.length ?? 0),
      maxSize: MAX_BATCH_BYTES,
      maxItems: MAX_ASKED,
    })
  }

  /** For the processes of the part. */
  get place(): SharedPlace {
    const { cache, isRecorded } = this.#o
    const path = join(this.#directory, 'answers')
    return { path, isCached: cache !== undefined, isRecorded, hasRequests: cache?.hasRequests === true }
  }

  get isOnly(): boolean {
    return this.#o.cache?.isOnly === true
  }

  async ask(key: SharedKey): Promise<Result<SharedReply>> {
    try {
      const { nth, answer } = await this.#asking.add(this.#inGraph(key))
      if (answer !== null) return succeed({ nth, answer: JSON.parse(answer) as unknown })
      return succeed({ nth, ...(this.isOnly ? { miss: true as const } : {}) })
    } catch (error) {
      this.#o.fail(error)
      return { ok: false, error: GONE }
    }
  }

  async keep(key: SharedKey, { nth, answer, request, isCached, isRecorded }: SharedEntry): Promise<Fault | undefined> {
    const { hash, place, delivery, k } = this.#inGraph(key)
    const text = JSON.stringify(answer)
    // Where no message is named, nothing can be settled with it.
    if (isRecorded && delivery.includes('/') && !this.#o.places.isSecret(place)) {
      const known = this.#recorded.get(delivery)
      if (known) known.push({ hash, place, k, answer: text })
      else this.#recorded.set(delivery, [{ hash, place, k, answer: text }])
    }
    if (!isCached) return undefined
    try {
      await this.#keeping.add({ hash, place, nth, answer: text, request: request === undefined ? null : JSON.stringify(request) })
      return undefined
    } catch (error) {
      this.#o.fail(error)
      return GONE
    }
  }

  /** What was recorded for a message, in order; each is taken once. */
  take(delivery: string): readonly RecordedAnswer[] {
    const recorded = this.#recorded.get(delivery) ?? []
    this.#recorded.delete(delivery)
    return recorded
  }

  /** Its process was dropped, with the messages that it had. */
  clear(): void {
    this.#recorded.clear()
  }

  close(): void {
    this.#closeSocket()
    rmSync(this.#directory, { recursive: true, force: true })
  }

  #inGraph(key: SharedKey): SharedKey {
    return { ...key, place: this.#o.places.placeOf(this.#o.part, key.place) }
  }
}
