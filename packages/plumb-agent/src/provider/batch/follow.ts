// Follows one batch until it has ended and its results are read: each is given to the request that waits for it.

import { type Fault, fault } from '@plumb/wire'
import { type Attempt, type Failure, failWith } from '../http/failure.js'
import { backoff } from '../http/retry.js'
import type { Timing } from '../http/timing.js'
import { type BatchApi, type BatchState, notRun, requestPlaceOf } from './api.js'
import { findBatch } from './find.js'
import type { NotedBatch, Notes } from './notes.js'
import type { Waiting } from './waiting.js'

export interface BatchFollowOptions {
  readonly api: BatchApi
  readonly timing: Timing
  readonly maxRetries: number
  readonly notes: Notes
}

const FIRST_POLL_MS = 1_000
const MAX_POLL_MS = 60_000
/** Delays of consecutive retries, in total a quarter of an hour. */
const MAX_POLL_FAILURES = 20

type Failed = Attempt<never> & { readonly ok: false }

export class FollowedBatch {
  readonly #o: BatchFollowOptions
  readonly #waiting = new Map<number, Waiting>()
  readonly #stop = new AbortController()
  /** Receives the progress of the batch. */
  #speaker: Waiting | undefined

  constructor(
    readonly batch: NotedBatch,
    options: BatchFollowOptions,
  ) {
    this.#o = options
  }

  /** Fires when it is no longer waited for. */
  get signal(): AbortSignal {
    return this.#stop.signal
  }

  get waiting(): readonly Waiting[] {
    return [...this.#waiting.values()]
  }

  add(place: number, waiting: Waiting): void {
    if (waiting.isSettled) return
    this.#waiting.set(place, waiting)
    this.#speaker = waiting
    waiting.drop = () => {
      this.#waiting.delete(place)
      if (this.#waiting.size > 0 || this.signal.aborted) return
      this.#stop.abort()
      waiting.request.warn(this.#leftFault())
    }
  }

  /** All waiting requests get this answer. */
  settle(failed: Failed): void {
    for (const waiting of this.#waiting.values()) waiting.settle(failed)
    this.#waiting.clear()
  }

  /**
   * `made`: it was just created. Resolves to the requests that were not run, and have to be sent: because it was never created, or exceeded
   * the queue.
   */
  async run(made?: BatchState): Promise<readonly Waiting[]> {
    for (let state = made; this.#waiting.size > 0; state = undefined) {
      const begun = state ? { ok: true as const, value: state } : await this.find()
      if (begun.ok && begun.value === undefined) return this.#takeAll()
      const over = begun.ok && begun.value ? await this.#untilOver(begun.value) : (begun as Failed)
      if (this.signal.aborted) break
      if (!over.ok) this.#fail(over.failure)
      else if (over.value.refused?.isTooMuch && this.#waiting.size > 1) return this.#takeAll()
      else if (over.value.refused) this.#refuse(over.value.refused)
      else await this.#read(over.value)
    }
    return []
  }

  #takeAll(): readonly Waiting[] {
    const { notes } = this.#o
    notes.done(this.batch, allPlaces(this.batch))
    const all = this.waiting
    for (const { request } of all) if (request.key !== undefined) notes.forget(request.key)
    this.#waiting.clear()
    return all
  }

  /** Undefined: it was never created. */
  async find(): Promise<Attempt<BatchState | undefined>> {
    const { api, timing, notes } = this.#o
    const { batch, signal } = this
    if (batch.id !== undefined) return this.#stateOf(batch.id)
    const found = await findBatch(batch, { api, timing, signal, untilOver: (state) => this.#untilOver(state) })
    if (found.ok && found.value) notes.made(batch, found.value.id)
    return found
  }

  async #stateOf(id: string): Promise<Attempt<BatchState>> {
    const { api, timing } = this.#o
    for (let failures = 0; ; failures++) {
      const state = await api.state(id, this.signal)
      if (state.ok || !state.failure.isRetryable || this.signal.aborted || failures === MAX_POLL_FAILURES) return state
      await timing.wait(Math.min(FIRST_POLL_MS * 2 ** failures, MAX_POLL_MS), this.signal)
    }
  }

  async #untilOver(first: BatchState): Promise<Attempt<BatchState>> {
    let state = first
    for (let waitMs = FIRST_POLL_MS; ; waitMs = Math.min(waitMs * 2, MAX_POLL_MS)) {
      this.#emit(state)
      if (state.isOver) return { ok: true, value: state }
      await this.#o.timing.wait(waitMs, this.signal)
      if (this.signal.aborted) return failWith('cancelled', 'the batch is no longer waited for', false)
      const next = await this.#stateOf(state.id)
      if (!next.ok) return next
      state = next.value
    }
  }

  #emit({ id, status, requests = this.batch.requests, done, isOver }: BatchState): void {
    this.#speaker?.request.emit({ kind: 'batch', id, status, requests, done, ...(isOver ? { over: true } : {}) })
  }

  async #read(state: BatchState): Promise<void> {
    const { api, timing, maxRetries } = this.#o
    const asked = new Map(this.#waiting)
    for (let tries = 0; ; tries++) {
      const done: number[] = []
      const read = await api.read(state, (result) => this.#take(result, done), this.signal)
      await this.#note(done)
      if (this.signal.aborted) return
      if (read.ok) break
      if (!read.failure.isRetryable || tries >= maxRetries) return this.#fail(read.failure)
      await timing.wait(backoff(tries, timing.random()), this.signal)
    }
    const why = `${api.host} has no result for it in its batch ${state.id}`
    const lost = state.isCutShort ? notRun(why) : failWith('bad_reply', why, false)
    const missing = [...asked].filter(([place, waiting]) => this.#waiting.get(place) === waiting)
    for (const [place, waiting] of missing) {
      this.#waiting.delete(place)
      waiting.settle(lost)
    }
    await this.#note(missing.map(([place]) => place))
  }

  #take({ id, reply }: { readonly id: string; readonly reply: Attempt<unknown> }, done: number[]): 'more' | 'enough' {
    const place = requestPlaceOf(this.batch.mark, id)
    const waiting = place === undefined ? undefined : this.#waiting.get(place)
    if (place === undefined || !waiting) return 'more'
    this.#waiting.delete(place)
    const { key, isWrapped } = waiting.request
    if (key !== undefined) this.#o.notes.forget(key)
    waiting.settle(reply.ok ? { ok: true, value: { reply: reply.value, isWrapped } } : reply)
    done.push(place)
    return this.#waiting.size === 0 ? 'enough' : 'more'
  }

  // Answers are kept in this turn of the event loop, as their requests continue; the notes must not say before that they are there.
  async #note(places: readonly number[]): Promise<void> {
    if (places.length === 0) return
    await new Promise((resolve) => setImmediate(resolve))
    this.#o.notes.done(this.batch, places)
  }

  /** For requests whose errors the API reports; the others may be sent again. */
  #refuse({ failure, places }: NonNullable<BatchState['refused']>): void {
    const { host } = this.#o.api
    this.#o.notes.done(this.batch, allPlaces(this.batch))
    const wrong = new Set(places)
    const again = notRun(`${host} ran none of its batch: ${failure.failure.fault.detail}`)
    for (const [place, waiting] of [...this.#waiting]) {
      this.#waiting.delete(place)
      if (waiting.request.key !== undefined) this.#o.notes.forget(waiting.request.key)
      waiting.settle(wrong.size > 0 && !wrong.has(place) ? again : failure)
    }
  }

  /** A batch that no longer exists has no answers; for any other they may come when the run is resumed. */
  #fail(failure: Failure): void {
    const isGone = failure.fault.status === 404
    if (isGone) this.#o.notes.done(this.batch, allPlaces(this.batch))
    for (const { request } of this.#waiting.values()) if (isGone && request.key !== undefined) this.#o.notes.forget(request.key)
    const { host } = this.#o.api
    this.settle(
      isGone ? notRun(`${host} has its batch no longer`) : { ok: false, failure: { ...failure, isRetryable: false, isShared: true } },
    )
  }

  #leftFault(): Fault {
    const { id, requests } = this.batch
    const { host } = this.#o.api
    const what = id === undefined ? `a batch of ${requests} requests may be` : `batch ${id} of ${requests} requests is`
    const isNoted = this.#speaker?.request.key !== undefined
    const how = isNoted
      ? 'go on with --resume, or with the same --cache, and it is waited for'
      : 'nothing is kept of this run, so that it would be sent again: see --record'
    return fault('batch_left', `${what} left at ${host}: ${how}`, { ...(id === undefined ? {} : { batch: id }) })
  }
}

const allPlaces = ({ requests }: NotedBatch): number[] => Array.from({ length: requests }, (_, place) => place)
