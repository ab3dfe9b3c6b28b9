// long
// Random expressions that call random bindings: what generated code gives, which has the code of the bindings in it, is what the interpreter
// says, which calls them with text.

import fc from 'fast-check'
import t from 'tap'
import { runs } from '../../wire/test/property.js'
import { compile } from '../src/compile.js'
import { checkExpression } from '../src/expression/infer/check.js'
import { compileFilter, compileMap } from '../src/expression/stage/stage.js'
import type { Scope } from '../src/names/names.js'
import { isBool } from '../src/types/kind.js'
import { printType } from '../src/types/print.js'
import type { Type } from '../src/types/type.js'
import { arbitraryEvent, arbitraryExpressionWith, EVENT, EVENT_TEXT } from './arbitrary-expression.js'
import { run } from './evaluate.js'
import { expression } from './parsed.js'
import { filesOf } from './reports.js'

const { PLUMB_SEED, PLUMB_TIMES = '1' } = process.env
const SEED = PLUMB_SEED === undefined ? Date.now() % 2 ** 31 : Number(PLUMB_SEED)

/** What a binding takes has no defaults where its code can stand in the code that calls it. */
const TAKEN = EVENT_TEXT.replace('d?: int = 3', 'd: int, extra?: string')

const BINDINGS = `type Event = ${TAKEN}
type Part = { i: int, n?: number, s?: string, extra?: int }
let inc : int -> int = map(value + 1)
let half : number -> number = map(value / 2) ; map(-value)
let same : number -> number = id
let twice : string -> string = map(value + value)
let named : string -> { name: string, at: int } = map({ name: value, at: length(value) })
let nameOf : string -> string = map(named(value).name)
let no : bool -> bool = map(not value)
let part : Part -> { a: number, b: string, c: string } = map({ a: n ?? half(i), b: s ?? "-", c: text(extra ?? i) })
let longer : Part -> string = part ; map({ a: b, b: a, c }) ; map($"{a}{b}{c}")
let sums : [int] -> [int] = map([inc(x) + y for x in value for y in value[:2] if x != y])
let any : json -> json = map(value)
let looked : json -> int = map(value)
let limited : { @max 3 i: int, n?: number, s?: string } -> int = map(i)
`

const arbitraryCode = arbitraryExpressionWith({
  int: [
    ['inc', 'int'],
    ['looked', 'json'],
    ['limited', 'record'],
  ],
  num: [
    ['half', 'num'],
    ['same', 'num'],
    ['half', 'int'],
  ],
  str: [
    ['twice', 'str'],
    ['nameOf', 'str'],
    ['longer', 'record'],
  ],
  bool: [['no', 'bool']],
  json: [['any', 'any']],
  list: [
    ['sums', 'list'],
    ['sums(l) + sums', 'list'],
  ],
  record: [
    ['part', 'record'],
    ['part', 'map'],
    ['named', 'str'],
  ],
})

const programOf = (f: string): Scope | undefined => {
  const { diagnostics, program } = compile({ path: 'calls.plumb', text: BINDINGS + f, files: filesOf({}) })
  return diagnostics.some(({ severity }) => severity === 'error') ? undefined : program.entry
}

t.test(`seed ${SEED}: bindings that stand in the code of their callers do what calls of them do`, async (t) => {
  const seen = { checked: 0, refused: 0, values: 0, failures: 0, kept: 0, dropped: 0 }
  const scope = programOf('')
  if (!scope) throw new Error('the bindings are wrong')
  const input = scope.types.get('Event') as Type
  const messages = fc.array(arbitraryEvent, { minLength: 3, maxLength: 5 })
  const calls = fc.constantFrom(
    'f(value)',
    '{ a: f({ ...value, i: inc(i) }), b: inc(i) }',
    '[[f({ ...value, i: q }), q] for q in l if q != 1]',
    'sort([f({ ...value, n: half(q) }) for q in l], x -> text(x))',
    '[g(value), f({ d: inc(d), ...value, s: twice(s) })]',
  )
  fc.assert(
    fc.property(arbitraryCode, calls, fc.boolean(), messages, (code, call, isSecond, texts) => {
      const body = checkExpression(expression(code), { input, scope }, () => {})
      const callee =
        body &&
        programOf(`let f : Event -> ${printType(body)} = ${isSecond ? 'map({ ...value, i: -i }) ; ' : ''}map(${code})
let g : Event -> json = map([f(value), f({ ...value, i })])`)
      const [e, plain] = [expression(call), expression(code)]
      const result = callee && checkExpression(e, { input: EVENT, scope: callee }, () => {})
      if (!body || !result) {
        seen.refused++
        return
      }
      seen.checked++
      const environment = { input: EVENT, scope: callee }
      const stages = [
        compileMap(e, environment),
        compileMap(plain, { input, scope: callee }),
        ...(isBool(body) ? [compileFilter(plain, { input, scope: callee })] : []),
      ]
      for (const text of texts.filter((one) => !/\p{Surrogate}/u.test(one))) {
        for (const stage of stages) {
          // Throws where the two roads differ.
          const given = run(stage, text)
          if (given.startsWith('evaluation_failed: ')) seen.failures++
          else if (given === 'DROP') seen.dropped++
          else if (given === 'PASS') seen.kept++
          else seen.values++
        }
      }
    }),
    { numRuns: runs(1200 * Number(PLUMB_TIMES)), seed: SEED },
  )
  t.comment(JSON.stringify(seen))
  t.ok(seen.checked > runs(500) && seen.values > runs(1000) && seen.failures > runs(200) && seen.dropped > 0, JSON.stringify(seen))
})
