// The k-th messages of all branches, however unevenly they come: against lists that are paired when all is there.

import fc from 'fast-check'
import t from 'tap'
import { Barrier } from '../src/morphism/barrier.js'

const MOST = 5000

const barrierOf = (branches: number) => {
  const out: string[] = []
  const faults: string[] = []
  const report = ({ error, left }: { error: string; left?: unknown }) => void faults.push(`${error} ${left ?? ''}`)
  const options = { name: 'pairs', branches: [], maxWaiting: MOST, report, fail: report }
  const barrier = new Barrier(Array(branches).fill(1), options)
  const send = (buf: Buffer, start: number, end: number) => void out.push(buf.toString('utf8', start, end))
  barrier.outlets[0]?.channels.push({ send, close: () => void out.push('closed') })
  return { barrier, out, faults }
}

t.test('whatever comes in whatever order', async (t) => {
  const bursts = fc.array(fc.tuple(fc.nat(2), fc.oneof(fc.nat(5), fc.nat(1500))), { maxLength: 30 })
  let tuples = 0
  fc.assert(
    fc.property(bursts, fc.integer({ min: 2, max: 3 }), (list, branches) => {
      const { barrier, out, faults } = barrierOf(branches)
      const sent: string[][] = Array.from({ length: branches }, () => [])
      for (const [branch, count] of list) {
        const input = branch % branches
        const mine = sent[input] as string[]
        for (let i = 0; i < count; i++) {
          if (mine.length - Math.min(...sent.map(({ length }) => length)) >= MOST) break
          const text = `"${input}.${mine.length}${'x'.repeat((i * 7) % 90)}"`
          mine.push(text)
          // In bytes that change afterwards, as those of a chunk that is read into again would.
          const bytes = Buffer.from(` ${text}\n`)
          barrier.receive(input, bytes, 1, bytes.length - 1)
          bytes.fill(0)
        }
      }
      const whole = Math.min(...sent.map(({ length }) => length))
      const expected = Array.from({ length: whole }, (_, k) => `[${sent.map((texts) => texts[k]).join()}]`)
      for (const input of sent.keys()) barrier.closeInput(input)
      const left = sent.map(({ length }) => length - whole)
      if (out.join('\n') !== [...expected, 'closed'].join('\n')) throw new Error(`${out.length - 1} tuples for ${whole}`)
      if (`${faults}` !== (left.some((n) => n > 0) ? `unpaired ${left}` : '')) throw new Error(`${faults}`)
      tuples += whole
    }),
    { numRuns: 60 },
  )
  t.ok(tuples > 1000, `${tuples} tuples`)
})

t.test('past the limit', async (t) => {
  const { barrier, faults } = barrierOf(2)
  const one = Buffer.from('1\n')
  for (let i = 0; i < MOST; i++) barrier.receive(0, one, 0, 1)
  t.same(faults, [])
  barrier.receive(0, one, 0, 1)
  t.same(faults, ['overflow '])
})
