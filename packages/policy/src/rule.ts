// Whether a rule of a policy matches an act: its patterns for tool, path and host, and `when`, its conditions on the context.

import type { Authority, Effect, PolicyRule } from './authority.js'

/** One effect of a call on one thing. */
export interface Act {
  readonly tool: string
  /** Undefined if the tool has no effects. */
  readonly effect: Effect | undefined
  /** The file or host, where it is known. */
  readonly path?: string
  readonly host?: string
}

export const matchesGlob = (rule: PolicyRule, act: Act, { context }: Authority, now: number): Truth =>
  allOf([
    truth(rule.tool === undefined || matchesName(rule.tool, act.tool)),
    truth(rule.effect === undefined || rule.effect === act.effect),
    ...Object.entries(rule.when ?? {}).map(([key, wanted]) => matchesContext(key, wanted, context, now)),
    matchesTarget(rule, act),
  ])

/** Rules with a path match only effects on files, rules with a host only effects on the net; effects of a program (`exec`) have neither. */
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

/** `unknown`: the context does not contain the key. */
type Truth = 'yes' | 'no' | 'unknown'

const allOf = (truths: Iterable<Truth>): Truth => {
  let all: Truth = 'yes'
  for (const truth of truths) {
    if (truth === 'no') return 'no'
    if (truth === 'unknown') all = truth
  }
  return all
}

/** `now` in ms since 1970; hours are those of the local wall clock. */
const matchesContext = (key: string, wanted: string | boolean, context: Authority['context'], now: number): Truth => {
  if (key === 'hours') return isWithin(String(wanted), now) ? 'yes' : 'no'
  if (!Object.hasOwn(context, key)) return 'unknown'
  return context[key] === String(wanted) ? 'yes' : 'no'
}

const HOURS = /^(\d{1,2})(?::(\d\d))?-(\d{1,2})(?::(\d\d))?$/

/** Minutes of the day, including the first and excluding the last: `9-17`, `8:30-12`, `22-6` over midnight. */
export const parseHours = (text: string): readonly [from: number, to: number] | undefined => {
  const found = HOURS.exec(text)
  if (!found) return undefined
  const [from, to] = [minutes(found[1], found[2]), minutes(found[3], found[4])]
  return from !== undefined && to !== undefined && from !== to ? [from, to] : undefined
}

const DAY = 24 * 60

const minutes = (hour = '', minute = '0'): number | undefined => {
  const total = Number(hour) * 60 + Number(minute)
  return Number(minute) < 60 && total <= DAY ? total : undefined
}

const isWithin = (text: string, now: number): boolean => {
  const hours = parseHours(text)
  if (!hours) return false
  const date = new Date(now)
  const minute = date.getHours() * 60 + date.getMinutes()
  const [from, to] = hours
  return from < to ? minute >= from && minute < to : minute >= from || minute < to
}

const compiled = new Map<string, RegExp>()

/** For tools and hosts: `*` matches any characters. */
const matchesName = (pattern: string, name: string): boolean =>
  expressionOf(`name ${pattern}`, () => `^${escape(pattern).replaceAll('\\*', '.*')}$`).test(name)

/**
 * `*` matches any characters within a name, `**` any number of names. A pattern that begins with a slash is an absolute path; any other
 * matches at any depth. A directory matches everything below it too.
 */
const matchesPath = (pattern: string, path: string): boolean =>
  expressionOf(`path ${pattern}`, () => {
    const names = escape(pattern.replace(/\/+$/, ''))
      .replaceAll('/\\*\\*/', '/(?:.*/)?')
      .replaceAll('\\*\\*', '.*')
      .replaceAll('\\*', '[^/]*')
      .replaceAll('\\?', '[^/]')
    return `${pattern.startsWith('/') ? '^' : '(?:^|/)'}${names}(?:/.*)?$`
  }).test(path)

// Cached without a limit: a policy has few patterns.
const expressionOf = (key: string, write: () => string): RegExp => {
  const known = compiled.get(key)
  if (known) return known
  const expression = new RegExp(write(), 'su')
  compiled.set(key, expression)
  return expression
}

const escape = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
