// What has come of an answer that is still being written, in Python: each record with all of its fields optional, as NAME_partial.

import { type Field, type SpecTypes, type Type, unreachable } from '@plumb/lang'
import { isAttribute, pythonText } from './python-names.js'

export interface PartialNames {
  /** A name that is not taken yet. */
  readonly free: (wanted: string) => string
  /** Of a type of the spec. */
  readonly nameOf: (type: string) => string
}

/** The definitions, each before it is used but for records within themselves. */
export const pythonPartials = ({ growing, labelOf }: SpecTypes, { free, nameOf }: PartialNames): readonly string[] => {
  const parts: string[] = []
  const names = new Map<Type, string>()
  const defined = new Set<string>()
  const record = (name: string, fields: readonly Field[]): void => {
    const printed = fields.map((field) => [field.name, print(field.type, `${name}_${field.name.replace(/[^A-Za-z0-9_]/g, '_')}`)] as const)
    const isPlain = fields.every((field) => isAttribute(field.name))
    const lines = printed.map(([key, type]) => (isPlain ? `    ${key}: ${type}` : `    ${pythonText(key)}: ${type},`))
    const body = lines.length === 0 ? '    pass' : lines.join('\n')
    parts.push(
      isPlain ? `class ${name}(_t.TypedDict, total=False):\n${body}\n` : `${name} = _t.TypedDict("${name}", {\n${body}\n}, total=False)\n`,
    )
    defined.add(name)
  }
  const named = (type: Type & { readonly kind: 'named' }): string => {
    const known = names.get(type)
    if (known !== undefined) return defined.has(known) ? known : `"${known}"`
    const name = free(`${nameOf(type.name)}_partial`)
    names.set(type, name)
    if (type.target.kind === 'record') record(name, type.target.fields)
    else {
      parts.push(`${name}: _t.TypeAlias = ${print(type.target, name)}\n`)
      defined.add(name)
    }
    return name
  }
  const print = (type: Type, owner: string): string => {
    switch (type.kind) {
      case 'named': {
        const label = labelOf(type)
        if (label !== undefined) return `_plumb.${label === 'untrusted' ? 'Untrusted' : 'Secret'}[${print(type.target, owner)}]`
        return named(type)
      }
      case 'string':
      case 'literal':
        return 'str'
      case 'int':
        return 'int'
      case 'number':
        return 'float'
      case 'bool':
        return 'bool'
      case 'unit':
        return 'None'
      case 'json':
        return '_plumb.Json'
      case 'array':
        return `list[${print(type.item, `${owner}_item`)}]`
      case 'tuple':
        return `list[${union(type.items.map((item, i) => print(item, `${owner}_${i}`)))}]`
      case 'map':
        return `dict[str, ${print(type.item, `${owner}_item`)}]`
      case 'sum':
        return union(type.variants.map((variant, i) => print(variant, `${owner}_${i}`)))
      case 'record': {
        const name = free(owner)
        record(name, type.fields)
        return name
      }
      default:
        return unreachable(type)
    }
  }
  for (const type of growing) if (type.kind === 'named') print(type, '')
  return parts
}

const union = (types: readonly string[]): string => {
  const [first, ...others] = new Set(types)
  if (first === undefined) return '_t.NoReturn'
  return others.length === 0 ? first : `_t.Union[${[first, ...others].join(', ')}]`
}
