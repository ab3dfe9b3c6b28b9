// What is quick about messages against what is plain: lines of one shape, stages that share a scanner, numbers with few digits.

import fc from 'fast-check'
import t from 'tap'
import { runs } from '../../wire/test/property.js'
import { checkExpression } from '../src/expression/infer/check.js'
import { Sink } from '../src/expression/run/sink.js'
import { putNumber } from '../src/expression/run/write.js'
import { MAX_UNSCANNED, MessageScanner, MessageScanners } from '../src/expression/stage/message-scanner.js'
import type { ScannedStage } from '../src/expression/stage/scanned-stage.js'
import { compileCheck, compileFilter, compileMap, type Stage, Verdict } from '../src/expression/stage/stage.js'
import { shapeScan } from '../src/scan/scan-shape.js'
import type { Path } from '../src/scan/scanner.js'
import { makeScanner } from '../src/scan/scanner-code.js'
import { resolve, STRING, type Type } from '../src/types/type.js'
import { arbitraryNearMiss, arbitraryType, arbitraryValue } from './arbitrary-type.js'
import { expression, refuse, type } from './parsed.js'

const isUtf8 = (text: string): boolean => !/\p{Surrogate}/u.test(text)

const pathsOf = (of: Type): Path[] => {
  const t = resolve(of)
  if (t.kind !== 'record') return [[]]
  return [[], ...t.fields.flatMap(({ name, type }) => [[name], ...pathsOf(type).map((path) => [name, ...path])])].slice(0, 6)
}

/** Changes that leave most of a message as it is: other numbers and strings, and now and then a byte of something else. */
const changes = fc.array(
  fc.tuple(
    fc.nat(),
    fc.constantFrom('0', '-1', '1.0', '12345678901234567890', '1e5', '1.5E-3', '"x"', '"é"', '"\\u0041"', '""', 'true', ' ', '}', ','),
  ),
  { maxLength: 3 },
)

const change = (text: string, at: number, by: string): string => {
  const scalars = [...text.matchAll(/-?\d[\d.eE+-]*|"(?:[^"\\]|\\.)*"|true|false|null/g)]
  const scalar = scalars[at % Math.max(1, scalars.length)]
  if (scalar && /^["\d-]|true/.test(by) && at % 5 > 0) return text.slice(0, scalar.index) + by + text.slice(scalar.index + scalar[0].length)
  const cut = at % (text.length + 1)
  return text.slice(0, cut) + by + text.slice(cut)
}

t.test('what has the learned shape is what the scanner accepts, with the same parts', async (t) => {
  const cases = fc
    .oneof(arbitraryType(), arbitraryType({ withLimits: true }))
    .chain((of) =>
      fc.tuple(
        fc.constant(of),
        arbitraryValue(of),
        fc.array(fc.oneof(arbitraryValue(of), arbitraryNearMiss(of)), { maxLength: 3 }),
        fc.array(changes, { maxLength: 8 }),
      ),
    )
  const seen = { hits: 0, misses: 0 }
  fc.assert(
    fc.property(cases, ([of, sample, others, edits]) => {
      const line = (text: string) => Buffer.from(`${text.replaceAll('\n', ' ')}\n`)
      if (!isUtf8(sample)) return
      const paths = pathsOf(of)
      const scanner = makeScanner(of, paths)
      const places = (): Int32Array => new Int32Array(scanner.size).fill(7)
      const model = line(sample.trim())
      if (scanner.scan(model, 0, model.length - 1, places()) !== model.length - 1) return
      const scanShape = shapeScan(of, paths, model, 0, model.length - 1)
      if (!scanShape) return
      for (const text of [
        sample.trim(),
        ...others,
        ...edits.map((list) => list.reduce((to, [at, by]) => change(to, at, by), sample.trim())),
      ]) {
        if (!isUtf8(text)) continue
        const message = line(text)
        const [found, expected] = [places(), places()]
        const end = scanShape(message, new DataView(message.buffer, message.byteOffset, message.length), 0, found)
        const isWhole = end === message.length - 1
        seen[isWhole ? 'hits' : 'misses']++
        if (!isWhole) continue
        if (scanner.scan(message, 0, end, expected) !== end) throw new Error(`the scanner does not know ${text}`)
        if (Buffer.compare(Buffer.from(found.buffer), Buffer.from(expected.buffer)) !== 0)
          throw new Error(`${text}: ${found} for ${expected}`)
      }
    }),
    { numRuns: runs(1500) },
  )
  t.ok(seen.hits > runs(500) && seen.misses > runs(500), JSON.stringify(seen))
})

t.test('near the end of a buffer nothing is read behind it', async (t) => {
  const of = type('{ a: int, long_name: string }')
  const model = Buffer.from('{"a":1,"long_name":"x"}\n')
  const scanShape = shapeScan(of, [], model, 0, model.length - 1)
  if (!scanShape) {
    t.fail('another message would look like this one')
    return
  }
  const line = Buffer.concat([model, model])
  for (let length = 0; length <= line.length; length++) {
    const cut = new Uint8Array(line.subarray(0, length))
    // A view throws where it is asked for what is behind it. With another line behind the first is found, else it may be.
    const end = scanShape(cut, new DataView(cut.buffer), 0, new Int32Array(0))
    const isFound = end === model.length - 1
    t.ok(isFound ? length >= model.length - 1 : end === -1 && length < line.length, `${length} bytes: ${end}`)
  }
})

const EVENT = '{ n: int, s: string, k: "a" | "b", x?: number, r: { y: number, z: [int] } }'
const checked = (text: string, of: Type) => {
  const e = expression(text)
  checkExpression(e, { input: of }, refuse)
  return e
}

const stagesFor = (of: Type, scanner: (of: Type) => MessageScanner | undefined): Stage[] => [
  compileCheck(of, scanner(of)),
  compileFilter(checked('k = "a" and r.y > 1', of), { input: of }, scanner(of)),
  compileMap(checked('{ n: n + 1, s, sum: r.y + (x ?? 0.25) }', of), { input: of }, scanner(of)),
  compileFilter(checked('n % 2 = 0', of), { input: of }, scanner(of)),
  compileMap(checked('{ k: if k = "a" then s else "é", z: r.z, ...r }', of), { input: of }, scanner(of)),
]

const odd = fc.constantFrom(
  '{"n":1}',
  'x',
  '',
  '[]',
  '{"n":1,"n":2,"s":"a","k":"a","r":{"y":1,"z":[]}}',
  '{"s":"a","n":7,"k":"b","r":{"z":[1],"y":-0}}',
  '{"n":1.0,"s":"\\u00e9\\n","k":"a","r":{"y":1e5,"z":[]}}',
  ' { "n" : 3 , "s" : "" , "k" : "b" , "r" : { "y" : 2.50 , "z" : [ 1 ] } } ',
  '{"n":9007199254740993,"s":"x","k":"a","r":{"y":12345678901234567890,"z":[]}}',
  '{"n":1,"s":"x","k":"a","r":{"y":1,"z":[]},"more":1}',
  '{"n":1,"s":"x","k":"c","r":{"y":1,"z":[]}}',
  '{"n":1,"s":"x","k":"\\u0061","x":1,"r":{"y":1,"z":[]}}',
  '{"n":1,"s":"\t","k":"a","r":{"y":1,"z":[]}}',
)
const commonLine = fc
  .record({
    n: fc.integer(),
    s: fc.string({ maxLength: 5 }),
    k: fc.constantFrom('a', 'b'),
    r: fc.record({ y: fc.integer({ max: 5000 }).map((n) => n / 100), z: fc.array(fc.nat(9), { maxLength: 2 }) }),
  })
  .map((value) => JSON.stringify(value))

t.test('stages that share a scanner say what they say alone, and slowly', async (t) => {
  const of = type(EVENT)
  const lines = fc.array(fc.oneof({ weight: 12, arbitrary: commonLine }, { weight: 1, arbitrary: odd }), { minLength: 250, maxLength: 400 })
  let found = 0
  fc.assert(
    fc.property(lines, fc.infiniteStream(fc.nat(4)), (texts, order) => {
      const scanners = new MessageScanners()
      const shared = stagesFor(of, (t) => scanners.of(t))
      const alone = stagesFor(of, () => undefined)
      const chunk = Buffer.from(`${texts.filter((text) => text !== '' && isUtf8(text)).join('\n')}\n`)
      const outs = [new Sink(), new Sink()] as const
      for (let at = 0; at < chunk.length; ) {
        const end = chunk.indexOf(10, at)
        const quick = scanners.of(of).find(chunk, at)
        if (quick >= 0 && quick !== end) throw new Error(`a line ends at ${quick}, not at ${end}`)
        if (quick >= 0) found++
        // In any order, and the same one more than once.
        for (let i = 0; i < 6; i++) {
          const n = order.next().value as number
          const [one, other] = [shared[n] as Stage, alone[n] as ScannedStage]
          const said = [shown(one, one.run(chunk, at, end, outs[0]), outs[0]), shown(other, other.run(chunk, at, end, outs[1]), outs[1])]
          said.push(shown(other, other.runSlowly(chunk, at, end, outs[1]), outs[1]))
          if (new Set(said).size > 1) throw new Error(`stage ${n} of ${chunk.toString('utf8', at, end)}: ${said.join(' | ')}`)
        }
        at = end + 1
      }
    }),
    { numRuns: 30 },
  )
  t.ok(found > 1000, `${found} lines had the shape`)
})

const shown = (stage: Stage, verdict: Verdict, out: Sink): string =>
  verdict === Verdict.WROTE
    ? out.buf.toString('utf8', out.start, out.end)
    : verdict === Verdict.PASS || verdict === Verdict.DROP
      ? Verdict[verdict]
      : JSON.stringify(stage.fault)

t.test('what lines look like is learned anew when it changes', async (t) => {
  const scanner = new MessageScanner(type('{ a: int, b: string }'))
  const forms = ['{"a":1,"b":"x"}\n', '{"b": "x", "a": 1}\n']
  for (const form of forms) {
    const buf = Buffer.from(form.repeat(2))
    for (let i = 0; i < 200; i++) t.ok(scanner.scan(Buffer.from(buf), 0, form.length - 1))
    t.equal(scanner.find(buf, 0), form.length - 1, form)
  }
  const array = Buffer.from('{"a":1,"b":"x"} \n{"a":1,"b":"x"}\r\n')
  t.equal(scanner.find(array, 0), -1, 'white space behind it')
  t.equal(scanner.find(array, 17), -1, 'a CR')
})

t.test('the first few messages are left to the tree, for as long as they are small', async (t) => {
  const scanner = new MessageScanners().of(type('{ a: string }'))
  const looksAt = (text: string): boolean => {
    const buf = Buffer.from(`${JSON.stringify({ a: text })}\n`)
    return scanner.scan(buf, 0, buf.length - 1)
  }
  const seen = Array.from({ length: MAX_UNSCANNED + 2 }, (_, i) => looksAt(`x${i}`))
  t.strictSame(seen, [...Array(MAX_UNSCANNED).fill(false), true, true])
  const another = new MessageScanners().of(type('{ a: string }'))
  const large = Buffer.from(`{"a":"${'x'.repeat(5000)}"}\n`)
  t.ok(another.scan(large, 0, large.length - 1))
})

t.test('equal types share a scanner, others do not', async (t) => {
  const scanners = new MessageScanners()
  const of = (text: string) => scanners.of(type(text))
  t.equal(of('{ a: int, b: string }'), of('{ b: string, a: int }'))
  t.not(of('{ a: int, b: string }'), of('{ a: int, b: int }'))
  t.not(of('{ a: int, b?: int = 1 }'), of('{ a: int, b?: int = 2 }'))
  t.equal(of('int | "a"'), of('"a" | int'))
  t.equal(scanners.of(STRING), of('string'))
})

t.test('a number is written as JavaScript writes it', async (t) => {
  const sink = new Sink()
  const written = (n: number): string => {
    sink.commit(putNumber(sink, sink.at, n))
    return sink.buf.toString('latin1', sink.start, sink.end)
  }
  const decimal = fc.tuple(fc.integer(), fc.nat(9)).map(([n, places]) => n / 10 ** places)
  const any = fc.oneof(
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.maxSafeInteger(),
    fc.integer(),
    decimal,
    decimal.map((n) => n * 1.25),
  )
  fc.assert(
    fc.property(any, (n) => written(n) === JSON.stringify(n)),
    { numRuns: runs(20_000) },
  )
  const edges = [
    0,
    -0,
    1e-6,
    1e-7,
    0.000001,
    1.5e-6,
    0.1 + 0.2,
    1e15,
    1e15 - 1,
    1e15 - 0.5,
    999999999999999.9,
    99999999999999.95,
    2 ** 31,
    -(2 ** 31),
    2 ** 53,
    1e21,
    5e-324,
    1.7976931348623157e308,
    320.7875,
    -0.5,
  ]
  for (const n of edges) t.equal(written(n), JSON.stringify(n))
})
