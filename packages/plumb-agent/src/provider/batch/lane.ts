// Questions as requests of batches. What becomes of one:
//
//   gathered     with those of the same model and headers: see gather.ts
//   noted        which question is which request, before anything is sent: see notes.ts
//   made         one batch after the other; one that is too large is halved
//   followed     until it is over, and its results are read: see follow.ts
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

export const openLane = (options: BatchFollowOptions): BatchLane => {
  const { api, timing, maxRetries, notes } = options
  const gathers = new Map<string, RequestGather>()
  const followed = new Map<string, FollowedBatch>()
  /** Resolves when the last created batch is over. */
  let making: Promise<unknown> = Promise.resolve()
  let turn: Promise<unknown> = Promise.resolve()

  const gather = (waiting: Waiting): void => {
    const { headers, model } = waiting.request
    const group = JSON.stringify([headers, model])
    const known = gathers.get(group)
    const { maxRequests, maxBytes, entryBytes } = api
    const { quietMs } = timing
    const own = known ?? new RequestGather({ maxRequests, maxBytes, entryBytes, quietMs, send: (all) => void send(all) })
    if (!known) gathers.set(group, own)
    own.add(waiting)
  }

  /** Resolves once all of them are over. */
  const send = async (all: readonly Waiting[]): Promise<void> => {
    const made = making.then(() => make(all.filter(({ isSettled }) => !isSettled)))
    making = made
    await Promise.all(await made)
  }

  /** Resolves once they are created, to a promise for the end of each. */
  const make = async (all: readonly Waiting[]): Promise<readonly Promise<void>[]> => {
    if (all.length === 0) return []
    const batch: NotedBatch = {
      mark: randomUUID(),
      newest: undefined,
      timeMs: timing.wallMs(),
      requests: all.length,
      id: undefined,
      file: undefined,
    }
    const following = new FollowedBatch(batch, options)
    for (const [place, waiting] of all.entries()) following.add(place, waiting)
    if (!api.isMarked) batch.newest = await newestId(following.signal)
    if (following.signal.aborted) return []
    const keys = all.map(({ request: { key, isWrapped } }) => (key === undefined ? undefined : { key, isWrapped }))
    const unnoted = notes.plan(batch, keys)
    if (unnoted) {
      following.settle({ ok: false, failure: { fault: unnoted, isRetryable: false, words: '', isUnbilled: true, isShared: true } })
      return []
    }
    const { attempt, isUnsure } = await create(following, all)
    if (attempt.ok) {
      notes.made(batch, attempt.value.id)
      return [follow(following, attempt.value)]
    }
    const { failure } = attempt
    if (!isUnsure) notes.done(batch, [...all.keys()])
    if (failure.fault.status === 413 && all.length > 1) {
      const [first, second] = halvesOf(all)
      return [...(await make(first)), ...(await make(second))]
    }
    following.settle({ ok: false, failure: { ...failure, isRetryable: false, isShared: true } })
    return []
  }

  const newestId = async (signal: AbortSignal): Promise<string | undefined> => {
    const page = await api.list(undefined, signal)
    return page.ok ? page.value.batches[0]?.id : undefined
  }

  // If it may have arrived it is searched for, and created again only if it is missing.
  const create = async (following: FollowedBatch, all: readonly Waiting[]): Promise<Created> => {
    const { batch, signal } = following
    const bodies = all.map(({ request }) => request.body)
    const headers = all[0]?.request.headers ?? {}
    const made = { mark: batch.mark, bodies, headers, noteFile: (id: string) => notes.file(batch, id) }
    let isUnsure = false
    for (let tries = 0; ; tries++) {
      const found: Attempt<BatchState | undefined> | undefined = isUnsure ? await following.find() : undefined
      if (found?.ok && found.value) return { attempt: { ok: true, value: found.value }, isUnsure }
      const attempt: Attempt<BatchState> = found?.ok === false ? found : await api.create(made, signal)
      if (attempt.ok) return { attempt, isUnsure }
      isUnsure = found?.ok === false || mayBeThere(attempt.failure)
      const isOver = !isUnsure && !attempt.failure.isRetryable
      if (isOver || signal.aborted || tries >= maxRetries) return { attempt, isUnsure }
      const wait_ms = Math.round(attempt.failure.retryAfterMs ?? backoff(tries, timing.random()))
      all[0]?.request.emit({ kind: 'retry', attempt: tries + 1, reason: attempt.failure.fault.detail, wait_ms })
      await timing.wait(wait_ms, signal)
    }
  }

  const follow = async (following: FollowedBatch, made?: BatchState): Promise<void> => {
    const { mark } = following.batch
    followed.set(mark, following)
    const unsent = await following.run(made)
    if (followed.get(mark) === following) followed.delete(mark)
    // Some came when it had just ended.
    if (following.waiting.length > 0) void follow(following)
    if (made && unsent.length > 0) await sendInHalves(unsent)
    else for (const waiting of unsent) gather(waiting)
  }

  // The second one when the first is over: together they exceeded the queue.
  const sendInHalves = async (all: readonly Waiting[]): Promise<void> => {
    for (const half of halvesOf(all)) await send(half)
  }

  return {
    sequentially: (work) => {
      const own = turn.then(work)
      turn = own
      return own
    },
    isNoted: (key) => key !== undefined && notes.find(key) !== undefined,
    ask: (request) =>
      new Promise((resolve) => {
        const noted = request.key === undefined ? undefined : notes.find(request.key)
        const waiting = new Waiting(noted ? { ...request, isWrapped: noted.isWrapped } : request, resolve)
        if (waiting.isSettled) return
        if (!noted) return gather(waiting)
        const { batch, place } = noted
        const known = followed.get(batch.mark)
        const following = known && !known.signal.aborted ? known : new FollowedBatch(batch, options)
        following.add(place, waiting)
        if (following !== known) void follow(following)
      }),
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
