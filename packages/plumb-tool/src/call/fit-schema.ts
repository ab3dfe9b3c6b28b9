// Checks an input against a foreign JSON Schema, with the repairs and defaults that inputs of declared types get: by the type that is
// nearest to the schema. The schema alone decides.

import { ALL_REPAIRS, type Fit, type Json, repairText, type Type } from '@plumb/lang'
import { compileSchema, fail, flawText, isRecord, map, preview, type Result, type SchemaFlaw, succeed } from '@plumb/wire'
import { once } from '@plumb/wire/once'
import type { JsonText } from '../json-text.js'
import { typeOfSchema } from './type-of-schema.js'

/** `name` is the tool, for errors: `input_type_mismatch`. */
export type FitSchema = (name: string, json: JsonText) => Result<Fit>

/** `bad_reply` if the schema is unusable. It is compiled once, so keep the result. */
export const openFitSchema = (schema: Json, whose = 'of its server'): Result<FitSchema> =>
  map(compileSchema(schema), (check) => {
    const flawsOf = (json: JsonText): readonly SchemaFlaw[] => {
      const value: unknown = JSON.parse(json)
      return isRecord(value) ? check(value) : [NO_OBJECT]
    }
    const hasDefaults = JSON.stringify(schema).includes('"default":')
    const type = once(() => recordOf(schema))
    const isFit = (fit: Fit | undefined): boolean => fit !== undefined && flawsOf(fit.json).length === 0
    return (name, json) => {
      const given = flawsOf(json)
      if (given.length === 0 && !hasDefaults) return succeed({ json, repairs: [] })
      const options = { what: 'input', ...(given.length === 0 ? {} : { repairs: ALL_REPAIRS }) }
      const fill = (by: Type) => repairText(json, by, options)
      const whole = fill(type())
      const filled = isFit(whole) || !hasDefaults ? whole : fill(withFittingDefaults(type(), (by) => isFit(fill(by))))
      const left = filled ? flawsOf(filled.json) : given
      if (filled && left.length === 0) return succeed(filled)
      if (given.length === 0) return succeed({ json, repairs: [] })
      const [first] = left
      if (first === NO_OBJECT) return fail('input_type_mismatch', `the input of '${name}' ${first.detail}, found ${preview(json, 80)}`)
      const listed = left.map(flawText).join('; ')
      return fail('input_type_mismatch', `the input of '${name}' does not fit the schema ${whose}: ${listed}`)
    }
  })

const NO_OBJECT: SchemaFlaw = { path: '', detail: 'is an object' }

/** Their number is limited, since each is tried with a check of the whole input. */
const MAX_TRIED = 40

/**
 * Together they may not fit, as where one excludes another: each is kept with which the input still fits. The server has to fill in the
 * others.
 */
const withFittingDefaults = (type: RecordType, fits: (type: Type) => boolean): Type => {
  const keeping = (kept: ReadonlySet<string>): Type => ({
    ...type,
    fields: type.fields.map((field) => {
      const { default: _, ...bare } = field
      return kept.has(field.name) ? field : bare
    }),
  })
  const kept = new Set<string>()
  const withDefault = type.fields.filter((field) => field.default !== undefined)
  for (const { name } of withDefault.slice(0, MAX_TRIED)) {
    kept.add(name)
    if (!fits(keeping(kept))) kept.delete(name)
  }
  return keeping(kept)
}

type RecordType = Extract<Type, { kind: 'record' }>

// The arguments of a call are always an object.
const recordOf = (schema: Json): RecordType => {
  const type = isRecord(schema) ? typeOfSchema(schema) : undefined
  return type?.kind === 'record' ? type : { kind: 'record', fields: [] }
}
