// Answers while they grow: what agents with `partial: true` tell of them, with the types of what has come.

import type { Secret, Untrusted } from './labels.js'
import type { StreamItem } from './types.js'

/** What has come of a value that is still being written: every field may be absent, a text or a list shorter, at any depth. */
export type Growing<T> =
  T extends Untrusted<infer U>
    ? Untrusted<Growing<U>>
    : T extends Secret<infer U>
      ? Secret<Growing<U>>
      : T extends string
        ? string
        : T extends readonly unknown[]
          ? Growing<T[number]>[]
          : T extends object
            ? { [K in keyof T]?: Growing<T[K]> }
            : T

export interface PartialAnswer<O> {
  readonly kind: 'partial'
  /** Undefined: an attempt begins, and nothing of it has come. */
  readonly value?: Growing<O>
  /** JSON Pointers of what may still grow; all else is final. Empty: it is the output. */
  readonly open: readonly string[]
  readonly agent?: string
}

/** Of `stream` with `{ events: ['partial'] }`: the part of an answer, where the item is one. `O`: what the agent that tells it answers. */
export const partialOf = <O>({ event }: StreamItem<O>): PartialAnswer<O> | undefined =>
  event?.kind === 'partial' ? (event as unknown as PartialAnswer<O>) : undefined
