// The tests of one spec: loaded, run several at once, and run again on changes to the spec.

import { type Compiled, compile, hasErrors, type TestPlan, testsOf } from '@plumb/lang'
import type { LoadedSpec } from '@plumb/runtime/spec'
import { type GivenOptions, readGivenValues, withText } from '@plumb/wire'
import type { Change } from './mutate.js'
import { changed } from './mutate.js'
import type { TestResult } from './report/result.js'
import { runTest, type TestOptions } from './run-test.js'

export interface TestedSpec {
  readonly path: string
  readonly loaded: LoadedSpec
  readonly plans: readonly TestPlan[]
}

export const specOf = (path: string, loaded: LoadedSpec, filter = ''): TestedSpec => ({
  path,
  loaded,
  plans: testsIn(loaded.compiled, filter),
})

const testsIn = ({ program }: Compiled, filter: string): readonly TestPlan[] => testsOf(program).filter(({ name }) => name.includes(filter))

/** Runs so many tests at once; `report` is called with the results of each, in the order of the tests. */
export const runInOrder = async (
  all: readonly (() => Promise<readonly TestResult[]>)[],
  jobs: number,
  report: (result: TestResult) => Promise<void>,
): Promise<void> => {
  const results: (readonly TestResult[] | undefined)[] = []
  let begun = 0
  let reported = 0
  let reporting = Promise.resolve()
  const reportReady = async (): Promise<void> => {
    for (let ready = results[reported]; ready; ready = results[reported]) {
      results[reported++] = undefined
      for (const result of ready) await report(result)
    }
  }
  const work = async (): Promise<void> => {
    for (let i = begun++; i < all.length; i = begun++) {
      results[i] = await (all[i] as (typeof all)[number])()
      reporting = reporting.then(reportReady)
      await reporting
    }
  }
  await Promise.all(Array.from({ length: Math.min(jobs, all.length) }, work))
}

/** Whether a test notices the change. Undefined: it does not compile. */
export const notices = async (
  { path, loaded }: TestedSpec,
  change: Change,
  { filter, given, options }: { readonly filter: string; readonly given: GivenOptions; readonly options: TestOptions },
): Promise<boolean | undefined> => {
  const text = changed(change)
  const files = withText(loaded.files, path, text)
  const values = readGivenValues(given, undefined)
  const compiled = compile({ path, text, files, given: values.ok ? values.value : undefined, checksTests: true })
  if (hasErrors(compiled.diagnostics) || compiled.faults.length > 0) return undefined
  for (const plan of testsIn(compiled, filter)) {
    const { status } = await runTest(plan, {
      ...options,
      setting: { ...options.setting, files },
      isUpdate: false,
      isLive: false,
      isRecording: false,
    })
    if (status === 'failed') return true
  }
  return false
}
