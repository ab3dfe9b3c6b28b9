// The functions of the language: one row each, with what it takes, what it gives and what it does.

import { isInt } from '../../types/kind.js'
import { BOOL, INT, JSON_TYPE, NUMBER, STRING, type Type } from '../../types/type.js'
import { length } from './coerce.js'
import type { Site } from './failure.js'
import { roundAwayFromZero, whole } from './number.js'
import { parseNumber, parseText } from './parse-text.js'
import type { RuntimeValue } from './slice.js'
import { replaceAll, split, textOf } from './text.js'

/** 'strings': a list of strings. 'sized': a string or a list. A json is taken everywhere and looked at when it is there. */
export type Parameter = 'string' | 'number' | 'strings' | 'sized' | 'any'

export interface Function {
  /** As a help line shows it. */
  readonly usage: string
  readonly takes: readonly Parameter[]
  readonly gives: (types: readonly Type[]) => Type
  /** Arguments decoded as `takes` says ('sized' and 'any': as `RuntimeValue`), then the site. */
  readonly run: (...args: never[]) => unknown
  /** 'strings': an array of them. 'moved': a slice whose text is the result. */
  readonly result: 'value' | 'strings' | 'moved'
}

const of =
  (result: Function['result']) =>
  (usage: string, takes: readonly Parameter[], gives: Type | Function['gives'], run: Function['run']): readonly [string, Function] => [
    usage.slice(0, usage.indexOf('(')),
    { usage, takes, gives: typeof gives === 'function' ? gives : () => gives, run, result },
  ]

const value = of('value')
const STRINGS: Type = { kind: 'array', item: STRING }
const likeArguments = (types: readonly Type[]): Type => (types.every(isInt) ? INT : NUMBER)

// biome-ignore format: a table
export const FUNCTIONS: ReadonlyMap<string, Function> = new Map([
  value('lower(s)', ['string'], STRING, (s: string) => s.toLowerCase()),
  value('upper(s)', ['string'], STRING, (s: string) => s.toUpperCase()),
  value('trim(s)', ['string'], STRING, (s: string) => s.trim()),
  value('length(x)', ['sized'], INT, length),
  value('contains(s, t)', ['string', 'string'], BOOL, (s: string, t: string) => s.includes(t)),
  value('starts_with(s, t)', ['string', 'string'], BOOL, (s: string, t: string) => s.startsWith(t)),
  value('ends_with(s, t)', ['string', 'string'], BOOL, (s: string, t: string) => s.endsWith(t)),
  of('strings')('split(s, sep)', ['string', 'string'], STRINGS, split),
  value('join(xs, sep)', ['strings', 'string'], STRING, (xs: string[], s: string) => xs.join(s)),
  value('replace(s, a, b)', ['string', 'string', 'string'], STRING, replaceAll),
  value('abs(x)', ['number'], likeArguments, (x: number) => Math.abs(x)),
  value('round(x)', ['number'], INT, (x: number, site: Site) => whole(roundAwayFromZero(x), site)),
  value('floor(x)', ['number'], INT, (x: number, site: Site) => whole(Math.floor(x), site)),
  value('ceil(x)', ['number'], INT, (x: number, site: Site) => whole(Math.ceil(x), site)),
  value('min(x, y)', ['number', 'number'], likeArguments, (x: number, y: number) => Math.min(x, y)),
  value('max(x, y)', ['number', 'number'], likeArguments, (x: number, y: number) => Math.max(x, y)),
  value('text(x)', ['any'], STRING, (x: RuntimeValue) => textOf(x)),
  of('moved')('parse(s)', ['string'], JSON_TYPE, parseText),
  of('moved')('number(s)', ['string'], NUMBER, parseNumber),
])

export const functionOf = (name: string): Function | undefined => FUNCTIONS.get(name)
export const isFunction = (name: string): boolean => name === 'has' || FUNCTIONS.has(name)
