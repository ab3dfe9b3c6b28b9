// Repairs values that models write in another form, where an object, a number or a list is expected.

import { type ArrayTree, type ObjectTree, parseTree, stringOf, type Tree } from '@plumb/wire/json'
import { unreachable } from '../diagnostic/unreachable.js'
import { isIntegerText } from '../scan/integer.js'
import { fieldOf, isRequired } from '../types/required-fields.js'
import { type ArrayType, type Field, type MapType, type RecordType, resolve, type SumType, type Type } from '../types/type.js'
import { variantsOf } from '../types/variants.js'
import { toBytes } from './bytes.js'
import { checkTree } from './check-tree.js'
import { inField, inItem } from './mismatch.js'

/**
 * `json_text`: a string that holds an object or list. `scalar_text`: a string that is just a number, `true` or `false`. `lone_value`: one
 * item instead of the list of it. `null_field`: null where a field may be absent, and null is none of its values.
 */
export type RepairKind = 'json_text' | 'scalar_text' | 'lone_value' | 'null_field'

export interface Repair {
  /** As in a mismatch: `.kids[0].v`; empty for the value itself. */
  readonly path: string
  /** The repair: `"21" read as 21`. */
  readonly change: string
}

export interface Repaired {
  /** JSON text. It may still be a mismatch. */
  readonly text: string
  /** Empty: nothing could be repaired. */
  readonly repairs: readonly Repair[]
}

export const ALL_REPAIRS: ReadonlySet<RepairKind> = new Set(['json_text', 'scalar_text', 'lone_value', 'null_field'])

/** Nothing is lost and nothing invented: an ambiguous string is kept. */
export const repairTree = (type: Type, buf: Buffer, node: Tree, kinds: ReadonlySet<RepairKind> = ALL_REPAIRS): Repaired =>
  new Repairer(kinds).repair(type, { buf, node })

// Nested sums multiply the readings of a value; above this number it is kept.
const MAX_STEPS = 10_000
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/
// Lists of paths stay as they are: a file may be called `["a"]` (plumb-tools(7), What happens to a call).
const PATH_FIELD = /(?:^|_)(?:path|file|dir|directory|folder|root)s?$|(?:Path|File|Dir|Directory|Folder|Root)s?$/

interface RepairTarget<T extends Tree = Tree> {
  readonly buf: Buffer
  readonly node: T
}

class Repairer {
  #steps = MAX_STEPS

  constructor(private readonly kinds: ReadonlySet<RepairKind>) {}

  repair(type: Type, place: RepairTarget): Repaired {
    if (--this.#steps < 0) return asIs(place)
    const t = resolve(type)
    const { kind } = place.node
    switch (t.kind) {
      case 'int':
      case 'number':
      case 'bool':
        return kind === 'string' ? this.#repairScalar(t.kind, place) : asIs(place)
      case 'record':
        return kind === 'object' ? this.#repairFields(t, place as RepairTarget<ObjectTree>) : this.#readText(t, place, 'object')
      case 'map':
        return kind === 'object' ? this.#repairValues(t, place as RepairTarget<ObjectTree>) : this.#readText(t, place, 'object')
      case 'array':
        return kind === 'array' ? this.#repairItems(() => t.item, place as RepairTarget<ArrayTree>) : this.#makeList(t, place)
      case 'tuple':
        return kind === 'array'
          ? this.#repairItems((i) => t.items[i] ?? t, place as RepairTarget<ArrayTree>)
          : this.#readText(t, place, 'array')
      case 'sum':
        return this.#repairVariant(t, place)
      case 'string':
      case 'unit':
      case 'json':
      case 'literal':
        return asIs(place)
      default:
        return unreachable(t)
    }
  }

  #repairScalar(kind: 'int' | 'number' | 'bool', place: RepairTarget): Repaired {
    const text = stringOf(place.node, place.buf)
    const isValue = kind === 'bool' ? text === 'true' || text === 'false' : isNumber(text) && (kind === 'number' || isIntegerText(text))
    if (!isValue || !this.kinds.has('scalar_text')) return asIs(place)
    return { text, repairs: [{ path: '', change: `${JSON.stringify(text)} read as ${text}` }] }
  }

  #repairFields(type: RecordType, { buf, node }: RepairTarget<ObjectTree>): Repaired {
    const texts: string[] = []
    const repairs: Repair[] = []
    for (const { key, node: value } of node.entries) {
      const field = fieldOf(type, key)
      if (field && value.kind === 'null' && this.kinds.has('null_field') && isDroppable(field)) {
        repairs.push(inField({ path: '', change: 'null dropped, the field may be absent' }, key))
        continue
      }
      const place = { buf, node: value }
      const repaired = field && !holdsPaths(field) ? this.repair(field.type, place) : asIs(place)
      texts.push(`${JSON.stringify(key)}:${repaired.text}`)
      repairs.push(...repaired.repairs.map((repair) => inField(repair, key)))
    }
    return repairs.length === 0 ? asIs({ buf, node }) : { text: `{${texts.join(',')}}`, repairs }
  }

  #repairValues({ item }: MapType, { buf, node }: RepairTarget<ObjectTree>): Repaired {
    const texts: string[] = []
    const repairs: Repair[] = []
    for (const { key, node: value } of node.entries) {
      const repaired = this.repair(item, { buf, node: value })
      texts.push(`${JSON.stringify(key)}:${repaired.text}`)
      repairs.push(...repaired.repairs.map((repair) => inField(repair, key)))
    }
    return repairs.length === 0 ? asIs({ buf, node }) : { text: `{${texts.join(',')}}`, repairs }
  }

  #repairItems(typeAt: (index: number) => Type, { buf, node }: RepairTarget<ArrayTree>): Repaired {
    const repaired = node.items.map((item, i) => this.repair(typeAt(i), { buf, node: item }))
    const repairs = repaired.flatMap((item, i) => item.repairs.map((repair) => inItem(repair, i)))
    return repairs.length === 0 ? asIs({ buf, node }) : { text: `[${repaired.map(({ text }) => text).join(',')}]`, repairs }
  }

  #makeList(type: ArrayType, place: RepairTarget): Repaired {
    const read = this.#readText(type, place, 'array')
    if (read.repairs.length > 0 && fits(type, read.text)) return read
    const item = this.kinds.has('lone_value') ? this.repair(type.item, place) : undefined
    if (!item || !fits(type.item, item.text)) return asIs(place)
    return { text: `[${item.text}]`, repairs: [...item.repairs, { path: '', change: 'a lone value read as a list' }] }
  }

  #readText(type: Type, place: RepairTarget, kind: 'object' | 'array'): Repaired {
    if (place.node.kind !== 'string' || !this.kinds.has('json_text')) return asIs(place)
    const buf = toBytes(stringOf(place.node, place.buf))
    const node = parseTree(buf, 0, buf.length)
    if (node.kind !== kind) return asIs(place)
    const { text, repairs } = this.repair(type, { buf, node })
    return { text, repairs: [{ path: '', change: `text read as the ${kind === 'array' ? 'list' : kind} in it` }, ...repairs] }
  }

  // The only reading, or none.
  #repairVariant(type: SumType, place: RepairTarget): Repaired {
    if (!checkTree(type, place.buf, place.node)) return asIs(place)
    const readings = new Map<string, Repaired>()
    for (const variant of variantsOf(type)) {
      const repaired = this.repair(variant, place)
      if (repaired.repairs.length > 0 && fits(variant, repaired.text)) readings.set(repaired.text, repaired)
    }
    const [only, another] = readings.values()
    return only && !another ? only : asIs(place)
  }
}

const asIs = ({ buf, node }: RepairTarget): Repaired => ({ text: buf.toString('utf8', node.start, node.end), repairs: [] })

const fits = (type: Type, text: string): boolean => {
  const buf = toBytes(text)
  const node = parseTree(buf, 0, buf.length)
  return node.kind !== 'fault' && !checkTree(type, buf, node)
}

const isNumber = (text: string): boolean => NUMBER.test(text) && Number.isFinite(Number(text))

const isDroppable = (field: Field): boolean =>
  !isRequired(field) && !variantsOf(field.type).some(({ kind }) => kind === 'unit' || kind === 'json')

const holdsPaths = ({ name, type }: Field): boolean => {
  const t = resolve(type)
  return PATH_FIELD.test(name) && t.kind === 'array' && resolve(t.item).kind === 'string'
}
