// Config blocks: keys against a table, values against the table's rules, names of value bindings replaced by what they hold.

import { nearest } from '@plumb/wire/nearest'
import type { ObjectValue, QualifiedName, Value } from '../ast.js'
import type { Report } from '../diagnostic.js'
import { findBinding, reportDuplicate, type Scope, shown } from '../names.js'
import type { Span } from '../source.js'
import type { Json } from '../types/type.js'

/** What a key takes: undefined when the value is fine, else what was expected ("a whole number from 0"). */
export type Rule = (value: Json) => string | undefined
export interface KeyRule {
  readonly fits: Rule
  /** The value names bindings (`tools: [search]`): names stay names. */
  readonly isNames?: boolean
}
export type KeyTable = Readonly<Record<string, KeyRule>>

export interface ConfigEntry {
  readonly value: Json
  readonly keySpan: Span
  readonly valueSpan: Span
  /** The names in it, where the table says that they stay names. */
  readonly names: readonly QualifiedName[]
}
export type Config = ReadonlyMap<string, ConfigEntry>

/** Every unknown key and every wrong value is reported; the others are in the result. */
export const readConfig = (what: string, object: ObjectValue, table: KeyTable, scope: Scope, report: Report): Config => {
  const config = new Map<string, ConfigEntry>()
  for (const { key, value } of object.entries) {
    const earlier = config.get(key.text)
    if (earlier) {
      reportDuplicate('key', key.text, earlier.keySpan, key.span, report)
      continue
    }
    const rule = Object.hasOwn(table, key.text) ? table[key.text] : undefined
    if (!rule) {
      const near = nearest(key.text, Object.keys(table))
      const help = near === undefined ? `it takes ${Object.keys(table).join(', ')}` : `did you mean '${near}'?`
      report({ severity: 'error', code: 'unknown_option', message: `${what} has no key '${key.text}'`, span: key.span, help })
      continue
    }
    const names: QualifiedName[] = []
    const json = toJson(value, scope, report, rule.isNames ? names : undefined)
    if (json === undefined) continue
    const expected = rule.fits(json)
    if (expected === undefined) config.set(key.text, { value: json, keySpan: key.span, valueSpan: value.span, names })
    else report({ severity: 'error', code: 'config_invalid', message: `'${key.text}' takes ${expected}`, span: value.span })
  }
  return config
}

export const plainConfig = (config: Config): { [key: string]: Json } => {
  const plain: { [key: string]: Json } = Object.create(null)
  for (const [key, { value }] of config) plain[key] = value
  return plain
}

/** `open` holds the value bindings being followed: one that holds itself is refused. */
const toJson = (value: Value, scope: Scope, report: Report, names: QualifiedName[] | undefined, open: readonly string[] = []): Json | undefined => {
  switch (value.kind) {
    case 'value':
      return value.value
    case 'list': {
      const items = value.items.map((v) => toJson(v, scope, report, names, open))
      return items.every((v) => v !== undefined) ? items : undefined
    }
    case 'object': {
      const result: { [key: string]: Json } = Object.create(null)
      let isWhole = true
      for (const { key, value: inner } of value.entries) {
        const json = toJson(inner, scope, report, names, open)
        if (json === undefined) isWhole = false
        else if (Object.hasOwn(result, key.text)) {
          report({ severity: 'error', code: 'duplicate_name', message: `key '${key.text}' is declared twice`, span: key.span })
          isWhole = false
        } else result[key.text] = json
      }
      return isWhole ? result : undefined
    }
    case 'name':
      return named(value.name, scope, report, names, open)
  }
}

const named = (name: QualifiedName, scope: Scope, report: Report, names: QualifiedName[] | undefined, open: readonly string[]): Json | undefined => {
  if (names && !valueNamed(name, scope)) {
    names.push(name)
    return shown(name)
  }
  const bound = findBinding(name, scope, report, (b) => b.category === 'value')
  if (bound === 'unknown') return undefined
  const { impl } = bound.binding
  if (impl.kind !== 'object') {
    const help = 'a config takes literals and the names of config values, as in let server = { … }'
    report({ severity: 'error', code: 'config_invalid', message: `'${shown(name)}' is no config value`, span: name.span, help })
    return undefined
  }
  const id = `${bound.scope.module.path}\u0000${bound.name}`
  if (open.includes(id)) {
    report({ severity: 'error', code: 'definition_cycle', message: `config value '${shown(name)}' contains itself`, span: name.span })
    return undefined
  }
  return toJson(impl, bound.scope, report, undefined, [...open, id])
}

const valueNamed = (name: QualifiedName, scope: Scope): boolean => {
  const home = name.module ? scope.modules.get(name.module.text) : scope
  return home?.bindings.get(name.name.text)?.category === 'value'
}
