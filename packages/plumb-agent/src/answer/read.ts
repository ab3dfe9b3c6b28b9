// Converts the text of a model's answer to an output line: the text as it is, or the JSON in it, repaired if nothing has to be invented.

import { resolve, type Type } from '@plumb/lang'
import { fail, type Result, succeed } from '@plumb/wire'
import { type Loose, printLoose, readLoose } from './loose-json.js'
import { validate } from './validate.js'
import { unwrapped, wrapperOf } from './wrapped.js'

export interface ReadAnswer {
  /** One line of JSON that fits the type. */
  readonly json: string
  /** The repairs, for telemetry; empty for a correct answer. */
  readonly repairs: readonly string[]
}

/**
 * A `string` takes the text as it is. Fails with `output_type_mismatch`, with a message that the model can act on. `isWrapped`: it was
 * requested as { "value": T }, and a server that does not enforce that may leave it out.
 */
export const readAnswer = (text: string, type: Type, isWrapped = false): Result<ReadAnswer> => {
  if (!isWrapped) return readValue(text, type)
  const wrapped = readValue(text, wrapperOf(type))
  if (wrapped.ok) return succeed({ ...wrapped.value, json: unwrapped(wrapped.value.json) })
  const bare = readValue(text, type)
  return bare.ok ? bare : wrapped
}

const readValue = (text: string, type: Type): Result<ReadAnswer> => {
  if (resolve(type).kind === 'string') return succeed({ json: JSON.stringify(text), repairs: [] })
  const strict = validate(text, type)
  if (strict.ok) return succeed({ json: strict.value, repairs: [] })

  let nearest: Result<ReadAnswer> | undefined
  for (const read of [readWhole, readFences, readBetweenSentences]) {
    const candidates = read(text)
    for (const fit of [fitAsIs, fitGuided]) {
      const fitting = new Map<string, ReadAnswer>()
      for (const candidate of candidates) {
        const answer = fit(candidate, type)
        if (answer.ok) fitting.set(answer.value.json, answer.value)
        else nearest ??= answer
      }
      const [first, second] = fitting.values()
      if (second) return fail('output_type_mismatch', 'answer holds several values that fit; say only one')
      if (first) return succeed(first)
    }
  }
  return nearest ?? strict
}

interface Candidate {
  readonly value: Loose
  readonly repairs: readonly string[]
}

const readWhole = (text: string): Candidate[] => {
  const reading = readLoose(text, 0)
  return reading && isSpace(text.slice(reading.end)) ? [{ value: reading.value, repairs: [...reading.repairs] }] : []
}

const readFences = (text: string): Candidate[] =>
  [...text.matchAll(FENCE)].flatMap(([, body = '']) =>
    readWhole(body).map(({ value, repairs }) => ({ value, repairs: ['code fence', ...repairs] })),
  )

const FENCE = /^[ \t]*```[^\n`]*\n([\s\S]*?)^[ \t]*```/gm

// Lists and objects only: a number or a quoted word in a sentence may not be the answer.
const readBetweenSentences = (text: string): Candidate[] => {
  const candidates: Candidate[] = []
  let attempts = MAX_ATTEMPTS
  for (let at = text.search(/[[{]/); at >= 0 && attempts > 0; attempts--) {
    const reading = readLoose(text, at)
    if (reading) candidates.push({ value: reading.value, repairs: ['text around the value', ...reading.repairs] })
    const from = reading ? reading.end : at + 1
    const next = text.slice(from).search(/[[{]/)
    at = next < 0 ? -1 : from + next
  }
  return candidates
}

// Each may search all of the remaining text.
const MAX_ATTEMPTS = 200

const fitAsIs = ({ value, repairs }: Candidate, type: Type): Result<ReadAnswer> => {
  const valid = validate(printLoose(value), type)
  return valid.ok ? succeed({ json: valid.value, repairs }) : valid
}

const fitGuided = ({ value, repairs }: Candidate, type: Type): Result<ReadAnswer> => {
  const valid = validate(printLoose(value), type, LONE_VALUES)
  return valid.ok ? succeed({ json: valid.value, repairs: [...repairs, 'lone value for a list'] }) : valid
}

const LONE_VALUES = new Set(['lone_value'] as const)

const isSpace = (text: string): boolean => text.trim() === ''
