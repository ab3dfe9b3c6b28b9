// The output type as a schema for structured output: a subset of JSON Schema. The rest is left to the validation of the answer.

import { type Json, resolve, type Type, toSchema } from '@plumb/lang'
import { wrapperOf } from '../answer/wrapped.js'
import type { ModelRequest } from './provider.js'

type Schema = { readonly [keyword: string]: Json }

export interface Dialect {
  /** Every field must be required (OpenAI, strict). */
  readonly isAllRequired: boolean
  /** A type may contain itself. */
  readonly isRecursive: boolean
  /** Keywords that are sent unchanged; those of no other list go to the description. */
  readonly limits: readonly string[]
  /** The maximum of optional fields, and of alternatives, in one schema. */
  readonly maxOptional: number
  readonly maxUnions: number
  /** The maximum of tools with strict schemas, which share the numbers above. */
  readonly maxStrictTools: number
  /** A schema beyond the dialect may be sent all the same, as one that the server does not enforce. */
  readonly takesLoose: boolean
  /** Names that properties of a tool's input may have, strict or not. Undefined: any. */
  readonly names?: RegExp
}

/** The part of a request about its answer. */
export interface OutputFormat {
  readonly schema: Schema
  /** It is within the dialect: the provider's own host enforces it. */
  readonly isStrict: boolean
  /** It is that of `wrapperOf` the output type, since the APIs require an object at the top. */
  readonly isWrapped: boolean
}

/** Undefined for text, and if the dialect has no schema for the type. */
export const formatOf = (output: Type, dialect: Dialect): OutputFormat | undefined => {
  const { kind } = resolve(output)
  if (kind === 'string') return undefined
  const isWrapped = kind !== 'record'
  const type = isWrapped ? wrapperOf(output) : output
  const strict = strictSchema(toSchema(type), dialect)?.schema
  if (!strict && !dialect.takesLoose) return undefined
  return { schema: strict ?? toSchema(type), isStrict: strict !== undefined, isWrapped }
}

export interface StrictSchema {
  readonly schema: Schema
  /** Of its fields, and of its alternatives. */
  readonly optional: number
  readonly unions: number
}

/** Undefined if a record contains what the dialect has no schema for: tuples, maps, `json`. */
export const strictSchema = (whole: Schema, dialect: Dialect): StrictSchema | undefined => {
  const { $defs, ...root } = whole
  const definitions = Object.entries(($defs ?? {}) as Readonly<Record<string, Schema>>)
  if (!dialect.isRecursive && definitions.some(([name]) => reaches(whole, name))) return undefined
  const count = { optional: 0, unions: 0 }
  const fitted = fit(root, dialect, count)
  const fittedDefinitions = definitions.map(([name, schema]) => [name, fit(schema, dialect, count)] as const)
  const isFitting = fitted && fittedDefinitions.every(([, schema]) => schema)
  if (!isFitting || count.optional > dialect.maxOptional || count.unions > dialect.maxUnions) return undefined
  return { schema: definitions.length === 0 ? fitted : { ...fitted, $defs: Object.fromEntries(fittedDefinitions) as Json }, ...count }
}

const fit = (schema: Schema, dialect: Dialect, count: { optional: number; unions: number }): Schema | undefined => {
  const { $ref, anyOf, properties, required, items, prefixItems, description, ...rest } = schema
  if ($ref !== undefined) return description === undefined ? { $ref } : { $ref, description }
  // A map has any keys; strict schemas have only those that they name.
  if (typeof rest.additionalProperties === 'object') return undefined
  if (prefixItems !== undefined || (anyOf === undefined && rest.type === undefined)) return undefined

  const kept = Object.entries(rest).filter(([keyword]) => ALWAYS.has(keyword) || dialect.limits.includes(keyword))
  const described = Object.entries(rest).filter(([keyword]) => !ALWAYS.has(keyword) && !dialect.limits.includes(keyword))
  const words = [description, ...described.map(([keyword, value]) => `${keyword}: ${JSON.stringify(value)}`)].filter(
    (part) => part !== undefined,
  )
  const parts: [string, Json | undefined][] = []

  if (anyOf !== undefined) {
    count.unions++
    parts.push(['anyOf', all((anyOf as readonly Schema[]).map((variant) => fit(variant, dialect, count)))])
  }
  if (items !== undefined) parts.push(['items', fit(items as Schema, dialect, count)])
  if (properties !== undefined) {
    const fields = Object.entries(properties as Readonly<Record<string, Schema>>)
    const optional = fields.length - ((required ?? []) as readonly string[]).length
    count.optional += optional
    if (dialect.isAllRequired && optional > 0) return undefined
    const fitted = all(fields.map(([, field]) => fit(field, dialect, count)))
    parts.push(['properties', fitted && Object.fromEntries(fields.map(([name], i) => [name, fitted[i] ?? null]))], ['required', required])
  }
  if (parts.some(([, value]) => value === undefined)) return undefined
  return {
    ...Object.fromEntries([...kept, ...parts]),
    ...(words.length === 0 ? {} : { description: words.join('; ') }),
  } as Schema
}

const ALWAYS = new Set(['type', 'enum', 'const', 'additionalProperties'])

const all = <T>(items: readonly (T | undefined)[]): readonly T[] | undefined => {
  const known = items.filter((item) => item !== undefined)
  return known.length === items.length ? known : undefined
}

const reaches = (whole: Schema, name: string): boolean => {
  const definitions = (whole.$defs ?? {}) as Readonly<Record<string, Json>>
  const seen = new Set<string>()
  const visit = (part: Json): boolean =>
    refsOf(part).some((ref) => {
      if (ref === name) return true
      if (seen.has(ref)) return false
      seen.add(ref)
      return visit(definitions[ref] ?? null)
    })
  return visit(definitions[name] ?? null)
}

const refsOf = (part: Json): string[] =>
  [...JSON.stringify(part).matchAll(/"\$ref":"#\/\$defs\/([^"]*)"/g)].flatMap(([, name]) => (name === undefined ? [] : [name]))

/** The system prompt, with a description of the output if the server does not enforce it (plumb-agent(1), Structured output). */
export const systemText = (question: ModelRequest, format: OutputFormat | undefined, isOwnHost: boolean): string => {
  const { system, output } = question
  if (resolve(output).kind === 'string' || !isDescribed(question, format, isOwnHost)) return system
  const schema = format?.isWrapped ? toSchema(wrapperOf(output)) : toSchema(output)
  const description =
    'Your final answer is nothing but one JSON value that fits this JSON Schema, with ' +
    `no code fence and no words around it:\n${JSON.stringify(schema)}`
  return system === '' ? description : `${system}\n\n${description}`
}

// Other servers are assumed to enforce what they do not refuse, until an answer disproves it.
const isDescribed = ({ schemaInPrompt, hasMismatch }: ModelRequest, format: OutputFormat | undefined, isOwnHost: boolean): boolean => {
  if (schemaInPrompt !== 'auto') return schemaInPrompt
  if (!format) return true
  return isOwnHost ? !format.isStrict : hasMismatch
}
