// long
// Random programs around programs of others that miscount, end in the middle of a line, or answer late, out of order and several times
// (plumb-wire(5), Promises): each input has one outcome, and no tuple has parts of two. Then the same where their outputs are held back
// against each other, and, where PLUMB_PROGRAMS is given, where others have the machine: two busy loops beside each run would take it from
// other tests.
//
// PLUMB_PROGRAMS: how many, default 150, five in a run, and a tenth as many in each of these ways. PLUMB_SEED: those of another seed; it is
// printed.

import fc from 'fast-check'
import t from 'tap'
import { bash, envIn, makeTestDirectory } from '../../packages/wire/test/shell.js'
import { type Program, program, specOf, steady } from './arbitrary-program.js'
import { DROPPED, PROGRAM, RELAY } from './foreign-program.js'

const SEED = process.env.PLUMB_SEED === undefined ? Date.now() % 2 ** 31 : Number(process.env.PLUMB_SEED)
const IS_SOAK = process.env.PLUMB_PROGRAMS !== undefined
/** On a busy machine fewer are tried, unless a number was asked for. */
const until = (ms: number) => (IS_SOAK ? {} : { interruptAfterTimeLimit: ms, markInterruptAsFailure: false })

const BESIDE = 5
const RUNS = Math.ceil(Number(process.env.PLUMB_PROGRAMS ?? 150) / BESIDE)
const INPUTS_EACH = 6
const beside = (one: fc.Arbitrary<Program>) => fc.array(one, { minLength: BESIDE, maxLength: BESIDE })

interface Line {
  readonly seq: number | null
  readonly seqs?: readonly number[]
  readonly value?: { readonly p: number; readonly id: number; readonly bad: boolean }
  readonly error?: { readonly error: string; readonly detail: string }
  readonly done?: true
  readonly more?: true
}

interface Outcome {
  readonly values: NonNullable<Line['value']>[]
  readonly errors: string[]
  ends: number
}

interface Result {
  /** By the number of the input, from 1. */
  readonly outcomes: readonly Outcome[]
  readonly errors: number
  readonly lines: readonly string[]
  readonly status: number | null | undefined
  readonly about: string
}

const INPUTS = Array.from({ length: BESIDE * INPUTS_EACH }, (_, i) => ({ p: i % BESIDE, id: i + 1, n: 0, bad: false }))

/** Inputs that an error names: one, several, or ranges of them. */
const namedIn = ({ seq, seqs }: { readonly seq?: number; readonly seqs?: readonly (readonly [number, number])[] }): number[] =>
  seqs ? seqs.flatMap(([first, last]) => Array.from({ length: last - first + 1 }, (_, i) => first + i)) : seq ? [seq] : []

const directory = makeTestDirectory({ 'program.sh': PROGRAM, 'relay.mjs': RELAY })
const env = envIn(makeTestDirectory())
let count = 0

interface Way {
  readonly command?: (name: string) => readonly string[]
  /** Before the name of plumb. */
  readonly before?: string
}

const PLAIN = ['bash', './program.sh']

const runOf = async (programs: readonly Program[], { command = () => PLAIN, before = '' }: Way = {}): Promise<Result> => {
  const spec = specOf(programs, command)
  const name = `run${count++}`
  const input = INPUTS.map((value) => `${JSON.stringify(value)}\n`).join('')
  const script = `cat > ${name}.plumb <<'END'\n${spec}END\nexport PLUMB_ERRORS=json; ${before} plumb run --numbered ${name}.plumb`
  const { out, err, status } = await bash(script, { directory, env }, input)
  const about = `${spec}\nstatus ${status}\n${out}\n${err}`
  const lines = out.split('\n').filter(Boolean)
  const outcomes = INPUTS.map((): Outcome => ({ values: [], errors: [], ends: 0 }))
  const outcomeOf = (seq: number): Outcome => outcomes[seq - 1] ?? fails(`input ${seq} was never sent: ${about}`)
  let errors = 0
  for (const text of lines) {
    const { seq, seqs, value, error, done, more } = JSON.parse(text) as Line
    if (seq === null) fails(`an output of no input: ${text}\n${about}`)
    const all = [...(seqs ?? [seq as number])]
    if (error) errors++
    for (const n of all) {
      const outcome = outcomeOf(n)
      if (outcome.ends > 0) fails(`${text} stands behind the end of its input\n${about}`)
      if (value) outcome.values.push(value)
      if (error) outcome.errors.push(error.error)
    }
    if (done || (error && !more)) outcomeOf(seq as number).ends++
  }
  for (const line of err.split('\n').filter((text) => text.startsWith('{"error":'))) {
    const error = JSON.parse(line) as { error: string; category?: string; detail: string; seq?: number }
    // What the programs write there.
    if (error.detail === 'noise') continue
    errors++
    for (const n of namedIn(error)) outcomeOf(n).errors.push(error.error)
  }
  return { outcomes, errors, lines, status, about }
}

const fails = (why: string): never => {
  throw new Error(why)
}

const holdsFor = (programs: readonly Program[], { outcomes, errors, status, about }: Result): void => {
  if (status === undefined) fails(`it does not end: ${about}`)
  if (status !== (errors > 0 ? 1 : 0)) fails(`status ${status}, with ${errors} errors: ${about}`)
  for (const [i, outcome] of outcomes.entries()) {
    const input = INPUTS[i] as (typeof INPUTS)[number]
    const { hasDrops, mixes, isClean } = programs[input.p] as Program
    const its = `input ${i + 1}, of program ${input.p}`
    if (outcome.ends !== 1) fails(`${its} has ${outcome.ends} ends: ${about}`)
    const mayDrop = hasDrops && (mixes || input.id % DROPPED.modulus === DROPPED.rest)
    if (outcome.values.length + outcome.errors.length === 0 && !mayDrop) fails(`${its} is lost: ${about}`)
    if (isClean && outcome.errors.length > 0) fails(`${its} has an error, though all is right: ${about}`)
    if (!mixes && outcome.values.some(({ p, id, bad }) => p !== input.p || id !== input.id || bad))
      fails(`${its} is mixed with another: ${about}`)
  }
}

t.test(`${RUNS * BESIDE} programs around some that do anything: each input has one outcome (seed ${SEED})`, async (t) => {
  const seen = { programs: 0, values: 0, errors: 0, manners: new Set<string>() }
  const law = fc.asyncProperty(beside(program), async (programs) => {
    const result = await runOf(programs)
    holdsFor(programs, result)
    seen.programs += programs.length
    seen.errors += result.errors
    for (const { values } of result.outcomes) seen.values += values.length
    for (const how of programs.flatMap(({ manners }) => manners)) seen.manners.add(how)
  })
  await t.resolves(fc.assert(law, { numRuns: RUNS, seed: SEED, ...until(60_000) }))
  t.ok(seen.programs > 0 && seen.values > 0 && seen.errors > 0, JSON.stringify({ ...seen, manners: seen.manners.size }))
})

/** What must be the same however late its streams are read: by program, its outputs, and what became of each input. */
const shapeOf = (programs: readonly Program[], { outcomes, lines }: Result): readonly string[] =>
  programs.map(({ isOrdered }, p) => {
    const values = lines.filter(
      (line) => (JSON.parse(line) as Line).value !== undefined && (((JSON.parse(line) as Line).seq ?? 0) - 1) % BESIDE === p,
    )
    const fates = outcomes.flatMap(({ errors }, i) => (i % BESIDE === p ? [`${i + 1}: ${[...new Set(errors)].sort()}`] : []))
    return [...(isOrdered ? values : values.sort()), ...fates].join('\n')
  })

const BUSY = 'while :; do :; done & a=$!; while :; do :; done & b=$!; trap "kill $a $b" EXIT; nice -n 19'

const HELD_RUNS = Math.ceil(RUNS / 10)

t.test(`${HELD_RUNS * BESIDE} programs give the same however their outputs are held back (seed ${SEED})`, async (t) => {
  let seen = 0
  const law = fc.asyncProperty(beside(steady), fc.nat(1000), async (programs, relaySeed) => {
    const plain = await runOf(programs)
    holdsFor(programs, plain)
    const shape = shapeOf(programs, plain)
    let k = relaySeed
    const ways: Readonly<Record<string, Way>> = {
      'held back': { command: () => ['node', './relay.mjs', String(k++), ...PLAIN] },
      ...(IS_SOAK ? { 'on a busy machine': { before: BUSY } } : {}),
    }
    for (const [way, options] of Object.entries(ways)) {
      const other = await runOf(programs, options)
      holdsFor(programs, other)
      for (const [p, found] of shapeOf(programs, other).entries())
        if (found !== shape[p])
          fails(`program ${p}, ${way}, gave\n${found}\n--- in place of\n${shape[p]}\n${other.about}\n--- before:\n${plain.about}`)
    }
    seen += programs.length
  })
  await t.resolves(fc.assert(law, { numRuns: HELD_RUNS, seed: SEED, ...until(30_000) }))
  t.ok(seen > 0, `${seen} programs`)
})
