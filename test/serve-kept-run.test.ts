// A run that is kept holds what came of it, and nothing that has worked it: servers keep thousands, for a day.

import type { PassThrough } from 'node:stream'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import t from 'tap'
import type { Binding } from '../packages/plumb-serve/src/binding/binding.js'
import { Questions } from '../packages/plumb-serve/src/run/questions.js'
import { Run } from '../packages/plumb-serve/src/run/run.js'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

t.test('what has worked a run is collected, and its outcome is there', async (t) => {
  const binding = { name: 'main', outputs: ['output'], trace: () => undefined, hide: (error: object) => error } as unknown as Binding
  const worked: WeakRef<object>[] = []
  const run = new Run({
    ...{ id: 'r', binding, isKept: true, events: new Set(), maxCost: undefined, owner: '', questions: new Questions() },
    work: async (ports) => {
      worked.push(new WeakRef(ports), new WeakRef(ports.stdin), new WeakRef(ports.stdout), new WeakRef(ports.signal))
      for await (const _ of ports.stdin as PassThrough);
      ports.stdout.write(Buffer.from('{"seq":1,"value":"A"}\n'), () => {})
    },
  })
  await run.writeBytes(Buffer.from('"a"\n'))
  run.endInput()
  await run.finished
  // Streams tell of their end later.
  for (let turn = 0; turn < 10; turn++) {
    await new Promise((resolve) => setImmediate(resolve))
    collect()
  }
  t.strictSame(
    worked.map((ref) => ref.deref() !== undefined),
    [false, false, false, false],
  )
  t.match(run.saved, {
    state: 'done',
    inputs: 1,
    outputs: 1,
    items: [{ event: 'output', data: '{"seq":1,"value":"A"}' }, { event: 'done' }],
  })
  run.cancel()
  await run.writeBytes(Buffer.from('"b"\n'))
  run.endInput()
  t.equal(run.state, 'done')
})
