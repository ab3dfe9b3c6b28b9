// An object at the top of a schema, with `properties`, and without what no provider takes there: alternatives become one object that takes
// all of them, and are told in the description.

import { isDeepStrictEqual } from 'node:util'
import type { Json } from '@plumb/lang'
import { isRecord, preview } from '@plumb/wire'
import { type Lost, MAX_WORDS, type Schema } from './well-formed.js'

/** `schema` is well-formed. */
export const withObjectAtTop = (schema: Schema, lost: Lost): Schema => {
  const root = '$ref' in schema ? withReferred(schema) : schema
  const { properties, required } = fold(root, root, 0)
  const words: string[] = []
  const rest: Record<string, Json> = {}
  for (const [keyword, value] of Object.entries(root)) {
    if (!REFUSED.includes(keyword)) rest[keyword] = value
    // What it refers to stands in its place.
    else if (keyword !== '$ref') {
      words.push(`${keyword}: ${JSON.stringify(briefly(value))}`)
      lost(`'${keyword}' at the top`)
    }
  }
  const said = typeof root.description === 'string' ? [root.description] : []
  return {
    ...rest,
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(required.length === 0 ? {} : { required }),
    ...(words.length === 0 ? {} : { description: [...said, preview(words.join('; '), MAX_WORDS)].join('; ') }),
  }
}

const REFUSED: readonly string[] = ['$ref', 'anyOf', 'oneOf', 'allOf', 'not', 'enum', 'const']

interface Fields {
  readonly properties: ReadonlyMap<string, Json>
  readonly required: readonly string[]
}

/** Alternatives within alternatives; a schema may refer to itself. */
const MAX_DEPTH = 8

const fold = (schema: Json | undefined, root: Schema, depth: number): Fields => {
  if (!isRecord(schema) || depth > MAX_DEPTH) return { properties: new Map(), required: [] }
  const { $ref, properties, required, allOf, anyOf, oneOf } = schema as Schema
  const own: Fields = {
    properties: new Map(isRecord(properties) ? Object.entries(properties as Schema) : []),
    required: Array.isArray(required) ? (required as string[]) : [],
  }
  const branches = (list: Json | undefined): readonly Fields[] =>
    Array.isArray(list) ? list.map((branch) => fold(branch, root, depth + 1)) : []
  const referred = typeof $ref === 'string' && depth > 0 ? [fold(resolveReference($ref, root), root, depth + 1)] : []
  const both = [own, ...referred, ...branches(allOf)].reduce(allOfTwo)
  return [anyOf, oneOf].map(branches).reduce((all, some) => (some.length === 0 ? all : withOneOf(all, some)), both)
}

const allOfTwo = (one: Fields, other: Fields): Fields => {
  const properties = new Map(one.properties)
  for (const [name, schema] of other.properties) {
    const known = properties.get(name)
    properties.set(name, known === undefined || isDeepStrictEqual(known, schema) ? schema : { allOf: [known, schema] })
  }
  return { properties, required: [...new Set([...one.required, ...other.required])] }
}

/** One of them holds together with `all`, of which nothing is narrowed. */
const withOneOf = (all: Fields, some: readonly Fields[]): Fields => {
  const properties = new Map(all.properties)
  for (const name of new Set(some.flatMap((branch) => [...branch.properties.keys()]))) {
    if (properties.has(name)) continue
    const each = some.flatMap((branch) => branch.properties.get(name) ?? [])
    const different = each.filter((schema, i) => each.findIndex((other) => isDeepStrictEqual(other, schema)) === i)
    properties.set(name, different.length === 1 ? (different[0] as Json) : { anyOf: different })
  }
  const [first, ...others] = some.map(({ required }) => required)
  const shared = (first ?? []).filter((name) => others.every((names) => names.includes(name)))
  return { properties, required: [...new Set([...all.required, ...shared])] }
}

/** Of the objects of an alternative their names: what they are stands among the properties. */
const briefly = (value: Json): Json => {
  if (Array.isArray(value)) return value.map(briefly)
  if (!isRecord(value)) return value
  const { properties, ...rest } = value as Schema
  return isRecord(properties) ? { ...rest, properties: Object.keys(properties) } : rest
}

/** A schema that only refers, with what it refers to in its place. */
const withReferred = (schema: Schema): Schema => {
  let made = schema
  for (let hops = 0; typeof made.$ref === 'string' && hops < MAX_DEPTH; hops++) {
    const { $ref, ...beside } = made
    const target = resolveReference($ref, schema)
    made = isRecord(target) && target !== schema ? { ...(target as Schema), ...beside } : beside
  }
  return made
}

/** Undefined: the place is not there. */
export const resolveReference = (reference: string, root: Schema): Json | undefined => {
  if (!reference.startsWith('#')) return undefined
  const pointer = reference.slice(1)
  if (pointer === '') return root
  if (!pointer.startsWith('/')) return undefined
  let place: Json | undefined = root
  for (const part of pointer.slice(1).split('/')) {
    const key = decoded(part)
    place = Array.isArray(place) ? place[Number(key)] : isRecord(place) && Object.hasOwn(place, key) ? (place as Schema)[key] : undefined
  }
  return place
}

const decoded = (part: string): string => {
  const plain = part.replaceAll('~1', '/').replaceAll('~0', '~')
  try {
    return decodeURIComponent(plain)
  } catch {
    return plain
  }
}
