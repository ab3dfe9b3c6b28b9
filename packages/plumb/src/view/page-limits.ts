// Limits of the page, and the items that were selected.

import { truncate } from '@plumb/wire'

/** Bytes of the whole page. */
export const MAX_PAGE_BYTES = 5_000_000
/** Bytes of the picture of the wiring. */
export const MAX_PICTURE_BYTES = 400_000

/** Bytes of the prompts, and of the errors, which are cut at so many characters. */
export const MAX_PROMPT_BYTES = 500_000
export const MAX_ERROR_BYTES = 400_000
const MAX_ERROR_TEXT = 2000
/** Characters of a name, and of a reason in the verdict. */
const MAX_NAME = 120
const MAX_REASON = 400

export const shortName = (text: string): string => truncate(text, MAX_NAME)
export const shortReason = (text: string): string => truncate(text, MAX_REASON)
export const shortError = (text: string): string => truncate(text, MAX_ERROR_TEXT)

/** The first of the items that have room. */
export const fitting = <T extends { readonly text: string }>(items: readonly T[], bytes: number): readonly T[] => {
  let left = bytes
  const fits = items.findIndex(({ text }) => {
    left -= Buffer.byteLength(text)
    return left < 0
  })
  return fits < 0 ? items : items.slice(0, fits)
}

/** The items of a run that the page shows. */
export interface Selection {
  /** Only items of these inputs, numbered from 1. */
  readonly seqs?: readonly [first: number, last: number] | undefined
  /** Microseconds from the start of the run; items that ended earlier are left out. */
  readonly from?: number | undefined
}

export const isSelected = ({ seqs, from }: Selection, { seq, end }: { readonly seq: number; readonly end: number }): boolean =>
  (seqs === undefined || (seqs[0] <= seq && seq <= seqs[1])) && (from === undefined || end >= from)
