// Deep equality: of objects regardless of the order of keys, of strings by content, of numbers by value.

import { eachItem, eachMember } from '@plumb/wire/json'
import { exactAt } from './number.js'
import { type RuntimeValue, Slice, stringAt } from './slice.js'

export const equal = (a: RuntimeValue, b: RuntimeValue): boolean => {
  if (a instanceof Slice && b instanceof Slice && a.buf.compare(b.buf, b.start, b.end, a.start, a.end) === 0) return true
  return isSame(valueOf(a), valueOf(b))
}

/** Equal for equal values, and different for others. */
export const identityOf = (value: RuntimeValue): string | number => {
  const v = valueOf(value)
  return typeof v === 'number' && Math.abs(v) < 2 ** 53 ? v : written(v)
}

const written = (v: Value): string => {
  if (isList(v)) return `[${v.map(written).join()}]`
  if (isMap(v)) {
    const keys = [...v.keys()].sort()
    return `{${keys.map((key) => `${JSON.stringify(key)}:${written(v.get(key) as Value)}`).join()}}`
  }
  // From 2^53 on all are whole. The sign of a zero is dropped.
  if (typeof v === 'number') return Math.abs(v) < 2 ** 53 ? String(v) : String(BigInt(v))
  return typeof v === 'bigint' ? String(v) : JSON.stringify(v)
}

type Value = string | number | bigint | boolean | null | readonly Value[] | ReadonlyMap<string, Value>

const valueOf = (value: RuntimeValue): Value => {
  if (!(value instanceof Slice)) return value
  const { buf, start, end } = value
  switch (buf[start]) {
    case 123: {
      const map = new Map<string, Value>()
      eachMember(buf, start, (keyStart, keyEnd, from, to) => map.set(stringAt(buf, keyStart, keyEnd), valueOf(new Slice(buf, from, to))))
      return map
    }
    case 91: {
      const items: Value[] = []
      eachItem(buf, start, (from, to) => items.push(valueOf(new Slice(buf, from, to))))
      return items
    }
    case 34:
      return stringAt(buf, start + 1, end - 1)
    case 116:
      return true
    case 102:
      return false
    case 110:
      return null
    default:
      return exactAt(buf, start, end)
  }
}

const isSame = (a: Value, b: Value): boolean => {
  if (isList(a)) return isList(b) && a.length === b.length && a.every((item, i) => isSame(item, b[i] as Value))
  if (isMap(a)) return isMap(b) && a.size === b.size && [...a].every(([key, item]) => b.has(key) && isSame(item, b.get(key) as Value))
  // biome-ignore lint/suspicious/noDoubleEquals: only so does a bigint equal the number of the same value
  if (isNumber(a) && isNumber(b)) return a == b
  return a === b
}

const isList = (v: Value): v is readonly Value[] => Array.isArray(v)
const isMap = (v: Value): v is ReadonlyMap<string, Value> => v instanceof Map
const isNumber = (v: Value): v is number | bigint => typeof v === 'number' || typeof v === 'bigint'
