// Two recorded runs, input by input.

import { areSame, firstParting } from '@plumb/spec-test/parting'
import { canonicalJson, isRecord } from '@plumb/wire'
import type { RecordedInput } from './read-record.js'

export type HowDiffers = 'output' | 'error' | 'only_left' | 'only_right'

export interface InputDifference {
  readonly seq: number
  readonly differs: HowDiffers
  /** JSON of the input; undefined: it is not known. */
  readonly input: string | undefined
  /** The first wire that carried something else; undefined: none did, or it was in one run alone. */
  readonly wire: string | undefined
  /** What it carried, the error, or the input that only this run had; JSON. */
  readonly left: string
  readonly right: string
}

/** An input of both runs, or of one alone. */
export interface ComparedInput {
  readonly left: RecordedInput | undefined
  readonly right: RecordedInput | undefined
  /** Undefined: both made the same of it. */
  readonly difference: InputDifference | undefined
}

type Pair = readonly [left: RecordedInput | undefined, right: RecordedInput | undefined]

/** In the order of the left run, then what only the right one has. */
export const compareRuns = (left: readonly RecordedInput[], right: readonly RecordedInput[]): readonly ComparedInput[] =>
  pair(left, right).map(([one, other]) => ({ left: one, right: other, difference: differenceOf([one, other]) }))

export const countsOf = (compared: readonly Pick<ComparedInput, 'difference'>[]): Readonly<Record<'same' | HowDiffers, number>> => {
  const counts = { same: 0, output: 0, error: 0, only_left: 0, only_right: 0 }
  for (const { difference } of compared) counts[difference?.differs ?? 'same']++
  return counts
}

/** By their numbers where they are equal, else by what they are. */
const pair = (left: readonly RecordedInput[], right: readonly RecordedInput[]): readonly Pair[] => {
  const bySeq = new Map(right.map((input) => [input.seq, input]))
  const partners = new Map<RecordedInput, RecordedInput>()
  const taken = new Set<RecordedInput>()
  const join = (one: RecordedInput, other: RecordedInput): void => {
    partners.set(one, other)
    taken.add(other)
  }
  for (const one of left) {
    const other = bySeq.get(one.seq)
    if (other && (formOf(one) === formOf(other) || (one.input === undefined && other.input === undefined))) join(one, other)
  }
  const byForm = new Map<string, RecordedInput[]>()
  for (const other of right) {
    if (taken.has(other)) continue
    const form = formOf(other)
    byForm.set(form, [...(byForm.get(form) ?? []), other])
  }
  for (const one of left) {
    if (partners.has(one)) continue
    const other = byForm.get(formOf(one))?.shift()
    if (other) join(one, other)
  }
  return [
    ...left.map((one): Pair => [one, partners.get(one)]),
    ...right.filter((other) => !taken.has(other)).map((other): Pair => [undefined, other]),
  ]
}

// One that did not fit its port is known by what its error says of it alone.
const formOf = ({ input, errors }: RecordedInput): string =>
  input === undefined ? `error ${errors.map(detailOf).join('\n')}` : canonicalJson(input)

const detailOf = (json: string): string => {
  const fault: unknown = JSON.parse(json)
  return isRecord(fault) ? String(fault.detail) : json
}

const differenceOf = ([left, right]: Pair): InputDifference | undefined => {
  if (!left || !right) {
    const { seq, input } = (left ?? right) as RecordedInput
    const known = input ?? 'null'
    return {
      seq,
      differs: left ? 'only_left' : 'only_right',
      input,
      wire: undefined,
      left: left ? known : 'null',
      right: right ? known : 'null',
    }
  }
  const isOtherError = !areSame(left.errors.map(codeOf), right.errors.map(codeOf))
  if (!isOtherError && areSame(left.outputs, right.outputs)) return undefined
  const { seq, input } = left
  const parting = firstParting(left.steps, right.steps)
  if (isOtherError) return { seq, differs: 'error', input, wire: parting?.wire, left: oneOf(left.errors), right: oneOf(right.errors) }
  return { seq, differs: 'output', input, wire: parting?.wire, left: oneOf(parting?.one ?? []), right: oneOf(parting?.other ?? []) }
}

/** Details may hold what changes from run to run. */
const codeOf = (json: string): string => {
  const fault: unknown = JSON.parse(json)
  return JSON.stringify(isRecord(fault) ? [fault.error, fault.process] : fault)
}

const oneOf = (messages: readonly string[]): string => {
  const [first = 'null', another] = messages
  return another === undefined ? first : `[${messages.join(',')}]`
}
