// Recorded answers of models for tests, in NAME.answers.jsonl beside NAME.plumb.

import { basename, resolve } from 'node:path'
import { planOf, type TestPlan } from '@plumb/lang'
import { setCurrentKept } from '@plumb/wire'
import { openKept } from '@plumb/wire/kept'
import { keptPlacesOf } from '../record/kept-answers.js'
import { besideTest } from './place.js'
import { failedOutcome, type RunOutcome } from './run-once.js'

const answersPath = (plan: TestPlan): string => besideTest(plan, `${basename(plan.span.source.path).replace(/\.plumb$/, '')}.answers.jsonl`)

let last: Promise<unknown> = Promise.resolve()

/**
 * Runs a test that starts agents of its own: alone, since all children of this process share the kept answers. A recorded test requests
 * nothing that is not kept, unless it is being recorded.
 */
export const withRecorded = (plan: TestPlan, isRecording: boolean, run: () => Promise<RunOutcome>): Promise<RunOutcome> => {
  const next = last.then(() => (plan.model === 'recorded' ? runKept(plan, isRecording, run) : run()))
  last = next.catch(() => {})
  return next
}

const runKept = async (plan: TestPlan, isRecording: boolean, run: () => Promise<RunOutcome>): Promise<RunOutcome> => {
  const places = plan.of.category === 'base' ? [] : keptPlacesOf(planOf(plan.of))
  const kept = openKept({ stores: [{ path: resolve(answersPath(plan)) }], isOnly: !isRecording, places })
  if (!kept.ok) return failedOutcome(kept.error)
  try {
    return await run()
  } finally {
    setCurrentKept(undefined)
  }
}
