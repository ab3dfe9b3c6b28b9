// long
// Random programs of lists, batches, states, fall-backs, ports `error` and loops around children: programs that fail on some messages, take
// their time for others or end in the middle, and nested plumbs. The reference takes one message after the other through them.
//
// Where nothing changes the order, its lines come in that order; behind a port `error`, or a loop, they are the same lines.
//
// PLUMB_PROGRAMS: ten times as many as there are of each, default 30. PLUMB_SEED: those of another seed; it is printed.

import fc from 'fast-check'
import t from 'tap'
import { PRELUDE, rarity } from './arbitrary-chain.js'
import {
  batched,
  bodyOf,
  type Form,
  fallingBack,
  few,
  flattened,
  folded,
  inSequence,
  NEVER_ENDS,
  onList,
  plain,
  recovered,
  resultOf,
  stateless,
} from './arbitrary-form.js'
import { ofOne, rounds } from './arbitrary-loop.js'
import { makeShell } from './shell.js'

const SEED = process.env.PLUMB_SEED === undefined ? Date.now() % 2 ** 31 : Number(process.env.PLUMB_SEED)
const PROGRAMS = Math.ceil(Number(process.env.PLUMB_PROGRAMS ?? 30) / 10)
/** On a busy machine fewer are tried, unless a number was asked for. */
const UNTIL = process.env.PLUMB_PROGRAMS === undefined ? { interruptAfterTimeLimit: 30_000, markInterruptAsFailure: false } : {}
const MAX_OUTPUTS = 400

const { shell } = makeShell({
  // Answers v with v + $2, fails on multiples of $1, and ends at its $3rd message; it takes its time for some.
  'child.sh': `#!/bin/bash
n=0
while read -r v; do
  n=$((n + 1))
  ((n == $3)) && exit 3
  if ((v % $1 == 0)); then echo '{"seq":'$n',"error":{"error":"timeout","category":"unavailable","detail":"not this one"}}'
  else ((v % 4 == $1 % 4)) && read -rt 0.01 <> <(:); echo '{"seq":'$n',"value":'$((v + $2))',"done":true}'; fi
done
`,
})

const answering = (k: number, plus: number): Form =>
  stateless({
    source: `child_${k}_${plus}_0`,
    make: (v) => (v % k === 0 ? { outs: [], isLost: true, hasFailed: true } : { outs: [v + plus], isLost: false }),
  })

const child = fc.tuple(rarity, fc.integer({ min: 0, max: 1 })).map(([k, plus]) => answering(k, plus))

/** What it ends at, and all that comes later, fails. */
const mortal = fc.tuple(rarity, fc.integer({ min: 1, max: 12 })).map(
  ([k, at]): Form => ({
    source: `child_${k}_1_${at}`,
    open: () => {
      let count = 0
      return {
        ...NEVER_ENDS,
        push: (message, { emit, fail, lose }) => {
          if (++count < at && message.value % k !== 0) return emit({ ...message, value: message.value + 1 })
          fail(message)
          lose(message)
        },
      }
    },
  }),
)

/** A plumb of its own around what stands in hexadecimal. */
const nested = ({ source, open }: Form): Form => ({ source: `nested_${Buffer.from(source).toString('hex')}`, open })

/** Bindings for the children in a text, each of which is an instance of its own, and the text with their names. */
const named = (text: string): { readonly bindings: string; readonly text: string } => {
  let [bindings, count] = ['', 0]
  const name = (source: string): string =>
    source
      .replace(/\bchild_(\d+)_(\d+)_(\d+)\b/g, (_, ...args: string[]) => {
        const words = args.slice(0, 3).map((arg) => `, "${arg}"`)
        bindings += `let c${count} : !int -> !int = agent { command: ["bash", "child.sh"${words.join('')}], answers: "numbered" }\n`
        return `c${count++}`
      })
      .replace(/\bnested_([0-9a-f]+)\b/g, (_, hex: string) => {
        const inner = name(Buffer.from(hex, 'hex').toString())
        bindings += `let c${count} : !int -> !int = plumb(from, to) {\n  from ; ${inner} ; to\n}\n`
        return `c${count++}`
      })
  return { text: name(text), bindings }
}

const sequence = (part: fc.Arbitrary<Form>) => fc.array(part, few).map(inSequence)
/** What another has failed on comes to it in no order. */
const fallBack = fc
  .tuple(
    sequence(fc.oneof(plain, flattened, folded, child, mortal, sequence(fc.oneof(plain, child)).map(nested))),
    sequence(fc.oneof(plain, child)),
  )
  .map(fallingBack)
const each = fc
  .tuple(sequence(fc.oneof(plain, folded, child, mortal, sequence(fc.oneof(plain, child)).map(nested))), fc.boolean())
  .map(([inner, skips]) => onList(inner, skips))
const inNested = fc.oneof(plain, flattened, folded, batched, child, fallBack, each)
const ordered = fc.array(fc.oneof(plain, flattened, folded, batched, child, fallBack, each, sequence(inNested).map(nested)), {
  minLength: 1,
  maxLength: 4,
})

const perMessage = fc.oneof(plain, flattened, child, sequence(fc.oneof(plain, flattened, child)).map(nested))
const loop = fc
  .tuple(fc.array(ofOne, { maxLength: 1 }), rarity, fc.array(ofOne, { maxLength: 1 }), fc.integer({ min: 1, max: 3 }))
  .map(([before, k, behind, turns]) => rounds([...before, answering(k, 0), ...behind], turns))
const unordered = fc
  .tuple(
    sequence(fc.oneof(perMessage, mortal)).map(recovered),
    fc.array(fc.oneof(sequence(perMessage).map(recovered), perMessage, loop), few),
  )
  .map(([first, others]) => [first, ...others])

const chainOf = (parts: readonly Form[]): string => `let main : !int -> !int = ${inSequence(parts).source}\n`
const wiresOf = (parts: readonly Form[]): string => {
  const bindings = parts.map(({ source, recovers }, i) => (recovers ? `let p${i} : !int -> !int = ${source}\n` : ''))
  return `${bindings.join('')}let main : !int -> !int = plumb(from, to) {\n${bodyOf(parts, 'from', 'to')}}\n`
}

const WAYS = {
  plainly: 'plumb --seq main.plumb < in',
  recorded: 'plumb --seq --record rec main.plumb < in',
  'without generated code': 'NODE_OPTIONS=--disallow-code-generation-from-strings plumb --seq main.plumb < in',
  slowly: 'while read -r line; do echo "$line"; read -rt 0.01 <> <(:); done < in | plumb --seq main.plumb',
  'few at once': 'plumb --seq --max-in-flight 20 main.plumb < in',
}

const inputs = fc.array(fc.integer({ min: 0, max: 60 }), { minLength: 1, maxLength: 25, size: 'max' })
const ways = fc.constantFrom(...(Object.keys(WAYS) as (keyof typeof WAYS)[]))
const sortedLines = (text: string): string => text.split('\n').sort().join('\n')

const KINDS = {
  'in order': { parts: ordered, textOf: chainOf, seen: (out: string) => out },
  'with ports error and loops': { parts: unordered, textOf: wiresOf, seen: sortedLines },
}

for (const [kind, { parts, textOf, seen }] of Object.entries(KINDS)) {
  t.test(`random programs with children, ${kind}, do what the reference does (seed ${SEED})`, async (t) => {
    const did = { programs: 0, outputs: 0, failed: 0 }
    const law = fc.asyncProperty(parts, inputs, ways, async (parts, values, way) => {
      const { lines, failed } = resultOf(parts, values)
      const written = textOf(parts)
      fc.pre(lines.length < MAX_OUTPUTS && failed.length < MAX_OUTPUTS && written.includes('child_'))
      const { bindings, text } = named(written)
      const about = `${way}: ${PRELUDE}${bindings}${text}${values}`
      const script = `cat > main.plumb; printf '%s\\n' ${values.join(' ')} > in; ${WAYS[way]}`
      const { out, err, status } = await shell(script, `${PRELUDE}${bindings}${text}`)
      const errors = err.split('\n').filter((line) => line.startsWith('{"error"'))
      equal(seen(out), seen(lines.join('')), `${about}\n${err}`)
      const seqs = errors.map((line) => (JSON.parse(line) as { seq?: number }).seq ?? 0)
      equal(`${seqs.sort(byNumber)}`, `${[...failed].sort(byNumber)}`, `errors of ${about}\n${err}`)
      equal(`${status}`, failed.length > 0 ? '1' : '0', `status of ${about}\n${err}`)
      did.programs++
      did.outputs += lines.length
      did.failed += failed.length
    })
    await t.resolves(fc.assert(law, { numRuns: PROGRAMS, seed: SEED, ...UNTIL }))
    t.ok(did.programs > 0 && did.outputs + did.failed > 0, JSON.stringify(did))
  })
}

const byNumber = (a: number, b: number): number => a - b

const equal = (found: string, expected: string, about: string): void => {
  if (found !== expected) throw new Error(`${about}\n${found}\n--- instead of:\n${expected}`)
}
