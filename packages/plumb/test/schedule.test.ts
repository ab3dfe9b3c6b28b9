// When a process that has nothing to do is quiet: never before all that has come was taken.

import t from 'tap'
import { Quiescence, Schedule, type ScheduledSource } from '../src/graph/schedule.js'

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

// Longer than any slice.
const SLOW_MS = 40

const spin = (): void => {
  const until = performance.now() + SLOW_MS
  while (performance.now() < until);
}

t.test('what a slice of time had no room for is done before the process counts as quiet', async (t) => {
  const left = [0, 0]
  const seen: string[] = []
  const source = (i: number): ScheduledSource => ({
    canRun: () => left[i] !== 0,
    step: () => {
      left[i] = 0
      seen.push(`line ${i}`)
      spin()
      return 1
    },
  })
  const checked = new Promise<void>((resolve) => {
    const quiescence = new Quiescence(() => {
      seen.push('quiet')
      resolve()
    })
    const schedule = new Schedule(
      () => quiescence.idle(),
      () => quiescence.busy(),
    )
    schedule.addSource(source(0))
    schedule.addSource(source(1))
    schedule.wake()
    // Between the two turns after which it would be quiet.
    setImmediate(() => {
      left.fill(1)
      schedule.wake()
    })
  })
  await checked
  await turn()
  t.strictSame(seen, ['line 0', 'line 1', 'quiet'])
})
