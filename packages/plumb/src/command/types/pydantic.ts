// The types of a spec in Python as models of pydantic, which take exactly what plumb takes, over `plumb.models`.

import { type Field, type NamedType, resolve, type ServedBinding, type SpecTypes, type Type, unreachable } from '@plumb/lang'
import { freeNames, wordsOf } from './names.js'
import { isAttribute, isTakenInPython, methodNames, pythonText } from './python-names.js'
import { pythonPartials } from './python-partials.js'

export const toPydantic = (spec: SpecTypes, head: string): string => {
  const imports =
    'import typing as _t\n\nimport plumb as _plumb\nimport plumb.models as _models\nimport pydantic as _pydantic\nimport typing_extensions as _te\n'
  return `# ${head}\n\n${imports}\n\n${new Writer(spec).write()}`
}

// Names of the base class, which a field must not take, and of types of Python, which the fields behind it would find in their place.
const OF_MODELS = wordsOf(`
  list copy json dict schema validate construct parse_obj parse_raw parse_file from_orm update_forward_refs schema_json
`)

class Writer {
  readonly #spec: SpecTypes
  readonly #names: ReadonlyMap<string, string>
  readonly #taken: Set<string>
  readonly #defined = new Set<string>()
  readonly #begun = new Set<NamedType>()
  readonly #models: string[] = []
  readonly #parts: string[] = []
  /** Whether something was named that comes later. */
  #isForward = false

  constructor(spec: SpecTypes) {
    this.#spec = spec
    const taken = (name: string): boolean => isTakenInPython(name) || name === '_te' || name === '_pydantic'
    this.#names = freeNames(
      spec.types.map(({ name }) => name),
      taken,
    )
    this.#taken = new Set(this.#names.values())
  }

  write(): string {
    const { types, bindings } = this.#spec
    for (const type of types) this.#define(type)
    const made = bindings.map((binding) => this.#member(binding))
    const rebuilt = this.#models.map((name) => `${name}.model_rebuild()\n`).join('')
    if (rebuilt !== '') this.#parts.push(rebuilt)
    this.#parts.push(
      ...pythonPartials(this.#spec, { free: (name) => this.#freeName(name), nameOf: (name) => this.#names.get(name) ?? name }),
    )
    if (made.length > 0)
      this.#parts.push(client('Client', 'Connection', 'Method', made), client('AsyncClient', 'aio.Connection', 'AsyncMethod', made))
    return this.#parts.join('\n\n')
  }

  #member({ name, input, output, answers }: ServedBinding): { readonly method: string; readonly types: string; readonly given: string } {
    const owner = `${name.charAt(0).toUpperCase()}${name.slice(1)}`
    const [from, to] = [this.#print(input, `${owner}_input`), this.#print(output, `${owner}_output`)]
    const method = methodNames(this.#spec.bindings.map((one) => one.name)).get(name) ?? name
    const isMany = answers === 'many'
    return {
      method,
      types: `${from}, ${to}, ${isMany ? `list[${to}]` : to}`,
      given: `${pythonText(name)}, ${from}, ${to}, ${isMany ? 'True' : 'False'}`,
    }
  }

  #define(type: NamedType): void {
    if (this.#begun.has(type)) return
    this.#begun.add(type)
    const name = this.#names.get(type.name) ?? type.name
    if (type.target.kind === 'record') return this.#record(name, type.target.fields, type.target.isOpen === true)
    const before = this.#isForward
    this.#isForward = false
    const printed = this.#print(type.target, name)
    const alias = `${name}: _t.TypeAlias = ${printed}\n`
    // pydantic has to know one that refers to itself by its name, which type checkers do not follow.
    const named = `if _t.TYPE_CHECKING:\n    ${alias}else:\n    ${name} = _te.TypeAliasType("${name}", ${printed})\n`
    this.#parts.push(this.#isForward ? named : alias)
    this.#isForward = before
    this.#defined.add(name)
  }

  #print(type: Type, owner: string): string {
    const print = (inner: Type, part: string): string => this.#print(inner, `${owner}_${part}`)
    switch (type.kind) {
      case 'named': {
        const label = this.#spec.labelOf(type)
        if (label !== undefined) return `_plumb.${label === 'untrusted' ? 'Untrusted' : 'Secret'}[${this.#print(type.target, owner)}]`
        this.#define(type)
        const name = this.#names.get(type.name) ?? type.name
        if (this.#defined.has(name)) return name
        this.#isForward = true
        return `"${name}"`
      }
      case 'string':
        return '_models.Text'
      case 'int':
        return '_models.Int'
      case 'number':
        return '_models.Number'
      case 'bool':
        return '_models.Bool'
      case 'unit':
        return 'None'
      case 'json':
        return '_models.Json'
      case 'literal':
        return `_t.Literal[${pythonText(type.value)}]`
      case 'array':
        return `list[${print(type.item, 'item')}]`
      case 'tuple': {
        const items = type.items.map((item, i) => print(item, String(i)))
        return `_t.Annotated[list[${union(items)}], _models.Items(lambda: (${items.map(late).join(', ')},))]`
      }
      case 'map':
        return `dict[str, ${print(type.item, 'item')}]`
      case 'sum':
        return union(type.variants.map((variant, i) => print(variant, String(i))))
      case 'record': {
        const name = this.#freeName(owner)
        this.#record(name, type.fields, type.isOpen === true)
        return name
      }
      default:
        return unreachable(type)
    }
  }

  #record(name: string, fields: readonly Field[], isOpen: boolean): void {
    const used = new Set(fields.map((field) => field.name).filter((word) => this.#attributeOf(word) === word))
    const attributeFor = (wanted: string): string => {
      let free = this.#attributeOf(wanted)
      while (free !== wanted && (used.has(free) || this.#taken.has(free))) free += '_'
      used.add(free)
      return free
    }
    const before = this.#isForward
    const lines = fields.map((field) => {
      const attribute = attributeFor(field.name)
      return `    ${attribute}: ${this.#field(name, attribute, field)}`
    })
    this.#isForward = before
    this.#defined.add(name)
    this.#models.push(name)
    this.#parts.push(`class ${name}(_models.${isOpen ? 'Open' : 'Model'}):\n${lines.length === 0 ? '    pass' : lines.join('\n')}\n`)
  }

  #field(owner: string, attribute: string, { name, type, isOptional, default: standIn, min, max }: Field): string {
    const bare = this.#print(type, `${owner}_${attribute}`)
    const limits = min === undefined && max === undefined ? '' : `, _models.Limits(${min ?? 'None'}, ${max ?? 'None'})`
    const of = limits === '' ? bare : `_t.Annotated[${bare}${limits}]`
    const alias = attribute === name ? undefined : pythonText(name)
    if (standIn !== undefined)
      return `${of} = _models.filled(${[pythonText(standIn), `lambda: ${late(of)}`, ...(alias ? [alias] : [])].join(', ')})`
    if (!isOptional) return alias === undefined ? of : `${of} = _pydantic.Field(alias=${alias})`
    const may = mayBeNull(type) ? `_t.Optional[${of}]` : `_t.Annotated[_t.Optional[${of}], _models.Absent()]`
    return alias === undefined ? `${may} = None` : `${may} = _pydantic.Field(default=None, alias=${alias})`
  }

  #attributeOf(name: string): string {
    const word = name.replace(/[^A-Za-z0-9_]/g, '_').replace(/^_+/, '')
    const named = word === '' || /^\d/.test(word) ? `field_${word}` : word
    return !isAttribute(named) || OF_MODELS.has(named) || this.#taken.has(named) || named.startsWith('model_') ? `${named}_` : named
  }

  #freeName(wanted: string): string {
    let free = wanted
    while (this.#taken.has(free) || isTakenInPython(free)) free += '_'
    this.#taken.add(free)
    return free
  }
}

const mayBeNull = (type: Type): boolean => {
  const of = resolve(type)
  return of.kind === 'sum' ? of.variants.some(mayBeNull) : of.kind === 'unit'
}

/** Inside of a function names are looked up when it is called: what is named before its definition needs no quotes there, but literals do. */
const late = (printed: string): string =>
  printed.replace(/(Literal\[)?"((?:[^"\\]|\\.)*)"/g, (all, literal, name) => (literal ? all : name))

const union = (types: readonly string[]): string => {
  const [first, ...others] = new Set(types)
  if (first === undefined) return '_t.NoReturn'
  return others.length === 0 ? first : `_t.Union[${[first, ...others].join(', ')}]`
}

const client = (
  name: string,
  connection: string,
  method: string,
  members: readonly { readonly method: string; readonly types: string; readonly given: string }[],
): string => {
  const lines = members.map(
    ({ method: own, types, given }) => `        self.${own}: _models.${method}[${types}] = _models.${method}(connection, ${given})`,
  )
  return `class ${name}:\n    def __init__(self, connection: _plumb.${connection}) -> None:\n${lines.join('\n')}\n`
}
