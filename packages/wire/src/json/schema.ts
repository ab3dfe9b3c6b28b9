// Compiles JSON Schemas that others wrote, which may be of any size, hostile, or no schema at all. Only this file imports ajv.

import type { Options, ValidateFunction } from 'ajv'
import { testOf } from '../pattern.js'
import { preview } from '../preview.js'
import { fail, type Result, succeed } from '../result.js'
import { guardSchema, MAX_STEPS, STEP } from './schema-guard.js'

export interface SchemaFlaw {
  /** JSON Pointer into the value; empty for the value itself. */
  readonly path: string
  /** What the value must be, as in `must be string`. */
  readonly detail: string
}

/** As one text; of the value itself there is no path to show. */
export const flawText = ({ path, detail }: SchemaFlaw): string => (path === '' ? detail : `${path} ${detail}`)

/** The flaws of the value, ten at most; empty: it matches. Never throws, whatever it is given. */
export type SchemaCheck = (value: unknown) => readonly SchemaFlaw[]

const MAX_FLAWS = 10

/**
 * Draft 2020-12, MCP's default, or draft-07 if `$schema` or the form of the schema says so. `format` is not checked. `bad_reply` if it is
 * not a schema, refers outside of itself, or is too large; nothing is ever fetched. `cannot_run` if Node forbids generated code: the data
 * of a server would go unchecked.
 */
export const compileSchema = (schema: unknown): Result<SchemaCheck> => {
  const guarded = guardSchema(schema)
  if (!guarded.ok) return guarded
  const { schema: steps, isDraft7 } = guarded.value
  try {
    const budget = { steps: 0 }
    const validate = open(isDraft7, budget).compile(steps)
    return succeed((value) => {
      budget.steps = MAX_STEPS
      return flawsOf(validate, value)
    })
  } catch (error) {
    if (error instanceof EvalError) return fail('cannot_run', FORBIDDEN)
    return fail('bad_reply', `the schema cannot be used: ${preview((error as Error).message, 200)}`)
  }
}

const FORBIDDEN =
  'the JSON Schemas of MCP servers are checked by generated code, which this Node ' +
  'forbids; start it without --disallow-code-generation-from-strings'

const open = (isDraft7: boolean, budget: { steps: number }) => {
  const options: Options = {
    strict: false,
    allErrors: true,
    ownProperties: true,
    validateFormats: false,
    meta: false,
    validateSchema: false,
    inlineRefs: false,
    messages: true,
    logger: false,
    code: { regExp: linear },
  }
  const ajv = isDraft7
    ? new (require('ajv') as typeof import('ajv')).Ajv(options)
    : new (require('ajv/dist/2020') as typeof import('ajv/dist/2020')).Ajv2020(options)
  ajv.addKeyword({
    keyword: STEP,
    errors: false,
    validate: () => {
      if (--budget.steps < 0) throw new RangeError('too many steps')
      return true
    },
  })
  // Replaces ajv's, which takes quadratic time.
  ajv.removeKeyword('uniqueItems')
  ajv.addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    error: { message: 'must NOT have duplicate items' },
    validate: (isWanted: boolean, items: unknown[]) =>
      !isWanted || new Set(items.map((item) => JSON.stringify(sorted(item)))).size === items.length,
  })
  return ajv
}

const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, item]) => [key, sorted(item)])
}

const flawsOf = (validate: ValidateFunction, value: unknown): SchemaFlaw[] => {
  try {
    if (validate(value) === true) return []
  } catch {
    return [{ path: '', detail: 'cannot be checked: the schema asks for too much work' }]
  }
  return (validate.errors ?? []).slice(0, MAX_FLAWS).map(({ instancePath, message = 'does not fit', params }) => {
    const extra = (params as { additionalProperty?: unknown }).additionalProperty
    const named = typeof extra === 'string' ? `${message} ('${preview(extra)}')` : message
    return { path: preview(instancePath, 200), detail: preview(named, 200) }
  })
}

// RE2 takes linear time, whatever the pattern and the text. What it does not support (look-around, back-references) is not checked.
const linear: NonNullable<NonNullable<Options['code']>['regExp']> = Object.assign(
  // ajv identifies expressions by their text.
  (pattern: string) => ({ test: testOf(pattern), toString: () => pattern }),
  { code: '' },
)
