// plumb diff: what two recorded runs made of the same inputs.

import { loadPrices } from '@plumb/ledger'
import { showCost } from '@plumb/runtime/display'
import { escapeControls, preview, Reporter, toDollars, writeStdout } from '@plumb/wire'
import { isJson } from '@plumb/wire/json'
import { type ComparedInput, compareRuns, countsOf, type HowDiffers, type InputDifference } from '../record/compare-runs.js'
import { type RecordedRun, readRecord } from '../record/read-record.js'
import { hasSettings, requireParams, settingLines, settingsBetween } from '../record/settings.js'

export interface DiffOptions {
  readonly json: boolean
  /** NAME=VALUE, which one of the runs must have had. */
  readonly set: readonly string[]
}

/** Resolves to the exit status: 1 if an input differs. */
export const diff = async (one: string, other: string, { json, set }: DiffOptions): Promise<number> => {
  const reporter = new Reporter('plumb')
  const prices = await loadPrices()
  const runs = [await readRecord(one, prices), await readRecord(other, prices)] as const
  const [left, right] = runs
  let differs = false
  const asked = left.ok && right.ok ? requireParams(set, [left.value.made, right.value.made]) : undefined
  if (left.ok && right.ok && asked?.ok) {
    const compared = compareRuns(left.value.inputs, right.value.inputs)
    differs = compared.some(({ difference }) => difference)
    const lines = (json ? jsonLines : textLines)(compared, left.value, right.value)
    const failure = await writeStdout(lines.map((line) => `${escapeControls(line)}\n`).join(''))
    if (failure) reporter.report(failure)
  } else if (asked?.ok === false) reporter.report(asked.error)
  else for (const run of runs) if (!run.ok) reporter.report(run.error)
  await reporter.end()
  return Math.max(reporter.status, differs ? 1 : 0)
}

const jsonLines = (compared: readonly ComparedInput[], left: RecordedRun, right: RecordedRun): readonly string[] => {
  const tookOf = ({ tokens, nano, unpriced }: RecordedRun) => ({
    tokens,
    cost: toDollars(nano),
    ...(unpriced.length > 0 ? { unpriced } : {}),
  })
  return [
    ...compared.flatMap(({ difference }) => (difference ? [lineOf(difference)] : [])),
    `${JSON.stringify({ kind: 'summary', ...countsOf(compared), left: tookOf(left), right: tookOf(right) }).slice(0, -1)},"made":${madeOf(left, right)}}`,
  ]
}

/** What was otherwise, each with left and right, as JSON. */
const madeOf = (left: RecordedRun, right: RecordedRun): string => {
  const { params, options, files, agents } = settingsBetween(left.made, right.made)
  const both = (changed: typeof params): string =>
    `{${[...changed].map(([name, sides]) => `${JSON.stringify(name)}:[${sides.map(valueOf).join(',')}]`).join(',')}}`
  return `{"params":${both(params)},"options":${both(options)},"files":${JSON.stringify(files)},"agents":${JSON.stringify(agents)}}`
}

const valueOf = (text: string | undefined): string => (text === undefined ? 'null' : isJson(text) ? text : JSON.stringify(text))

// Values keep their digits.
const lineOf = ({ seq, differs, wire, left, right }: InputDifference): string =>
  `${JSON.stringify({ seq, differs, wire: wire ?? null }).slice(0, -1)},"left":${left},"right":${right}}`

const textLines = (compared: readonly ComparedInput[], left: RecordedRun, right: RecordedRun): readonly string[] => {
  const { same, output, error, only_left: onlyLeft, only_right: onlyRight } = countsOf(compared)
  const tookOf = ({ tokens, nano, unpriced }: RecordedRun) => `${tokens} tokens, ${showCost({ known: toDollars(nano), unpriced })}`
  const settings = settingsBetween(left.made, right.made)
  const others = [
    ...(output > 0 ? [`${output} with another output`] : []),
    ...(error > 0 ? [`${error} with another error`] : []),
    ...(onlyLeft > 0 ? [`${onlyLeft} only in the left one`] : []),
    ...(onlyRight > 0 ? [`${onlyRight} only in the right one`] : []),
  ]
  return [
    ...compared.flatMap(({ difference }) => (difference ? linesOf(difference) : [])),
    [`${same} the same`, ...others].join(', '),
    `left: ${tookOf(left)}; right: ${tookOf(right)}`,
    ...(hasSettings(settings) ? [`made otherwise: ${settingLines(settings).join('; ')}`] : []),
  ]
}

const SAID: Readonly<Record<HowDiffers, string>> = {
  output: 'another output',
  error: 'another error',
  only_left: 'only in the left run',
  only_right: 'only in the right run',
}

const linesOf = ({ seq, differs, input, wire, left, right }: InputDifference): readonly string[] => {
  const head = `#${seq}${input === undefined ? '' : ` ${preview(input, 60)}`}: ${SAID[differs]}${wire === undefined ? '' : `, from '${wire}' on`}`
  const isInOne = differs === 'only_left' || differs === 'only_right'
  return isInOne ? [head] : [head, `  left  ${shown(left)}`, `  right ${shown(right)}`]
}

const shown = (json: string): string => (json === 'null' ? 'nothing' : preview(json, 100))
