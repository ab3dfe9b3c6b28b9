// plumb test: runs the tests of specs and reports them in order; measures their coverage, and finds mutants that they miss.

import { availableParallelism } from 'node:os'
import type { TestPlan } from '@plumb/lang'
import { drawSeed } from '@plumb/lang/random'
import { loadPrices, openBudget } from '@plumb/ledger'
import { writeWhole } from '@plumb/runtime/record'
import { loadSpec, refuseErrors } from '@plumb/runtime/spec'
import { escapeControls, escapeLines, type Fault, fault, isTerminal, nowMs, preview, Reporter, writeStdout } from '@plumb/wire'
import { Coverage } from './coverage.js'
import { changesOf } from './mutate.js'
import type { TestCommandOptions } from './options.js'
import { besideTest, positionIn } from './place.js'
import { showComparison } from './report/comparison.js'
import { type ShownCoverage, showCoverage } from './report/coverage.js'
import { toLcov } from './report/lcov.js'
import { openReporter } from './report/reporters.js'
import type { TestCost, TestResult } from './report/result.js'
import type { TestOptions } from './run-test.js'
import { notices, runInOrder, specOf, type TestedSpec } from './spec-tests.js'
import { addTestCost } from './spending.js'
import { asksModels } from './subject-runs.js'

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
  loaded([...new Set([...paths, ...specs.flatMap(filesOf)])])
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
  const startMs = nowMs()
  const { jobs = availableParallelism() } = options
  const reporter = openReporter(options.reporter)
  const measures = options.coverage || options.lcov !== undefined
  const coverages = measures ? specs.map(({ loaded }) => new Coverage(loaded.compiled.program)) : []
  const prices = specs.some(({ plans }) => plans.some(asksModels)) ? await loadPrices() : undefined
  const all = specs.flatMap((spec, i) => {
    const coverage = coverages[i]
    const seen: TestOptions['seen'] = coverage && ((plan, outcome) => coverage.add(plan, outcome))
    const shared = { ...(seen ? { seen } : {}), ...(prices ? { prices } : {}) }
    return spec.plans.flatMap((plan) =>
      modelsFor(plan, options.models).map((model) => ({
        plan,
        options: { ...optionsOf(spec, seed, options, model), ...shared },
        coverage,
      })),
    )
  })
  let failed: Fault | undefined
  const write = async (text: string): Promise<void> => {
    if (text !== '') failed ??= await writeStdout(text)
  }
  const show = async ({ stdout, stderr }: ShownCoverage): Promise<void> => {
    await write(stdout)
    for (const line of stderr) errors.write(line)
  }
  await write(reporter.begin?.(all.length) ?? '')
  const counts = { passed: 0, failed: 0, skipped: 0 }
  let spent: TestCost | undefined
  const compared: TestResult[] = []
  // One observer at a time: expressions do not know their owner.
  for (const group of measures ? specs.map((_, i) => all.filter(({ coverage }) => coverage === coverages[i])) : [all]) {
    group[0]?.coverage?.start()
    await runInOrder(group, jobs, async (result) => {
      counts[result.status]++
      spent = addTestCost(spent, result.spent)
      if (result.model !== undefined && options.models.length > 1) compared.push(result)
      await write(reporter.result(result))
    })
    group[0]?.coverage?.stop()
  }
  if (compared.length > 0) await show(showComparison(compared, options.reporter))
  await write(reporter.end({ ...counts, milliseconds: Math.round(nowMs() - startMs), ...(spent ? { spent } : {}) }))
  const points = coverages.flatMap((coverage) => coverage.points)
  if (options.coverage) await show(showCoverage(points, options.reporter))
  if (options.lcov !== undefined) failed ??= await writeWhole(Buffer.from(toLcov(points)), options.lcov)
  if (failed) errors.report(failed)
  return counts.failed > 0 ? 1 : 0
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

/** The models to run it with: a test without real agents is run once. */
const modelsFor = (plan: TestPlan, models: readonly string[]): readonly (string | undefined)[] =>
  models.length > 0 && asksModels(plan) ? models : [undefined]

const optionsOf = (
  { loaded }: TestedSpec,
  seed: number,
  { isUpdate, isLive, isRecording, docroot, provider }: TestCommandOptions,
  model: string | undefined,
): TestOptions => {
  return { setting: { files: loaded.files, docroot, isLive, provider, model }, seed, isUpdate, isLive, isRecording }
}
