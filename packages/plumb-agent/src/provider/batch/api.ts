// A provider's API of batches, for the lane: create, find, poll and read. Each is a single attempt.

import { type Attempt, failWith } from '../http/failure.js'

export interface BatchApi {
  readonly host: string
  /** Batches carry our mark as metadata: they are recognised without reading results. */
  readonly isMarked: boolean
  /** The limits of one batch; bytes are those that are sent. */
  readonly maxRequests: number
  readonly maxBytes: number
  /** Bytes of each request other than its body. */
  readonly entryBytes: number
  create(batch: NewBatch, signal: AbortSignal): Promise<Attempt<BatchState>>
  state(id: string, signal: AbortSignal): Promise<Attempt<BatchState>>
  /** A page of all batches of the account, the newest first. */
  list(after: string | undefined, signal: AbortSignal): Promise<Attempt<BatchPage>>
  /** Each result of a finished batch, in any order. A failure: not all were read. */
  read(state: BatchState, take: (result: BatchResult) => 'more' | 'enough', signal: AbortSignal): Promise<Attempt<undefined>>
}

export interface NewBatch {
  /** Ours: in the ids of its requests and, if the API supports it, as metadata. */
  readonly mark: string
  /** As JSON; the id of each is `requestIdOf` its index. */
  readonly bodies: readonly string[]
  /** The headers of a single request. */
  readonly headers: Readonly<Record<string, string>>
  /** An id of the future batch, noted before it is created. */
  readonly noteFile: (id: string) => void
}

export interface BatchState {
  readonly id: string
  /** The API's own status. */
  readonly status: string
  readonly isOver: boolean
  /** It ended early: a request without a result was not run. */
  readonly isCutShort: boolean
  /** The number of its requests, if the API reports it. */
  readonly requests: number | undefined
  /** The number of answered ones. */
  readonly done: number
  readonly createdMs: number
  /** Our metadata. Undefined: the API has none. */
  readonly mark: string | undefined
  readonly file: string | undefined
  /** Errors of the batch as a whole, or of requests by index: none of it was run. */
  readonly refused?: BatchRefusal
  /** The API's own object. */
  readonly raw: unknown
}

export interface BatchRefusal {
  readonly failure: Attempt<never> & { readonly ok: false }
  readonly places: readonly number[]
  /** More than may be queued at once: a smaller batch, or a later one, may succeed. */
  readonly isTooMuch: boolean
}

export interface BatchPage {
  readonly batches: readonly BatchState[]
  /** Undefined: it is the last. */
  readonly next: string | undefined
}

export interface BatchResult {
  /** The id of the request. */
  readonly id: string
  /** The reply in the form of a single request. */
  readonly reply: Attempt<unknown>
}

/** The id of the request with this index; letters, digits and `-` alone, and at most 64 of them. */
export const requestIdOf = (mark: string, place: number): string => `${mark}-${place}`

/** The request was not run and is not billed: it may be sent again. */
export const notRun = (detail: string): Attempt<never> & { readonly ok: false } => ({
  ok: false,
  failure: { ...failWith('overloaded', detail, true).failure, isUnbilled: true },
})

/** Undefined: not of this batch. */
export const requestPlaceOf = (mark: string, id: string): number | undefined => {
  const place = id.startsWith(`${mark}-`) ? id.slice(mark.length + 1) : ''
  return /^\d{1,9}$/.test(place) ? Number(place) : undefined
}
