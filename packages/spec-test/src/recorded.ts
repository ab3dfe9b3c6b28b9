// Recorded answers of models for tests, in NAME.answers.jsonl beside NAME.plumb.

import { basename } from 'node:path'
import { planOf, type TestPlan } from '@plumb/lang'
import { openKept } from '@plumb/ledger/kept'
import { keptPlacesOf } from '@plumb/runtime/record'
import { andThen, type Result, setCurrentKept, succeed } from '@plumb/wire'
import { failedOutcome, type RunOutcome } from './run-once.js'
import { fileOfTest } from './test-file.js'

const answersName = (plan: TestPlan): string => `${basename(plan.span.source.path).replace(/\.plumb$/, '')}.answers.jsonl`

interface Recording {
  readonly isRecording: boolean
  readonly docroot: string | undefined
  /** Where answers of live models are kept for other variants. */
  readonly kept: string | undefined
}

let last: Promise<unknown> = Promise.resolve()

/**
 * Runs a test that starts agents of its own: alone, since all children of this process share the kept answers. A recorded test requests
 * nothing that is not kept, unless it is being recorded.
 */
export const withRecorded = (plan: TestPlan, recording: Recording, run: () => Promise<RunOutcome>): Promise<RunOutcome> => {
  const isKept = plan.model === 'recorded' || recording.kept !== undefined
  const next = last.then(() => (isKept ? runKept(plan, recording, run) : run()))
  last = next.catch(() => {})
  return next
}

const runKept = async (plan: TestPlan, recording: Recording, run: () => Promise<RunOutcome>): Promise<RunOutcome> => {
  const places = plan.of.category === 'base' ? [] : keptPlacesOf(planOf(plan.of))
  const isRecorded = plan.model === 'recorded'
  const kept = andThen(placeOf(plan, recording), (path) =>
    openKept({ stores: [{ path }], isOnly: isRecorded && !recording.isRecording, places }),
  )
  if (!kept.ok) return failedOutcome(kept.error)
  try {
    return await run()
  } finally {
    setCurrentKept(undefined)
  }
}

const placeOf = (plan: TestPlan, { kept, docroot }: Recording): Result<string> =>
  plan.model === 'recorded' || kept === undefined ? fileOfTest(plan, answersName(plan), docroot) : succeed(kept)
