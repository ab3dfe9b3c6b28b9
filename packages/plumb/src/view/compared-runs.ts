// Two records, and their inputs beside each other.

import { loadPrices } from '@plumb/ledger'
import { type Result, succeed } from '@plumb/wire'
import { compareRuns, type InputDifference } from '../record/compare-runs.js'
import { readRecord } from '../record/read-record.js'
import { type SettingsBetween, settingsBetween } from '../record/settings.js'
import { type InputModel, inputsOf } from './inputs.js'
import type { Selection } from './page-limits.js'
import { type RunParts, readRunParts } from './run-parts.js'

export interface ComparedRuns {
  readonly left: ComparedSide
  readonly right: ComparedSide
  readonly pairs: readonly ComparedPair[]
  readonly settings: SettingsBetween
}

export interface ComparedSide {
  readonly name: 'left' | 'right'
  readonly parts: RunParts
  readonly inputs: readonly InputModel[]
}

export interface ComparedPair {
  /** Its number on the page: that of the left run, where that has it; what only the right one has follows behind. */
  readonly key: number
  readonly left: InputModel | undefined
  readonly right: InputModel | undefined
  readonly difference: InputDifference | undefined
}

/** `seqs`: of the left run. */
export const readComparedRuns = async (one: string, other: string, { seqs }: Selection): Promise<Result<ComparedRuns>> => {
  const prices = await loadPrices()
  const [left, right] = [await readSide('left', one), await readSide('right', other)]
  if (!left.ok) return left
  if (!right.ok) return right
  const [leftRecord, rightRecord] = [await readRecord(one, prices), await readRecord(other, prices)]
  if (!leftRecord.ok) return leftRecord
  if (!rightRecord.ok) return rightRecord
  const [leftInputs, rightInputs] = [left.value, right.value].map(({ inputs }) => new Map(inputs.map((input) => [input.seq, input])))
  const last = left.value.inputs.reduce((most, { seq }) => Math.max(most, seq), 0)
  const pairs = compareRuns(leftRecord.value.inputs, rightRecord.value.inputs).map(
    (one): ComparedPair => ({
      key: one.left?.seq ?? last + (one.right?.seq ?? 0),
      left: one.left && leftInputs?.get(one.left.seq),
      right: one.right && rightInputs?.get(one.right.seq),
      difference: one.difference,
    }),
  )
  return succeed({
    left: left.value,
    right: right.value,
    pairs: seqs ? pairs.filter(({ left, key }) => left && seqs[0] <= key && key <= seqs[1]) : pairs,
    settings: settingsBetween(leftRecord.value.made, rightRecord.value.made),
  })
}

const readSide = async (name: ComparedSide['name'], path: string): Promise<Result<ComparedSide>> => {
  const parts = await readRunParts(path)
  return parts.ok ? succeed({ name, parts: parts.value, inputs: inputsOf(parts.value.run) }) : parts
}
