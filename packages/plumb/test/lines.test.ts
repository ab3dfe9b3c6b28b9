// long
// The quick way of lines through a process against the plain one, on random lines in random pieces: a run that is watched takes each line by
// itself and hands it from process to process. Both give the same bytes, the same errors, and count the same.

import fc from 'fast-check'
import t from 'tap'
import type { RunEmitter } from '../../runtime/src/event/emitter.js'
import { runs } from '../../wire/test/property.js'
import { runWired, type WiredResult } from './run-wired.js'

const EVENT = 'type Event = { n: int, s: string, k: "a" | "b", x?: number }\n'
const SPECS: Readonly<Record<string, string>> = {
  id: 'let main : !Event -> !Event = id',
  ids: 'let main : !Event -> !Event = id ; id ; id',
  filter: 'let main : !Event -> !Event = filter(k = "a" and n > 5)',
  'map that may fail': 'let main : !Event -> !{ q: number, s: string } = map({ q: 10 / n, s })',
  stages: 'let main : !Event -> !{ m: number } = map({ n: n * 2, k, x: x ?? 0.5 }) ; filter(k = "a") ; map({ m: n * x })',
  'filters in series': 'let main : !Event -> !Event = filter(n > 2) ; id ; filter(k = "a" or has(x))',
  'stages that may fail':
    'let main : !Event -> !{ r: number } = map({ q: 10 / n, k, s }) ; filter(k = "a" and s != "b") ; map({ r: 1 / (q - 2) })',
  'a spread': 'let main : !Event -> !Event = map({ ...value, n: n + 1 }) ; filter(n > 3)',
  'maps without an end': `let main : !Event -> !int = map({ n, m: n * 2 }) ; map({ l: n + m, m }) ; map(l + m) ; filter(value % 2 = 0)`,
  'all of it, again and again': 'let main : !Event -> !Event = (id * id * id) ; merge',
  'filters side by side':
    'let main : !Event -> !Event = ((filter(n > 2) ; filter(k = "a")) * filter(k = "a") * filter(10 / n > 2)) ; merge',
  'filters of another type': 'let main : !Event -> !(Event | int) = (filter(n > 2) * (map(n) ; filter(value > 3))) ; merge',
  copies: 'let main : !Event -> !Event = (id * id * filter(n % 2 = 0)) ; merge',
  diamonds: 'let main : !Event -> !Event = (id * id) ; (filter(n > 3) * id) ; merge ; (id * id) ; merge',
  'copies and a map between': 'let main : !Event -> !Event = (map({ ...value, n: n + 1 }) * filter(k = "b") * id) ; merge',
  barrier: 'let main : !Event -> !(Event, int) = (id * map(n)) ; barrier',
  'a field': 'let main : !Event -> !string = (filter(n > 0).s * map(s)) ; merge',
  'a discard': 'let main : !Event -> !unit = discard',
  'several outputs':
    'let main : !Event -> (!Event, !int) = plumb(input, left, right) {\n  input ; filter(k = "a") ; left\n  input ; map(n) ; right\n}',
  defaults: 'let main : !{ n: int, s?: string = "none", k?: json, x?: json } -> !{ n: int, s: string } = map({ n, s })',
  json: 'let main : !json -> !Event = filter(true)',
  'a selector': 'let main : !(Event | string | int) -> !Event = pick\nlet pick : !Event -> !Event = filter(n != 4)',
  'a cycle':
    'let main : !Event -> !Event = plumb(input, output) {\n  let c : !Event = channel\n  input ; c\n  c ; filter(n > 0 and n < 9) ; map({ ...value, n: n - 1 }) ; c\n  c ; filter(n <= 0 or n >= 9) ; output\n}',
}

const run = (spec: string, input: Buffer, pieces: readonly number[], emitter: RunEmitter | undefined): Promise<WiredResult> =>
  runWired({ text: `${EVENT}${spec}\n`, input, pieces, maxLine: 200, fullBytes: 500, emitter })

const usual = fc
  .record({ n: fc.integer({ min: -3, max: 12 }), s: fc.string({ maxLength: 4 }), k: fc.constantFrom('a', 'b') })
  .map((value) => `${JSON.stringify(value)}\n`)
// biome-ignore format: a table
const odd = fc.constantFrom(
  '\n', ' \t\r\n', 'x\n', '{"n":1}\n', '{"n":1e1,"s":"\\u00e9","k":"a"}\n', '{"n":1.0,"s":"a","k":"a","x":-0}\n', '{"n":-0,"s":"a","k":"a","x":1e-7}\r\n',
  '{"n":6,"s":"a","k":"b"}\r\n', '{"n":6,"s":"a","k":"b"} \n', ' {"n":6,"s":"a","k":"b"}\n', '{"k":"a","n":8,"s":"é\u2028"}\n', '{"n":1,"n":7,"s":"a","k":"a"}\n',
  '{"n":9007199254740993,"s":"a","k":"a"}\n', '{"n":7,"s":"a","k":"a","more":1}\n', '{"n":7,"s":"a","k":"c"}\n', '{"n":7,"s":"\t","k":"a"}\n', '{"n":7,"s":"a","k":"a"}}\n',
  '{"__port":"input","msg":{"n":7,"s":"a","k":"a"}}\n', '{"__port":"nowhere","msg":1}\n', '{"__port":"output","msg":{"n":2,"s":"a","k":"a"}}\n',
  '"text"\n', '12\n', `{"n":7,"s":"${'long '.repeat(50)}","k":"a"}\n`, '{ "n": 4, "s": "a", "k": "a", "x": 1.50 }\n', '{"n":"7","s":"a","k":"a"}\n',
).map((line) => Buffer.from(line))
const notUtf8 = fc.constant(Buffer.from('{"n":7,"s":"\xff","k":"a"}\n', 'latin1'))
const ends = fc.constantFrom(
  '',
  '{"n":7,"s":"a","k":"a"}',
  '{"n":7,"s":"a',
  '{"n":7,"s":"\\',
  '{"__port":"input","eof":true}\n{"n":1,"s":"a","k":"a"}\n',
)

const input = fc
  .tuple(
    fc.array(
      fc.oneof(
        { weight: 300, arbitrary: usual.map((line) => Buffer.from(line)) },
        { weight: 20, arbitrary: odd },
        { weight: 1, arbitrary: notUtf8 },
      ),
      { minLength: 120, maxLength: 300 },
    ),
    ends,
  )
  .map(([lines, end]) => Buffer.concat([...lines, Buffer.from(end)]))
const pieces = fc.oneof(fc.constant([1]), fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 1, maxLength: 5 }), fc.constant([65_536]))

for (const [name, spec] of Object.entries(SPECS)) {
  t.test(`${name}: watched or not, all is the same`, async (t) => {
    let lines = 0
    const law = fc.asyncProperty(input, pieces, pieces, async (bytes, some, others) => {
      let inputs = 0
      const emit: RunEmitter['emit'] = ({ kind }) => {
        if (kind === 'input') inputs++
      }
      const emitter = { emit, finish: async () => {} }
      const quick = await run(spec, bytes, some, undefined)
      const plain = await run(spec, bytes, others, emitter)
      lines += quick.taken
      if (quick.out !== plain.out) throw new Error(`${quick.out}\n--- watched:\n${plain.out}`)
      if (JSON.stringify(quick.faults) !== JSON.stringify(plain.faults))
        throw new Error(`${JSON.stringify(quick.faults, null, 1)}\n--- watched:\n${JSON.stringify(plain.faults, null, 1)}`)
      if (`${quick.written}` !== `${plain.written}`) throw new Error(`${quick.written} written, ${plain.written} where it is watched`)
      if (quick.taken !== plain.taken) throw new Error(`${quick.taken} taken, ${plain.taken} where it is watched`)
      if (inputs !== plain.taken && !bytes.includes('"eof"')) throw new Error(`${inputs} reported of ${plain.taken}`)
    })
    await t.resolves(fc.assert(law, { numRuns: runs(24), endOnFailure: true }))
    t.ok(lines > 300, `${lines} lines`)
  })
}
