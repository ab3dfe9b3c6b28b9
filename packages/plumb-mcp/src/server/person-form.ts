// A question of an agent whose model is a person, as a form of MCP: a record of texts, numbers and choices is one with a field for each, anything
// else one field, which has JSON where the answer is neither a text nor a number nor a choice.

import { skippedFault } from '@plumb/ledger/approval'
import { compileSchema, escapeLines, fail, flawText, isRecord, parseJson, preview, type Result, succeed } from '@plumb/wire'
import type { PersonAsked } from '../tools/sessions.js'
import type { FormQuestion, Params } from './method.js'

interface Form {
  readonly requestedSchema: object
  /** The answer as JSON text. */
  readonly read: (entered: Params) => string
}

const TRIES = 3
const MAX_SHOWN = 4000

/** Resolves to the answer as JSON text. */
export const askPerson = async (
  { agent, prompt, input, schema }: PersonAsked,
  ask: (question: FormQuestion) => Promise<Params | undefined>,
): Promise<Result<string>> => {
  const checked = compileSchema(schema)
  if (!checked.ok) return checked
  const { requestedSchema, read } = formOf(schema)
  const shown = typeof input === 'string' ? input : JSON.stringify(input, null, 2)
  const asked = [`'${agent}' asks${prompt === '' ? ':' : `: ${prompt}`}`, preview(shown, MAX_SHOWN)].map(escapeLines).join('\n\n')
  let wrong = ''
  for (let tries = 0; tries < TRIES; tries++) {
    const entered = await ask({ message: `${asked}${wrong}`, requestedSchema })
    if (!entered) return { ok: false, error: skippedFault() }
    const json = read(entered)
    const [flaw] = checked.value(JSON.parse(json))
    if (!flaw) return succeed(json)
    wrong = `\n\nThe answer does not fit: ${flawText(flaw)}`
  }
  return fail('answer_refused', `the answers of the person who was asked do not fit: ${wrong.trim()}`)
}

const formOf = (schema: unknown): Form => {
  const whole = referred(schema, schema)
  const { type, properties, required } = whole
  if (type === 'object' && isRecord(properties)) {
    const fields = Object.entries(properties).map(([name, one]) => [name, primitiveOf(referred(one, schema))] as const)
    if (fields.length > 0 && fields.every(([, one]) => one !== undefined)) {
      const requestedSchema = { type: 'object', properties: Object.fromEntries(fields), ...(Array.isArray(required) ? { required } : {}) }
      const isOwn = (name: string): boolean => Object.hasOwn(properties, name)
      return {
        requestedSchema,
        read: (entered) => JSON.stringify(Object.fromEntries(Object.entries(entered).filter(([name]) => isOwn(name)))),
      }
    }
  }
  const primitive = primitiveOf(whole)
  const field = primitive ?? { type: 'string', description: 'JSON' }
  const requestedSchema = { type: 'object', properties: { answer: field }, required: ['answer'] }
  return {
    requestedSchema,
    read: ({ answer }) => (primitive || typeof answer !== 'string' ? JSON.stringify(answer ?? null) : jsonIn(answer)),
  }
}

/** The text itself where it is no JSON. */
const jsonIn = (text: string): string => {
  const bytes = Buffer.from(text)
  return parseJson(bytes, 0, bytes.length).ok ? text : JSON.stringify(text)
}

const KEPT = ['type', 'title', 'description', 'enum', 'minLength', 'maxLength', 'minimum', 'maximum', 'default']
const PRIMITIVES: readonly unknown[] = ['string', 'number', 'integer', 'boolean']

/** As forms of MCP have it; undefined: it is none of these. */
const primitiveOf = (schema: Readonly<Record<string, unknown>>): object | undefined => {
  const { type, enum: choices } = schema
  const isChoice = Array.isArray(choices) && choices.every((one) => typeof one === 'string')
  if (!isChoice && (choices !== undefined || !PRIMITIVES.includes(type))) return undefined
  return { type: 'string', ...Object.fromEntries(KEPT.flatMap((key) => (key in schema ? [[key, schema[key]]] : []))) }
}

const referred = (schema: unknown, root: unknown): Readonly<Record<string, unknown>> => {
  let found = schema
  for (let depth = 0; depth < 20 && isRecord(found) && typeof found.$ref === 'string'; depth++) {
    const [, name = ''] = /^#\/\$defs\/(.*)$/.exec(found.$ref) ?? []
    found = isRecord(root) && isRecord(root.$defs) ? root.$defs[name] : undefined
  }
  return isRecord(found) ? found : {}
}
