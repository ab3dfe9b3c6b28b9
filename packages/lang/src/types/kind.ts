// What an operator may ask of a type.

import { isSubtype } from './subtype.js'
import { BOOL, INT, type MapType, NUMBER, type RecordType, resolve, STRING, type Type } from './type.js'
import { type Variant, variantsOf } from './variants.js'

const STRINGS: Type = { kind: 'array', item: STRING }

/** Checked at run time wherever a number, a string, a bool, a record or a list is asked for. */
export const isJson = (type: Type): boolean => resolve(type).kind === 'json'
export const isInt = (type: Type): boolean => isSubtype(type, INT)
export const isNumber = (type: Type): boolean => isSubtype(type, NUMBER)
export const isString = (type: Type): boolean => isSubtype(type, STRING)
export const isBool = (type: Type): boolean => isSubtype(type, BOOL)
/** A list of strings and of nothing else. */
export const isStringList = (type: Type): boolean => isSubtype(type, STRINGS)
export const isUnit = (type: Type): boolean => resolve(type).kind === 'unit'

/** What has no value: the type of what always fails, and of the items of `[]`. */
export const isNever = (type: Type): boolean => variantsOf(type).length === 0

/** The arrays and tuples that a value of this type can be; undefined when it can be anything else. */
export const listsOf = (type: Type): readonly Extract<Variant, { kind: 'array' | 'tuple' }>[] | undefined => {
  const variants = variantsOf(type)
  const lists = variants.flatMap((v) => (v.kind === 'array' || v.kind === 'tuple' ? [v] : []))
  return lists.length === variants.length ? lists : undefined
}

/** The maps that a value of this type can be; undefined when it can be anything else. */
export const mapsOf = (type: Type): readonly MapType[] | undefined => {
  const objects = objectsOf(type)
  const maps = objects?.flatMap((object) => (object.kind === 'map' ? [object] : []))
  return maps?.length === objects?.length ? maps : undefined
}

/** The maps and records that it can be; undefined when it can be anything else. */
export const objectsOf = (type: Type): readonly (MapType | RecordType)[] | undefined => {
  const variants = variantsOf(type)
  const objects = variants.flatMap((v) => (v.kind === 'map' || v.kind === 'record' ? [v] : []))
  return objects.length === variants.length ? objects : undefined
}
