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

export interface RunsCompared {
  readonly differences: readonly InputDifference[]
  readonly same: number
}

type Pair = readonly [left: RecordedInput | undefined, right: RecordedInput | undefined]

export const compareRuns = (left: readonly RecordedInput[], right: readonly RecordedInput[]): RunsCompared => {
  const compared = pair(left, right).map(differenceOf)
  const differences = compared.filter((one) => one !== undefined)
  return { differences, same: compared.length - differences.length }
}

/** By their numbers where they are equal, else by what they are; in the order of the left one, then what only the right one has. */
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
    if (other && formOf(one) === formOf(other)) join(one, other)
  }
  const byForm = new Map<string, RecordedInput[]>()
  for (const other of right) {
    if (taken.has(other) || other.input === undefined) continue
    const form = formOf(other)
    byForm.set(form, [...(byForm.get(form) ?? []), other])
  }
  for (const one of left) {
    if (partners.has(one) || one.input === undefined) continue
    const other = byForm.get(formOf(one))?.shift()
    if (other) join(one, other)
  }
  return [
    ...left.map((one): Pair => [one, partners.get(one)]),
    ...right.filter((other) => !taken.has(other)).map((other): Pair => [undefined, other]),
  ]
}

const formOf = ({ input }: RecordedInput): string => (input === undefined ? '' : canonicalJson(input))

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
