// The types of a spec in Python, as dictionaries with types (TypedDict), and its processes as methods over the package `plumb`.

import { type Field, type NamedType, type ServedBinding, type SpecTypes, type Type, unreachable } from '@plumb/lang'
import { commentLines, freeNames } from './names.js'
import { isAttribute, isTakenInPython, methodNames, pythonText } from './python-names.js'
import { pythonPartials } from './python-partials.js'

export const toPython = (spec: SpecTypes, head: string): string => {
  const writer = new Writer(spec)
  const body = writer.write()
  return `# ${head}\n\nimport typing as _t\n\nimport plumb as _plumb\n\n${body}`
}

class Writer {
  readonly #spec: SpecTypes
  readonly #names: ReadonlyMap<string, string>
  readonly #taken: Set<string>
  /** What can be referred to at this place of the file. */
  readonly #defined = new Set<string>()
  readonly #begun = new Set<NamedType>()
  readonly #parts: string[] = []

  constructor(spec: SpecTypes) {
    this.#spec = spec
    this.#names = freeNames(
      spec.types.map(({ name }) => name),
      isTakenInPython,
    )
    this.#taken = new Set(this.#names.values())
  }

  write(): string {
    const { types, bindings } = this.#spec
    for (const type of types) this.#define(type)
    const made = bindings.map((binding) => this.#members(binding))
    this.#parts.push(
      ...pythonPartials(this.#spec, { free: (name) => this.#freeName(name), nameOf: (name) => this.#names.get(name) ?? name }),
    )
    if (bindings.length > 0) {
      this.#parts.push(client('Client', 'Connection', 'Method', made), client('AsyncClient', 'aio.Connection', 'aio.Method', made))
    }
    return this.#parts.join('\n\n')
  }

  #members({ name, description, input, output, answers }: ServedBinding): Member {
    const owner = `${name.charAt(0).toUpperCase()}${name.slice(1)}`
    const [from, to] = [this.#print(input, `${owner}_input`), this.#print(output, `${owner}_output`)]
    const method = methodNames(this.#spec.bindings.map((one) => one.name)).get(name) ?? name
    return { method, name, description, of: `${from}, ${to}, ${answers === 'one' ? to : `list[${to}]`}` }
  }

  /** A declared type after those that it is made of, as far as they do not go round. */
  #define(type: NamedType): void {
    if (this.#begun.has(type)) return
    this.#begun.add(type)
    const name = this.#names.get(type.name) ?? type.name
    const { target } = type
    if (target.kind === 'record' && target.fields.length > 0) this.#record(name, target.fields)
    else {
      const printed = this.#print(target, name)
      this.#parts.push(`${name}: _t.TypeAlias = ${printed}\n`)
      this.#defined.add(name)
    }
  }

  #print(type: Type, owner: string): string {
    const print = (inner: Type, part: string): string => this.#print(inner, `${owner}_${part}`)
    switch (type.kind) {
      case 'named': {
        const label = this.#spec.labelOf(type)
        if (label !== undefined) return `_plumb.${label === 'untrusted' ? 'Untrusted' : 'Secret'}[${this.#print(type.target, owner)}]`
        this.#define(type)
        const name = this.#names.get(type.name) ?? type.name
        return this.#defined.has(name) ? name : `"${name}"`
      }
      case 'string':
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
      case 'literal':
        return `_t.Literal[${pythonText(type.value)}]`
      case 'array':
        return `list[${print(type.item, 'item')}]`
      case 'tuple':
        // Values are plain JSON, so a tuple is a list, whose items have types of their own only one by one.
        return `list[${union(type.items.map((item, i) => print(item, String(i))))}]`
      case 'map':
        return `dict[str, ${print(type.item, 'item')}]`
      case 'sum':
        return union(type.variants.map((variant, i) => print(variant, String(i))))
      case 'record': {
        if (type.fields.length === 0) return type.isOpen === true ? 'dict[str, _plumb.Json]' : 'dict[str, _t.NoReturn]'
        const name = this.#freeName(owner)
        this.#record(name, type.fields)
        return name
      }
      default:
        return unreachable(type)
    }
  }

  #record(name: string, fields: readonly Field[]): void {
    const printed = fields.map((field) => ({ field, type: this.#print(field.type, `${name}_${wordOf(field.name)}`) }))
    const [needed, optional] = [printed.filter(({ field }) => !field.isOptional), printed.filter(({ field }) => field.isOptional)]
    const isPlain = fields.every((field) => isAttribute(field.name))
    this.#defined.add(name)
    if (isPlain && (optional.length === 0 || needed.length === 0))
      return void this.#parts.push(classOf(name, '_t.TypedDict', printed, needed.length === 0 && optional.length > 0))
    const [base, more] = [this.#freeName(`_${name}_needed`), this.#freeName(`_${name}_optional`)]
    if (isPlain) {
      this.#parts.push(classOf(base, '_t.TypedDict', needed, false), classOf(name, base, optional, true))
      return
    }
    const bases = [...(needed.length > 0 ? [base] : []), ...(optional.length > 0 ? [more] : [])]
    if (needed.length > 0) this.#parts.push(callOf(base, needed, false))
    if (optional.length > 0) this.#parts.push(callOf(more, optional, true))
    this.#parts.push(`class ${name}(${bases.join(', ')}):\n    pass\n`)
  }

  #freeName(wanted: string): string {
    let free = wanted
    while (this.#taken.has(free) || isTakenInPython(free)) free += '_'
    this.#taken.add(free)
    return free
  }
}

interface Printed {
  readonly field: Field
  readonly type: string
}

interface Member {
  readonly method: string
  readonly name: string
  readonly description: string | undefined
  readonly of: string
}

const union = (types: readonly string[]): string => {
  const [first, ...others] = new Set(types)
  if (first === undefined) return '_t.NoReturn'
  return others.length === 0 ? first : `_t.Union[${[first, ...others].join(', ')}]`
}

const wordOf = (name: string): string => name.replace(/[^A-Za-z0-9_]/g, '_')

const classOf = (name: string, base: string, fields: readonly Printed[], isOptional: boolean): string => {
  const lines = fields.flatMap(({ field, type }) => [...comment(field.description), `    ${field.name}: ${type}`])
  return `class ${name}(${base}${isOptional ? ', total=False' : ''}):\n${lines.length === 0 ? '    pass' : lines.join('\n')}\n`
}

const callOf = (name: string, fields: readonly Printed[], isOptional: boolean): string => {
  const lines = fields.flatMap(({ field, type }) => [...comment(field.description), `    ${pythonText(field.name)}: ${type},`])
  const end = isOptional ? '}, total=False)' : '})'
  return `${name} = _t.TypedDict("${name}", {\n${lines.join('\n')}\n${end}\n`
}

const comment = (text: string | undefined): readonly string[] =>
  text === undefined || text.trim() === '' ? [] : commentLines(text).map((line) => `    # ${line}`.trimEnd())

const client = (name: string, connection: string, method: string, members: readonly Member[]): string => {
  const lines = members.flatMap(({ method: own, name: of, description, of: types }) => [
    ...comment(description).map((line) => `    ${line}`),
    `        self.${own}: _plumb.${method}[${types}] = _plumb.${method}(connection, ${pythonText(of)})`,
  ])
  return `class ${name}:\n    def __init__(self, connection: _plumb.${connection}) -> None:\n${lines.join('\n')}\n`
}
