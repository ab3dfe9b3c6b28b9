// Runs of the subject of one test, with the same models, tools and random values each time.

import type { TestPlan } from '@plumb/lang'
import { randomValues } from '@plumb/lang/random'
import type { Prices } from '@plumb/ledger'
import type { Result } from '@plumb/wire'
import { CallLog } from './call-log.js'
import { checkOutcome } from './check-outcome.js'
import type { RatedRun } from './rate-rows.js'
import { withRecorded } from './recorded.js'
import type { TestCost } from './report/result.js'
import { inputsOf, type TestInputs } from './rows.js'
import { type Given, type RunOutcome, runOnce } from './run-once.js'
import { pairsOf, planOfJudge, type Scored, scoreRows } from './scored.js'
import { ModelSpending } from './spending.js'
import type { TestSetting } from './test-host.js'

export interface SubjectOptions {
  readonly setting: Omit<TestSetting, 'randomAnswer' | 'spending'>
  /** Of real models. */
  readonly prices?: Prices
  readonly seed: number
  /** Answers of real models are kept for tests with recorded models. */
  readonly isRecording: boolean
  /** Receives each outcome of each run. */
  readonly seen?: (plan: TestPlan, outcome: RunOutcome) => void
}

export class SubjectRuns {
  readonly setting: TestSetting
  readonly #seed: number
  readonly #spending: ModelSpending
  #answers = 0
  /** What was not run, and why. */
  skipped: string | undefined

  constructor(
    private readonly plan: TestPlan,
    private readonly options: SubjectOptions,
  ) {
    // Derived from the name, so that a test has the same values whether it is run alone or with others.
    this.#seed = hash(`${options.seed} ${plan.name}`)
    const randomAnswer: TestSetting['randomAnswer'] = ({ output }) => {
      const [value = 'null'] = randomValues(output, { seed: this.#seed + ++this.#answers, count: 1, edges: 0 })
      return value
    }
    this.#spending = new ModelSpending(options.prices)
    this.setting = { ...options.setting, randomAnswer, spending: this.#spending }
  }

  get spent(): TestCost | undefined {
    return this.#spending.spent
  }

  readInputs(): Result<TestInputs> {
    return inputsOf(this.plan, this.setting.docroot, (i) => this.#randomInputs(i))
  }

  /** `kept`: where answers of live models are kept, so that other variants need not ask for them again. */
  async rated(inputs: TestInputs, kept?: string): Promise<RatedRun> {
    const outcome = await this.once(inputs.given, kept)
    const scored = await this.#score(outcome, inputs, kept)
    return { outcome, scored, findings: checkOutcome(this.plan, outcome, inputs.rows) }
  }

  once(given: Given, kept?: string): Promise<RunOutcome> {
    this.#answers = 0
    return this.#run(this.plan, given, { asked: new CallLog(), kept })
  }

  async #run(
    plan: TestPlan,
    given: Given,
    { asked, kept }: { readonly asked: CallLog; readonly kept: string | undefined },
  ): Promise<RunOutcome> {
    const { isRecording, seen } = this.options
    const run = () => runOnce(plan, given, { setting: this.setting, asked })
    const outcome = await (asksModels(plan) ? withRecorded(plan, { isRecording, docroot: this.setting.docroot, kept }, run) : run())
    seen?.(plan, outcome)
    this.skipped ??= asked.skipped
    return outcome
  }

  async #score(outcome: RunOutcome, { rows }: TestInputs, kept: string | undefined): Promise<Scored | undefined> {
    const { judge } = this.plan
    if (!judge) return undefined
    const plan = planOfJudge(this.plan, judge)
    return scoreRows(judge, pairsOf(outcome, judge, rows), (given) => this.#run(plan, given, { asked: outcome.asked, kept }))
  }

  #randomInputs(i: number): readonly string[] {
    const { random: count = 0, inputs } = this.plan
    const type = inputs[i]?.type
    return type ? [...randomValues(type, { seed: this.#seed + i, count })] : []
  }
}

export const asksModels = ({ model, live }: TestPlan): boolean => model !== 'scripted' || live.size > 0

/** FNV-1a. */
export const hash = (text: string): number => {
  let h = 0x811c9dc5
  for (const byte of Buffer.from(text)) h = Math.imul(h ^ byte, 0x01000193)
  return h >>> 1
}
