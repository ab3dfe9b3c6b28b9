// What waits between a child and the receivers of its answers, and how long a child may be silent.

import fc from 'fast-check'
import t from 'tap'
import { HeldLines } from '../../runtime/src/child/held-lines.js'
import { Silence } from '../../runtime/src/child/silence.js'
import { holds, runs } from '../../wire/test/property.js'

// What is waited for keeps no process alive.
const alive = setInterval(() => {}, 60_000)
t.teardown(() => clearInterval(alive))

t.test('lines that are held come out in their order, whatever becomes of the chunks that they stood in', (t) => {
  const step = fc.oneof(
    fc.string({ maxLength: 8 }).map((text) => ({ text })),
    fc.constantFrom('take' as const, 'clear' as const),
  )
  const property = fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
    const [held, model] = [new HeldLines(), [] as string[]]
    return steps.every((step) => {
      if (step === 'clear') {
        held.clear()
        model.length = 0
      } else if (step === 'take') {
        if (held.take()?.toString() !== model.shift()) return false
      } else {
        const chunk = Buffer.from(step.text)
        held.add(chunk)
        model.push(chunk.toString())
        chunk.fill('x')
      }
      return held.isEmpty === (model.length === 0) && !held.isFull
    })
  })
  return holds(t, property, { numRuns: runs(400) })
})

t.test('held lines have a limit', async (t) => {
  const held = new HeldLines()
  const line = Buffer.alloc(1024 * 1024)
  let count = 0
  for (; !held.isFull; count++) held.add(line)
  t.equal(count, 17)
  held.take()
  t.notOk(held.isFull)
})

t.test('held lines that were taken are let go of, though some always wait', async (t) => {
  const held = new HeldLines()
  const lineOf = (n: number) => Buffer.alloc(64 * 1024, n)
  held.add(lineOf(0))
  for (let n = 1; n < 5000; n++) {
    held.add(lineOf(n))
    if (held.take()?.[7] === (n - 1) % 256) continue
    t.fail(`line ${n - 1} is another`)
    break
  }
  // A third of what went through.
  t.ok(process.memoryUsage().arrayBuffers < 100 * 1024 * 1024)
  t.equal(held.take()?.[7], 4999 % 256)
  t.ok(held.isEmpty)
})

t.test('a program that says nothing is named once, with what it has in hand', async (t) => {
  let inHand = 3
  const told: number[] = []
  const silent = await new Promise<Silence>((resolve) => {
    const silence: Silence = new Silence({
      ms: 5,
      inHand: () => inHand,
      tell: (inputs) => {
        told.push(inputs)
        resolve(silence)
      },
    })
    silence.sent()
  })
  inHand = 4
  // Another one that begins later, of as long a time, is done after it would have been told again.
  silent.sent()
  await new Promise<void>((resolve) => new Silence({ ms: 5, inHand: () => 1, tell: () => resolve() }).sent())
  t.strictSame(told, [3])
})

t.test('one that has answered all, or has ended, is not', async (t) => {
  const tell = () => t.fail('it was told')
  const [idle, ended] = [new Silence({ ms: 5, inHand: () => 0, tell }), new Silence({ ms: 5, inHand: () => 1, tell })]
  idle.sent()
  ended.sent()
  ended.end()
  ended.sent()
  const later = () => new Promise<void>((resolve) => new Silence({ ms: 5, inHand: () => 1, tell: () => resolve() }).sent())
  await later()
  // It was idle: a message that it is sent then begins a time of its own.
  let has = 0
  const again = new Silence({ ms: 5, inHand: () => has, tell: (inputs) => t.equal(inputs, 2) })
  again.sent()
  await later()
  has = 2
  again.sent()
  await later()
})
