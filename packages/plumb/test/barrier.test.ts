// The k-th messages of all branches, however unevenly they come: against lists that are paired when all is there. Here the branches part nowhere;
// where they do, origins.test.ts tries whole programs.

import { KeyReader, MessageScanner } from '@plumb/lang'
import fc from 'fast-check'
import t from 'tap'
import { expression } from '../../lang/test/parsed.js'
import { InputContext } from '../../runtime/src/graph/input-context.js'
import { Barrier } from '../../runtime/src/graph/morphism/barrier.js'
import { KeyedBarrier } from '../../runtime/src/graph/morphism/keyed-barrier.js'
import { LatePartners } from '../../runtime/src/graph/morphism/late-partners.js'

const MAX_WAITING = 5000

const barrierOf = (branches: number) => {
  const out: string[] = []
  const faults: string[] = []
  const current = new InputContext()
  const report = ({ error, left }: { error: string; left?: unknown }) => void faults.push(`${error} ${left ?? ''}`)
  const context = { current, report, fail: report, maxLine: 1_000_000 }
  const own = { name: 'pairs', place: undefined, branches: [], rank: 0, maxWaiting: MAX_WAITING, reportsEach: false, lost: () => {} }
  const barrier = new Barrier(Array(branches).fill(1), context, own)
  const send = (buf: Buffer, start: number, end: number) => void out.push(`${current.origin.seqs}${buf.toString('utf8', start, end)}`)
  barrier.outlets[0]?.channels.push({ send, close: () => void out.push('closed') })
  let seq = 0
  const receive = (input: number, buf: Buffer, start: number, end: number): number => {
    current.begin('', 0, ++seq)
    barrier.receive(input, buf, start, end)
    current.end()
    return seq
  }
  return { barrier, receive, current, out, faults }
}

t.test('whatever comes in whatever order', async (t) => {
  const bursts = fc.array(fc.tuple(fc.nat(2), fc.oneof(fc.nat(5), fc.nat(1500))), { maxLength: 30 })
  let tuples = 0
  fc.assert(
    fc.property(bursts, fc.integer({ min: 2, max: 3 }), (list, branches) => {
      const { barrier, receive, current, out, faults } = barrierOf(branches)
      const sent: { text: string; seq: number }[][] = Array.from({ length: branches }, () => [])
      for (const [branch, count] of list) {
        const input = branch % branches
        const mine = sent[input] as { text: string; seq: number }[]
        for (let i = 0; i < count; i++) {
          if (mine.length - Math.min(...sent.map(({ length }) => length)) >= MAX_WAITING) break
          const text = `"${input}.${mine.length}${'x'.repeat((i * 7) % 90)}"`
          // In bytes that change afterwards, as those of a chunk that is read into again would.
          const bytes = Buffer.from(` ${text}\n`)
          mine.push({ text, seq: receive(input, bytes, 1, bytes.length - 1) })
          bytes.fill(0)
        }
      }
      const whole = Math.min(...sent.map(({ length }) => length))
      const expected = Array.from({ length: whole }, (_, k) => {
        const parts = sent.map((messages) => messages[k] as { text: string; seq: number })
        return `${parts.map(({ seq }) => seq).sort((a, b) => a - b)}[${parts.map(({ text }) => text)}]`
      })
      for (const input of sent.keys()) barrier.closeInput(input)
      const left = sent.map(({ length }) => length - whole)
      if (out.join('\n') !== [...expected, 'closed'].join('\n')) throw new Error(`${out.length - 1} tuples for ${whole}`)
      if (`${faults}` !== (left.some((n) => n > 0) ? `unpaired ${left}` : '')) throw new Error(`${faults}`)
      if (current.oldest !== Number.POSITIVE_INFINITY) throw new Error(`input ${current.oldest} is not done with`)
      tuples += whole
    }),
    { numRuns: 60 },
  )
  t.ok(tuples > 1000, `${tuples} tuples`)
})

t.test('past the limit', async (t) => {
  const { receive, faults } = barrierOf(2)
  const one = Buffer.from('1\n')
  for (let i = 0; i < MAX_WAITING; i++) receive(0, one, 0, 1)
  t.same(faults, [])
  receive(0, one, 0, 1)
  t.same(faults, ['overflow '])
})

const JSON_TYPE = { kind: 'json' } as const
const keyed = (branches: number, withinMs?: number) => {
  const out: string[] = []
  const faults: string[] = []
  const current = new InputContext()
  let wake = () => {}
  const report = ({ error, left, seqs }: { error: string; left?: unknown; seqs?: unknown }) => {
    faults.push([error, ...(left ? [`${left}`, JSON.stringify(seqs)] : [])].join(' '))
  }
  const context = { current, report, fail: report, schedule: { wake: () => wake() } }
  const key = () => new KeyReader(expression('value.k'), { input: JSON_TYPE }, new MessageScanner(JSON_TYPE))
  const keys = Array.from({ length: branches }, key)
  const own = { name: 'pairs', keys, branches: [], withinMs, drops: false, maxWaiting: 5000, lost: () => {} }
  const barrier = new KeyedBarrier(Array(branches).fill(1), context as unknown as ConstructorParameters<typeof KeyedBarrier>[1], own)
  barrier.outlets[0]?.channels.push({
    send: (buf: Buffer, start: number, end: number) => void out.push(`${current.seq}${buf.toString('utf8', start, end)}`),
    close: () => {},
  })
  let seq = 0
  const receive = (input: number, text: string): void => {
    const bytes = Buffer.from(` ${text}\n`)
    current.begin('', 0, ++seq)
    barrier.receive(input, bytes, 1, bytes.length - 1)
    current.end()
    bytes.fill(0)
  }
  // Its timer keeps no process alive.
  const due = async (): Promise<void> => {
    const alive = setInterval(() => {}, 1000)
    await new Promise<void>((resolve) => {
      wake = resolve
    })
    clearInterval(alive)
  }
  return { barrier, receive, current, out, faults, due }
}

t.test('by keys: the k-th of each branch, as lists that are paired when all is there', async (t) => {
  const KEYS = ['"a"', '"b"', '1', '"1"', '1.0', '9007199254740993', '9007199254740992', '[]']
  const same = (text: string): string => (text === '1.0' ? '1' : text)
  const sends = fc.array(fc.tuple(fc.nat(2), fc.constantFrom(...KEYS)), { maxLength: 60, size: 'max' })
  let tuples = 0
  fc.assert(
    fc.property(sends, fc.integer({ min: 2, max: 3 }), (list, branches) => {
      const { barrier, receive, current, out, faults } = keyed(branches)
      const groups = new Map<string, { text: string; seq: number }[][]>()
      const expected = { out: [] as string[], faults: [] as string[] }
      for (const [i, [branch, key]] of list.entries()) {
        const [input, text] = [branch % branches, `{"k":${key},"i":${i}}`]
        receive(input, text)
        if (key === '[]') {
          expected.faults.push('evaluation_failed')
          continue
        }
        const queues = groups.get(same(key)) ?? Array.from({ length: branches }, () => [])
        groups.set(same(key), queues)
        queues[input]?.push({ text, seq: i + 1 })
        if (queues.every(({ length }) => length > 0)) expected.out.push(`${i + 1}[${queues.map((queue) => queue.shift()?.text)}]`)
      }
      for (let input = 0; input < branches; input++) barrier.closeInput(input)
      const left = Array.from({ length: branches }, (_, i) =>
        [...groups.values()].reduce((sum, queues) => sum + (queues[i]?.length ?? 0), 0),
      )
      if (out.join('\n') !== expected.out.join('\n')) throw new Error(`${out} instead of ${expected.out}`)
      const told = faults.map((fault) => fault.replace(/ \[\[.*/, ''))
      const wanted = [...expected.faults, ...(left.some((n) => n > 0) ? [`unpaired ${left}`] : [])]
      if (told.join() !== wanted.join()) throw new Error(`${told} instead of ${wanted}`)
      if (current.oldest !== Number.POSITIVE_INFINITY) throw new Error(`input ${current.oldest} is not done with`)
      tuples += out.length
    }),
    { numRuns: 60 },
  )
  t.ok(tuples > 50, `${tuples} tuples`)
})

t.test('by keys, within a time: what has waited leaves, and so does its late partner', async (t) => {
  const { barrier, receive, current, out, faults, due } = keyed(2, 1)
  let isDue = due()
  receive(0, '{"k":1}')
  // A timer of Node may come a part of a millisecond before its time; then there is another.
  while (faults.length === 0) {
    await isDue
    t.ok(barrier.canRun())
    isDue = due()
    barrier.step()
  }
  t.strictSame(faults, ['unpaired 1,0 [[1,1]]'])
  receive(1, '{"k":1,"late":true}')
  t.strictSame(faults, ['unpaired 1,0 [[1,1]]', 'unpaired 0,1 [[2,2]]'])
  receive(0, '{"k":1}')
  receive(1, '{"k":1}')
  t.strictSame(out, ['4[{"k":1},{"k":1}]'], 'the next ones are partners again')
  t.equal(current.oldest, Number.POSITIVE_INFINITY)
})

t.test('late partners are remembered up to a size, the latest for longest', async (t) => {
  const late = new LatePartners(2, 1280)
  for (let key = 0; key < 1000; key++) late.add(key, 1)
  t.equal(late.size, 10)
  t.notOk(late.take(0, 1))
  t.notOk(late.take(999, 0), 'it is one of the other branch')
  t.ok(late.take(999, 1))
  t.notOk(late.take(999, 1), 'once')
  late.add('x'.repeat(10_000), 0)
  t.equal(late.size, 0, 'a key that is too long by itself')
})
