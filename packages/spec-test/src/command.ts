// plumb test: runs the tests of specs and reports them in order; measures their coverage, and finds mutants that they miss.

import { availableParallelism } from 'node:os'
import type { TestPlan } from '@plumb/lang'
import { drawSeed } from '@plumb/lang/random'
import { loadPrices, openBudget, type Prices } from '@plumb/ledger'
import { writeWhole } from '@plumb/runtime/record'
import { loadSpec, refuseErrors } from '@plumb/runtime/spec'
import {
  escapeControls,
  escapeLines,
  type Fault,
  fault,
  isTerminal,
  nowMs,
  preview,
  Reporter,
  stdoutTerminal,
  writeStdout,
} from '@plumb/wire'
import type { Comparison } from './compare/compare.js'
import { brokenGates, hasGates } from './compare/gates.js'
import { rowLinesOf } from './compare/row-lines.js'
import { readVariants, type Variant } from './compare/variant.js'
import { Coverage } from './coverage.js'
import type { RatedRuns } from './evaluation.js'
import { changesOf } from './mutate.js'
import type { TestCommandOptions } from './options.js'
import { besideTest, positionIn } from './place.js'
import { showComparison } from './report/comparison.js'
import { type ShownCoverage, showCoverage } from './report/coverage.js'
import { toLcov } from './report/lcov.js'
import { openReporter } from './report/reporters.js'
import type { TestCost, TestResult } from './report/result.js'
import { runTest, type TestOptions } from './run-test.js'
import { notices, runInOrder, specOf, type TestedSpec } from './spec-tests.js'
import { addTestCost } from './spending.js'
import { asksModels } from './subject-runs.js'
import { whyNotWritten } from './targets.js'

/** Resolves to the exit status: 0 if all pass, 1 if one fails, 2 if a spec has errors; then none is run. */
export const test = async (paths: readonly string[], options: TestCommandOptions): Promise<number> => {
  if (!options.isWatching || paths.length === 0) return testOnce(paths, options, () => {})
  const { repeatOnChange } = await import('./watch.js')
  const errors = new Reporter('plumb')
  return repeatOnChange(
    (ready) => testOnce(paths, options, ready),
    (file) => {
      errors.write(`plumb: '${preview(file, 200)}' has changed`)
      errors.flush()
    },
  )
}

/** `loaded` is called with the files that it depends on, as far as they could be loaded. */
const testOnce = async (
  paths: readonly string[],
  options: TestCommandOptions,
  loaded: (files: readonly string[]) => void,
): Promise<number> => {
  const errors = new Reporter('plumb')
  const specs: TestedSpec[] = []
  for (const path of paths) {
    const read = await loadSpec(path, { given: options, docroot: options.docroot, isOfStrangers: !options.isLive })
    if (!read.ok) errors.report(read.error)
    else if (!refuseErrors(read.value, errors)) specs.push(specOf(path, read.value, options.filter))
  }
  const read = [...new Set([...paths, ...specs.flatMap(filesOf)])]
  loaded(read)
  const unwritten = whyNotWritten(options, read)
  if (unwritten) errors.report(unwritten)
  if (paths.length === 0) errors.report(fault('usage', 'no spec was named; give the files whose tests are to be run'))
  const status = errors.status === 0 ? await perform(specs, options, errors) : 0
  await errors.end()
  return Math.max(status, errors.status)
}

// Files that tests write themselves are excluded.
const filesOf = ({ loaded, plans }: TestedSpec): readonly string[] => [
  ...loaded.compiled.program.scopes.map(({ module }) => module.path),
  ...plans.flatMap((plan) => (plan.data === undefined ? [] : [besideTest(plan, plan.data)])),
]

const perform = async (specs: readonly TestedSpec[], options: TestCommandOptions, errors: Reporter): Promise<number> => {
  if (options.from !== undefined) return writeFromRecord(specs, options.from, errors)
  const { maxCalls, maxCost } = options
  if (maxCalls !== undefined || maxCost !== undefined) {
    // Shared by all agents that are started from now on.
    const budget = openBudget({ calls: maxCalls ?? null, tokens: null, cost: maxCost ?? null, prices: undefined })
    if (!budget.ok) return refuse(budget.error, errors)
  }
  const seed = options.seed ?? drawSeed()
  return options.isMutating ? mutate(specs, seed, options, errors) : runAll(specs, seed, options, errors)
}

const refuse = (error: Fault, errors: Reporter): number => {
  errors.report(error)
  return 0
}

const writeFromRecord = async ([spec, another]: readonly TestedSpec[], directory: string, errors: Reporter): Promise<number> => {
  const { testFromRecord } = await import('./from-record.js')
  const made = spec && !another ? testFromRecord(directory, spec.loaded.compiled.program) : undefined
  const failure =
    made === undefined
      ? fault('usage', "'--from' takes one spec: that of the record")
      : made.ok
        ? await writeStdout(isTerminal(1) ? escapeLines(made.value) : made.value)
        : made.error
  if (failure) errors.report(failure)
  return 0
}

const runAll = async (specs: readonly TestedSpec[], seed: number, options: TestCommandOptions, errors: Reporter): Promise<number> => {
  const variants = readVariants(options)
  if (!variants.ok) return refuse(variants.error, errors)
  const prices = specs.some(({ plans }) => plans.some(asksModels)) ? await loadPrices() : undefined
  const run = new CommandRun(specs, seed, options, prices)
  if (variants.value.length > 0) {
    const failed = await run.compare(variants.value)
    if (failed) return refuse(failed, errors)
  } else if (hasGates(options)) return refuse(fault('usage', 'a gate compares: name what with --variant, --model or --against'), errors)
  try {
    return await run.run(errors)
  } finally {
    run.close()
  }
}

/** All tests of a command line, and what is written of them. */
class CommandRun {
  readonly #coverages: readonly Coverage[]
  readonly #rowLines = new Map<TestPlan, readonly string[]>()
  readonly #counts = { passed: 0, failed: 0, skipped: 0 }
  #comparison: Comparison | undefined
  #spent: TestCost | undefined
  #failed: Fault | undefined

  constructor(
    private readonly specs: readonly TestedSpec[],
    private readonly seed: number,
    private readonly options: TestCommandOptions,
    private readonly prices: Prices | undefined,
  ) {
    const measures = options.coverage || options.lcov !== undefined
    this.#coverages = measures ? specs.map(({ loaded }) => new Coverage(loaded.compiled.program)) : []
  }

  /** Prepares all that is compared. */
  async compare(variants: readonly Variant[]): Promise<Fault | undefined> {
    const { specs, seed, options, prices } = this
    const { docroot, isLive, isUntilDecided, hasOrder } = options
    const { Comparison } = await import('./compare/compare.js')
    const optionsOfSpec = (spec: TestedSpec) => ({ ...optionsOf(spec, seed, options, this.#modelOfAll), ...(prices ? { prices } : {}) })
    const settings = { variants, isUntilDecided, hasOrder, given: options, docroot, isLive, seed, prices, optionsOf: optionsOfSpec }
    const opened = await Comparison.open(specs, settings)
    if (!opened.ok) return opened.error
    this.#comparison = opened.value
    return undefined
  }

  // One --model alone is no variant.
  get #modelOfAll(): string | undefined {
    const { models, variants } = this.options
    return models.length === 1 && variants.length === 0 ? models[0] : undefined
  }

  close(): void {
    this.#comparison?.close()
  }

  async run(errors: Reporter): Promise<number> {
    const startMs = nowMs()
    const { options } = this
    const { jobs = availableParallelism() } = options
    const reporter = openReporter(options.reporter, stdoutTerminal())
    const groups = this.#groups()
    await this.#write(reporter.begin?.(this.#countOfTests()) ?? '')
    // One observer at a time: expressions do not know their owner.
    for (const { coverage, units } of groups) {
      coverage?.start()
      await runInOrder(units, jobs, async (result) => {
        this.#counts[result.status]++
        this.#spent = addTestCost(this.#spent, result.spent)
        await this.#write(reporter.result(result))
      })
      coverage?.stop()
    }
    const broken = await this.#showCompared(errors)
    const milliseconds = Math.round(nowMs() - startMs)
    await this.#write(reporter.end({ ...this.#counts, milliseconds, ...(this.#spent ? { spent: this.#spent } : {}) }))
    for (const line of broken) errors.write(`plumb: ${line}`)
    await this.#writeFiles(errors)
    if (this.#failed) errors.report(this.#failed)
    return this.#counts.failed > 0 || broken.length > 0 ? 1 : 0
  }

  #groups() {
    const unitsOf = (spec: TestedSpec, coverage?: Coverage) => spec.plans.map((plan) => this.#unitOf(spec, plan, coverage))
    const { specs } = this
    return this.#coverages.length > 0
      ? specs.map((spec, i) => ({ coverage: this.#coverages[i], units: unitsOf(spec, this.#coverages[i]) }))
      : [{ coverage: undefined, units: specs.flatMap((spec) => unitsOf(spec)) }]
  }

  #unitOf(spec: TestedSpec, plan: TestPlan, coverage?: Coverage): () => Promise<readonly TestResult[]> {
    const { seed, options, prices } = this
    const seen: TestOptions['seen'] = coverage && ((of, outcome) => coverage.add(of, outcome))
    const rated: TestOptions['rated'] = (of, runs) => this.#rate(of, runs)
    const model = asksModels(plan) ? this.#modelOfAll : undefined
    const all = {
      ...optionsOf(spec, seed, options, model),
      ...(seen ? { seen } : {}),
      ...(prices ? { prices } : {}),
      ...(options.rows === undefined ? {} : { rated }),
    }
    return this.#comparison?.unitOf(plan) ?? (async () => [await runTest(plan, all)])
  }

  #rate(plan: TestPlan, runs: RatedRuns): void {
    this.#rowLines.set(plan, rowLinesOf(plan, runs, this.prices))
  }

  #countOfTests(): number {
    return this.specs.flatMap(({ plans }) => plans).reduce((sum, plan) => sum + (this.#comparison?.countOf(plan) ?? 1), 0)
  }

  /** Returns the gates that do not hold. */
  async #showCompared(errors: Reporter): Promise<readonly string[]> {
    if (!this.#comparison) return []
    const { tests, others, spent } = this.#comparison.compared
    this.#spent = addTestCost(this.#spent, spent)
    await this.#show(showComparison(tests, others, this.options.reporter, stdoutTerminal()), errors)
    return brokenGates(
      this.options,
      tests,
      others.filter(({ isNew }) => !isNew),
    )
  }

  async #writeFiles(errors: Reporter): Promise<void> {
    const { options } = this
    const points = this.#coverages.flatMap((coverage) => coverage.points)
    if (options.coverage) await this.#show(showCoverage(points, options.reporter), errors)
    if (options.lcov !== undefined) this.#failed ??= await writeWhole(Buffer.from(toLcov(points)), options.lcov)
    if (options.markdown !== undefined && this.#comparison) {
      const { comparisonMarkdown } = await import('./report/comparison-markdown.js')
      const { tests, others } = this.#comparison.compared
      this.#failed ??= await writeWhole(Buffer.from(comparisonMarkdown(tests, others)), options.markdown)
    }
    if (options.html !== undefined && this.#comparison)
      this.#failed ??= await writeWhole(Buffer.from(await this.#comparison.page()), options.html)
    if (options.rows === undefined) return
    const lines = this.specs.flatMap(({ plans }) =>
      plans.flatMap((plan) => this.#rowLines.get(plan) ?? this.#comparison?.rowLinesOf(plan) ?? []),
    )
    this.#failed ??= await writeWhole(Buffer.from(lines.join('')), options.rows)
  }

  async #write(text: string): Promise<void> {
    if (text !== '') this.#failed ??= await writeStdout(text)
  }

  async #show({ stdout, stderr }: ShownCoverage, errors: Reporter): Promise<void> {
    await this.#write(stdout)
    for (const line of stderr) errors.write(line)
  }
}

/** The tests must pass without mutation: else failures on a mutant mean nothing. */
const mutate = async (specs: readonly TestedSpec[], seed: number, options: TestCommandOptions, errors: Reporter): Promise<number> => {
  const status = await runAll(specs, seed, options, errors)
  if (status !== 0) {
    errors.report(fault('usage', 'no change was tried: tests fail on the unchanged spec'))
    return status
  }
  const { filter = '' } = options
  const survivors: string[] = []
  let tried = 0
  for (const spec of specs) {
    for (const change of changesOf(spec.loaded.compiled.program)) {
      const isNoticed = await notices(spec, change, { filter, given: options, options: optionsOf(spec, seed, options, options.models[0]) })
      if (isNoticed === undefined) continue
      tried++
      const { file, line, column } = positionIn(change.span)
      if (!isNoticed) survivors.push(`${file}:${line}:${column}: ${change.what}`)
    }
  }
  const failure = await writeStdout(
    [...survivors, `${tried - survivors.length} of ${tried} noticed`].map((line) => `${escapeControls(line)}\n`).join(''),
  )
  if (failure) errors.report(failure)
  return 0
}

const optionsOf = (
  { loaded }: TestedSpec,
  seed: number,
  { isUpdate, isLive, isRecording, docroot, provider }: TestCommandOptions,
  model: string | undefined,
): TestOptions => {
  return { setting: { files: loaded.files, docroot, isLive, provider, model }, seed, isUpdate, isLive, isRecording }
}
