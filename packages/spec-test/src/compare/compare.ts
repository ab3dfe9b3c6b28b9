// Compares variants by the evaluations of specs: everything that can be refused is, before anything is asked.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestPlan } from '@plumb/lang'
import type { Prices } from '@plumb/ledger'
import { type Fault, fail, fault, type GivenOptions, type Result, succeed } from '@plumb/wire'
import { positionIn } from '../place.js'
import type { ComparedTest, Uncompared } from '../report/compared.js'
import type { TestCost, TestResult } from '../report/result.js'
import { positionText, titleOf } from '../report/words.js'
import type { TestOptions } from '../run-test.js'
import type { TestedSpec } from '../spec-tests.js'
import { addTestCost } from '../spending.js'
import { comparedTests } from './compared-test.js'
import { type MeasuredTest, measureVariants, type VariantRun } from './measure.js'
import { planOfVariant } from './plan-of-variant.js'
import { rowLines } from './row-lines.js'
import type { Variant } from './variant.js'
import { specOfVariant } from './variant-spec.js'
import { LEVEL } from './verdict.js'

export interface CompareSettings {
  readonly variants: readonly Variant[]
  readonly isUntilDecided: boolean
  /** Judges of pairs are asked twice, with the two exchanged. */
  readonly hasOrder: boolean
  readonly given: GivenOptions
  readonly docroot: string | undefined
  readonly isLive: boolean
  readonly seed: number
  readonly prices: Prices | undefined
  readonly optionsOf: (spec: TestedSpec) => TestOptions
}

export interface Compared {
  readonly tests: readonly ComparedTest[]
  /** Bindings that the revision has not, and tests that were skipped. */
  readonly others: readonly (Uncompared & { readonly isNew: boolean })[]
  /** What the past was asked again, whose results are not among those of the tests. */
  readonly spent: TestCost | undefined
}

export class Comparison {
  readonly #directory = mkdtempSync(join(tmpdir(), 'plumb-'))
  readonly #runs = new Map<TestPlan, readonly VariantRun[]>()
  readonly #measured = new Map<TestPlan, MeasuredTest>()
  #compared: Compared | undefined
  readonly #others: (Uncompared & { readonly isNew: boolean })[] = []

  private constructor(private readonly settings: CompareSettings) {}

  static async open(specs: readonly TestedSpec[], settings: CompareSettings): Promise<Result<Comparison>> {
    const hasPairs = specs.some(({ plans }) => plans.some(({ judges }) => judges[0]?.kind === 'pair'))
    if (settings.hasOrder && !hasPairs)
      return fail('usage', '--judge-order is for a judge of pairs: !{ given, a, b } -> !{ better: "a" | "b" | "tie" }')
    const comparison = new Comparison(settings)
    for (const [i, spec] of specs.entries()) {
      const failed = await comparison.#prepare(spec, i)
      if (!failed) continue
      comparison.close()
      return { ok: false, error: failed }
    }
    if (comparison.#runs.size > 0 || comparison.#others.length > 0) return succeed(comparison)
    comparison.close()
    return fail('usage', 'there is nothing to compare: no test of the specs is an evaluation, with at_least')
  }

  async #prepare(spec: TestedSpec, index: number): Promise<Fault | undefined> {
    const plans = spec.plans.filter(({ atLeast }) => atLeast !== undefined)
    if (plans.length === 0) return undefined
    const { variants, given, docroot, isLive, optionsOf } = this.settings
    const byPlan = new Map<TestPlan, VariantRun[]>(plans.map((plan) => [plan, []]))
    for (const [i, variant] of variants.entries()) {
      const directory = join(this.#directory, `files-${index}-${i}`)
      const own = await specOfVariant(spec, variant, { given, docroot, isOfStrangers: !isLive, directory })
      if (!own.ok) return own.error
      const options = optionsOf(spec)
      for (const [plan, runs] of byPlan) {
        const fitted = own.value === 'new' ? own : planOfVariant(plan, spec.loaded.compiled.program, own.value)
        if (!fitted.ok) return fitted.error
        const isPast = 'revision' in variant.is
        if (fitted.value === 'new' || own.value === 'new') {
          if (!isPast)
            return fault('usage', `the variant '${variant.name}' has no '${plan.of.name}', which ${JSON.stringify(plan.name)} tests`)
          this.#others.push({ title: titleAt(plan), why: `it is new, '${variant.name}' has no '${plan.of.name}'`, isNew: true })
          continue
        }
        const setting = { ...options.setting, files: own.value.files }
        runs.push({
          name: variant.name,
          plan: fitted.value as TestPlan,
          options: { ...options, setting, again: variant.words, filesOfJudges: spec.loaded.files },
          isPast,
          ...(variant.isModel ? { model: variant.name } : {}),
        })
      }
    }
    for (const [plan, runs] of byPlan) if (runs.length > 1) this.#runs.set(plan, runs)
    return undefined
  }

  /** Undefined: the test is run as without variants. */
  unitOf(plan: TestPlan): (() => Promise<readonly TestResult[]>) | undefined {
    const runs = this.#runs.get(plan)
    return runs && (() => this.#measure(plan, runs))
  }

  async #measure(plan: TestPlan, runs: readonly VariantRun[]): Promise<readonly TestResult[]> {
    const { isUntilDecided, hasOrder, seed } = this.settings
    const directory = join(this.#directory, String(this.#measured.size))
    // So that the place is taken before another test begins.
    this.#measured.set(plan, { measured: [], results: [], inputs: [], rows: 0 })
    const comparisons = [...this.#runs.values()].reduce((sum, { length }) => sum + length - 1, 0)
    const measured = await measureVariants(runs, { seed, directory, hasOrder, ...(isUntilDecided ? { untilP: LEVEL / comparisons } : {}) })
    this.#measured.set(plan, measured)
    if (measured.measured.length === 0) this.#others.push({ title: titleAt(plan), why: whyNot(measured), isNew: false })
    return measured.results.filter((_, i) => !runs[i]?.isPast)
  }

  get #inOrder(): readonly MeasuredTest[] {
    return [...this.#runs.keys()].flatMap((plan) => this.#measured.get(plan) ?? [])
  }

  /** In the order of the tests, when all have been run. */
  get compared(): Compared {
    this.#compared ??= this.#compare()
    return this.#compared
  }

  #compare(): Compared {
    const { seed, prices } = this.settings
    const measured = this.#inOrder
    const past = measured.flatMap((test) => test.measured.filter(({ variant }) => variant.isPast))
    const spent = past.reduce<TestCost | undefined>((sum, { result }) => addTestCost(sum, result.spent), undefined)
    return { tests: comparedTests(measured, seed, prices), others: this.#others, spent }
  }

  /** The results that the test will have. */
  countOf(plan: TestPlan): number {
    return this.#runs.get(plan)?.filter(({ isPast }) => !isPast).length ?? 1
  }

  /** The page of --html. */
  async page(): Promise<string> {
    const { comparisonPage } = await import('./page.js')
    const { tests } = this.compared
    const measured = this.#inOrder.filter((test) => test.measured.length > 1)
    return comparisonPage(tests.map((compared, i) => ({ compared, measured: measured[i] as MeasuredTest })))
  }

  /** The lines of --rows. */
  rowLinesOf(plan: TestPlan): readonly string[] {
    const measured = this.#measured.get(plan)
    return measured ? rowLines(measured, this.settings.prices) : []
  }

  close(): void {
    rmSync(this.#directory, { recursive: true, force: true })
  }
}

const titleAt = ({ name, of, span }: TestPlan): string => `${positionText(positionIn(span))}: ${titleOf({ name, of: of.name })}`

const whyNot = ({ results: [first] }: MeasuredTest): string => first?.why ?? first?.findings[0]?.message ?? 'it was not run'
