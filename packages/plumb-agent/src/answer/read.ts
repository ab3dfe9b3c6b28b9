// Converts the text of a model's answer to an output line: the text as it is, or the JSON in it, repaired if nothing has to be invented.

import { fitText, resolve, type Type } from '@plumb/lang'
import { fail, type Result, succeed } from '@plumb/wire'
import { type Loose, printLoose, readLoose } from './loose-json.js'
import { loneClosing, partThinking } from './thinking.js'
import { validate } from './validate.js'
import { unwrapped, wrapperOf } from './wrapped.js'

export interface ReadAnswer {
  /** One line of JSON that fits the type. */
  readonly json: string
  /** The repairs, for telemetry; empty for a correct answer. */
  readonly repairs: readonly string[]
  /** What stood before a lone `</think>`. */
  readonly thinking?: string
}

/**
 * A `string` takes the text as it is. Fails with `output_type_mismatch`, with a message that the model can act on. `isWrapped`: it was
 * requested as { "value": T }, and a server that does not enforce that may leave it out.
 */
export const readAnswer = (whole: string, type: Type, isWrapped = false): Result<ReadAnswer> => {
  const { thinking, rest: text } = withoutThinking(whole, resolve(type).kind === 'string')
  const read = readForm(text, type, isWrapped)
  return read.ok && thinking !== '' ? succeed({ ...read.value, thinking }) : read
}

// A string is what the server gives, but for what is marked as thinking; the beginning of the mark may be in the prompt of a template.
const withoutThinking = (whole: string, isText: boolean): { readonly thinking: string; readonly rest: string } => {
  let rest = partThinking(whole)?.rest ?? whole
  let thinking = ''
  for (let closing = isText ? undefined : loneClosing(rest); closing; closing = loneClosing(rest)) {
    if (isInValue(rest, closing.at)) break
    thinking += rest.slice(0, closing.at).trim()
    rest = rest.slice(closing.end)
  }
  return { thinking, rest }
}

/** The place is within a list or an object that ends behind it. */
const isInValue = (text: string, place: number): boolean => {
  let attempts = MAX_ATTEMPTS
  for (let at = text.search(/[[{]/); at >= 0 && at < place && attempts > 0; attempts--) {
    const end = readLoose(text, at)?.end ?? 0
    if (end > place) return true
    const from = Math.max(end, at + 1)
    const next = text.slice(from).search(/[[{]/)
    at = next < 0 ? -1 : from + next
  }
  return false
}

const readForm = (text: string, type: Type, isWrapped: boolean): Result<ReadAnswer> => {
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
      // A fence may hold a draft of what stands beside it.
      if (read === readFences && fitting.size > 0)
        for (const candidate of readBetweenSentences(text.replaceAll(FENCE, ''))) {
          const beside = fitAsIs(candidate, type)
          if (beside.ok && !fitting.has(beside.value.json)) fitting.set(beside.value.json, beside.value)
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
  const fit = fitText(printLoose(value), type, { what: 'answer', code: 'output_type_mismatch', repairs: GUIDED })
  if (!fit.ok) return fit
  const { json, repairs: changes } = fit.value
  const made = [...MADE].flatMap(([words, name]) => (changes.some((change) => change.includes(words)) ? [name] : []))
  return succeed({ json, repairs: [...repairs, ...made] })
}

const GUIDED = new Set(['lone_value', 'null_field'] as const)
/** By the words of a repair of the type, its name here. */
const MADE = new Map([
  ['a lone value', 'lone value for a list'],
  ['null dropped', 'null for an absent field'],
])

const isSpace = (text: string): boolean => text.trim() === ''
