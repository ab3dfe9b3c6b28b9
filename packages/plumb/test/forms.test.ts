// long
// Random programs of the forms that keep something from one message to the next (batch, fold), with lists, fall-backs, ports `error`, loops and
// barriers around them, against a reference that takes one message after the other through the program, by the rules of plumbing(5).
//
// PLUMB_PROGRAMS: how many, default 30. PLUMB_SEED: those of another seed; it is printed.

import fc from 'fast-check'
import t from 'tap'
import { PRELUDE } from './arbitrary-chain.js'
import { bodyOf, chain, type Form, few, flat, inSequence, keyedEnd, recovered, resultOf } from './arbitrary-form.js'
import { loop } from './arbitrary-loop.js'
import { runWired, type WiredRun } from './run-wired.js'

const SEED = process.env.PLUMB_SEED === undefined ? Date.now() % 2 ** 31 : Number(process.env.PLUMB_SEED)
const PROGRAMS = Number(process.env.PLUMB_PROGRAMS ?? 30)

const recovering = fc.array(flat, few).map(inSequence).map(recovered)
const program = fc
  .tuple(fc.array(fc.oneof(chain, recovering, loop), { minLength: 1, maxLength: 4 }), fc.option(keyedEnd, { freq: 2 }))
  .map(([parts, last]) => (last ? [...parts, last] : parts))

const textOf = (parts: readonly Form[]): string => {
  const bindings = parts.map(({ source, recovers }, i) => (recovers ? `let p${i} : !int -> !int = ${source}\n` : ''))
  return `${PRELUDE}${bindings.join('')}let main : !int -> !int = plumb(from, to) {\n${bodyOf(parts, 'from', 'to')}}\n`
}

const WAYS: Readonly<Record<string, Omit<WiredRun, 'text' | 'input'>>> = {
  'byte by byte': { pieces: [1] },
  'with rejects, and a slow reader': { pieces: [65_536], hasRejects: true, fullBytes: 8 },
  watched: { pieces: [65_536], emitter: { emit: () => {}, finish: async () => {} } },
}
const MAX_OUTPUTS = 400
/** On a busy machine fewer are tried, unless a number was asked for. */
const UNTIL = process.env.PLUMB_PROGRAMS === undefined ? { interruptAfterTimeLimit: 60_000, markInterruptAsFailure: false } : {}

const inputs = fc.array(fc.integer({ min: 0, max: 60 }), { minLength: 1, maxLength: 20 })

t.test(`${PROGRAMS} random programs with state, lists and errors do what the reference does (seed ${SEED})`, async (t) => {
  const seen = { programs: 0, outputs: 0, failed: 0, unpaired: 0 }
  const forms = new Set<string>()
  const law = fc.asyncProperty(program, inputs, async (parts, values) => {
    const { lines, failed, unpaired } = resultOf(parts, values)
    fc.pre(lines.length < MAX_OUTPUTS && failed.length < MAX_OUTPUTS)
    const text = textOf(parts)
    const about = `${text}${values}`
    const input = Buffer.from(values.map((value) => `${value}\n`).join(''))
    const numbered = await runWired({ text, input, pieces: [65_536], isNumbered: true, hasRejects: true })
    equal(numbered.out, lines.join(''), about)
    const faults = numbered.faults.filter(({ error }) => error !== 'unpaired')
    equal(
      faults
        .map(({ error, seq }) => `${seq} ${error}`)
        .sort()
        .join(),
      failed
        .map((seq) => `${seq} evaluation_failed`)
        .sort()
        .join(),
      `errors of ${about}`,
    )
    const left = numbered.faults.flatMap(({ error, left, seqs }) => (error === 'unpaired' ? [JSON.stringify([left, seqs])] : []))
    equal(left.sort().join(), unpaired.sort().join(), `unpaired of ${about}`)
    const bare = lines.map((line) => `${JSON.parse(line).value}\n`).join('')
    for (const [way, options] of Object.entries(WAYS)) {
      const { out, faults, oldest } = await runWired({ text, input, ...options })
      equal(out, bare, `${way}: ${about}`)
      equal(JSON.stringify(faults), JSON.stringify(numbered.faults), `errors ${way}: ${about}`)
      equal(`${oldest}`, 'Infinity', `${way}, done with: ${about}`)
    }
    seen.programs++
    seen.outputs += lines.length
    seen.failed += failed.length
    seen.unpaired += unpaired.length
    if (text.includes('let s')) forms.add('loop')
    for (const [form] of text.matchAll(/\b(batch|fold|flatten|each|barrier|merge|error|scale|by|emit)\b| \+ \(/g)) forms.add(form)
  })
  await t.resolves(fc.assert(law, { numRuns: PROGRAMS, seed: SEED, ...UNTIL }))
  t.ok(seen.programs >= 10 && seen.outputs > 0 && seen.failed > 0 && forms.size === 12, JSON.stringify({ ...seen, forms: [...forms] }))
})

const equal = (found: string, expected: string, about: string): void => {
  if (found !== expected) throw new Error(`${about}\n${found}\n--- instead of:\n${expected}`)
}
