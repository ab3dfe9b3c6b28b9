// Grants, contexts and policies in their written form: on the command line, in a file, and in what a child receives.

import { fail, isRecord, nearest, preview, type Result, succeed } from '@plumb/wire'
import { type Authority, EFFECTS, type Effect, type PolicyRule } from './authority.js'
import { parseHours } from './rule.js'

/** `--grant LIST`, comma-separated and repeatable; an empty list grants nothing. */
export const parseGrant = (lists: readonly string[]): Result<Effect[]> => {
  const words = lists.flatMap((list) => list.split(',').map((word) => word.trim())).filter((word) => word !== '')
  const wrong = words.filter((word) => !isEffect(word))
  if (wrong.length > 0) return fail('usage', wrong.map((word) => `--grant: ${noEffect(word)}`).join('; '))
  return succeed(EFFECTS.filter((effect) => words.includes(effect)))
}

/** `--context KEY=VALUE`, repeatable; the last value of a key counts. */
export const parseContext = (pairs: readonly string[]): Result<Record<string, string>> => {
  const context: Record<string, string> = Object.create(null)
  const wrong: string[] = []
  for (const pair of pairs) {
    const at = pair.indexOf('=')
    if (at < 1) wrong.push(`--context takes KEY=VALUE, found '${preview(pair)}'`)
    else if (pair.slice(0, at) === 'hours') wrong.push("--context: 'hours' is what the clock says")
    else context[pair.slice(0, at)] = pair.slice(at + 1)
  }
  return wrong.length > 0 ? fail('usage', wrong.join('; ')) : succeed(context)
}

/** A policy file: a JSON list of rules. All errors in it are reported at once. */
export const readPolicy = (text: string): Result<PolicyRule[]> => {
  const value = parse(text)
  if (value === undefined) return fail('config_invalid', 'the policy is not JSON')
  const { rules, wrong } = readRules(value)
  return wrong.length > 0 ? fail('config_invalid', `the policy: ${wrong.join('; ')}`) : succeed(rules)
}

/** The authority that a parent handed down. What cannot be read permits nothing. */
export const readAuthority = (value: unknown): Result<Authority> => {
  if (!isRecord(value)) return fail('config_invalid', `an authority is an object, found ${show(value)}`)
  const { grant, policy, context, expires } = value
  const { wrong } = readRules(policy)
  if (grant !== undefined && !(Array.isArray(grant) && grant.every(isEffect))) wrong.push(`'grant' takes a list of ${EFFECTS.join(', ')}`)
  if (!isRecord(context) || !Object.values(context).every((fact) => typeof fact === 'string')) wrong.push("'context' takes strings by name")
  if (expires !== undefined && typeof expires !== 'number') wrong.push("'expires' takes a number")
  return wrong.length > 0 ? fail('config_invalid', `an authority: ${wrong.join('; ')}`) : succeed(value as unknown as Authority)
}

const readRules = (value: unknown): { rules: PolicyRule[]; wrong: string[] } => {
  if (!Array.isArray(value)) return { rules: [], wrong: [`it is a list of rules, found ${show(value)}`] }
  const wrong = value.flatMap((rule, i) => complaints(rule).map((complaint) => `rule ${i + 1}: ${complaint}`))
  return { rules: wrong.length > 0 ? [] : value, wrong }
}

const complaints = (rule: unknown): string[] => {
  if (!isRecord(rule)) return [`takes an object such as {"decision":"deny","effect":"exec"}, found ${show(rule)}`]
  const wrong = Object.entries(rule).flatMap(([key, value]) => complaint(key, value) ?? [])
  return rule.decision === undefined ? ["needs a 'decision'", ...wrong] : wrong
}

const text = (value: unknown) => (typeof value === 'string' && value !== '' ? undefined : 'takes a string')

const KEYS: Readonly<Record<string, (value: unknown) => string | undefined>> = {
  decision: (value) => (value === 'allow' || value === 'ask' || value === 'deny' ? undefined : 'takes "allow", "ask" or "deny"'),
  tool: text,
  effect: (value) => (isEffect(value) ? undefined : `takes one of ${EFFECTS.join(', ')}`),
  path: text,
  host: text,
  when: (value) => {
    if (!isRecord(value)) return 'takes an object such as {"environment":"prod"}'
    const wrong = Object.entries(value).find(([, fact]) => typeof fact !== 'string' && typeof fact !== 'boolean')
    if (wrong) return `takes strings and booleans, found ${show(wrong[1])} for '${preview(wrong[0])}'`
    return value.hours === undefined || parseHours(String(value.hours))
      ? undefined
      : `'hours' takes hours such as "9-17", found ${show(value.hours)}`
  },
}

const complaint = (key: string, value: unknown): string | undefined => {
  const rule = Object.hasOwn(KEYS, key) ? KEYS[key] : undefined
  if (rule) {
    const wrong = rule(value)
    return wrong && (wrong.startsWith("'") ? wrong : `'${key}' ${wrong}, found ${show(value)}`)
  }
  const near = nearest(key, Object.keys(KEYS))
  return `unknown key '${preview(key)}', ${near === undefined ? `it takes ${Object.keys(KEYS).join(', ')}` : `did you mean '${near}'?`}`
}

const isEffect = (value: unknown): value is Effect => (EFFECTS as readonly unknown[]).includes(value)

const noEffect = (word: string): string => {
  const near = nearest(word, EFFECTS)
  return `'${preview(word)}' is not an effect, ${near === undefined ? `there are ${EFFECTS.join(', ')}` : `did you mean '${near}'?`}`
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const show = (value: unknown): string => (value === undefined ? 'nothing' : preview(JSON.stringify(value)))
