// Runs of the subject of one test, with the same models, tools and random values each time.

import type { Judge, TestPlan } from '@plumb/lang'
import { randomValues } from '@plumb/lang/random'
import type { Prices } from '@plumb/ledger'
import type { Result, SourceFiles } from '@plumb/wire'
import { CallLog } from './call-log.js'
import { checkOutcome } from './check-outcome.js'
import type { RatedRun } from './rate-rows.js'
import { withRecorded } from './recorded.js'
import type { TestCost } from './report/result.js'
import { inputsOf, type TestInputs } from './rows.js'
import { type Given, type RunOutcome, runOnce } from './run-once.js'
import { planOfJudge, type Question, questionsOf, type Scored, scoreRows, together } from './scored.js'
import { ModelSpending } from './spending.js'
import type { TestSetting } from './test-host.js'

export interface SubjectOptions {
  readonly setting: Omit<TestSetting, 'randomAnswer' | 'spending'>
  /** Of real models. */
  readonly prices?: Prices
  readonly seed: number
  /** The sources of judges, which are the same for all variants; default: those of the subject. */
  readonly filesOfJudges?: SourceFiles
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
    return this.#run(this.plan, given, { asked: new CallLog(), kept, setting: this.setting })
  }

  async #run(
    plan: TestPlan,
    given: Given,
    { asked, kept, setting }: { readonly asked: CallLog; readonly kept: string | undefined; readonly setting: TestSetting },
  ): Promise<RunOutcome> {
    const { isRecording, seen } = this.options
    const run = () => runOnce(plan, given, { setting, asked })
    const outcome = await (asksModels(plan) ? withRecorded(plan, { isRecording, docroot: this.setting.docroot, kept }, run) : run())
    seen?.(plan, outcome)
    this.skipped ??= asked.skipped
    return outcome
  }

  async #score(outcome: RunOutcome, { rows }: TestInputs, kept: string | undefined): Promise<Scored | undefined> {
    const { judges } = this.plan
    if (judges[0]?.kind !== 'score') return undefined
    const all: Scored[] = []
    for (const judge of judges) all.push(await this.judge(judge, questionsOf(outcome, judge, rows), outcome.asked, kept))
    return together(all)
  }

  /** Asks one judge, with the same models and tools. */
  judge(judge: Judge, questions: readonly Question[], asked: CallLog, kept: string | undefined): Promise<Scored> {
    const plan = planOfJudge(this.plan, judge)
    const setting = { ...this.setting, files: this.options.filesOfJudges ?? this.setting.files }
    return scoreRows(judge, questions, (given) => this.#run(plan, given, { asked, kept, setting }))
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
