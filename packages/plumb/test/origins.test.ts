// Random programs of maps that fail, filters, copies and barriers within barriers, against a reference that computes by the rule: what belongs
// together stems from the same message where the branches part. And each of them is run in five ways, with the same bytes.
//
// PLUMB_PROGRAMS: how many, default 150. PLUMB_SEED: those of another seed; it is printed.

import fc from 'fast-check'
import t from 'tap'
import type { Watch } from '../src/watch/watch.js'
import { runWired, type WiredRun } from './run-wired.js'

const SEED = process.env.PLUMB_SEED === undefined ? Date.now() % 2 ** 31 : Number(process.env.PLUMB_SEED)
const PROGRAMS = Number(process.env.PLUMB_PROGRAMS ?? 150)

/** What becomes of one message in a process. */
interface Made {
  readonly outs: readonly number[]
  /** Something was dropped or failed on the way. */
  readonly isLost: boolean
}

/** What all inputs together have come to, beside the outputs. */
interface Books {
  seq: number
  readonly failed: number[]
  /** By barrier: messages without a partner, by branch, and their inputs. */
  readonly left: Map<Chain, { counts: number[]; seqs: Set<number> }>
}

/** From int to int. */
interface Chain {
  readonly source: string
  readonly make: (value: number, books: Books) => Made
}

const whole = (outs: readonly number[]): Made => ({ outs, isLost: false })
const NOTHING: Made = { outs: [], isLost: true }
const small = fc.integer({ min: 2, max: 6 })

const simple: fc.Arbitrary<Chain> = fc.oneof(
  fc.constant({ source: 'id', make: (v: number) => whole([v]) }),
  small.map((k) => ({ source: `map((value * ${k} + 1) % 97)`, make: (v: number) => whole([(v * k + 1) % 97]) })),
  small.map((k) => ({ source: `filter(value % ${k} != 0)`, make: (v: number) => (v % k === 0 ? NOTHING : whole([v])) })),
  small.map((k) => ({
    source: `map(value + 0 % (value % ${k}))`,
    make: (v: number, books: Books) => {
      if (v % k !== 0) return whole([v])
      books.failed.push(books.seq)
      return NOTHING
    },
  })),
)

const inSequence = (parts: readonly Chain[]): Chain => ({
  source: parts.map(({ source }) => source).join(' ; '),
  make: (value, books) => {
    const [first, ...rest] = parts
    if (!first) return whole([value])
    const made = first.make(value, books)
    const behind = made.outs.map((out) => inSequence(rest).make(out, books))
    return { outs: behind.flatMap(({ outs }) => outs), isLost: made.isLost || behind.some(({ isLost }) => isLost) }
  },
})

const merged = (branches: readonly Chain[]): Chain => ({
  source: `(${branches.map(({ source }) => `(${source})`).join(' * ')}) ; merge`,
  make: (value, books) => {
    const made = branches.map((branch) => branch.make(value, books))
    return { outs: made.flatMap(({ outs }) => outs), isLost: made.some(({ isLost }) => isLost) }
  },
})

const joined = (branches: readonly Chain[]): Chain => {
  const sum = branches.map((_, i) => `value[${i}] * ${i + 2}`).join(' + ')
  const chain: Chain = {
    source: `((${branches.map(({ source }) => `(${source})`).join(' * ')}) ; barrier ; map((${sum}) % 89))`,
    make: (value, books) => {
      const made = branches.map((branch) => branch.make(value, books))
      const tuples = Math.min(...made.map(({ outs }) => outs.length))
      const left = made.map(({ outs }) => outs.length - tuples)
      const isKnown = made.some(({ isLost }, i) => left[i] === 0 && isLost)
      if (left.some((n) => n > 0) && !isKnown) {
        const entry = books.left.get(chain) ?? { counts: left.map(() => 0), seqs: new Set() }
        books.left.set(chain, entry)
        entry.counts = entry.counts.map((n, i) => n + (left[i] as number))
        entry.seqs.add(books.seq)
      }
      const outs = Array.from({ length: tuples }, (_, k) => made.reduce((n, { outs }, i) => n + (outs[k] as number) * (i + 2), 0) % 89)
      return { outs, isLost: made.some(({ isLost }) => isLost) || left.some((n) => n > 0) }
    },
  }
  return chain
}

const branchesOf = (chain: fc.Arbitrary<Chain>) => fc.array(chain, { minLength: 2, maxLength: 3 })
const { chain } = fc.letrec<{ chain: Chain; part: Chain }>((tie) => ({
  part: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    simple,
    branchesOf(tie('chain')).map(merged),
    branchesOf(tie('chain')).map(joined),
  ),
  chain: fc.array(tie('part'), { minLength: 1, maxLength: 3 }).map(inSequence),
}))

const inputs = fc.array(fc.integer({ min: 0, max: 60 }), { minLength: 1, maxLength: 20 })
const MAX_OUTPUTS = 400

const textOf = ({ source }: Chain): string => `let main : !int -> !int = ${source}\n`

const linesOf = (values: readonly number[]): Buffer => Buffer.from(values.map((value) => `${value}\n`).join(''))

const watch: Watch = { tell: () => {}, finish: async () => {} }

/** In what a way a program is run must not change a byte. */
const WAYS: Readonly<Record<string, Omit<WiredRun, 'text' | 'input'>>> = {
  'at once': { pieces: [65_536] },
  'byte by byte': { pieces: [1] },
  'line by line, each read before the next': { pieces: [3], isSlow: true },
  watched: { pieces: [65_536], watch },
  'with rejects, and a slow reader': { pieces: [65_536], hasRejects: true, fullBytes: 8 },
}

t.test(`${PROGRAMS} random programs join by origin, in five ways of running (seed ${SEED})`, async (t) => {
  const seen = { outputs: 0, failed: 0, unpaired: 0, barriers: 0 }
  const law = fc.asyncProperty(chain, inputs, async (program, values) => {
    const books: Books = { seq: 0, failed: [], left: new Map() }
    const expected = values.flatMap((value, i) => {
      books.seq = i + 1
      return program.make(value, books).outs.map((out) => `{"seq":${i + 1},"value":${out}}\n`)
    })
    fc.pre(expected.length < MAX_OUTPUTS)
    const text = textOf(program)
    const input = linesOf(values)
    const numbered = await runWired({ text, input, pieces: [65_536], isNumbered: true, hasRejects: true })
    equal(numbered.out, expected.join(''), `${text}${values}`)
    const failed = numbered.faults.filter(({ error }) => error === 'evaluation_failed').map(({ seq }) => seq as number)
    equal(`${failed.sort(byNumber)}`, `${books.failed.sort(byNumber)}`, `errors of ${text}${values}`)
    const unpaired = numbered.faults.filter(({ error }) => error === 'unpaired').map(({ left, seqs }) => JSON.stringify([left, seqs]))
    const left = [...books.left.values()].map(({ counts, seqs }) => JSON.stringify([counts, rangesOf([...seqs])]))
    equal(unpaired.sort().join(), left.sort().join(), `unpaired of ${text}${values}`)
    equal(`${numbered.faults.length}`, `${failed.length + unpaired.length}`, `other errors of ${text}${values}`)
    const lost = new Set([...books.failed, ...[...books.left.values()].flatMap(({ seqs }) => [...seqs])])
    const rejected = [...lost].map((seq) => `${values[seq - 1]}`)
    equal(`${[...numbered.rejected].sort()}`, `${rejected.sort()}`, `rejects of ${text}${values}`)
    const plain = expected.map((line) => `${JSON.parse(line).value}\n`).join('')
    for (const [way, options] of Object.entries(WAYS)) {
      const { out, faults, oldest } = await runWired({ text, input, ...options })
      equal(out, plain, `${way}: ${text}${values}`)
      equal(JSON.stringify(faults), JSON.stringify(numbered.faults), `errors ${way}: ${text}${values}`)
      equal(`${oldest}`, 'Infinity', `${way}, done with: ${text}${values}`)
    }
    seen.outputs += expected.length
    seen.failed += books.failed.length
    seen.unpaired += books.left.size
    if (text.includes('barrier')) seen.barriers++
  })
  await t.resolves(fc.assert(law, { numRuns: PROGRAMS, seed: SEED }))
  t.ok(
    seen.outputs > PROGRAMS && seen.failed > PROGRAMS / 10 && seen.unpaired > PROGRAMS / 50 && seen.barriers > PROGRAMS / 5,
    JSON.stringify(seen),
  )
})

const byNumber = (a: number, b: number): number => a - b

const equal = (found: string, expected: string, about: string): void => {
  if (found !== expected) throw new Error(`${about}\n${found}\n--- instead of:\n${expected}`)
}

const rangesOf = (numbers: readonly number[]): [number, number][] => {
  const ranges: [number, number][] = []
  for (const n of numbers) {
    const last = ranges.at(-1)
    if (last && n === last[1] + 1) last[1] = n
    else ranges.push([n, n])
  }
  return ranges
}
