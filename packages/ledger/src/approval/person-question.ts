// A question of an agent whose model is a person: what is shown, what is typed as its answer, and how it stands in a journal.

import { escapeLines, type Fault, fault, isRecord, parseJson, preview } from '@plumb/wire'
import { memberText } from '@plumb/wire/json'
import type { ListedCall } from './journal.js'
import { boldHead, type ConsentForm, folded, inputToShow } from './question.js'

export interface PersonQuestion {
  readonly agent: string
  readonly prompt: string
  /** One JSON value as text, so that numbers keep their digits. */
  readonly input: string
  /** JSON Schema of the answer. */
  readonly schema: unknown
}

/** What has to be typed for a part of the answer. */
export interface AnswerField {
  /** The question of its line. */
  readonly ask: string
  /** Its JSON. Undefined: it is left out. */
  readonly read: (text: string) => string | undefined
}

export interface AnswerForm {
  readonly fields: readonly AnswerField[]
  /** The answer as JSON text, from what was typed for each field. */
  readonly join: (texts: readonly string[]) => string
}

/** As the one text that its digest is made of. */
export const questionText = ({ prompt, input, schema }: PersonQuestion): string =>
  `{"prompt":${JSON.stringify(prompt)},"input":${input},"schema":${JSON.stringify(schema)}}`

/** Undefined: it is a call of a tool, or what lies there is no question. */
export const questionOf = ({ kind, tool, input }: ListedCall): PersonQuestion | undefined => {
  if (kind !== 'person') return undefined
  const bytes = Buffer.from(input)
  const read = parseJson(bytes, 0, bytes.length)
  if (!read.ok || !isRecord(read.value)) return undefined
  const { prompt, schema } = read.value
  return { agent: tool, prompt: typeof prompt === 'string' ? prompt : '', input: memberText(bytes, 'input') ?? 'null', schema }
}

export const skippedFault = (why = ''): Fault =>
  fault('answer_refused', `the person who was asked gave no answer${why === '' ? '' : `: ${preview(why, 300)}`}`)

/** What the person said with it. */
export const skippedWhy = ({ detail }: Fault): string => {
  const bare = skippedFault().detail
  return detail.startsWith(`${bare}: `) ? detail.slice(bare.length + 2) : ''
}

/** The question as a person reads it on a terminal. */
export const shownQuestion = (question: PersonQuestion, { columns, isStyled = false }: QuestionForm = {}): string => {
  const head = `'${escapeLines(preview(question.agent))}' asks:`
  const asked = `${head} ${escapeLines(question.prompt)}`.trimEnd().split('\n')
  const lines = asked.map((line) => folded('', line, columns))
  const [first = '', ...others] = lines
  const input = shownInput(question).split('\n')
  return [isStyled ? boldHead(first, head) : first, ...others, ...input.map((line) => folded('  ', line, columns))].join('\n')
}

export type QuestionForm = Pick<ConsentForm, 'columns' | 'isStyled'>

/** What it is asked about: a text as itself, else JSON. */
export const shownInput = ({ input }: Pick<PersonQuestion, 'input'>): string => {
  const value = parseJson(Buffer.from(input), 0, Buffer.byteLength(input))
  return value.ok && typeof value.value === 'string' ? shownText(value.value) : inputToShow(input)
}

const MAX_SHOWN = 4000

const shownText = (text: string): string => {
  const hidden = text.length - MAX_SHOWN
  return hidden <= 0 ? escapeLines(text) : `${escapeLines(text.slice(0, MAX_SHOWN))} … and ${hidden} more characters`
}

/** A text as itself where it is one, a choice by its number or its name, a record field by field, else JSON. */
export const answerForm = (schema: unknown): AnswerForm => {
  const whole = referred(schema, schema)
  const { properties, required } = whole
  const names = whole.type === 'object' && isRecord(properties) ? Object.keys(properties) : []
  const parts = names.map((name) => fieldOf(name, referred((properties as Record<string, unknown>)[name], schema)))
  const isSimple = parts.length > 0 && parts.every((part) => part !== undefined)
  if (!isSimple) {
    const { ask, read } = fieldOf('', whole) ?? { ask: 'answer, as JSON', read: (text: string) => text.trim() }
    return { fields: [{ ask, read }], join: ([text = '']) => read(text) ?? '' }
  }
  const fields = names.map((name, i): AnswerField => {
    const { ask, read } = parts[i] as AnswerField
    const isRequired = Array.isArray(required) && required.includes(name)
    return isRequired ? { ask, read } : { ask: `${ask} (may be left out)`, read: (text) => (text.trim() === '' ? undefined : read(text)) }
  })
  const join = (texts: readonly string[]): string => {
    const members = names.flatMap((name, i) => {
      const json = fields[i]?.read(texts[i] ?? '')
      return json === undefined ? [] : [`${JSON.stringify(name)}:${json}`]
    })
    return `{${members.join(',')}}`
  }
  return { fields, join }
}

/** Undefined: it takes more than a line of text. */
const fieldOf = (name: string, schema: Readonly<Record<string, unknown>>): AnswerField | undefined => {
  const label = name === '' ? 'answer' : escapeLines(preview(name))
  const choices = choicesOf(schema)
  if (choices.length > 0) {
    const listed = choices.map((choice, i) => `${i + 1} ${escapeLines(preview(choice))}`).join(', ')
    return { ask: `${label} [${listed}]`, read: (text) => JSON.stringify(choices[Number(text.trim()) - 1] ?? text.trim()) }
  }
  if (schema.type === 'string') return { ask: label, read: (text) => JSON.stringify(text) }
  if (schema.type === 'boolean')
    return {
      ask: `${label} [y/n]`,
      read: (text) => ({ y: 'true', yes: 'true', n: 'false', no: 'false' })[text.trim().toLowerCase()] ?? text.trim(),
    }
  if (schema.type === 'integer' || schema.type === 'number') return { ask: `${label}, a number`, read: (text) => text.trim() }
  return undefined
}

const choicesOf = ({ enum: values, anyOf, const: only }: Readonly<Record<string, unknown>>): readonly string[] => {
  const all = Array.isArray(values)
    ? values
    : Array.isArray(anyOf)
      ? anyOf.map((one) => (isRecord(one) ? one.const : undefined))
      : only === undefined
        ? []
        : [only]
  return all.length > 0 && all.every((one) => typeof one === 'string') ? all : []
}

const referred = (schema: unknown, root: unknown): Readonly<Record<string, unknown>> => {
  let found = schema
  for (let steps = 0; isRecord(found) && typeof found.$ref === 'string' && steps < 20; steps++) {
    const name = found.$ref.replace(/^#\/\$defs\//, '')
    found = isRecord(root) && isRecord(root.$defs) ? root.$defs[name] : undefined
  }
  return isRecord(found) ? found : {}
}
