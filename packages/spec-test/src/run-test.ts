// Runs one test: its inputs, one run or several, and its result.

import type { TestPlan } from '@plumb/lang'
import { randomValues, shrinkValue } from '@plumb/lang/random'
import type { Prices } from '@plumb/ledger'
import { nowMs, preview } from '@plumb/wire'
import { CallLog } from './call-log.js'
import { checkOutcome, type RowFinding, toFinding } from './check-outcome.js'
import { evaluateAgent, type RatedRun } from './evaluation.js'
import { positionIn } from './place.js'
import { withRecorded } from './recorded.js'
import type { Share, TestCost, TestFinding, TestResult } from './report/result.js'
import { inputsOf, type TestInputs } from './rows.js'
import { type Given, type RunOutcome, runOnce } from './run-once.js'
import { pairsOf, planOfJudge, type Scored, scoreRows } from './scored.js'
import { compareSnapshot, writeSnapshot } from './snapshot.js'
import { ModelSpending } from './spending.js'
import type { TestSetting } from './test-host.js'

export interface TestOptions {
  readonly setting: Omit<TestSetting, 'randomAnswer' | 'spending'>
  /** Of real models. */
  readonly prices?: Prices
  readonly seed: number
  /** Write snapshots in place of comparing with them. */
  readonly isUpdate: boolean
  /** Real models are called. */
  readonly isLive: boolean
  /** And their answers are kept for tests with recorded models. */
  readonly isRecording: boolean
  /** Receives each outcome of each run. */
  readonly seen?: (plan: TestPlan, outcome: RunOutcome) => void
}

const MAX_FINDINGS = 8
const MAX_OF_ONE_KIND = 5
/** Attempts to shrink a failing random input. */
const MAX_SHRINKS = 500

export const runTest = async (plan: TestPlan, options: TestOptions): Promise<TestResult> => {
  const startMs = nowMs()
  const { model } = options.setting
  const head = {
    name: plan.name,
    of: plan.of.name,
    place: positionIn(plan.span),
    ...(model === undefined ? {} : { model }),
    again: commandFor(plan, options),
  }
  const since = () => Math.round((nowMs() - startMs) * 1000) / 1000
  if (plan.model === 'live' && !options.isLive)
    return { ...head, status: 'skipped', why: 'it asks models: plumb test --live runs it', milliseconds: since(), findings: [] }
  const skipped = options.isLive ? undefined : await whySkipped(plan, options.setting.docroot ?? '.')
  if (skipped !== undefined) return { ...head, status: 'skipped', why: skipped, milliseconds: since(), findings: [] }
  const run = new TestRun(plan, options)
  const { findings, share } = await run.run()
  const { spent } = run
  if (run.skipped !== undefined) return { ...head, status: 'skipped', why: run.skipped, milliseconds: since(), findings: [] }
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

/** Also makes sure of it: what starts a program refuses to start one without a sandbox. */
const whySkipped = async ({ live, model }: TestPlan, docroot: string): Promise<string | undefined> => {
  process.env.PLUMB_SANDBOX = 'require'
  for (const bound of live) {
    const { notRun, whyOutside } = await import('./outside.js')
    const why = whyOutside(bound, { docroot, asksModels: model !== 'recorded' }, await import('@plumb/tool/internal'))
    if (why !== undefined) return notRun(bound.name, why)
  }
  return undefined
}

const commandFor = ({ name, random, span }: TestPlan, { seed, isLive, setting: { provider, model } }: TestOptions): string =>
  [
    'plumb test',
    ...(isLive ? ['--live'] : []),
    ...(provider === undefined ? [] : [`--provider ${quote(provider)}`]),
    ...(model === undefined ? [] : [`--model ${quote(model)}`]),
    ...(random === undefined ? [] : [`--seed ${seed}`]),
    `--filter ${quote(name)}`,
    quote(span.source.path),
  ].join(' ')

const quote = (word: string): string => (/^[\w./@%+=:,-]+$/.test(word) ? word : `'${word.replace(/'/g, `'\\''`)}'`)

class TestRun {
  readonly #seed: number
  readonly #setting: TestSetting
  readonly #spending: ModelSpending
  #answers = 0
  /** What was not run, and why. */
  skipped: string | undefined

  constructor(
    private readonly plan: TestPlan,
    private readonly options: TestOptions,
  ) {
    // Derived from the name, so that a test has the same values whether it is run alone or with others.
    this.#seed = hash(`${options.seed} ${plan.name}`)
    const randomAnswer: TestSetting['randomAnswer'] = ({ output }) =>
      first(randomValues(output, { seed: this.#seed + ++this.#answers, count: 1, edges: 0 })) ?? 'null'
    this.#spending = new ModelSpending(options.prices)
    this.#setting = { ...options.setting, randomAnswer, spending: this.#spending }
  }

  get spent(): TestCost | undefined {
    return this.#spending.spent
  }

  async run(): Promise<{ readonly findings: readonly TestFinding[]; readonly share?: Share }> {
    const { plan } = this
    const inputs = inputsOf(plan, this.#setting.docroot, (i) => this.#randomInputs(i))
    if (!inputs.ok) return { findings: [{ code: inputs.error.error, message: inputs.error.detail }] }
    const runs: RatedRun[] = []
    for (let i = 0; i < plan.runs; i++) {
      const outcome = await this.#once(inputs.value)
      const scored = await this.#score(outcome, inputs.value)
      const findings = checkOutcome(plan, outcome, inputs.value.rows)
      runs.push({ outcome, scored, findings: i === 0 ? [...findings, ...(await this.#snapshot(outcome))] : findings })
    }
    if (plan.atLeast !== undefined) {
      const { findings, share } = evaluateAgent(plan.atLeast, plan, runs, inputs.value.given)
      return { findings: limited(findings), share }
    }
    const failed = runs.flatMap(({ findings }) => findings)
    const [first] = failed
    if (plan.random !== undefined && first) return { findings: [await this.#shrink(first, inputs.value)] }
    return { findings: limited(failed) }
  }

  #once({ given }: Pick<TestInputs, 'given'>): Promise<RunOutcome> {
    this.#answers = 0
    return this.#run(this.plan, given, new CallLog())
  }

  async #run(plan: TestPlan, given: Given, asked: CallLog): Promise<RunOutcome> {
    const { isRecording, seen } = this.options
    const run = () => runOnce(plan, given, { setting: this.#setting, asked })
    const outcome = await (plan.model === 'scripted' && plan.live.size === 0
      ? run()
      : withRecorded(plan, { isRecording, docroot: this.#setting.docroot }, run))
    seen?.(plan, outcome)
    this.skipped ??= asked.skipped
    return outcome
  }

  #randomInputs(i: number): readonly string[] {
    const { random: count = 0, inputs } = this.plan
    const type = inputs[i]?.type
    return type ? [...randomValues(type, { seed: this.#seed + i, count })] : []
  }

  async #snapshot({ carried: { wires } }: RunOutcome): Promise<readonly RowFinding[]> {
    const { plan } = this
    if (plan.snapshot === undefined) return []
    const file = { plan, name: plan.snapshot, docroot: this.#setting.docroot }
    if (!this.options.isUpdate) return compareSnapshot(file, wires)
    const failure = await writeSnapshot(file, wires)
    return failure ? [{ code: failure.error, message: failure.detail }] : []
  }

  async #score(outcome: RunOutcome, { rows }: TestInputs): Promise<Scored | undefined> {
    const { judge } = this.plan
    if (!judge) return undefined
    const plan = planOfJudge(this.plan, judge)
    return scoreRows(judge, pairsOf(outcome, judge, rows), (given) => this.#run(plan, given, outcome.asked))
  }

  async #shrink(found: RowFinding, { given }: TestInputs): Promise<TestFinding> {
    const { plan } = this
    const [port, more] = plan.inputs
    const input = found.input === undefined ? undefined : [...given.values()][0]?.[found.input - 1]
    // Each attempt is a run, and real models should not be called so often.
    if (!port || more || input === undefined || plan.model !== 'scripted') return toFinding(found)
    const check = async (json: string): Promise<RowFinding | undefined> => {
      const outcome = await this.#once({ given: new Map([[port.name, [json]]]) })
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

// Later runs often find the same; more of one kind add nothing, and one route is enough.
const limited = (all: readonly RowFinding[]): readonly TestFinding[] => {
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

const first = <T>(values: Iterable<T>): T | undefined => {
  for (const value of values) return value
  return undefined
}

// FNV-1a.
const hash = (text: string): number => {
  let h = 0x811c9dc5
  for (const byte of Buffer.from(text)) h = Math.imul(h ^ byte, 0x01000193)
  return h >>> 1
}
