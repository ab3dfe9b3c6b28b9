// What a giver lets be done: effects, and rules about them.

import type { Effect } from '@plumb/lang'

export { EFFECTS, type Effect } from '@plumb/lang'

/** What a giver lets be done. Plain JSON: children get it over a descriptor, never in the environment. */
export interface Authority {
  /** The only effects that may happen; absent: those that the tools declare, but never net.private. */
  readonly grant?: readonly Effect[]
  readonly policy: readonly PolicyRule[]
  /** --context KEY=VALUE. */
  readonly context: Readonly<Record<string, string>>
  /** Wall clock, ms since 1970, after which nothing is permitted; the giver renews it. Absent: as long as the giver lives. */
  readonly expires?: number
}

/**
 * Ordered; the first that fits decides, but a deny is final wherever it stands, and what no rule allows is denied. Where the context or a
 * target is not known, a rule that asks for it counts if it asks or denies, and does not if it allows.
 */
export interface PolicyRule {
  readonly decision: 'allow' | 'ask' | 'deny'
  /** With `*` for any characters. */
  readonly tool?: string
  readonly effect?: Effect
  /** Of effects on files: absolute, or at any depth; `*` within a name, `**` across folders. */
  readonly path?: string
  /** Of effects on the net, with `*` for any characters. */
  readonly host?: string
  /** `hours` is by the local clock, as in "9-17"; anything else is compared with the context. */
  readonly when?: Readonly<Record<string, string | boolean>>
}

/** net.private is of no use without net, so it brings it along. */
export const isGranted = (effect: Effect, { grant }: Pick<Authority, 'grant'>): boolean =>
  grant ? grant.includes(effect) || (effect === 'net' && grant.includes('net.private')) : effect !== 'net.private'
