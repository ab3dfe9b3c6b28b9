// Stages written as one against the same stages one behind the other, each on the text that the one before has written, slowly.

import fc from 'fast-check'
import t from 'tap'
import { runs } from '../../wire/test/property.js'
import { fuse, type Step } from '../src/expression/emit/fuse.js'
import { checkExpression } from '../src/expression/infer/check.js'
import { Sink } from '../src/expression/run/sink.js'
import { MessageScanner } from '../src/expression/stage/message-scanner.js'
import type { ScannedStage } from '../src/expression/stage/scanned-stage.js'
import { compileFilter, compileMap, Verdict } from '../src/expression/stage/stage.js'
import type { Type } from '../src/types/type.js'
import { expression, refuse, type } from './parsed.js'

const EVENT = type('{ n: int, s: string, k: "a" | "b", x?: number, b: bool, r: { y: number, z: [int] }, j: json }')

/** Each is `map` or `filter` and an expression. */
const stepsOf = (texts: readonly string[], from: Type): Step[] => {
  let input = from
  return texts.map((text) => {
    const [, kind, source] = /^(map|filter) (.*)$/s.exec(text) as unknown as [string, Step['kind'], string]
    const e = expression(source)
    const given = checkExpression(e, { input }, refuse) as Type
    const step = { kind, expression: e, input }
    if (kind === 'map') input = given
    return step
  })
}

const FUSED: readonly (readonly string[])[] = [
  ['filter k = "a"'],
  ['map { n, s }'],
  ['filter n > 3', 'filter k = "b"'],
  ['filter n > 3', 'map { n, s }'],
  ['map { n, s }', 'filter n > 3'],
  ['map { n: n * 2, k, y: r.y }', 'filter k = "a"', 'map { m: n * y, k }'],
  ['map { t: r.y * 1.25, s }', 'filter t > 10', 'map { half: t / 2, s }'],
  ['map { q: 10 / n, s }', 'map { s }'],
  ['map { q: 10 / n, s }', 'filter s = "x"', 'map { w: 1 / q }'],
  ['map { big: r.y * 1e15, n }', 'map { n }'],
  ['map { big: n * 9007199254740991, n }', 'filter big > 4', 'map { n }'],
  ['map { m: n * 1.0, y: r.y * 10000000000, n }', 'filter y = 10000000000000000', 'map { y, m }'],
  ['map { m: n * 0.0 }', 'map { t: text(m), m, i: 1 / (m + 1) }'],
  ['map { ...value, n: n + 1 }', 'filter n > 0 and k = "a"'],
  ['map { ...value, n: n + 1 }', 'map { ...value, n: n + 1 }', 'map { n, x: x ?? 7, has: has(x), k }'],
  ['map { ...r, up: upper(s), k }', 'filter up != "" and y > 1', 'map { ...value, s: up + "!" }'],
  ['map { u: upper(s), l: length(s), c: contains(s, "a") }', 'filter c or l > 2', 'map { t: "<" + u + ">", c, l }'],
  ['map { of: { y: r.y, w: { s, d: n + 1 } } }', 'map { y: of.y, d: of.w.d }', 'filter d > 2'],
  ['map { of: { y: r.y, d: n + 1 } }', 'map { of }'],
  ['map { c: "x", d: 1.5, e: true, g: null, h: -3, n }', 'filter c = "x" and e and d > 1', 'map { c, d, e, g, h, n }'],
  ['map { c: if n > 3 then "hi" else "lo", n }', 'filter c = "hi"', 'map { n, c }'],
  ['map { o: not b, p: n > 3 and b, n }', 'filter o or p', 'map { o, p }'],
  ['map { j, n }', 'filter n > 3'],
  ['map { of: j, n }', 'filter of = 3'],
  ['map { ...r, ...value, s: s + "!" }', 'filter s != "!"'],
  ['map n + 1', 'filter value % 2 = 0', 'map { v: value }'],
  ['map r', 'filter y > 1', 'map { y, z }'],
  ['map r', 'map y'],
  ['map s', 'filter starts_with(value, "a")'],
  ['map { s, k }', 'filter s = k or k = "a"', 'map { both: s + k }'],
  ['filter has(x)', 'map { y: (x ?? 1) * 2, s }', 'filter y > 1'],
  ['map value', 'filter n > 3', 'map value'],
  ['filter j = 3 or j = "a"', 'map { n: -n, a: abs(n), t: text(n), r: round(r.y) }', 'filter n < 0', 'map { n: n + a, t, r }'],
]

const UNFUSED: readonly (readonly string[])[] = [
  ['map { x: 1, ...value }', 'filter n > 3'],
  ['map { w: { j }, n }', 'filter n > 3'],
  ['map { x: x ?? 0.5, n }', 'filter n > 3'],
  ['map { d: 1.50, n }', 'filter n > 3', 'map { d }'],
  ['map { z: [n, n], n }', 'filter n > 3'],
  ['map { n, big: 9007199254740993 }', 'map { big }'],
  ['map { s: if b then s else "x", n }', 'map { s }'],
  ['map { s: split(s, "a"), n }', 'map { n }'],
  ['map { n: n + 1, s: number(text(n)) }', 'map { n, s }'],
]

const number = fc.oneof(
  fc.integer({ min: -5, max: 9 }).map(String),
  fc.constantFrom(
    '-0',
    '0.5',
    '1.50',
    '1e3',
    '12345678901234567890',
    '9007199254740993',
    '9007199254740992',
    '1e15',
    '-1e-7',
    '1000000.0',
    '1e8',
  ),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
)
const integer = fc.oneof(
  { weight: 8, arbitrary: fc.integer({ min: -5, max: 9 }).map(String) },
  { weight: 1, arbitrary: fc.constantFrom('-0', '1.0', '1e2', '9007199254740993', '9007199254740991', '-9007199254740992') },
)
const text = fc.oneof(
  fc.string({ maxLength: 4 }).map((s) => JSON.stringify(s)),
  fc.constantFrom('"a"', '"x"', '"\\u0061"', '"\\ud800"', '"é\\n"', '"ß😀"', '""'),
)
const line = fc
  .record({
    n: integer,
    s: text,
    k: fc.constantFrom('"a"', '"b"', '"\\u0061"'),
    x: fc.option(number, { nil: undefined }),
    b: fc.constantFrom('true', 'false'),
    y: number,
    z: fc.constantFrom('[]', '[1, 2]'),
    j: fc.constantFrom('3', '3.0', '"a"', '{"a":[1]}', 'null'),
  })
  .map(
    ({ n, s, k, x, b, y, z, j }) =>
      `{"n":${n},"s":${s},"k":${k},${x === undefined ? '' : `"x":${x},`}"b":${b},"r":{"y":${y},"z":${z}},"j":${j}}`,
  )
  .filter((text) => !/\p{Surrogate}/u.test(text))

const REFUSED = 'refused'

/** What the last of them gives; undefined: dropped. */
const oneByOne = (stages: readonly ScannedStage[], message: string): string | undefined => {
  let given = message
  for (const stage of stages) {
    const out = new Sink()
    const bytes = Buffer.from(`${given}\n`)
    const verdict = stage.runSlowly(bytes, 0, bytes.length - 1, out)
    if (verdict === Verdict.DROP) return undefined
    if (verdict === Verdict.WROTE) given = out.buf.toString('utf8', out.start, out.end)
    else if (verdict !== Verdict.PASS) return REFUSED
  }
  return given
}

const stageOf = ({ kind, expression, input }: Step): ScannedStage =>
  (kind === 'map' ? compileMap : compileFilter)(expression, { input: input }) as ScannedStage

for (const texts of FUSED) {
  t.test(texts.join(' ; '), async (t) => {
    const steps = stepsOf(texts, EVENT)
    const stages = steps.map(stageOf)
    const scanner = new MessageScanner(EVENT)
    const chain = fuse(steps, scanner)
    if (!chain) {
      t.fail('not written as one')
      return
    }
    const out = new Sink()
    const seen = { same: 0, refused: 0 }
    fc.assert(
      fc.property(line, (message) => {
        const bytes = Buffer.from(`${message}\n`)
        if (!scanner.scan(bytes, 0, bytes.length - 1)) return
        const verdict = chain.evaluate(bytes, scanner.captures, out)
        const expected = oneByOne(stages, message)
        if (verdict === Verdict.FAILED) {
          // It may always leave it to the stages.
          seen.refused++
          return
        }
        const found = verdict === Verdict.DROP ? undefined : chain.isWritten ? out.buf.toString('utf8', out.start, out.end) : message
        if (found !== expected) throw new Error(`${message}: ${found} for ${expected}`)
        if (verdict !== Verdict.DROP && (verdict === Verdict.WROTE) !== chain.isWritten) throw new Error(`${Verdict[verdict]}`)
        seen.same++
      }),
      { numRuns: runs(600) },
    )
    t.ok(seen.same > runs(10), JSON.stringify(seen))
  })
}

t.test('what would not come out as it went in is not written as one', async (t) => {
  for (const texts of UNFUSED) {
    const steps = stepsOf(texts, EVENT)
    t.equal(fuse(steps, new MessageScanner(EVENT)), undefined, texts.join(' ; '))
  }
})

t.test('between two stages a default may be filled in', async (t) => {
  const wider = type('{ n: int, m?: int = 3 }')
  const [first] = stepsOf(['map { n }'], EVENT)
  const [second] = stepsOf(['filter m = 3'], wider)
  t.equal(fuse([first as Step, second as Step], new MessageScanner(EVENT)), undefined)
  const optional = type('{ n: int, m?: int }')
  const [absent] = stepsOf(['filter (m ?? 3) = 3'], optional)
  t.equal(fuse([first as Step, absent as Step], new MessageScanner(EVENT)), undefined)
})

t.test('what is written stays whole wherever its chunk ends', async (t) => {
  const [step] = stepsOf(['map { a: lower(s), y: r.y * 2, b: s, n: n + 1, c: s + "é" }'], EVENT) as [Step]
  const stage = stageOf(step)
  const out = new Sink()
  const written: [Buffer, number, number, string][] = []
  let chunks = 1
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 30 }), fc.nat(), (s, n) => {
      if (/\p{Surrogate}/u.test(s)) return
      const bytes = Buffer.from(`${JSON.stringify({ n, s, k: 'a', b: true, r: { y: n / 4, z: [] }, j: 1 })}\n`)
      const before = out.buf
      if (stage.run(bytes, 0, bytes.length - 1, out) !== Verdict.WROTE) throw new Error(JSON.stringify(stage.fault))
      if (out.buf !== before) chunks++
      const a = s.toLowerCase()
      written.push([out.buf, out.start, out.end, JSON.stringify({ a, y: n / 2, b: s, n: n + 1, c: `${s}é` })])
    }),
    { numRuns: runs(8000) },
  )
  for (const [buf, start, end, expected] of written) if (buf.toString('utf8', start, end) !== expected) t.fail(expected)
  t.ok(chunks > 4, `${chunks} chunks`)
})

t.test('a failure that is none of the message goes on', async (t) => {
  const chain = fuse(stepsOf(['filter n > 3'], EVENT), new MessageScanner(EVENT))
  t.throws(() => chain?.evaluate(undefined as unknown as Buffer, new Int32Array(20), new Sink()), TypeError)
})
