// Runs one test: its inputs, one run or several, and its result.

import type { TestPlan } from '@plumb/lang'
import { shrinkValue } from '@plumb/lang/random'
import { nowMs, preview } from '@plumb/wire'
import { checkOutcome, type RowFinding, toFinding } from './check-outcome.js'
import { evaluate } from './evaluation.js'
import { positionIn } from './place.js'
import { isOfWhole, type RatedRow, type RatedRun, rateRows } from './rate-rows.js'
import type { Share, TestFinding, TestResult } from './report/result.js'
import type { TestInputs } from './rows.js'
import type { RunOutcome } from './run-once.js'
import { compareSnapshot, writeSnapshot } from './snapshot.js'
import { type SubjectOptions, SubjectRuns } from './subject-runs.js'

export interface TestOptions extends SubjectOptions {
  /** Write snapshots in place of comparing with them. */
  readonly isUpdate: boolean
  /** Real models are called. */
  readonly isLive: boolean
  /** The words of the command line that name the variant. */
  readonly again?: readonly string[]
  /** Receives the rows of an evaluation, by runs. */
  readonly rated?: (plan: TestPlan, runs: readonly (readonly RatedRow[])[]) => void
}

const MAX_FINDINGS = 8
const MAX_OF_ONE_KIND = 5
/** Attempts to shrink a failing random input. */
const MAX_SHRINKS = 500

export const runTest = async (plan: TestPlan, options: TestOptions): Promise<TestResult> => {
  const startMs = nowMs()
  const head = headOf(plan, options)
  const since = () => Math.round((nowMs() - startMs) * 1000) / 1000
  const isOfPairs = plan.judges[0]?.kind === 'pair'
  const why = isOfPairs ? 'its judge compares two variants: name them with --variant' : await whySkipped(plan, options)
  if (why !== undefined) return { ...head, status: 'skipped', why, milliseconds: since(), findings: [] }
  const run = new TestRun(plan, options)
  const { findings, share } = await run.run()
  const { spent, skipped } = run.runs
  if (skipped !== undefined) return { ...head, status: 'skipped', why: skipped, milliseconds: since(), findings: [] }
  const isRandom = plan.random !== undefined
  return {
    ...head,
    status: findings.length > 0 ? 'failed' : 'passed',
    milliseconds: since(),
    findings,
    ...(isRandom ? { seed: options.seed } : {}),
    ...(share ? { share } : {}),
    ...(spent ? { spent } : {}),
  }
}

export const headOf = (plan: TestPlan, options: TestOptions): Pick<TestResult, 'name' | 'of' | 'place' | 'model' | 'again'> => {
  const { model } = options.setting
  const { name, of, span } = plan
  return { name, of: of.name, place: positionIn(span), ...(model === undefined ? {} : { model }), again: commandFor(plan, options) }
}

/** Why the test is not run. Undefined: it is. */
export const whySkipped = async (plan: TestPlan, { isLive, setting }: TestOptions): Promise<string | undefined> => {
  if (plan.model === 'live' && !isLive) return 'it asks models: plumb test --live runs it'
  return isLive ? undefined : whyOutsideSandbox(plan, setting.docroot ?? '.')
}

/** Also makes sure of it: what starts a program refuses to start one without a sandbox. */
const whyOutsideSandbox = async ({ live, model }: TestPlan, docroot: string): Promise<string | undefined> => {
  process.env.PLUMB_SANDBOX = 'require'
  for (const bound of live) {
    const { notRun, whyOutside } = await import('./outside.js')
    const why = whyOutside(bound, { docroot, asksModels: model !== 'recorded' }, await import('@plumb/tool/internal'))
    if (why !== undefined) return notRun(bound.name, why)
  }
  return undefined
}

const commandFor = ({ name, random, span }: TestPlan, { seed, isLive, setting: { provider, model }, again = [] }: TestOptions): string =>
  [
    'plumb test',
    ...(isLive ? ['--live'] : []),
    ...(provider === undefined ? [] : [`--provider ${quote(provider)}`]),
    ...(model === undefined ? [] : [`--model ${quote(model)}`]),
    ...again.map(quote),
    ...(random === undefined ? [] : [`--seed ${seed}`]),
    `--filter ${quote(name)}`,
    quote(span.source.path),
  ].join(' ')

const quote = (word: string): string => (/^[\w./@%+=:,-]+$/.test(word) ? word : `'${word.replace(/'/g, `'\\''`)}'`)

class TestRun {
  readonly runs: SubjectRuns

  constructor(
    private readonly plan: TestPlan,
    private readonly options: TestOptions,
  ) {
    this.runs = new SubjectRuns(plan, options)
  }

  async run(): Promise<{ readonly findings: readonly TestFinding[]; readonly share?: Share }> {
    const { plan, runs } = this
    const inputs = runs.readInputs()
    if (!inputs.ok) return { findings: [{ code: inputs.error.error, message: inputs.error.detail }] }
    const all: RatedRun[] = []
    for (let i = 0; i < plan.runs; i++) {
      const run = await runs.rated(inputs.value)
      all.push(i === 0 ? { ...run, findings: [...run.findings, ...(await this.#snapshot(run.outcome))] } : run)
    }
    if (plan.atLeast !== undefined) return this.#evaluation(all, inputs.value)
    const failed = all.flatMap(({ findings }) => findings)
    const [first] = failed
    if (plan.random !== undefined && first) return { findings: [await this.#shrink(first, inputs.value)] }
    return { findings: limited(failed) }
  }

  #evaluation(all: readonly RatedRun[], { given, rows }: TestInputs) {
    const { plan, options } = this
    const runs = all.map((run) => rateRows(plan, run, rows))
    options.rated?.(plan, runs)
    const { findings, share } = evaluate(plan, { runs, inputs: [...given.values()][0] ?? [], others: othersOf(all) })
    return { findings: limited(findings), share }
  }

  async #snapshot({ carried: { wires } }: RunOutcome): Promise<readonly RowFinding[]> {
    const { plan } = this
    if (plan.snapshot === undefined) return []
    const file = { plan, name: plan.snapshot, docroot: this.runs.setting.docroot }
    if (!this.options.isUpdate) return compareSnapshot(file, wires)
    const failure = await writeSnapshot(file, wires)
    return failure ? [{ code: failure.error, message: failure.detail }] : []
  }

  async #shrink(found: RowFinding, { given }: TestInputs): Promise<TestFinding> {
    const { plan } = this
    const [port, more] = plan.inputs
    const input = found.input === undefined ? undefined : [...given.values()][0]?.[found.input - 1]
    // Each attempt is a run, and real models should not be called so often.
    if (!port || more || input === undefined || plan.model !== 'scripted') return toFinding(found)
    const check = async (json: string): Promise<RowFinding | undefined> => {
      const outcome = await this.runs.once(new Map([[port.name, [json]]]))
      return checkOutcome(plan, outcome, undefined).find(({ code }) => code === found.code)
    }
    let [least, finding] = [input, await check(input)]
    // It fails only after others: the earlier inputs matter.
    if (!finding)
      return { ...toFinding(found), message: `${found.message}; given ${preview(input)}, behind ${(found.input ?? 1) - 1} others` }
    for (let tried = 0, isSmaller = true; isSmaller; ) {
      isSmaller = false
      for (const smaller of shrinkValue(port.type, least)) {
        if (++tried > MAX_SHRINKS) break
        const next = await check(smaller)
        if (!next) continue
        ;[least, finding, isSmaller] = [smaller, next, true]
        break
      }
    }
    return { ...toFinding(finding), message: `${finding.message}; given ${preview(least)}` }
  }
}

/** Errors that concern no row. */
export const othersOf = (all: readonly RatedRun[]): readonly RowFinding[] =>
  all.flatMap(({ findings, scored }) => [...findings.filter(isOfWhole), ...(scored?.findings ?? [])])

// Later runs often find the same; more of one kind add nothing, and one route is enough.
export const limited = (all: readonly RowFinding[]): readonly TestFinding[] => {
  const findings = [...new Map(all.map((finding) => [JSON.stringify({ ...finding, input: 0 }), finding])).values()]
  const times = new Map<string, number>()
  const isFew = ({ code }: RowFinding): boolean => {
    const time = (times.get(code) ?? 0) + 1
    times.set(code, time)
    return time <= MAX_OF_ONE_KIND
  }
  const shown = findings.filter(isFew).slice(0, MAX_FINDINGS)
  const left = findings.length - shown.length
  const routed = shown.findIndex(({ route }) => route)
  return [
    ...shown.map((finding, i) => toFinding(finding, i === routed)),
    ...(left > 0 ? [{ code: 'more', message: `and ${left} more` }] : []),
  ]
}
