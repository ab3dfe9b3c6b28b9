// Checks an input against a foreign JSON Schema, with the repairs and defaults that inputs of declared types get: by the type that is
// nearest to the schema. The schema alone decides.

import { ALL_REPAIRS, type Fit, type Json, repairText, type Type } from '@plumb/lang'
import { compileSchema, fail, isRecord, map, preview, type Result, type SchemaFlaw, succeed } from '@plumb/wire'
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
    let known: Type | undefined
    const type = (): Type => {
      known ??= recordOf(schema)
      return known
    }
    return (name, json) => {
      const given = flawsOf(json)
      if (given.length === 0) {
        const filled = hasDefaults ? repairText(json, type(), { what: 'input' }) : undefined
        // The schema may refuse its own default; then the server has to fill it in.
        return succeed(filled && flawsOf(filled.json).length === 0 ? filled : { json, repairs: [] })
      }
      const repaired = repairText(json, type(), { what: 'input', repairs: ALL_REPAIRS })
      const left = repaired ? flawsOf(repaired.json) : given
      if (repaired && left.length === 0) return succeed(repaired)
      const [first] = left
      if (first === NO_OBJECT) return fail('input_type_mismatch', `the input of '${name}' ${first.detail}, found ${preview(json, 80)}`)
      const listed = left.map(({ path, detail }) => (path === '' ? detail : `${path} ${detail}`)).join('; ')
      return fail('input_type_mismatch', `the input of '${name}' does not fit the schema ${whose}: ${listed}`)
    }
  })

const NO_OBJECT: SchemaFlaw = { path: '', detail: 'is an object' }

// The arguments of a call are always an object.
const recordOf = (schema: Json): Type => {
  const type = isRecord(schema) ? typeOfSchema(schema) : undefined
  return type?.kind === 'record' ? type : { kind: 'record', fields: [] }
}
