// What a parent lets its children do: effects, and rules about them.

import { EFFECTS, type Effect } from '@plumb/lang'

export { EFFECTS, type Effect } from '@plumb/lang'

/** What a process may do. Plain JSON: children get it over a descriptor, never in the environment. */
export interface Authority {
  /** The only effects that may happen; absent: those that the tools declare, but never net.private. */
  readonly grant?: readonly Effect[]
  readonly policy: readonly PolicyRule[]
  /** --context KEY=VALUE. */
  readonly context: Readonly<Record<string, string>>
  /** Wall clock, ms since 1970, after which nothing is permitted; the parent renews it. Absent: as long as the parent lives. */
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
  /** Of effects on files: absolute, or at any depth; `*` within a name, `**` across directories. */
  readonly path?: string
  /** Of effects on the net, with `*` for any characters. */
  readonly host?: string
  /** `hours` is by the local clock, as in "9-17"; anything else is compared with the context. */
  readonly when?: Readonly<Record<string, string | boolean>>
}

/** net.private is of no use without net, so it brings it along. */
export const isGranted = (effect: Effect, { grant }: Pick<Authority, 'grant'>): boolean =>
  grant ? grant.includes(effect) || (effect === 'net' && grant.includes('net.private')) : effect !== 'net.private'

/** What a parent delegates: never more than it has, never for longer. */
export interface Delegation {
  /** `grant` of the child's own config; absent: all that the parent has. */
  readonly grant?: readonly Effect[]
  /** `grant_minutes`: 15, at most 60. */
  readonly minutes?: number
  /** Wall clock, ms since 1970. */
  readonly now: number
}

const DEFAULT_MINUTES = 15
const MAX_MINUTES = 60

/** To be renewed before it expires, for as long as the parent lives: see `renewalMs`. */
export const narrow = (parent: Authority, { grant, minutes, now }: Delegation): Authority => {
  const both = grant ? EFFECTS.filter((effect) => isGranted(effect, { grant }) && isGranted(effect, parent)) : parent.grant
  return {
    ...(both ? { grant: both } : {}),
    policy: parent.policy,
    context: parent.context,
    expires: Math.min(parent.expires ?? Number.POSITIVE_INFINITY, now + lifeMs(minutes)),
  }
}

/** How often: so that one renewal may be late. */
export const renewalMs = (minutes?: number): number => lifeMs(minutes) / 3

const lifeMs = (minutes = DEFAULT_MINUTES): number => Math.min(minutes, MAX_MINUTES) * 60_000
