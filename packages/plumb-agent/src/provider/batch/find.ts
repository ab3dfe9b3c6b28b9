// Finds a batch that was sent without a confirmed reply: until it is known whether it exists, nothing is sent again.

import type { Attempt } from '../http/failure.js'
import type { Timing } from '../http/timing.js'
import { type BatchApi, type BatchState, requestPlaceOf } from './api.js'
import type { NotedBatch } from './notes.js'

export interface FindOptions {
  readonly api: BatchApi
  readonly timing: Timing
  readonly signal: AbortSignal
  /** Waits for a batch that may be ours, and is recognised only by its results. */
  readonly untilOver: (state: BatchState) => Promise<Attempt<BatchState>>
}

/** Delays before searching again for a batch that was just sent (ms). */
const LOOKS_MS = [1_000, 3_000]
/** Tolerance for our clock (ms). */
const DAY_MS = 86_400_000

/** Undefined: it was never created. */
export const findBatch = async (batch: NotedBatch, options: FindOptions): Promise<Attempt<BatchState | undefined>> => {
  const { timing, signal } = options
  for (const wait of [...LOOKS_MS, undefined]) {
    const found = await look(batch, options)
    if (!found.ok || found.value || wait === undefined || signal.aborted) return found
    await timing.wait(wait, signal)
  }
  return { ok: true, value: undefined }
}

const look = async (batch: NotedBatch, options: FindOptions): Promise<Attempt<BatchState | undefined>> => {
  const { api, signal } = options
  for (let after: string | undefined; ; ) {
    const page = await api.list(after, signal)
    if (!page.ok) return page
    for (const state of page.value.batches) {
      if (state.id === batch.newest || state.createdMs < batch.timeMs - DAY_MS) return { ok: true, value: undefined }
      const own = api.isMarked ? isMarked(batch, state) : await isOwn(batch, state, options)
      if (typeof own !== 'boolean') return own
      if (own) return { ok: true, value: state }
    }
    after = page.value.next
    if (after === undefined) return { ok: true, value: undefined }
  }
}

const isMarked = ({ mark, file }: NotedBatch, state: BatchState): boolean =>
  state.mark === mark || (file !== undefined && state.file === file)

// All of its requests have our mark in their ids, so the first result shows it.
const isOwn = async (
  { mark, requests }: NotedBatch,
  state: BatchState,
  { api, signal, untilOver }: FindOptions,
): Promise<boolean | (Attempt<never> & { readonly ok: false })> => {
  if (state.requests !== undefined && state.requests !== requests) return false
  const over = await untilOver(state)
  if (!over.ok) return over
  let isOurs = false
  const take = ({ id }: { readonly id: string }): 'enough' => {
    isOurs = requestPlaceOf(mark, id) !== undefined
    return 'enough'
  }
  const read = await api.read(over.value, take, signal)
  // Expired results cannot be ours: ours would be readable.
  return read.ok || read.failure.fault.status === 404 ? isOurs : read
}
