// What a provider's API of batches is to the lane: how one is made, found again, looked at and read. All of it is one attempt.

import { type Attempt, failWith } from '../http/failure.js'

export interface BatchApi {
  readonly host: string
  /** Our mark stands beside a batch: it is known without being read. */
  readonly isMarked: boolean
  /** What one batch may hold; bytes are those of what is sent. */
  readonly maxRequests: number
  readonly maxBytes: number
  /** What else each request takes of these bytes besides its body. */
  readonly entryBytes: number
  create(batch: NewBatch, signal: AbortSignal): Promise<Attempt<BatchState>>
  state(id: string, signal: AbortSignal): Promise<Attempt<BatchState>>
  /** A page of all that the account has, the newest first. */
  list(after: string | undefined, signal: AbortSignal): Promise<Attempt<BatchPage>>
  /** Each result of one that is over, in any order. A failure: not all were read. */
  read(state: BatchState, take: (result: BatchResult) => 'more' | 'enough', signal: AbortSignal): Promise<Attempt<undefined>>
}

export interface NewBatch {
  /** Ours: stands in the ids of its requests and, where the API has it, beside the batch. */
  readonly mark: string
  /** As JSON; the id of each is `requestIdOf` its place. */
  readonly bodies: readonly string[]
  /** That a single request would have. */
  readonly headers: Readonly<Record<string, string>>
  /** By this the batch will be known, too: told before it is made. */
  readonly noteFile: (id: string) => void
}

export interface BatchState {
  readonly id: string
  /** In the API's own word. */
  readonly status: string
  readonly isOver: boolean
  /** Over before its time: a request without a result was not run. */
  readonly isCutShort: boolean
  /** All of its requests, where that is told. */
  readonly requests: number | undefined
  /** And those that are answered. */
  readonly done: number
  readonly createdMs: number
  /** What we have written beside it; undefined: the API takes nothing. */
  readonly mark: string | undefined
  readonly file: string | undefined
  /** What is wrong with it as a whole, or with some of its requests by their places: none of it was run. */
  readonly refused?: BatchRefusal
  /** As it was told. */
  readonly told: unknown
}

export interface BatchRefusal {
  readonly failure: Attempt<never> & { readonly ok: false }
  readonly places: readonly number[]
  /** More than may wait at once: it may be smaller, or later. */
  readonly isTooMuch: boolean
}

export interface BatchPage {
  readonly batches: readonly BatchState[]
  /** Undefined: it is the last. */
  readonly next: string | undefined
}

export interface BatchResult {
  /** Of the request. */
  readonly id: string
  /** The reply that a single request would have had. */
  readonly reply: Attempt<unknown>
}

/** Of the request at that place; letters, digits and `-` alone, and no more than 64 of them. */
export const requestIdOf = (mark: string, place: number): string => `${mark}-${place}`

/** The request was not run and is not billed: it may be sent again. */
export const notRun = (detail: string): Attempt<never> & { readonly ok: false } => ({
  ok: false,
  failure: { ...failWith('overloaded', detail, true).failure, isUnbilled: true },
})

/** Undefined: it is none of this batch. */
export const requestPlaceOf = (mark: string, id: string): number | undefined => {
  const place = id.startsWith(`${mark}-`) ? id.slice(mark.length + 1) : ''
  return /^\d{1,9}$/.test(place) ? Number(place) : undefined
}
