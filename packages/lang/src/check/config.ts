// Config blocks: keys against a table, values against the table's rules.

import { nearest } from '@plumb/wire/nearest'
import { preview } from '@plumb/wire/preview'
import { error, type Report, reportDuplicate } from '../diagnostic/diagnostic.js'
import type { Span } from '../diagnostic/source.js'
import { sourceOf } from '../expression/infer/context.js'
import { printName, resolveName, type Scope } from '../names/names.js'
import type { Expression, ObjectValue, QualifiedName, Value } from '../parse/ast.js'
import { ownKey, ownKeyWay } from '../parse/foreign-key.js'
import type { Json } from '../types/type.js'
import { readTemplate } from './template.js'
import { readValue } from './value.js'

/** Undefined for a valid value, else what was expected ("a whole number from 0"). */
export type ValueRule = (value: Json) => string | undefined
export interface KeyRule {
  readonly fits: ValueRule
  /** The value names bindings (`tools: [search, "double"]`): names are not resolved. */
  readonly isNames?: boolean
  /** Of names: others may stand in quotes, such as those that servers give their tools. */
  readonly takesQuoted?: boolean
  /** The string may be a template. */
  readonly isTemplate?: boolean
  /** The value is an expression over the message: its type is checked where it is used. */
  readonly isExpression?: boolean
  /** The value is an object, or a list of them, with keys of its own. */
  readonly inner?: Inner
}
export interface Inner {
  readonly what: string
  readonly keys: KeyTable
  /** Rules between the keys. */
  readonly check?: (config: Config, object: ObjectValue, report: Report) => void
}
export type KeyTable = Readonly<Record<string, KeyRule>>

export interface ConfigEntry {
  readonly value: Json
  readonly keySpan: Span
  readonly valueSpan: Span
  /** The names in it, if the table says that names are not resolved. */
  readonly names: readonly QualifiedName[]
  /** `value` is its text. */
  readonly expression?: Expression
}
/** The valid entries; in a list of names, those that are names. */
export type Config = ReadonlyMap<string, ConfigEntry>

/** Reports every unknown key and every wrong value; the result has the others. */
export const readConfig = (what: string, object: ObjectValue, table: KeyTable, scope: Scope, report: Report): Config => {
  const config = new Map<string, ConfigEntry>()
  const places = new Map<string, Span>()
  for (const { key, value } of object.entries) {
    const first = places.get(key.text)
    if (first) {
      reportDuplicate('key', key.text, first, key.span, report)
      continue
    }
    places.set(key.text, key.span)
    const rule = Object.hasOwn(table, key.text) ? table[key.text] : undefined
    if (!rule) {
      const own = ownKey(key.text)
      const way = what === 'an agent' ? ownKeyWay(key.text) : undefined
      const near = own !== undefined && Object.hasOwn(table, own) ? own : nearest(key.text, Object.keys(table))
      const help = way ?? (near === undefined ? `it takes ${Object.keys(table).join(', ')}` : `did you mean '${near}'?`)
      report(error('unknown_option', `${what} has no key '${preview(key.text)}'`, key.span, help))
      continue
    }
    const entry = rule.isNames ? readNames(key.text, value, rule, report) : readPlain(key.text, value, rule, scope, report)
    if (entry) config.set(key.text, { ...entry, keySpan: key.span, valueSpan: value.span })
  }
  return config
}

type Read = Pick<ConfigEntry, 'value' | 'names' | 'expression'> | undefined

const readPlain = (key: string, value: Value, rule: KeyRule, scope: Scope, report: Report): Read => {
  if (value.kind === 'condition') return { value: sourceOf(value.expression), names: [], expression: value.expression }
  const held = rule.isTemplate && value.kind === 'template' ? readTemplate(value, scope, report) : readValue(value, scope, report)
  const expected = held && !held.isUnknown ? rule.fits(held.json) : undefined
  if (held && expected !== undefined) report(error('config_invalid', `'${key}' takes ${expected}`, value.span, insteadOf(held.json, rule)))
  if (!held || expected !== undefined) return undefined
  const { inner } = rule
  if (inner) {
    for (const { object, scope: home } of objectsIn(value, scope)) {
      const config = readConfig(inner.what, object, inner.keys, home, report)
      inner.check?.(config, object, report)
    }
  }
  return { value: held.json, names: [] }
}

// A list of one where a text is due, as in a command, or words of a text where a list is.
const insteadOf = (json: Json, rule: KeyRule): string | undefined => {
  const isWords = Array.isArray(json) && json.length > 0 && json.every((word) => typeof word === 'string')
  const other = isWords ? json.join(' ') : typeof json === 'string' ? json.split(/\s+/).filter((word) => word !== '') : undefined
  return other !== undefined && rule.fits(other) === undefined ? `write ${preview(JSON.stringify(other))}` : undefined
}

// In written form: a name refers to the object of its binding.
const objectsIn = (value: Value, scope: Scope): readonly { readonly object: ObjectValue; readonly scope: Scope }[] => {
  if (value.kind === 'object') return [{ object: value, scope }]
  if (value.kind === 'list') return value.items.flatMap((item) => objectsIn(item, scope))
  const bound = value.kind === 'name' ? resolveName(value.name, scope) : undefined
  return bound?.binding.impl.kind === 'object' ? [{ object: bound.binding.impl, scope: bound.scope }] : []
}

const readNames = (key: string, value: Value, rule: KeyRule, report: Report): Read => {
  const isList = value.kind === 'list'
  const items = isList ? value.items : [value]
  const names = items.map(nameIn)
  const words = items.map((item, i) => wordIn(item, names[i], rule))
  const json: Json = isList ? words : (words[0] ?? null)
  const expected = rule.fits(json)
  if (expected !== undefined) {
    const wrong = isList ? items.filter((_, i) => words[i] === null) : []
    const [only] = words
    const help = !isList && only && rule.fits([only]) === undefined ? `write [${only}]` : undefined
    for (const { span } of wrong.length > 0 ? wrong : [value]) report(error('config_invalid', `'${key}' takes ${expected}`, span, help))
  }
  // Even if one entry is invalid, the others are checked.
  return expected !== undefined && !isList ? undefined : { value: json, names: names.filter((name) => name !== undefined) }
}

const wordIn = (value: Value, name: QualifiedName | undefined, { takesQuoted }: KeyRule): string | null => {
  if (name) return printName(name)
  return takesQuoted && value.kind === 'value' && typeof value.value === 'string' ? value.value : null
}

const NAME = /^([A-Za-z_][A-Za-z0-9_]*)(?:\.([A-Za-z_][A-Za-z0-9_]*))?$/

/** A name, bare or as a string. */
export const nameIn = (value: Value): QualifiedName | undefined => {
  if (value.kind === 'name') return value.name
  const [, first, second] = (value.kind === 'value' && typeof value.value === 'string' && NAME.exec(value.value)) || []
  if (first === undefined) return undefined
  const { span } = value
  return second === undefined
    ? { name: { text: first, span }, span }
    : { module: { text: first, span }, name: { text: second, span }, span }
}

export const plainConfig = (config: Config): { [key: string]: Json } => {
  const plain: { [key: string]: Json } = Object.create(null)
  for (const [key, { value }] of config) plain[key] = value
  return plain
}
