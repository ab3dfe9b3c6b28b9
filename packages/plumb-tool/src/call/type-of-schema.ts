// Converts JSON Schema to the nearest type. What a type cannot express is left open; the type is never narrower than the schema.

import { type Field, type Json, joinAll, type Type } from '@plumb/lang'
import { type FitsSchema, isRecord, openFitsSchema } from '@plumb/wire'

export type Schema = { readonly [keyword: string]: Json }

const ANYTHING: Type = { kind: 'json' }

export const typeOfSchema = (schema: Schema): Type => new Reader(schema).read(schema)

/** Alternatives are compared pairwise, except literals. */
const MAX_CHOICES = 200

/** Whether a chain of references leads back to itself without ever reaching a type. */
const isCircle = (named: Type & { kind: 'named' }): boolean => {
  let target: Type = named.target
  while (target.kind === 'named' && target !== named) target = target.target
  return target === named
}

class Reader {
  readonly #root: Schema
  readonly #named = new Map<string, Type & { kind: 'named' }>()
  readonly #fits: FitsSchema

  constructor(root: Schema) {
    this.#root = root
    this.#fits = openFitsSchema(root)
  }

  read(schema: Json | undefined): Type {
    if (!isRecord(schema)) return ANYTHING
    const { $ref, allOf, const: only, enum: values, anyOf, oneOf, type } = schema
    if (typeof $ref === 'string') return this.#refer($ref)
    // A common way to add a description or default to a reference.
    if (Array.isArray(allOf) && allOf.length === 1 && type === undefined) return this.read(allOf[0])
    if (typeof only === 'string') return { kind: 'literal', value: only }
    const literals = Array.isArray(values) && values.length > 0 && values.every((value) => typeof value === 'string')
    if (literals) return this.#oneOf((values as readonly string[]).map((value) => ({ kind: 'literal', value })))
    const choices = anyOf ?? oneOf
    if (Array.isArray(choices)) return this.#oneOf(choices.map((choice) => this.read(choice)))
    if (Array.isArray(type)) return this.#oneOf(type.map((name) => this.read({ ...schema, type: name })))
    return this.#ofType(type, schema)
  }

  #ofType(type: Json | undefined, schema: Schema): Type {
    switch (type) {
      case 'string':
      case 'number':
        return { kind: type }
      case 'integer':
        return { kind: 'int' }
      case 'boolean':
        return { kind: 'bool' }
      case 'null':
        return { kind: 'unit' }
      case 'array':
        return { kind: 'array', item: this.read(schema.items) }
      case 'object':
        return this.#ofObject(schema)
      default:
        return ANYTHING
    }
  }

  #ofObject({ properties, required, additionalProperties: others, patternProperties }: Schema): Type {
    const hasFields = isRecord(properties) && Object.keys(properties).length > 0
    // Any other keys are what makes a map; where some have names too it is neither a map nor a record.
    if (!hasFields && isRecord(others) && patternProperties === undefined) return { kind: 'map', item: this.read(others) }
    return isRecord(properties) ? { kind: 'record', fields: this.#fields(properties, required) } : ANYTHING
  }

  #fields(properties: Schema, required: Json | undefined): Field[] {
    const needed = Array.isArray(required) ? required : []
    return Object.entries(properties).map(([name, property]) => {
      const of = isRecord(property) ? property : {}
      const [min, max] = [of.minimum ?? of.minLength ?? of.minItems, of.maximum ?? of.maxLength ?? of.maxItems]
      return {
        name,
        type: this.read(property),
        isOptional: !needed.includes(name),
        // Many servers write `null` for "absent"; a schema only describes its defaults.
        ...(of.default !== undefined && this.#fits(of.default, property) ? { default: JSON.stringify(of.default) } : {}),
        ...(typeof of.description === 'string' ? { description: of.description } : {}),
        ...(typeof min === 'number' ? { min } : {}),
        ...(typeof max === 'number' ? { max } : {}),
      }
    })
  }

  // undefined from joinAll: two alternatives overlap, so the sum type would be ambiguous.
  #oneOf(types: readonly Type[]): Type {
    const isFew = types.length <= MAX_CHOICES || types.every(({ kind }) => kind === 'literal')
    return (isFew ? joinAll(types) : undefined) ?? ANYTHING
  }

  #refer(reference: string): Type {
    const known = this.#named.get(reference)
    if (known) return known
    const path = /^#\/(\$defs|definitions)\/([^/]+)$/.exec(reference)
    const group = path?.[1] === undefined ? undefined : this.#root[path[1]]
    const name = path?.[2] ?? ''
    if (!isRecord(group) || !Object.hasOwn(group, name)) return ANYTHING
    // Registered before it is read, since it may be recursive.
    const named = { kind: 'named' as const, name, target: ANYTHING }
    this.#named.set(reference, named)
    named.target = this.read(group[name])
    if (isCircle(named)) named.target = ANYTHING
    return named
  }
}
