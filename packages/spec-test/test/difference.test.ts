// What plumb test shows of two values that should be equal, and of a share.

import { randomValues } from '@plumb/lang/random'
import { canonicalJson } from '@plumb/wire'
import t from 'tap'
import { difference } from '../src/report/difference.js'
import { shareInterval } from '../src/report/interval.js'

const long = 'x'.repeat(500)

const CASES: readonly (readonly [name: string, expected: string, got: string, ...lines: string[]])[] = [
  ['equal', '{"a":1,"b":[2]}', '{ "b": [2.0], "a": 1e0 }'],
  ['equal texts', '"\\u0041\\/"', '"A/"'],
  ['a number', '1', '2', 'expected 1, got 2'],
  ['a big one', '9007199254740993', '9007199254740992', 'expected 9007199254740993, got 9007199254740992'],
  ['a kind', '{"a":"1"}', '{"a":1}', '.a: expected "1", got 1'],
  ['a member', '{"t":"tea","rounds":2}', '{"rounds":3,"t":"tea"}', '.rounds: expected 2, got 3'],
  ['one missing', '{"a":{"b":1,"c":2}}', '{"a":{"c":2}}', '.a.b: missing, expected 1'],
  ['one too many', '{}', '{"a b":[1]}', '["a b"]: not expected, got [1]'],
  ['an item', '[1,2,3]', '[1,5,3]', '[1]: expected 2, got 5'],
  ['an item put in', '[1,2,3]', '[1,9,2,3]', '[1]: not expected, got 9'],
  ['one put in first', '[{"n":1},{"n":2}]', '[{"n":0},{"n":1},{"n":2}]', '[0]: not expected, got {"n":0}'],
  ['an item taken out', '{"l":["a","b","c"]}', '{"l":["a","c"]}', '.l[1]: missing, expected "b"'],
  ['another place', '["a","b","c"]', '["b","c","a"]', '[2]: expected at [0]: "a"'],
  [
    'one put in and one changed',
    '[{"id":1,"v":"a"},{"id":2,"v":"b"}]',
    '[{"id":0,"v":"z"},{"id":1,"v":"a"},{"id":2,"v":"x"}]',
    '[0]: not expected, got {"id":0,"v":"z"}',
    '[2].v: expected "b", got "x"',
  ],
  [
    'a long text',
    `{"s":"${long}a"}`,
    `{"s":"${long}b"}`,
    `.s: from character 501 on: expected …"${'x'.repeat(20)}a", got …"${'x'.repeat(20)}b"`,
  ],
  ['a long value', `"a"`, `["${long}"]`, `expected "a", got ["${'x'.repeat(77)}…`],
  ['controls', '"a"', '"\\u001b[31m"', 'expected "a", got "\\u001b[31m"'],
  ['what turns the direction', '"a"', '"\u202e"', 'expected "a", got "\\u202e"'],
  ['no JSON', 'tea', '"tea"', 'expected tea, got "tea"'],
  ['__proto__', '{"__proto__":1}', '{}', '.__proto__: missing, expected 1'],
]

t.test('the paths that differ', async (t) => {
  for (const [name, expected, got, ...lines] of CASES) t.strictSame(difference(expected, got), lines, name)
})

t.test('a short one, of long values too', async (t) => {
  const numbers = (from: number, count: number) => JSON.stringify(Array.from({ length: count }, (_, i) => from + i))
  t.strictSame(difference(numbers(0, 5000), numbers(-1, 5001)), ['[0]: not expected, got -1'])
  const all = difference(numbers(0, 5000), numbers(5000, 5000))
  t.equal(all.length, 11)
  t.equal(all.at(-1), '… and 4990 more')
  const deep = (end: string) => `${'['.repeat(400)}${end}${']'.repeat(400)}`
  t.equal(difference(deep('1'), deep('2')).length, 1)
})

t.test('none for a value and itself, one for any other', async (t) => {
  const values = [...randomValues({ kind: 'json' }, { seed: 5, count: 120 })]
  for (const [i, value] of values.entries()) {
    t.strictSame(difference(value, value), [])
    const other = values[(i * 7 + 1) % values.length] as string
    t.equal(difference(value, other).length > 0, canonicalJson(value) !== canonicalJson(other), `${i}`)
  }
})

t.test("Wilson's interval of a share", async (t) => {
  const rounded = (passed: number, rows: number) => Object.values(shareInterval(passed, rows)).map((end) => Math.round(end * 1e4) / 1e4)
  t.strictSame(rounded(9, 10), [0.5958, 0.9821])
  t.strictSame(rounded(50, 100), [0.4038, 0.5962])
  t.strictSame(rounded(0, 10), [0, 0.2775])
  t.strictSame(rounded(10, 10), [0.7225, 1])
  t.strictSame(rounded(0, 0), [0, 1])
})
