// long
// Random programs of maps that fail, filters, copies and barriers within barriers, against a reference that computes by the rule: what belongs
// together stems from the same message where the branches part. And each of them is run in five ways, with the same bytes.
//
// Then programs with children: nested plumbs, loops in them, and programs that fail on some of their inputs, of different speed.
//
// PLUMB_PROGRAMS: how many, default 30, and a tenth as many with children. PLUMB_SEED: those of another seed; it is printed.

import fc from 'fast-check'
import t from 'tap'
import type { RunEmitter } from '../../runtime/src/event/emitter.js'
import {
  type Books,
  type Chain,
  chain,
  inSequence,
  joined,
  NOTHING,
  onList,
  PRELUDE,
  rarity,
  simple,
  small,
  sumOfLeft,
  whole,
} from './arbitrary-chain.js'
import { runWired, type WiredRun } from './run-wired.js'
import { makeShell } from './shell.js'

const SEED = process.env.PLUMB_SEED === undefined ? Date.now() % 2 ** 31 : Number(process.env.PLUMB_SEED)
const PROGRAMS = Number(process.env.PLUMB_PROGRAMS ?? 30)

const inputs = fc.array(fc.integer({ min: 0, max: 60 }), { minLength: 1, maxLength: 20 })
const MAX_OUTPUTS = 400
const MAX_FAILED = 400
/** On a busy machine fewer are tried, unless a number was asked for. */
const UNTIL = process.env.PLUMB_PROGRAMS === undefined ? { interruptAfterTimeLimit: 60_000, markInterruptAsFailure: false } : {}

const textOf = ({ source }: Chain): string => `${PRELUDE}let main : !int -> !int = ${source}\n`

const linesOf = (values: readonly number[]): Buffer => Buffer.from(values.map((value) => `${value}\n`).join(''))

const emitter: RunEmitter = { emit: () => {}, finish: async () => {} }

/** In what a way a program is run must not change a byte. */
const WAYS: Readonly<Record<string, Omit<WiredRun, 'text' | 'input'>>> = {
  'at once': { pieces: [65_536] },
  'byte by byte': { pieces: [1] },
  'line by line, each read before the next': { pieces: [3], isSlow: true },
  watched: { pieces: [65_536], emitter },
  'with rejects, and a slow reader': { pieces: [65_536], hasRejects: true, fullBytes: 8 },
}

t.test(`${PROGRAMS} random programs join by origin, in five ways of running (seed ${SEED})`, async (t) => {
  const seen = { programs: 0, outputs: 0, failed: 0, unpaired: 0, barriers: 0, lists: 0 }
  const law = fc.asyncProperty(chain, inputs, async (program, values) => {
    const books: Books = { seq: 0, failed: [], skipped: [], left: new Map(), leftInLists: { sum: 0 } }
    const expected = values.flatMap((value, i) => {
      books.seq = i + 1
      return program.make(value, books).outs.map((out) => `{"seq":${i + 1},"value":${out}}\n`)
    })
    fc.pre(expected.length < MAX_OUTPUTS && books.failed.length + books.skipped.length < MAX_FAILED)
    const text = textOf(program)
    const input = linesOf(values)
    const numbered = await runWired({ text, input, pieces: [65_536], isNumbered: true, hasRejects: true })
    equal(numbered.out, expected.join(''), `${text}${values}`)
    const failed = numbered.faults.filter(({ error }) => error === 'evaluation_failed').map(({ seq }) => seq as number)
    equal(`${failed.sort(byNumber)}`, `${[...books.failed, ...books.skipped].sort(byNumber)}`, `errors of ${text}${values}`)
    const unpaired = numbered.faults.filter(({ error }) => error === 'unpaired').map(({ left, seqs }) => JSON.stringify([left, seqs]))
    const left = [...books.left.values()].map(({ counts, seqs }) => JSON.stringify([counts, rangesOf([...seqs])]))
    equal(unpaired.sort().join(), left.sort().join(), `unpaired of ${text}${values}`)
    equal(`${numbered.faults.length}`, `${failed.length + unpaired.length}`, `other errors of ${text}${values}`)
    const lost = new Set([...books.failed, ...books.skipped, ...[...books.left.values()].flatMap(({ seqs }) => [...seqs])])
    const rejected = [...lost].map((seq) => `${values[seq - 1]}`)
    equal(`${[...numbered.rejected].sort()}`, `${rejected.sort()}`, `rejects of ${text}${values}`)
    const plain = expected.map((line) => `${JSON.parse(line).value}\n`).join('')
    for (const [way, options] of Object.entries(WAYS)) {
      const { out, faults, oldest } = await runWired({ text, input, ...options })
      equal(out, plain, `${way}: ${text}${values}`)
      equal(JSON.stringify(faults), JSON.stringify(numbered.faults), `errors ${way}: ${text}${values}`)
      equal(`${oldest}`, 'Infinity', `${way}, done with: ${text}${values}`)
    }
    seen.programs++
    seen.outputs += expected.length
    seen.failed += books.failed.length
    seen.unpaired += books.left.size
    if (text.includes('barrier')) seen.barriers++
    if (text.includes('each')) seen.lists++
  })
  await t.resolves(fc.assert(law, { numRuns: PROGRAMS, seed: SEED, ...UNTIL }))
  const { programs, outputs, failed, unpaired, barriers, lists } = seen
  t.ok(programs >= 10 && outputs > 0 && failed > 0 && barriers > 0 && lists > 0, JSON.stringify({ ...seen, unpaired }))
})

const { shell } = makeShell({
  // Answers n with n + 1, and fails on multiples of $1; it takes its time for some of them.
  'child.sh': `#!/bin/bash
n=0
while read -r v; do
  n=$((n + 1))
  if ((v % $1 == 0)); then echo '{"seq":'$n',"error":{"error":"timeout","category":"unavailable","detail":"not this one"}}'
  else ((v % 4 == $1 % 4)) && read -rt 0.01 <> <(:); echo '{"seq":'$n',"value":'$((v + 1))',"done":true}'; fi
done
`,
})

// Enough for lines to be taken in batches, which recording does without.
const MANY = Array.from({ length: 200 }, (_, i) => i % 61)

t.test(`${PROGRAMS} random programs give the same bytes when they are recorded (seed ${SEED})`, async (t) => {
  const seen = { programs: 0, bytes: 0, errors: 0 }
  const input = MANY.map((value) => `${value}\n`).join('')
  const law = fc.asyncProperty(chain, async (program) => {
    const books: Books = { seq: 0, failed: [], skipped: [], left: new Map(), leftInLists: { sum: 0 } }
    const outputs = MANY.slice(0, 61).flatMap((value) => program.make(value, books).outs)
    fc.pre(outputs.length < MAX_OUTPUTS && books.failed.length + books.skipped.length < 100)
    const text = textOf(program)
    const { out, err } = await shell(
      `cat > in; printf %s '${text}' > main.plumb
plumb main.plumb < in > plain 2> errors
plumb --record rec main.plumb < in > recorded 2> recorded-errors
cmp plain recorded && cmp errors recorded-errors && wc -c < plain && wc -l < errors`,
      input,
    )
    const [bytes = '', errors = ''] = out.split('\n')
    equal(err, '', text)
    equal(`${Number(bytes) + Number(errors) > 0 || books.failed.length === 0}`, 'true', `${text}${out}`)
    seen.programs++
    seen.bytes += Number(bytes)
    seen.errors += Number(errors)
  })
  await t.resolves(fc.assert(law, { numRuns: PROGRAMS, seed: SEED, ...UNTIL }))
  t.ok(seen.programs >= 2 && seen.bytes > 0 && seen.errors > 0, JSON.stringify(seen))
})

/** A process of its own, by the name of its binding, which stands before the program. */
interface Child {
  readonly binding: string
  readonly chain: Chain
}

const program = (k: number, i: number): Child => ({
  binding: `let c${i} : !int -> !int = agent { command: ["bash", "child.sh", "${k}"], answers: "numbered" }\n`,
  chain: {
    source: `c${i}`,
    make: (v, books) => {
      if (v % k !== 0) return whole([v + 1])
      books.failed.push(books.seq)
      return NOTHING
    },
  },
})

const nested = (inner: Chain, i: number): Child => ({
  binding: `let c${i} : !int -> !int = plumb(from, to) {\n  from ; ${inner.source} ; to\n}\n`,
  chain: {
    source: `c${i}`,
    // What an each leaves out in there is an error of the whole process, which reports that less may come of the input.
    // One that gives nothing has dropped its input, as far as its parent can see.
    make: (value, books) => {
      const failed: number[] = []
      const { outs, isLost } = inner.make(value, { ...books, failed, skipped: failed })
      books.failed.push(...failed)
      return { outs, isLost: isLost || failed.length > 0 || outs.length === 0 }
    },
  },
})

/** Goes down by k for as long as it is above 3. */
const loop = (k: number, i: number): Child => ({
  binding: `let step${i} : !int -> !int = map(value - ${k})\nlet c${i} : !int -> !int = plumb(from, to) {\n  from ; step${i}\n  step${i} ; filter(value > 3) ; step${i}\n  step${i} ; filter(value <= 3) ; to\n}\n`,
  chain: {
    source: `c${i}`,
    make: (v) => {
      let value = v - k
      while (value > 3) value -= k
      // Either filter drops what the other one passes on.
      return { outs: [value], isLost: true }
    },
  },
})

const kinds = fc.oneof(
  rarity.map((k) => (i: number) => program(k, i)),
  chain.map((inner) => (i: number) => nested(inner, i)),
  small.map((k) => (i: number) => loop(k, i)),
)

/** As it is, or on the elements of a list. */
const placed = fc.tuple(kinds, fc.constantFrom('alone', 'each', 'skip')).map(([kind, way]) => (i: number): Child => {
  const { binding, chain } = kind(i)
  return { binding, chain: way === 'alone' ? chain : onList(chain, way === 'skip') }
})

/** Some before the branches part, some on each branch. */
const withChildren = fc
  .record({ kinds: fc.array(placed, { minLength: 2, maxLength: 4 }), simple, chain, isJoined: fc.boolean() })
  .map(({ kinds, simple, chain, isJoined }) => {
    const children = kinds.map((kind, i) => kind(i))
    const [first, ...others] = children.map((child) => child.chain) as [Chain, ...Chain[]]
    const branches = [simple, ...others.map((other) => inSequence([other, chain]))]
    const program = isJoined ? inSequence([first, joined(branches)]) : joined([first, ...branches])
    return { program, text: `${children.map(({ binding }) => binding).join('')}${textOf(program)}` }
  })

const fewInputs = fc.array(fc.integer({ min: 0, max: 60 }), { minLength: 1, maxLength: 30, size: 'max' })

t.test(`programs with children join by origin (seed ${SEED})`, async (t) => {
  const seen = { programs: 0, outputs: 0, errors: 0 }
  const law = fc.asyncProperty(withChildren, fewInputs, async ({ program, text }, values) => {
    const books: Books = { seq: 0, failed: [], skipped: [], left: new Map(), leftInLists: { sum: 0 } }
    const expected = values.flatMap((value, i) => {
      books.seq = i + 1
      return program.make(value, books).outs.map((out) => `{"seq":${i + 1},"value":${out}}`)
    })
    fc.pre(expected.length < MAX_OUTPUTS && books.failed.length + books.skipped.length < MAX_FAILED)
    const about = `${text}${values}`
    const { out, err } = await shell(`cat > main.plumb; plumb --seq main.plumb < <(printf '%s\\n' ${values.join(' ')})`, text)
    equal(out.split('\n').filter(Boolean).sort().join('\n'), [...expected].sort().join('\n'), `${about}\n${err}`)
    const errors = err
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as { error: string; seq?: number; left?: number[] })
    const failed = errors.flatMap(({ error, seq }) => (error === 'unpaired' ? [] : [seq ?? 0]))
    equal(`${failed.sort(byNumber)}`, `${[...books.failed, ...books.skipped].sort(byNumber)}`, `errors of ${about}\n${err}`)
    const left = errors.flatMap((error) => error.left ?? []).reduce((sum, n) => sum + n, 0)
    // A list that fails has one error, and so has an element that is left out: what else another process reports of it may come too late.
    const most = sumOfLeft(books)
    const least = most - books.leftInLists.sum
    equal(`${left}`, `${Math.min(Math.max(left, least), most)}`, `unpaired of ${about}\n${err}`)
    seen.programs++
    seen.outputs += expected.length
    seen.errors += errors.length
  })
  const numRuns = Math.ceil(PROGRAMS / 10)
  await t.resolves(fc.assert(law, { numRuns, seed: SEED, ...UNTIL }))
  t.ok(seen.programs >= 2 && seen.outputs + seen.errors > 0, JSON.stringify(seen))
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
