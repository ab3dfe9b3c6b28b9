// Recorded answers of models for tests, in NAME.answers.jsonl beside NAME.plumb.

import { basename } from 'node:path'
import { planOf, type TestPlan } from '@plumb/lang'
import { openKept } from '@plumb/ledger/kept'
import { keptPlacesOf } from '@plumb/runtime/record'
import { andThen, setCurrentKept } from '@plumb/wire'
import { failedOutcome, type RunOutcome } from './run-once.js'
import { fileOfTest } from './test-file.js'

const answersName = (plan: TestPlan): string => `${basename(plan.span.source.path).replace(/\.plumb$/, '')}.answers.jsonl`

interface Recording {
  readonly isRecording: boolean
  readonly docroot: string | undefined
}

let last: Promise<unknown> = Promise.resolve()

/**
 * Runs a test that starts agents of its own: alone, since all children of this process share the kept answers. A recorded test requests
 * nothing that is not kept, unless it is being recorded.
 */
export const withRecorded = (plan: TestPlan, { isRecording, docroot }: Recording, run: () => Promise<RunOutcome>): Promise<RunOutcome> => {
  const next = last.then(() => (plan.model === 'recorded' ? runKept(plan, { isRecording, docroot }, run) : run()))
  last = next.catch(() => {})
  return next
}

const runKept = async (plan: TestPlan, { isRecording, docroot }: Recording, run: () => Promise<RunOutcome>): Promise<RunOutcome> => {
  const places = plan.of.category === 'base' ? [] : keptPlacesOf(planOf(plan.of))
  const kept = andThen(fileOfTest(plan, answersName(plan), docroot), (path) =>
    openKept({ stores: [{ path }], isOnly: !isRecording, places }),
  )
  if (!kept.ok) return failedOutcome(kept.error)
  try {
    return await run()
  } finally {
    setCurrentKept(undefined)
  }
}
