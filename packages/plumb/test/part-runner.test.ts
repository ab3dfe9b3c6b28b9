// The runner of a part, with an engine that answers when the test says so.

import t from 'tap'
import type { Engine } from '../../engine/src/engine.js'
import { PartRunner } from '../../engine/src/part-runner.js'
import type { PlannedPart } from '../../engine/src/run-plan.js'

t.test('a part that is owned after its runner was killed is given up, and no process begins', async (t) => {
  let answer: (memory: readonly string[]) => void = () => {}
  const done: string[] = []
  const engine = {
    claim: () => new Promise<readonly string[]>((resolve) => (answer = resolve)),
    unclaim: async () => void done.push('unclaim'),
    take: async () => [],
    release: async () => {},
  } as unknown as Engine
  const part = {
    id: 1,
    name: 'part',
    kind: 'owned',
    isOneByOne: false,
    hasEffects: false,
    outputs: [],
    above: [],
  } as unknown as PlannedPart
  const runner = new PartRunner({
    ...{ engine, run: '1', name: 'run', part, slots: 1, budget: undefined, limits: null, retrySeconds: 1, isLogged: false },
    ...{ keep: false, openAnswers: undefined },
    start: () => {
      done.push('start')
      return { ok: false, error: { error: 'child_failed', category: 'internal', detail: '' } }
    },
    onTaken: () => {},
    onEvents: () => {},
    onSettled: () => {},
    warn: () => {},
    report: () => {},
    fail: (error) => t.fail(String(error)),
  })
  const step = runner.step()
  runner.kill()
  answer([])
  await step
  t.strictSame(done, ['unclaim'])
})
