// Converts config values to JSON: names of value bindings are replaced by their values.

import { error, type Report, reportDuplicate } from '../diagnostic/diagnostic.js'
import type { Span } from '../diagnostic/source.js'
import { type Bound, type ConfigValue, findBinding, type Param, printName, resolveParam, type Scope } from '../names/names.js'
import type { NameValue, Value } from '../parse/ast.js'
import { smallestValue } from '../types/smallest.js'
import type { Json } from '../types/type.js'

// More than any hand-written config has, and within the limits of stack and memory.
const MAX_DEPTH = 200
const MAX_SIZE = 1_000_000

/** Fills `scope.values`. `order`: each binding after those it names. */
export const readValues = (order: readonly Bound[], report: Report): void => {
  for (const { binding, scope, name, category } of order) {
    if (category !== 'value' || binding.impl.kind !== 'object') continue
    const held = readValue(binding.impl, scope, report)
    if (held) scope.values.set(name, held)
  }
}

/** Undefined: it has an error, reported here or where the named value is declared. */
export const readValue = (value: Value, scope: Scope, report: Report): ConfigValue | undefined => {
  const held = read(value, scope, report)
  if (!held || (held.depth <= MAX_DEPTH && held.size <= MAX_SIZE)) return held
  const message =
    held.depth > MAX_DEPTH
      ? `this value is nested more than ${MAX_DEPTH} deep`
      : `this value is larger than ${MAX_SIZE.toLocaleString('en')} characters`
  report(error('config_invalid', message, value.span, 'a name stands for all that the value of its binding holds'))
  return undefined
}

const read = (value: Value, scope: Scope, report: Report): ConfigValue | undefined => {
  switch (value.kind) {
    case 'value':
      return { json: value.value, size: value.text.length, depth: 0, isUnknown: false }
    case 'list': {
      const items = value.items.map((item) => read(item, scope, report))
      return items.every((item) => item !== undefined)
        ? around(
            items,
            items.map((item) => item.json),
          )
        : undefined
    }
    case 'object': {
      const json: { [key: string]: Json } = Object.create(null)
      const places = new Map<string, Span>()
      const parts: (ConfigValue | undefined)[] = value.entries.map(({ key, value: inner }) => {
        const first = places.get(key.text)
        if (first) reportDuplicate('key', key.text, first, key.span, report)
        else places.set(key.text, key.span)
        const part = read(inner, scope, report)
        if (part) json[key.text] = part.json
        return first ? undefined : part
      })
      return parts.every((part) => part !== undefined) ? around(parts, json) : undefined
    }
    case 'name':
      return named(value, scope, report)
    case 'condition':
      throw new TypeError('an expression is not a config value: expected a literal, a list, an object or a name')
    case 'template':
      report(error('config_invalid', "a template is allowed in expressions, and as an agent's prompt", value.span, 'write the text itself'))
      return undefined
  }
}

const around = (parts: readonly ConfigValue[], json: Json): ConfigValue => ({
  json,
  size: parts.reduce((sum, part) => sum + part.size, 1 + parts.length),
  depth: parts.reduce((depth, part) => Math.max(depth, part.depth), 0) + 1,
  isUnknown: parts.some((part) => part.isUnknown),
})

const named = ({ name }: NameValue, scope: Scope, report: Report): ConfigValue | undefined => {
  const param = resolveParam(name, scope)
  if (param) return valueOfParam(param)
  const bound = findBinding(name, scope, report, (b) => b.category === 'value')
  if (bound === 'unknown' || bound.category === 'unknown') return undefined
  if (bound.category === 'value') return bound.scope.values.get(bound.name)
  const help = 'a config takes literals and the names of config values, as in let server = { … }'
  report(error('config_invalid', `'${printName(name)}' is not a config value`, name.span, help))
  return undefined
}

// Without a value yet, as in a check, some value of the type is used.
const valueOfParam = ({ type, text }: Param): ConfigValue | undefined => {
  const written = text ?? (type && smallestValue(type))
  if (written === undefined) return undefined
  const json = JSON.parse(written) as Json
  return { json, size: written.length, depth: depthOf(json), isUnknown: text === undefined }
}

const depthOf = (json: Json): number =>
  typeof json === 'object' && json !== null ? Object.values(json).reduce<number>((depth, part) => Math.max(depth, depthOf(part)), 0) + 1 : 0
