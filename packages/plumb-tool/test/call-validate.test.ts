// What goes into a tool and what comes out of it: types, defaults, lossless repairs, cuts; and canonical texts.

import type { Type } from '@plumb/lang'
import { canonicalJson, preview } from '@plumb/wire'
import fc from 'fast-check'
import t from 'tap'
import { holds } from '../../wire/test/property.js'
import { cutText } from '../src/call/cut-text.js'
import { fitInput, fitToolInput } from '../src/call/fit.js'
import { withOutput } from '../src/call/output.js'
import { withValidation } from '../src/call/validate.js'
import { codeOf, INT, JSON_TYPE, list, literal, makeTool, openCall, openSession, record, STRING, sum } from './call-session.js'

const LEVEL = sum(literal('low'), literal('high'))
const BOOL: Type = { kind: 'bool' }
const Q = record({ level: LEVEL, 'count=3': INT })
const N = record({ n: INT })
const DEEP = record({ query: Q, 'tags?': list(STRING) })

t.test('inputs are read, and repaired where that loses nothing', async (t) => {
  const cases: [type: Type, input: string, json: string | null, ...repairs: string[]][] = [
    [Q, '{"level":"low"}', '{"level":"low","count":3}'],
    [Q, ' {\n "level": "high",\n "count": 5 }\n', '{"level": "high","count": 5 }'],
    [N, '{"n":12345678901234567890}', '{"n":12345678901234567890}'],
    [N, '{"n":"21"}', '{"n":21}', 'n: "21" read as 21'],
    [N, '{"n":"12345678901234567890"}', '{"n":12345678901234567890}', 'n: "12345678901234567890" read as 12345678901234567890'],
    [N, '{"n":"21.5"}', null],
    [N, '{"n":" 21"}', null],
    [N, '{"n":"0x10"}', null],
    [N, '{"n":"1e999"}', null],
    [N, '{"n":""}', null],
    [record({ x: { kind: 'number' } }), '{"x":"-1.5e3"}', '{"x":-1.5e3}', 'x: "-1.5e3" read as -1.5e3'],
    [record({ on: BOOL }), '{"on":"true"}', '{"on":true}', 'on: "true" read as true'],
    [record({ on: BOOL }), '{"on":"True"}', null],
    [record({ on: BOOL }), '{"on":1}', null],
    [record({ text: STRING }), '{"text":5}', null],
    [record({ text: STRING }), '{"text":"5"}', '{"text":"5"}'],
    [Q, '"{\\"level\\":\\"low\\"}"', '{"level":"low","count":3}', 'input: text read as the object in it'],
    [
      DEEP,
      '{"query":"{\\"level\\":\\"low\\",\\"count\\":\\"7\\"}"}',
      '{"query":{"level":"low","count":7}}',
      'query: text read as the object in it',
      'query.count: "7" read as 7',
    ],
    [DEEP, '{"query":{"level":"low"},"tags":"a"}', '{"query":{"level":"low","count":3},"tags":["a"]}', 'tags: a lone value read as a list'],
    [
      DEEP,
      '{"query":{"level":"low"},"tags":"[\\"a\\",\\"b\\"]"}',
      '{"query":{"level":"low","count":3},"tags":["a","b"]}',
      'tags: text read as the list in it',
    ],
    [
      DEEP,
      '{"query":{"level":"low"},"tags":"[1]"}',
      '{"query":{"level":"low","count":3},"tags":["[1]"]}',
      'tags: a lone value read as a list',
    ],
    [DEEP, '{"query":{"level":"low"},"tags":null}', '{"query":{"level":"low","count":3}}', 'tags: null dropped, the field may be absent'],
    [
      DEEP,
      '{"query":{"level":"low","count":null}}',
      '{"query":{"level":"low","count":3}}',
      'query.count: null dropped, the field may be absent',
    ],
    [record({ 'a?': sum(INT, { kind: 'unit' }) }), '{"a":null}', '{"a":null}'],
    [record({ a: INT }), '{"a":null}', null],
    [list(list(INT)), '5', '[[5]]', 'input: a lone value read as a list', 'input: a lone value read as a list'],
    [list(INT), '["1",2]', '[1,2]', '[0]: "1" read as 1'],
    [sum(INT, BOOL), '"true"', 'true', 'input: "true" read as true'],
    [sum(STRING, INT), '"5"', '"5"'],
    [sum(record({ a: INT }), record({ b: INT })), '{"b":"1"}', '{"b":1}', 'b: "1" read as 1'],
    [sum(list(INT), record({ a: list(INT) })), '"7"', '[7]', 'input: "7" read as 7', 'input: a lone value read as a list'],
    // A file may be called `["a"]`.
    [record({ paths: list(STRING) }), '{"paths":"a"}', null],
    [record({ file_path: list(STRING) }), '{"file_path":"[\\"a\\"]"}', null],
    [record({ profiles: list(STRING) }), '{"profiles":"a"}', '{"profiles":["a"]}', 'profiles: a lone value read as a list'],
    [record({ path: STRING }), '{"path":"[1]"}', '{"path":"[1]"}'],
    [JSON_TYPE, '"\\ud800"', '"\\ud800"'],
    [
      record({ a: record({ s: STRING }) }),
      '{"a":"{\\"s\\":\\"\\\\ud800\\"}"}',
      '{"a":{"s":"\\ud800"}}',
      'a: text read as the object in it',
    ],
    [record({ __proto__: INT, constructor: INT }), '{"constructor":"1"}', '{"constructor":1}', 'constructor: "1" read as 1'],
  ]
  for (const [type, input, json, ...repairs] of cases) {
    const fit = fitInput(input, type)
    if (json === null) t.equal(codeOf(fit), 'input_type_mismatch', input)
    else t.strictSame(fit, { ok: true, value: { json, repairs } }, input)
  }
})

t.test('what does not fit is said all at once, so that a model can repair all of it', async (t) => {
  const cases: [type: Type, input: string, code: string, detail: RegExp, path?: string][] = [
    [Q, '{"level":"middling"}', 'input_type_mismatch', /at \.level: expected "low" \| "high", found "middling"/, '.level'],
    [Q, '{"count":1}', 'input_type_mismatch', /at \.level: missing field, expected "low" \| "high"/, '.level'],
    [
      Q,
      '{"lvl":"low","cuont":2}',
      'input_type_mismatch',
      /at \.lvl: unknown field.*at \.cuont: unknown field.*did you mean 'count'\?.*at \.level: missing field/,
      '.lvl',
    ],
    [DEEP, '{"query":{"level":1},"tags":[1,"x",2]}', 'input_type_mismatch', /at \.query\.level: .*at \.tags\[0\]: .*at \.tags\[2\]: /],
    [Q, '{"level":"low","count":"a few"}', 'input_type_mismatch', /at \.count: expected int, found "a few"/, '.count'],
    [DEEP, '{"query":"{\\"level\\":\\"x\\"}"}', 'input_type_mismatch', /at \.query\.level: /, '.query.level'],
    [list(INT), JSON.stringify(Array(100).fill('x')), 'input_type_mismatch', /and perhaps more/, '[0]'],
    [Q, '{"level":', 'invalid_json', /input is not a JSON value/],
    [JSON_TYPE, `${'['.repeat(600)}${']'.repeat(600)}`, 'too_deep', /nesting over 512/],
  ]
  for (const [type, input, code, detail, path] of cases) {
    const fit = fitInput(input, type)
    t.equal(codeOf(fit), code, preview(input))
    if (fit.ok) continue
    t.match(fit.error.detail, detail)
    if (path !== undefined) t.equal(fit.error.path, path)
    t.ok(fit.error.detail.length < 2000, 'and is not a flood')
  }
})

t.test('a type that is not a record is taken as such and as its schema shows it', async (t) => {
  const cases: [type: Type, input: string, json: string | null][] = [
    [INT, '5', '5'],
    [INT, '{"input":5}', '5'],
    [INT, '{ "input": "5" }', '5'],
    [INT, '{"input":5,"more":1}', null],
    [STRING, '"four"', '"four"'],
    [STRING, '{"input":"four"}', '"four"'],
    [STRING, '{"inputs":"four"}', null],
    [JSON_TYPE, '{"input":{"input":1}}', '{"input":1}'],
    [JSON_TYPE, '{"other":1}', '{"other":1}'],
    [list(INT), '{"input":7}', '[7]'],
    [{ kind: 'unit' }, '{}', 'null'],
    [{ kind: 'unit' }, 'null', 'null'],
    [sum(INT, record({ input: STRING })), '{"input":"a"}', '{"input":"a"}'],
    [sum(INT, record({ input: STRING })), '{"input":"5"}', '{"input":"5"}'],
    [record({ input: INT }), '{"input":5}', '{"input":5}'],
    [record({ input: INT }), '{"input":{"input":5}}', null],
  ]
  for (const [type, input, json] of cases) {
    const fit = fitToolInput(input, type)
    t.equal(fit.ok ? fit.value.json : null, json, input)
  }
  const tool = withValidation(makeTool(undefined, { input: JSON_TYPE }))
  const inside = openCall(openSession(), { depth: 1 })
  t.strictSame(await tool.run('{"input":1}', inside), { ok: true, value: '{"input":1}' }, 'inside a composition a value is what it is')
})

t.test('results are validated after the same repairs, and long texts cut at a line end', async (t) => {
  const cases: [output: Type, max: number | undefined, result: string, expected: string | null, isCut?: boolean][] = [
    [N, undefined, '"{\\"n\\":1}"', '{"n":1}'],
    [N, undefined, '{"n":"x"}', null],
    [N, undefined, '{"n":', null],
    [Q, undefined, '{"level":"low"}', '{"level":"low","count":3}'],
    [STRING, undefined, JSON.stringify('x'.repeat(20_000)), JSON.stringify('x'.repeat(20_000))],
    [STRING, 10, '"one\\ntwo\\nthree\\n"', '"one\\n[truncated: 4 more bytes]\\nthree\\n"', true],
    [STRING, 14, '"one\\ntwo\\nthree\\n"', '"one\\ntwo\\nthree\\n"'],
    [STRING, 4, '"üüüüüü"', '"üü\\n[truncated: 4 more bytes]\\nüü"', true],
    [STRING, 2, '"\\ud83d\\ude00\\ud83d\\ude00\\ud83d\\ude00"', '"😀\\n[truncated: 4 more bytes]\\n😀"', true],
    [STRING, 0, '"abc"', '"[truncated: 3 more bytes]"', true],
    [STRING, 5, '"\\n\\n\\n\\n\\n"', '"\\n\\n\\n\\n\\n"'],
    [list(STRING), 2, '["abcdef"]', '["abcdef"]'],
  ]
  for (const [output, max, result, expected, isCut = false] of cases) {
    const call = openCall(openSession())
    const given = await withOutput(max)(makeTool(() => ({ ok: true, value: result }), { output })).run('null', call)
    if (expected === null) t.equal(codeOf(given), 'output_type_mismatch', result)
    else t.strictSame([given.ok && JSON.parse(given.value), call.record.truncated], [JSON.parse(expected), isCut], result.slice(0, 60))
  }
})

t.test('what is cut is the middle, at line ends where most stays, and nothing is unaccounted for', async (t) => {
  const text = fc.array(fc.constantFrom('a', 'é', '😀', '\n', 'word '), { maxLength: 40 }).map((parts) => parts.join(''))
  await holds(
    t,
    fc.property(text, fc.nat(30), (whole, max) => {
      const { text: given, cutBytes } = cutText(whole, max)
      if (cutBytes === 0) return given === whole && [...whole].length <= max
      const [head = '', tail = ''] = given.split(`[truncated: ${cutBytes} more bytes]`)
      const end = tail.replace(/^\n/, '')
      const beginnings = [head, head.replace(/\n$/, '')].filter((beginning) => whole.startsWith(beginning))
      const isWhole = (beginning: string) => Buffer.byteLength(beginning) + cutBytes + Buffer.byteLength(end) === Buffer.byteLength(whole)
      return beginnings.some(isWhole) && whole.endsWith(end) && [...head.replace(/\n$/, ''), ...end].length <= max
    }),
  )
})

t.test('canonical texts: equal values have one, others have others', async (t) => {
  const same: string[][] = [
    ['1', '1.0', '1e0', '10e-1', '0.1e1', '100E-2'],
    ['0', '-0', '0.0', '0e5'],
    ['100', '1e2', '1.00e+2'],
    ['-1.5', '-15e-1'],
    ['{"a":1,"b":[true,null]}', ' { "b" : [ true , null ] , "a" : 1.0 } '],
    ['"é\\n"', '"\\u00e9\\u000a"'],
    ['{"a":2}', '{"a":1,"a":2}'],
  ]
  const texts = same.map((group) => new Set(group.map(canonicalJson)))
  for (const [i, group] of texts.entries()) t.equal(group.size, 1, `${same[i]}`)
  const different = ['9007199254740992', '9007199254740993', '1e400', '1e401', '"1"', 'true', '[1]', '{"1":1}', '[[]]', '[]', '{}', 'null']
  t.equal(new Set(different.map(canonicalJson)).size, different.length)
  fc.assert(fc.property(fc.json(), (json) => canonicalJson(canonicalJson(json)) === canonicalJson(json)))
})
