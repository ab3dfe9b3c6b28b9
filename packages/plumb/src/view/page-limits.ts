// Limits of the page: a share of its size for each kind of item, and the items that were selected.

/** Shares, in bytes, of a page of at most 5 MB. The rest is for style, wiring, and rows of the timeline that stand for many messages. */
const SHARES = { messages: 1_200_000, work: 1_200_000, stages: 300_000, calls: 600_000, requests: 300_000, notes: 300_000 }
/** Bytes of the picture of the wiring. */
export const MAX_PICTURE_BYTES = 400_000

/** Counts the bytes that the items of one kind may take. */
export class PageShare {
  #left: number

  constructor(bytes: number) {
    this.#left = bytes
  }

  /** An equal share of one of `count` lists, so that the first list does not take all. */
  part(count: number): PageShare {
    return new PageShare(this.#left / Math.max(1, count))
  }

  /** Returns false once an item did not fit; later items are refused too, so the page shows the first ones. */
  take(bytes: number): boolean {
    this.#left = bytes > this.#left ? 0 : this.#left - bytes
    return this.#left > 0
  }
}

export type PageShares = Readonly<Record<keyof typeof SHARES, PageShare>>

export const pageShares = (): PageShares =>
  Object.fromEntries(Object.entries(SHARES).map(([kind, bytes]) => [kind, new PageShare(bytes)])) as Record<keyof typeof SHARES, PageShare>

/** The items of a run that the page shows. */
export interface Selection {
  /** Only items of these inputs, numbered from 1. */
  readonly seqs?: readonly [first: number, last: number] | undefined
  /** Microseconds from the start of the run; items that ended earlier are left out. */
  readonly from?: number | undefined
}

export const isSelected = ({ seqs, from }: Selection, { seq, end }: { readonly seq: number; readonly end: number }): boolean =>
  (seqs === undefined || (seqs[0] <= seq && seq <= seqs[1])) && (from === undefined || end >= from)
