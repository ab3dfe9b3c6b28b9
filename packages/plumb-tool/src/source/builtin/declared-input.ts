// What a built-in is given, held against its own declaration: a spec may have declared less of it, or types that are known at the call alone.

import { type Json, resolve, type Type } from '@plumb/lang'
import { fail, type Result, succeed } from '@plumb/wire'
import { fitInput } from '../../call/validate.js'
import type { JsonText } from '../../tool.js'

export const readDeclared = (json: JsonText, declared: Type): Result<unknown> => {
  const fit = fitInput(json, declared)
  if (!fit.ok) return fit
  const input = JSON.parse(fit.value.json) as Readonly<Record<string, Json>>
  return outOfBounds(input, declared) ?? succeed(input)
}

const outOfBounds = (input: Readonly<Record<string, Json>>, declared: Type): Result<never> | undefined => {
  const type = resolve(declared)
  if (type.kind !== 'record') return undefined
  for (const { name, min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY } of type.fields) {
    const value = input[name]
    if (typeof value !== 'number' || (value >= min && value <= max)) continue
    const bound = value < min ? `at least ${min}` : `at most ${max}`
    const extras = { path: `.${name}`, expected: bound }
    return fail('input_type_mismatch', `input does not fit: at .${name}: expected ${bound}, found ${value}`, extras)
  }
  return undefined
}
