// Runs the tests of a spec that is open in an editor, saved or not.

import { availableParallelism } from 'node:os'
import { compile, hasErrors, type TestPlan } from '@plumb/lang'
import { drawSeed } from '@plumb/lang/random'
import { fail, type Result, readGivenValues, type SourceFiles, succeed, withText } from '@plumb/wire'
import { openReporter } from './report/reporters.js'
import type { TestResult } from './report/result.js'
import type { RunOutcome } from './run-once.js'
import { runTest, type TestOptions } from './run-test.js'
import { wiresText } from './snapshot.js'
import { runInOrder, specOf } from './spec-tests.js'

export type { TestResult }

export interface EditorRun {
  readonly results: readonly TestResult[]
  readonly text: string
}

/** `name`: of one test; undefined: all. `isDebugging`: the text shows what each wire carried, also for a test that passes. */
export const editorRun = async (
  { path, text }: { readonly path: string; readonly text: string },
  files: SourceFiles,
  name: string | undefined,
  isDebugging: boolean,
): Promise<Result<EditorRun>> => {
  const given = readGivenValues({})
  const compiled = compile({ path, text, files, given: given.ok ? given.value : undefined, checksTests: true })
  if (hasErrors(compiled.diagnostics)) return fail('usage', 'the spec has errors: no test of it can be run')
  const [fault] = compiled.faults
  if (fault) return { ok: false, error: fault }
  const { plans } = specOf(path, { compiled, files, bootstrap: undefined })
  const wanted = plans.filter((plan) => name === undefined || plan.name === name)
  if (wanted.length === 0) return fail('usage', `'${path}' has no test ${JSON.stringify(name ?? '')}`)
  const reported: string[] = []
  const options: TestOptions = {
    setting: { files: withText(files, path, text), docroot: undefined, isLive: false, provider: undefined, model: undefined },
    seed: drawSeed(),
    isUpdate: false,
    isLive: false,
    isRecording: false,
    ...(isDebugging ? { seen: (plan: TestPlan, outcome: RunOutcome) => reported.push(shownRun(plan, outcome)) } : {}),
  }
  const results: TestResult[] = []
  const reporter = openReporter('text')
  await runInOrder(
    wanted.map((plan) => async () => [await runTest(plan, options)]),
    isDebugging ? 1 : availableParallelism(),
    async (result) => {
      results.push(result)
    },
  )
  // Runs that shrink a random input are left out.
  const shown = reported.length > MAX_SHOWN_RUNS ? reported.slice(0, MAX_SHOWN_RUNS) : reported
  return succeed({ results, text: [...shown, ...results.map((result) => reporter.result(result))].join('') })
}

const MAX_SHOWN_RUNS = 5

const shownRun = ({ name, of }: TestPlan, { carried }: RunOutcome): string =>
  `What each wire of '${of.name}' carried in ${JSON.stringify(name)}:\n${wiresText(carried.wires)}\n`
