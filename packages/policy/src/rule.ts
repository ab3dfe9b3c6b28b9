// Whether a rule of a policy speaks of a call.

import type { Authority, Effect, PolicyRule } from './authority.js'
import { allOf, matchesContext, type Truth } from './condition.js'
import { matchesName, matchesPath } from './glob.js'

/** One effect of a call on one thing. */
export interface Act {
  readonly tool: string
  /** Undefined: the tool has none at all. */
  readonly effect: Effect | undefined
  /** Of files or of the net, where it is known. */
  readonly path?: string
  readonly host?: string
}

export const matches = (rule: PolicyRule, act: Act, { context }: Authority, now: number): Truth =>
  allOf([
    truth(rule.tool === undefined || matchesName(rule.tool, act.tool)),
    truth(rule.effect === undefined || rule.effect === act.effect),
    ...Object.entries(rule.when ?? {}).map(([key, wanted]) => matchesContext(key, wanted, context, now)),
    matchesTarget(rule, act),
  ])

/** Rules with a path speak of effects on files only, rules with a host of the net only; what a program does (`exec`) they cannot know. */
export const matchesTarget = ({ path, host }: PolicyRule, act: Act): Truth =>
  allOf([
    path === undefined ? 'yes' : isOnFiles(act.effect) ? found(act.path, (at) => matchesPath(path, at)) : 'no',
    host === undefined ? 'yes' : isOnNet(act.effect) ? found(act.host, (at) => matchesName(host.toLowerCase(), at)) : 'no',
  ])

export const isOnFiles = (effect: Effect | undefined): boolean => effect === 'fs.read' || effect === 'fs.write'

export const isOnNet = (effect: Effect | undefined): boolean => effect === 'net' || effect === 'net.private'

const truth = (is: boolean): Truth => (is ? 'yes' : 'no')

const found = (target: string | undefined, fits: (target: string) => boolean): Truth =>
  target === undefined ? 'unknown' : truth(fits(target))
