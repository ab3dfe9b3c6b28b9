// One test from its beginning to its result: its inputs, one run or several, and what is to be said of them.

import type { TestPlan } from '@plumb/lang'
import { randomValues, shrinkValue } from '@plumb/lang/random'
import { nowMs, preview } from '@plumb/wire'
import { checkOutcome, type RowFinding } from './check-outcome.js'
import { besideSpec, placeOf } from './place.js'
import { withRecorded } from './recorded.js'
import { shareInterval } from './report/interval.js'
import type { Finding, Share, TestResult } from './report/result.js'
import { inputsOf, type TestInputs } from './rows.js'
import { type Outcome, runOnce } from './run-once.js'
import { compareSnapshot, writeSnapshot } from './snapshot.js'
import type { TestSetting } from './test-host.js'

export interface TestOptions {
  readonly setting: Omit<TestSetting, 'randomAnswer'>
  readonly seed: number
  /** Write snapshots in place of comparing with them. */
  readonly isUpdate: boolean
  /** Models are asked. */
  readonly isLive: boolean
  /** And their answers are kept for tests whose model is recorded. */
  readonly isRecording: boolean
  /** Sees each outcome of each run. */
  readonly seen?: (plan: TestPlan, outcome: Outcome) => void
}

const MAX_FINDINGS = 8
const MAX_WORST = 5
/** Attempts to make a random input that fails smaller. */
const MAX_SHRINKS = 500

export const runTest = async (plan: TestPlan, options: TestOptions): Promise<TestResult> => {
  const startMs = nowMs()
  const head = { name: plan.name, of: plan.of.name, place: placeOf(plan.span), again: commandFor(plan, options) }
  const since = () => Math.round((nowMs() - startMs) * 1000) / 1000
  if (plan.model === 'live' && !options.isLive)
    return { ...head, status: 'skipped', why: 'it asks models: plumb test --live runs it', milliseconds: since(), findings: [] }
  const { findings, share } = await new TestRun(plan, options).run()
  const isRandom = plan.random !== undefined
  return {
    ...head,
    status: findings.length > 0 ? 'failed' : 'passed',
    milliseconds: since(),
    findings,
    ...(isRandom ? { seed: options.seed } : {}),
    ...(share ? { share } : {}),
  }
}

const commandFor = ({ name, random, span }: TestPlan, { seed, isLive }: TestOptions): string =>
  [
    'plumb test',
    ...(isLive ? ['--live'] : []),
    ...(random === undefined ? [] : [`--seed ${seed}`]),
    `--filter ${quote(name)}`,
    quote(span.source.path),
  ].join(' ')

const quote = (word: string): string => (/^[\w./@%+=:,-]+$/.test(word) ? word : `'${word.replace(/'/g, `'\\''`)}'`)

class TestRun {
  readonly #seed: number
  readonly #setting: TestSetting
  #answers = 0

  constructor(
    private readonly plan: TestPlan,
    private readonly options: TestOptions,
  ) {
    // Of the name, so that a test that is run alone has the values that it has among others.
    this.#seed = hash(`${options.seed} ${plan.name}`)
    const randomAnswer: TestSetting['randomAnswer'] = ({ output }) =>
      first(randomValues(output, { seed: this.#seed + ++this.#answers, count: 1, edges: 0 })) ?? 'null'
    this.#setting = { ...options.setting, randomAnswer }
  }

  async run(): Promise<{ readonly findings: readonly Finding[]; readonly share?: Share }> {
    const { plan } = this
    const inputs = inputsOf(plan, (i) => this.#randomInputs(i))
    if (!inputs.ok) return { findings: [{ code: inputs.error.error, message: inputs.error.detail }] }
    const failed: RowFinding[] = []
    for (let i = 0; i < plan.runs; i++) {
      const outcome = await this.#once(inputs.value)
      failed.push(...checkOutcome(plan, outcome, inputs.value.rows))
      if (i === 0) failed.push(...(await this.#snapshot(outcome)))
    }
    if (plan.atLeast !== undefined) return this.#evaluate(plan.atLeast, failed, inputs.value)
    const [first] = failed
    if (plan.random !== undefined && first) return { findings: [await this.#shrink(first, inputs.value)] }
    return { findings: limited(failed) }
  }

  async #once({ given }: Pick<TestInputs, 'given'>): Promise<Outcome> {
    this.#answers = 0
    const { plan, options } = this
    const run = () => runOnce(plan, given, this.#setting)
    const outcome = await (plan.model === 'scripted' && plan.live.size === 0 ? run() : withRecorded(plan, options.isRecording, run))
    options.seen?.(plan, outcome)
    return outcome
  }

  #randomInputs(i: number): readonly string[] {
    const { random: count = 0, inputs } = this.plan
    const type = inputs[i]?.type
    return type ? [...randomValues(type, { seed: this.#seed + i, count })] : []
  }

  async #snapshot({ wires }: Outcome): Promise<readonly Finding[]> {
    const { plan } = this
    if (plan.snapshot === undefined) return []
    const path = besideSpec(plan, plan.snapshot)
    if (!this.options.isUpdate) return compareSnapshot(path, wires)
    const failure = await writeSnapshot(path, plan, wires)
    return failure ? [{ code: failure.error, message: failure.detail }] : []
  }

  // Of the rows, not of the messages that came of them.
  #evaluate(atLeast: number, failed: readonly RowFinding[], { given }: TestInputs) {
    const rows = this.plan.runs * Math.max(0, ...[...given.values()].map(({ length }) => length))
    const ofRows = failed.filter(({ input }) => input !== undefined)
    const wrong = new Map(ofRows.map((finding) => [finding, finding.input as number]))
    const passed = Math.max(0, rows - countRows(failed, this.plan.runs))
    const worst = [...wrong].slice(0, MAX_WORST).map(([{ got, message }, input]) => {
      const inputJson = [...given.values()][0]?.[input - 1] ?? ''
      return `${preview(inputJson)} gave ${got === undefined ? message : preview(got)}`
    })
    const share: Share = { passed, rows, ...shareInterval(passed, rows), worst }
    const others = failed.filter(({ input }) => input === undefined)
    const isEnough = rows === 0 ? atLeast === 0 : passed >= atLeast * rows - 1e-9
    const message = `it held for ${passed} of ${rows} rows, and has to for ${atLeast} of them`
    return { findings: limited(isEnough ? others : [...others, { code: 'at_least', message }]), share }
  }

  async #shrink(found: RowFinding, { given }: TestInputs): Promise<Finding> {
    const { plan } = this
    const [port, more] = plan.inputs
    const input = found.input === undefined ? undefined : [...given.values()][0]?.[found.input - 1]
    // Each attempt is a run, and models are not to be asked so often.
    if (!port || more || input === undefined || plan.model !== 'scripted') return withoutInput(found)
    const check = async (json: string): Promise<RowFinding | undefined> => {
      const outcome = await this.#once({ given: new Map([[port.name, [json]]]) })
      return checkOutcome(plan, outcome, undefined).find(({ code }) => code === found.code)
    }
    let [least, finding] = [input, await check(input)]
    // It fails only behind others: what came before it matters.
    if (!finding)
      return { ...withoutInput(found), message: `${found.message}; given ${preview(input)}, behind ${(found.input ?? 1) - 1} others` }
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
    return { ...withoutInput(finding), message: `${finding.message}; given ${preview(least)}` }
  }
}

/** Each run of each input that failed, once. */
const countRows = (failed: readonly RowFinding[], runs: number): number => {
  const times = new Map<number, number>()
  for (const { input } of failed) if (input !== undefined) times.set(input, Math.min(runs, (times.get(input) ?? 0) + 1))
  return [...times.values()].reduce((sum, count) => sum + count, 0)
}

const withoutInput = ({ input: _, ...finding }: RowFinding): Finding => finding

const limited = (findings: readonly RowFinding[]): readonly Finding[] => {
  const shown = findings.slice(0, MAX_FINDINGS).map(withoutInput)
  const left = findings.length - shown.length
  return left > 0 ? [...shown, { code: 'more', message: `and ${left} more` }] : shown
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
