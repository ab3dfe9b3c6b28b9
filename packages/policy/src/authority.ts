// What a parent lets its children do: effects, and rules about them.

import { EFFECTS, type Effect } from '@plumb/lang'

export { EFFECTS, type Effect } from '@plumb/lang'

/** What a process may do. Plain JSON: children get it over a descriptor, never in the environment. */
export interface Authority {
  /** The only effects that are allowed. Absent: those that the tools declare, except net.private. */
  readonly grant?: readonly Effect[]
  readonly policy: readonly PolicyRule[]
  /** --context KEY=VALUE. */
  readonly context: Readonly<Record<string, string>>
  /** Wall clock in ms since 1970, after which nothing is permitted; the parent renews it. Absent: valid as long as the parent lives. */
  readonly expires?: number
}

/**
 * Ordered: the first matching rule decides, but a `deny` anywhere is final, and a call that no rule allows is denied. Where the context or
 * a target is unknown, a rule that depends on it matches if it asks or denies, and does not match if it allows.
 */
export interface PolicyRule {
  readonly decision: 'allow' | 'ask' | 'deny'
  /** `*` matches any characters. */
  readonly tool?: string
  readonly effect?: Effect
  /** Of effects on files: absolute, or at any depth; `*` within a name, `**` across directories. */
  readonly path?: string
  /** Of effects on the net, with `*` for any characters. */
  readonly host?: string
  /** `hours` is by the local clock, as in "9-17"; anything else is compared with the context. */
  readonly when?: Readonly<Record<string, string | boolean>>
}

/** net.private is useless without net, so it implies it. */
export const isGranted = (effect: Effect, { grant }: Pick<Authority, 'grant'>): boolean =>
  grant ? grant.includes(effect) || (effect === 'net' && grant.includes('net.private')) : effect !== 'net.private'

/** What a parent delegates: never more than it has, and never for longer. */
export interface Delegation {
  /** `grant` of the child's own config. Absent: everything that the parent has. */
  readonly grant?: readonly Effect[]
  /** `grant_minutes`: 15, at most 60. */
  readonly minutes?: number
  /** Wall clock, ms since 1970. */
  readonly now: number
}

const DEFAULT_MINUTES = 15
const MAX_MINUTES = 60

/** The parent renews it before it expires, for as long as the parent lives: see `renewalMs`. */
export const narrow = (parent: Authority, { grant, minutes, now }: Delegation): Authority => {
  const both = grant ? EFFECTS.filter((effect) => isGranted(effect, { grant }) && isGranted(effect, parent)) : parent.grant
  return {
    ...(both ? { grant: both } : {}),
    policy: parent.policy,
    context: parent.context,
    expires: Math.min(parent.expires ?? Number.POSITIVE_INFINITY, now + lifeMs(minutes)),
  }
}

/** The renewal interval: short enough that one renewal may be late. */
export const renewalMs = (minutes?: number): number => lifeMs(minutes) / 3

const lifeMs = (minutes = DEFAULT_MINUTES): number => Math.min(minutes, MAX_MINUTES) * 60_000
