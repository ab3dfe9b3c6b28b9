// long
// Random programs of the forms that keep something (fold and batch with and without keys, barriers by keys), between two programs of others, on two
// workers of which one is killed: the outcomes are those of the reference.
//
// PLUMB_PROGRAMS: how many, default 2. PLUMB_SEED: those of another seed; it is printed.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { PRELUDE } from '../../packages/plumb/test/arbitrary-chain.js'
import { bodyOf, chain, type Form, few, keyedEnd, resultOf } from '../../packages/plumb/test/arbitrary-form.js'
import { numbersIn } from '../../packages/wire/src/reported.js'
import { until } from './scene.js'
import { end, lines, PATIENCE_MS, stageOf } from './worker-stage.js'

const SEED = Number(process.env.PLUMB_SEED ?? Date.now() % 2 ** 31)
const PROGRAMS = Number(process.env.PLUMB_PROGRAMS ?? 2)

const program = fc
  .tuple(fc.array(chain, few), fc.option(keyedEnd, { freq: 2 }))
  .map(([parts, last]): readonly Form[] => (last ? [...parts, last] : parts))
const inputs = fc.array(fc.integer({ min: 0, max: 60 }), { minLength: 3, maxLength: 14 })

const textOf = (parts: readonly Form[]): string => `${PRELUDE}
let before : !int -> !int = agent { command: ["bash", "./same"], amnesiac: true, answers: "each", sandbox: false }
let behind : !int -> !int = agent { command: ["bash", "./same"], amnesiac: true, answers: "each", sandbox: false }
let main : !int -> !int = plumb(from, to) {
  let begun : !int = channel
  let done : !int = channel
  from ; before ; begun
${bodyOf(parts, 'begun', 'done')}  done ; behind ; to
}
`

const inOrder = (numbers: Iterable<number>): number[] => [...numbers].sort((a, b) => a - b)

/** Each of these is a part of its own, and so a process. */
const partsOf = (text: string): number => text.match(/\b(fold|batch|barrier|each)\b| \+ \(/g)?.length ?? 0
const MAX_PARTS = 4

/** What waits in a form is more than a worker has slots, and the worker that has it is killed. */
const HOLDING: Readonly<Record<string, readonly [source: string, type: string]>> = {
  'batch(7)': ['batch(7) ; map({ n: length(value), first: value[0] })', '{ n: int, first: int }'],
  'batch()': ['batch() ; map({ n: length(value), first: value[0] })', '{ n: int, first: int }'],
  'fold at the end': ['fold(state + value, from: 0, emit: "end")', 'int'],
  'fold by key at the end': ['fold(state + value, from: 0, by: if value = 1 then 9 else value % 3, emit: "end")', 'int'],
  'barrier by key': ['(id * (filter(value > 15) ; map(value - 15))) ; barrier(by: (value, value))', '(int, int)'],
}
const MESSAGES = Array.from({ length: 30 }, (_, i) => `${i + 1}\n`).join('')

const onStage = stageOf({ same: '#!/bin/bash\nwhile read -r x; do echo "$x" >> given; echo "$x"; done\n' })

onStage(`seed ${SEED}: ${PROGRAMS} programs whose worker is killed`, async (t, { work, serve, submit }) => {
  const cases = fc.sample(
    fc.tuple(program, inputs).filter(([parts, values]) => partsOf(textOf(parts)) <= MAX_PARTS && resultOf(parts, values).lines.length < 60),
    { numRuns: PROGRAMS, seed: SEED },
  )
  for (const [i, [parts, values]] of cases.entries()) {
    const text = textOf(parts)
    writeFileSync(join(work, `p${i}.plumb`), text)
    const wanted = resultOf(parts, values)
    const submitter = submit('--seq', '--run', `forms-${i}`, `p${i}.plumb`)
    submitter.child.stdin?.end(values.map((value) => `${value}\n`).join(''))
    const first = serve(`p${i}.plumb`)
    let isOver = false
    const ended = submitter.ended.then(() => {
      isOver = true
    })
    await until(() => isOver || lines(submitter.reported()).length > wanted.lines.length / 3, PATIENCE_MS)
    const second = serve(`p${i}.plumb`)
    first.child.kill('SIGKILL')
    await ended
    await end(second)
    const about = `${text}of ${values}\n${submitter.reported(2)}`
    t.strictSame(lines(submitter.reported()).sort(), lines(wanted.lines.join('')).sort(), about)
    // An input is a letter of each part that it fails in; what found no partner is told of each input that it stems from.
    const failed = new Set(lines(submitter.reported(2)).map((line) => JSON.parse(line).seq))
    const unpaired = wanted.unpaired.flatMap((left) => numbersIn(JSON.parse(left)[1]))
    t.strictSame(inOrder(failed), inOrder(new Set([...wanted.failed, ...unpaired])), about)
  }
  t.ok(cases.length > 0)
})

for (const [name, [source, type]] of Object.entries(HOLDING)) {
  onStage(
    `${name}: holds more than there are slots, and its worker is killed`,
    async (t, { work, bash, serve, submit, cluster, given }) => {
      const spec = `let before : !int -> !int = agent { command: ["bash", "./same"], amnesiac: true, answers: "each", sandbox: false }
let main : !int -> !${type} = plumb(from, to) { from ; before ; ${source} ; to }\n`
      writeFileSync(join(work, 'holds.plumb'), spec)
      writeFileSync(join(work, 'in'), MESSAGES)
      const wanted = await bash('plumb --seq holds.plumb < in; rm given')
      const submitter = submit('--seq', '--run', name.replace(/\W/g, '-'), 'holds.plumb')
      const first = serve('--slots', '4', 'holds.plumb')
      submitter.child.stdin?.write(MESSAGES)
      // All is with the form, in its state or in hand, and the input is still open.
      const isHeld = () =>
        cluster.ask('SELECT count(*) FROM plumb.message WHERE part IN (0, 1) OR (part > 1 AND lease IS NULL)').trim() === '0'
      t.ok((await given(30)) && (await until(isHeld, PATIENCE_MS)), 'all is held')
      first.child.kill('SIGKILL')
      const second = serve('--slots', '4', 'holds.plumb')
      submitter.child.stdin?.end()
      await submitter.ended
      await end(second)
      t.strictSame(lines(submitter.reported()).sort(), lines(wanted.out).sort(), submitter.reported(2))
      t.equal(lines(submitter.reported(2)).length > 0, wanted.err !== '', submitter.reported(2))
    },
  )
}
