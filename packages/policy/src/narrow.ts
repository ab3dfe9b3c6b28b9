// What a giver hands on: never more than it has, never for longer.

import { type Authority, EFFECTS, type Effect, isGranted } from './authority.js'

export interface HandDown {
  /** `grant` of the child's own config; absent: all that the giver has. */
  readonly grant?: readonly Effect[]
  /** `grant_minutes`: 15, at most 60. */
  readonly minutes?: number
  /** Wall clock, ms since 1970. */
  readonly now: number
}

const DEFAULT_MINUTES = 15
const MAX_MINUTES = 60

/** To be handed on again before it expires, for as long as the giver lives: see `renewalMs`. */
export const narrow = (giver: Authority, { grant, minutes, now }: HandDown): Authority => {
  const both = grant ? EFFECTS.filter((effect) => isGranted(effect, { grant }) && isGranted(effect, giver)) : giver.grant
  return {
    ...(both ? { grant: both } : {}),
    policy: giver.policy,
    context: giver.context,
    expires: Math.min(giver.expires ?? Number.POSITIVE_INFINITY, now + lifeMs(minutes)),
  }
}

/** How often: so that one renewal may be late. */
export const renewalMs = (minutes?: number): number => lifeMs(minutes) / 3

const lifeMs = (minutes = DEFAULT_MINUTES): number => Math.min(minutes, MAX_MINUTES) * 60_000
