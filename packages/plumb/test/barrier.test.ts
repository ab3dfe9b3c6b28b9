// The k-th messages of all branches, however unevenly they come: against lists that are paired when all is there. Here the branches part nowhere;
// where they do, origins.test.ts tries whole programs.

import fc from 'fast-check'
import t from 'tap'
import { InputContext } from '../../runtime/src/graph/input-context.js'
import { Barrier } from '../../runtime/src/graph/morphism/barrier.js'

const MAX_WAITING = 5000

const barrierOf = (branches: number) => {
  const out: string[] = []
  const faults: string[] = []
  const current = new InputContext()
  const report = ({ error, left }: { error: string; left?: unknown }) => void faults.push(`${error} ${left ?? ''}`)
  const context = { current, report, fail: report }
  const own = { name: 'pairs', place: undefined, branches: [], rank: 0, maxWaiting: MAX_WAITING, lost: () => {} }
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
