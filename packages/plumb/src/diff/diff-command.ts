// plumb diff: what two recorded runs made of the same inputs.

import { loadPrices } from '@plumb/ledger'
import { showCost } from '@plumb/runtime/display'
import { escapeControls, preview, Reporter, toDollars, writeStdout } from '@plumb/wire'
import { compareRuns, type HowDiffers, type InputDifference, type RunsCompared } from './compare-runs.js'
import { type RecordedRun, readRecord } from './read-record.js'

/** Resolves to the exit status: 1 if an input differs. */
export const diff = async (one: string, other: string, { json }: { readonly json: boolean }): Promise<number> => {
  const reporter = new Reporter('plumb')
  const prices = await loadPrices()
  const runs = [await readRecord(one, prices), await readRecord(other, prices)] as const
  const [left, right] = runs
  let differs = false
  if (left.ok && right.ok) {
    const compared = compareRuns(left.value.inputs, right.value.inputs)
    differs = compared.differences.length > 0
    const lines = (json ? jsonLines : textLines)(compared, left.value, right.value)
    const failure = await writeStdout(lines.map((line) => `${escapeControls(line)}\n`).join(''))
    if (failure) reporter.report(failure)
  } else for (const run of runs) if (!run.ok) reporter.report(run.error)
  await reporter.end()
  return Math.max(reporter.status, differs ? 1 : 0)
}

const countsOf = ({ differences, same }: RunsCompared): Readonly<Record<'same' | HowDiffers, number>> => {
  const count = (how: HowDiffers): number => differences.filter(({ differs }) => differs === how).length
  return { same, output: count('output'), error: count('error'), only_left: count('only_left'), only_right: count('only_right') }
}

const jsonLines = (compared: RunsCompared, left: RecordedRun, right: RecordedRun): readonly string[] => {
  const tookOf = ({ tokens, nano, unpriced }: RecordedRun) => ({
    tokens,
    cost: toDollars(nano),
    ...(unpriced.length > 0 ? { unpriced } : {}),
  })
  return [
    ...compared.differences.map(lineOf),
    JSON.stringify({ kind: 'summary', ...countsOf(compared), left: tookOf(left), right: tookOf(right) }),
  ]
}

// Values keep their digits.
const lineOf = ({ seq, differs, wire, left, right }: InputDifference): string =>
  `${JSON.stringify({ seq, differs, wire: wire ?? null }).slice(0, -1)},"left":${left},"right":${right}}`

const textLines = (compared: RunsCompared, left: RecordedRun, right: RecordedRun): readonly string[] => {
  const { same, output, error, only_left: onlyLeft, only_right: onlyRight } = countsOf(compared)
  const tookOf = ({ tokens, nano, unpriced }: RecordedRun) => `${tokens} tokens, ${showCost({ known: toDollars(nano), unpriced })}`
  const others = [
    ...(output > 0 ? [`${output} with another output`] : []),
    ...(error > 0 ? [`${error} with another error`] : []),
    ...(onlyLeft > 0 ? [`${onlyLeft} only in the left one`] : []),
    ...(onlyRight > 0 ? [`${onlyRight} only in the right one`] : []),
  ]
  return [
    ...compared.differences.flatMap(linesOf),
    [`${same} the same`, ...others].join(', '),
    `left: ${tookOf(left)}; right: ${tookOf(right)}`,
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
