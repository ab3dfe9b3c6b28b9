// What config keys take, in words and as tests: the vocabulary of the key tables.

import { type Category, ERRORS } from '@plumb/wire/error'
import { nearest } from '@plumb/wire/nearest'
import type { Json } from '../types/type.js'
import type { KeyRule, Rule } from './config.js'

const rule = (expected: string, test: (v: Json) => boolean): KeyRule => ({ fits: (v) => (test(v) ? undefined : expected) })
const isStrings = (v: Json): v is readonly string[] => Array.isArray(v) && v.every((s) => typeof s === 'string')
const isObject = (v: Json): boolean => typeof v === 'object' && v !== null && !Array.isArray(v)

export const TEXT = rule('a string', (v) => typeof v === 'string')
export const FLAG = rule('true or false', (v) => typeof v === 'boolean')
export const STRINGS = rule('a list of strings', isStrings)
export const COMMAND = rule('a list of strings, the program first', (v) => isStrings(v) && v.length > 0 && v[0] !== '')
export const OBJECT = rule('an object', isObject)
export const ANYTHING = rule('', () => true)

export const wholeFrom = (min: number): KeyRule =>
  rule(`a whole number from ${min}`, (v) => Number.isSafeInteger(v) && (v as number) >= min)
export const numberIn = (min: number, max: number): KeyRule =>
  rule(
    max === Number.POSITIVE_INFINITY ? `a number from ${min}` : `a number from ${min} to ${max}`,
    (v) => typeof v === 'number' && v >= min && v <= max,
  )

/** One of these strings; a near miss is named. */
export const oneOf = (...values: readonly string[]): KeyRule => {
  const all = values.map((v) => JSON.stringify(v)).join(', ')
  const fits: Rule = (v) => {
    if (typeof v === 'string' && values.includes(v)) return undefined
    const near = typeof v === 'string' ? nearest(v, values) : undefined
    return near === undefined ? `one of ${all}` : `one of ${all}; did you mean "${near}"?`
  }
  return { fits }
}

/** Names of bindings, bare or as strings: `tools: [search, "double"]`. */
export const NAMES: KeyRule = { ...rule('a list of names', isStrings), isNames: true }
export const NAME: KeyRule = { ...rule('a name', (v) => typeof v === 'string'), isNames: true }

/** MCP servers: by config, and for a single tool also by URL. */
export const SERVERS = rule('a list of config values', (v) => Array.isArray(v) && v.every(isObject))
export const SERVER = rule('a URL or a config value', (v) => typeof v === 'string' || isObject(v))

export const listOf = (...values: readonly string[]): KeyRule =>
  rule(`a list of ${values.join(', ')}`, (v) => isStrings(v) && v.every((s) => values.includes(s)))

export const ERROR_CATEGORIES: readonly Category[] = ['config', 'invalid', 'not_found', 'denied', 'internal', 'unavailable']
const isErrorKind = (s: string): boolean => (ERROR_CATEGORIES as readonly string[]).includes(s) || Object.hasOwn(ERRORS, s)
export const ERROR_KINDS = rule('a list of error categories and codes, as in ["unavailable"]', (v) => isStrings(v) && v.every(isErrorKind))
