// Questions as requests of batches. What becomes of one:
//
//   gathered     with those of the same model and headers: see gather.ts
//   noted        which question is which request, before anything is sent: see notes.ts
//   made         one batch after the other; one that is too large is halved
//   followed     until it has ended, and its results are read: see follow.ts
//
// A question that a run before has sent, by its notes, is not sent: its batch is found, and followed.

import { randomUUID } from 'node:crypto'
import type { Attempt, Failure } from '../http/failure.js'
import { backoff } from '../http/retry.js'
import type { BatchState } from './api.js'
import { type BatchFollowOptions, FollowedBatch } from './follow.js'
import { RequestGather } from './gather.js'
import type { NotedBatch } from './notes.js'
import { type LaneRequest, type Replied, Waiting } from './waiting.js'

export interface BatchLane {
  /** It was already sent, by an earlier run: it is paid for. */
  isNoted(key: string | undefined): boolean
  ask(request: LaneRequest): Promise<Attempt<Replied>>
  /** One after the other: thousands may wait for money, and each one polls. */
  sequentially<T>(work: () => Promise<T>): Promise<T>
}

export const openLane = (options: BatchFollowOptions): BatchLane => new Lane(options)

class Lane implements BatchLane {
  readonly #options: BatchFollowOptions
  readonly #gathers = new Map<string, RequestGather>()
  readonly #followed = new Map<string, FollowedBatch>()
  /** Resolves when the last created batch has ended. */
  #making: Promise<unknown> = Promise.resolve()
  #turn: Promise<unknown> = Promise.resolve()

  constructor(options: BatchFollowOptions) {
    this.#options = options
  }

  sequentially<T>(work: () => Promise<T>): Promise<T> {
    const own = this.#turn.then(work)
    this.#turn = own
    return own
  }

  isNoted(key: string | undefined): boolean {
    return key !== undefined && this.#options.notes.find(key) !== undefined
  }

  ask(request: LaneRequest): Promise<Attempt<Replied>> {
    return new Promise((resolve) => {
      const noted = request.key === undefined ? undefined : this.#options.notes.find(request.key)
      const waiting = new Waiting(noted ? { ...request, isWrapped: noted.isWrapped } : request, resolve)
      if (waiting.isSettled) return
      if (!noted) return this.#gather(waiting)
      const { batch, place } = noted
      const known = this.#followed.get(batch.mark)
      const following = known && !known.signal.aborted ? known : new FollowedBatch(batch, this.#options)
      following.add(place, waiting)
      if (following !== known) void this.#follow(following)
    })
  }

  #gather(waiting: Waiting): void {
    const { headers, model } = waiting.request
    const group = JSON.stringify([headers, model])
    const known = this.#gathers.get(group)
    const { maxRequests, maxBytes, entryBytes } = this.#options.api
    const { quietMs } = this.#options.timing
    const own = known ?? new RequestGather({ maxRequests, maxBytes, entryBytes, quietMs, send: (all) => void this.#send(all) })
    if (!known) this.#gathers.set(group, own)
    own.add(waiting)
  }

  /** Resolves once all of them have ended. */
  async #send(all: readonly Waiting[]): Promise<void> {
    const made = this.#making.then(() => this.#make(all.filter(({ isSettled }) => !isSettled)))
    this.#making = made
    await Promise.all(await made)
  }

  /** Resolves once they are created, to a promise for the end of each. */
  async #make(all: readonly Waiting[]): Promise<readonly Promise<void>[]> {
    if (all.length === 0) return []
    const batch: NotedBatch = {
      mark: randomUUID(),
      newest: undefined,
      timeMs: this.#options.timing.wallMs(),
      requests: all.length,
      id: undefined,
      file: undefined,
    }
    const following = new FollowedBatch(batch, this.#options)
    for (const [place, waiting] of all.entries()) following.add(place, waiting)
    if (!this.#options.api.isMarked) batch.newest = await this.#newestId(following.signal)
    if (following.signal.aborted) return []
    const keys = all.map(({ request: { key, isWrapped } }) => (key === undefined ? undefined : { key, isWrapped }))
    const unnoted = this.#options.notes.plan(batch, keys)
    if (unnoted) {
      following.settle({ ok: false, failure: { fault: unnoted, isRetryable: false, text: '', isUnbilled: true, isShared: true } })
      return []
    }
    const { attempt, isUnsure } = await this.#create(following, all)
    if (attempt.ok) {
      this.#options.notes.made(batch, attempt.value.id)
      return [this.#follow(following, attempt.value)]
    }
    const { failure } = attempt
    if (!isUnsure) this.#options.notes.done(batch, [...all.keys()])
    if (failure.fault.status === 413 && all.length > 1) {
      const [first, second] = halvesOf(all)
      return [...(await this.#make(first)), ...(await this.#make(second))]
    }
    following.settle({ ok: false, failure: { ...failure, isRetryable: false, isShared: true } })
    return []
  }

  async #newestId(signal: AbortSignal): Promise<string | undefined> {
    const page = await this.#options.api.list(undefined, signal)
    return page.ok ? page.value.batches[0]?.id : undefined
  }

  // If it may have arrived it is searched for, and created again only if it is missing.
  async #create(following: FollowedBatch, all: readonly Waiting[]): Promise<Created> {
    const { batch, signal } = following
    const bodies = all.map(({ request }) => request.body)
    const headers = all[0]?.request.headers ?? {}
    const made = { mark: batch.mark, bodies, headers, noteFile: (id: string) => this.#options.notes.file(batch, id) }
    let isUnsure = false
    for (let tries = 0; ; tries++) {
      const found: Attempt<BatchState | undefined> | undefined = isUnsure ? await following.find() : undefined
      if (found?.ok && found.value) return { attempt: { ok: true, value: found.value }, isUnsure }
      const attempt: Attempt<BatchState> = found?.ok === false ? found : await this.#options.api.create(made, signal)
      if (attempt.ok) return { attempt, isUnsure }
      isUnsure = found?.ok === false || mayBeThere(attempt.failure)
      const isOver = !isUnsure && !attempt.failure.isRetryable
      if (isOver || signal.aborted || tries >= this.#options.maxRetries) return { attempt, isUnsure }
      const wait_ms = Math.round(attempt.failure.retryAfterMs ?? backoff(tries, this.#options.timing.random()))
      all[0]?.request.emit({ kind: 'retry', attempt: tries + 1, reason: attempt.failure.fault.detail, wait_ms })
      await this.#options.timing.wait(wait_ms, signal)
    }
  }

  async #follow(following: FollowedBatch, made?: BatchState): Promise<void> {
    const { mark } = following.batch
    this.#followed.set(mark, following)
    const unsent = await following.run(made)
    if (this.#followed.get(mark) === following) this.#followed.delete(mark)
    // Some came when it had just ended.
    if (following.waiting.length > 0) void this.#follow(following)
    if (made && unsent.length > 0) await this.#sendInHalves(unsent)
    else for (const waiting of unsent) this.#gather(waiting)
  }

  // The second one when the first has ended: together they exceeded the queue.
  async #sendInHalves(all: readonly Waiting[]): Promise<void> {
    for (const half of halvesOf(all)) await this.#send(half)
  }
}

interface Created {
  readonly attempt: Attempt<BatchState>
  /** It may exist all the same. */
  readonly isUnsure: boolean
}

const halvesOf = (all: readonly Waiting[]): readonly [readonly Waiting[], readonly Waiting[]] => {
  const middle = Math.ceil(all.length / 2)
  return [all.slice(0, middle), all.slice(middle)]
}

/** Its request was sent, and the result is unknown. */
const mayBeThere = ({ fault: { status }, isUnbilled = false, isNotMade }: Failure): boolean => {
  if (isNotMade) return false
  return typeof status === 'number' ? status === 408 || status === 409 || (status >= 500 && status !== 529) : !isUnbilled
}
