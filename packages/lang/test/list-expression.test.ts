// Comprehensions, slices, functions of lists and strings, patterns, templates and times: what each gives, and what it is refused for.

import t from 'tap'
import type { Diagnostic } from '../src/diagnostic/diagnostic.js'
import { checkExpression } from '../src/expression/infer/check.js'
import { Sink } from '../src/expression/run/sink.js'
import { MessageScanner } from '../src/expression/stage/message-scanner.js'
import { compileMap, Verdict } from '../src/expression/stage/stage.js'
import { printType } from '../src/types/print.js'
import { evaluate } from './evaluate.js'
import { expression, refuse, type } from './parsed.js'

const FAILED = /^evaluation_failed: /

/** Records of which every third has an equal key; sorted by that, the first of them. */
const manyTies = (count: number, first?: number): string => {
  const items = Array.from({ length: count }, (_, id) => ({ id, n: (count - id) % 3 }))
  return JSON.stringify(first === undefined ? items : items.sort((a, b) => a.n - b.n).slice(0, first))
}

// biome-ignore format: a table: expression, input type, message, result
const GIVES: readonly (readonly [string, string, string, string | RegExp])[] = [
  // comprehensions: what they only move keeps its text
  ['[x for x in xs]', '[number]', '[1.50, 2e1 ,"x"]', /^input_type_mismatch/],
  ['[x for x in xs]', '[number]', '[ 1.50 , 2e1 ]', '[1.50,2e1]'],
  ['[x * 2 for x in xs if x > 1]', '[int]', '[1,2,3]', '[4,6]'],
  ['[{ k: r.k, n } for r in rows for n in r.ns if n != 2]', '{ rows: [{ k: string, ns: [int] }] }', '{"rows":[{"k":"a","ns":[1,2]},{"ns":[],"k":"b"},{"k":"\\u0063","ns":[3.0]}]}', '[{"k":"a","n":1},{"k":"\\u0063","n":3.0}]'],
  ['[[n + x for n in r.ns] for r in rows for x in [0, 1]]', '{ rows: [{ ns: [int] }] }', '{"rows":[{"ns":[1]},{"ns":[]}]}', '[[1],[2],[],[]]'],
  ['[x for x in xs if x.b]', '[{ b: bool, t: string }]', '[{"b":true,"t":"é"},{"t":"n","b":false}]', '[{"b":true,"t":"é"}]'],
  ['[{ ...x, n: 1 } for x in xs]', '[{ a: int, n?: string }]', '[{"a":1.0},{"n":"x","a":2}]', '[{"a":1.0,"n":1},{"a":2,"n":1}]'],
  ['[x.o ?? 7 for x in xs]', '[{ o?: int }]', '[{},{"o":12345678901234567890}]', '[7,12345678901234567890]'],
  ['[has(x.o) for x in xs]', '[{ o?: int }]', '[{},{"o":1}]', '[false,true]'],
  ['[x.a for x in value]', 'json', '[{"a":1},{"a":[ 2 ]}]', '[1,[ 2 ]]'],
  ['[x.a for x in value]', 'json', '[{"a":1},{"b":2}]', "evaluation_failed: there is no field 'a' in 'x.a'"],
  ['[x for x in value]', 'json', '{"a":1}', "evaluation_failed: an object is not a list in 'value'"],
  ['[x + 1 for x in value]', 'json', '[1,true]', "evaluation_failed: true is not a number in 'x'"],
  ['[10 / x for x in xs]', '[int]', '[5,0]', "evaluation_failed: division by zero in '10 / x'"],
  ['[x[0] for x in xs]', '[(int, string)]', '[[1,"a"],[2.0,"b"]]', '[1,2.0]'],
  ['[x for xs in value.xs for x in xs]', '{ xs: [[int]] }', '{"xs":[[1],[],[2,3]]}', '[1,2,3]'],
  ['[value for value in xs]', '{ xs: [int] }', '{"xs":[1]}', '[1]'],
  ['[__proto__ for __proto__ in constructor]', '{ constructor: [int] }', '{"constructor":[1]}', '[1]'],
  ['[x.k = "a" for x in xs]', '[{ k: string }]', '[{"k":"\\u0061"},{"k":"b"},{"k":"a"}]', '[true,false,true]'],
  ['[x < y for x in xs for y in xs]', '[int]', '[12345678901234567890,12345678901234567891]', '[false,true,false,false]'],
  ['[x.v.z for x in xs]', '[{ v: { k: "a", z: int } | { k: "b", z: number } }]', '[{"v":{"k":"a","z":1}},{"v":{"z":1.50,"k":"b"}}]', '[1,1.50]'],
  // what is read once of the message is not a counter of a loop
  ['[n + x for x in [n, n * 2]]', '{ n: number }', '{"n":1.5}', '[3,4.5]'],
  ['[x + n for x in xs] + [n]', '{ n: number, xs: [number] }', '{"n":1.5,"xs":[1,2]}', '[2.5,3.5,1.5]'],
  ['[x + n for x in [i, n, sum(xs)]]', '{ n: number, i: int, xs: [number] }', '{"n":1.5,"i":4,"xs":[1,2]}', '[5.5,3,4.5]'],
  // sums and their kin, over lists and over comprehensions
  ['[sum(xs), sum([]), sum([x for x in xs if x > 9])]', '[int]', '[3,1,3]', '[7,0,0]'],
  ['sum(xs)', '[number]', '[0.1,0.2]', '0.30000000000000004'],
  ['sum([x.v for x in items if x.v > 0])', '{ items: [{ v: number }] }', '{"items":[{"v":1.5},{"v":-1},{"v":2}]}', '3.5'],
  ['sum([x * x for x in xs])', '[int]', '[9007199254740991]', FAILED],
  ['sum(xs)', '[int]', '[9007199254740991,1]', '9007199254740992'],
  ['sum(xs)', '[int]', '[9007199254740991,2]', FAILED],
  ['sum(value)', 'json', '[1,"2"]', "evaluation_failed: \"2\" is not a number in 'sum(value)'"],
  ['[any(xs), all(xs), any([]), all([])]', '[bool]', '[true,false]', '[true,false,false,true]'],
  ['[any([x > 2 for x in xs]), all([x > 2 for x in xs])]', '[int]', '[1,3]', '[true,false]'],
  ['any([1 / x > 0 for x in xs])', '[int]', '[1,0]', FAILED],
  // ends
  ['[first(xs), last(xs)]', '[number]', '[1.0,2,3e0]', '[1.0,3e0]'],
  ['first(xs)', '[number]', '[]', "evaluation_failed: the list is empty in 'first(xs)'"],
  ['[first([x]) + 1, last([1, x])]', 'int', '5', '[6,5]'],
  ['[min(xs), max(xs)]', '[number]', '[2,1.0,1,2.00]', '[1.0,2]'],
  ['[min(xs), max(xs)]', '[int]', '[12345678901234567891,12345678901234567890]', '[12345678901234567890,12345678901234567891]'],
  ['[min(xs), max(xs)]', '[string]', '["b","a","\u{1f600}","\uffee"]', '["a","\u{1f600}"]'],
  ['max(xs, x -> x.n).id', '[{ id: string, n: int }]', '[{"id":"a","n":1},{"id":"b","n":3},{"id":"c","n":3}]', '"b"'],
  ['max(xs)', '[int]', '[]', FAILED],
  ['max(value)', 'json', '[1,"a"]', FAILED],
  ['min(x, 2)', 'int', '3', '2'],
  // maps: keys and values keep their text, of equal keys the last wins where the first stands
  ['[m["a"] ?? 0, m[k] ?? 0, m["" + k] ?? 1.50]', '{ m: { [string]: number }, k: string }', '{"m":{"\\u0061":2.0,"b":1},"k":"c"}', '[2.0,0,1.50]'],
  ['[has(m["a"]), has(m[k]), has(m["__proto__"])]', '{ m: { [string]: int }, k: string }', '{"m":{"a":2},"k":"b"}', '[true,false,false]'],
  ['[x["a"] ?? 7 for x in xs]', '[{ [string]: int }]', '[{},{"a":1},{"b":2,"a":4}]', '[7,1,4]'],
  ['o["a"] ?? 7', '{ o?: { [string]: int } }', '{}', '7'],
  ['m["a"]["b"] ?? 7', '{ m: { [string]: { [string]: int } } }', '{"m":{"a":{"b":1}}}', '1'],
  ['m["a"]["b"] ?? 7', '{ m: { [string]: { [string]: int } } }', '{"m":{"b":{"b":1}}}', '7'],
  ['[m["a"].n ?? 7, has(m["b"].n)]', '{ m: { [string]: { n: int } } }', '{"m":{"a":{"n":1}}}', '[1,false]'],
  ['value["a"] ?? 0', '{ [string]: int }', '{"a":12345678901234567890}', '12345678901234567890'],
  ['(value["a"] ?? 0) + 1', '{ [string]: int }', '{"a":12345678901234567890}', FAILED],
  ['value["a"]', 'json', '{"a":[ 1 ]}', '[ 1 ]'],
  ['value["a"]', 'json', '{"b":1}', "evaluation_failed: there is no field 'a' in 'value[\"a\"]'"],
  ['[value["a"] ?? 0, value["b"] ?? 0, has(value["b"])]', 'json', '{"b":null}', '[0,0,true]'],
  ['keys(m)', '{ m: { [string]: int } }', '{"m":{"b":1,"\\u0061":2,"10":3,"2":5}}', '["b","\\u0061","10","2"]'],
  ['values(m)', '{ m: { [string]: int } }', '{"m":{"b":1,"\\u0061":4.0,"2":5}}', '[1,4.0,5]'],
  ['entries(m)', '{ m: { [string]: int } }', '{"m":{ "b" : 1.0 ,"__proto__":2}}', '[{"key":"b","value":1.0},{"key":"__proto__","value":2}]'],
  ['[keys(r), sum(values(r))]', '{ r: { a: int, b?: number } }', '{"r":{"b":0.5,"a":1}}', '[["b","a"],1.5]'],
  ['keys(value)', 'json', '[1]', "evaluation_failed: a list is not an object in 'value'"],
  ['map_of([{ key: x, value: length(x) } for x in xs])', '[string]', '["a","__proto__","","a"]', '{"a":1,"__proto__":9,"":0}'],
  ['map_of(entries(m))', '{ m: { [string]: number } }', '{"m":{"a":1.0,"b":2e1}}', '{"a":1.0,"b":2e1}'],
  ['map_of(value)', 'json', '[{"value":1,"key":"a","more":2}]', '{"a":1}'],
  ['map_of(value)', 'json', '[{"value":1,"key":2}]', "evaluation_failed: 2 is not a string in 'map_of(value)'"],
  ['map_of(value)', 'json', '[{"key":"a"}]', "evaluation_failed: there is no field 'value' in 'map_of(value)'"],
  ['map_of([])', 'int', '1', '{}'],
  ['m = n', '{ m: { [string]: int }, n: { [string]: int } }', '{"m":{"a":1,"b":2},"n":{"b":2.0,"\\u0061":1}}', 'true'],
  // order
  ['sort(xs)', '[number]', '[2,1.50,1,-1,1.5]', '[-1,1,1.50,1.5,2]'],
  ['sort(xs)', '[string]', '["b","a","é","B","\u{1f600}","\uffee"]', '["B","a","b","é","\uffee","\u{1f600}"]'],
  ['sort(xs, x -> -x.n)', '[{ id: int, n: int }]', '[{"id":1,"n":1},{"id":2,"n":2},{"id":3,"n":1},{"id":4,"n":2}]', '[{"id":2,"n":2},{"id":4,"n":2},{"id":1,"n":1},{"id":3,"n":1}]'],
  ['sort(xs, x -> length(x))', '[string]', '["ccc","a","bb","d"]', '["a","d","bb","ccc"]'],
  ['sort(value, x -> x.a)', 'json', '[{"a":2},{"a":1}]', '[{"a":1},{"a":2}]'],
  ['sort(value, x -> x)', 'json', '[null]', FAILED],
  ['sort(xs, x -> -x)[:2]', '[number]', '[2,1.50,1,-1,1.5]', '[2,1.50]'],
  ['sort(xs)[-2:]', '[number]', '[2,1.50,1,-1,1.5]', '[1.5,2]'],
  ['sort(xs)[1:-1]', '[string]', '["b","a","c","B"]', '["a","b"]'],
  ['sort(xs)[3:1]', '[int]', '[2,1,3,0]', '[]'],
  ['sort(value)[:9]', 'json', '[2,1.0,9007199254740993,9007199254740992]', '[1.0,2,9007199254740992,9007199254740993]'],
  ['sort(xs, x -> x.n)[:4]', '[{ id: int, n: int }]', manyTies(30), manyTies(30, 4)],
  ['sort(xs, x -> x.n)[:4]', '[{ id: int, n: int }]', manyTies(12), manyTies(12, 4)],
  ['sort(xs, x -> 1 / x)[:1]', '[number]', '[1,0]', FAILED],
  ['sort(xs, x -> sum([y * x for y in ys]))', '{ xs: [int], ys: [int] }', '{"xs":[1,2,3],"ys":[1,-2]}', '[3,2,1]'],
  ['[x.n for x in sort(xs, x -> x.n)]', '[{ n: number }]', '[{"n":3.0},{"n":1e0}]', '[1e0,3.0]'],
  ['reverse(xs)', '[number]', '[1.0,2]', '[2,1.0]'],
  // equal items
  ['unique(value)', 'json', '[1,1.0,"1",1e0,{"a":1,"b":2},{"b":2.0,"a":1},[1],[1.0],null,false,null]', '[1,"1",{"a":1,"b":2},[1],null,false]'],
  ['unique(xs)', '[int]', '[12345678901234567890,12345678901234567891,1234567890123456789e1]', '[12345678901234567890,12345678901234567891]'],
  ['unique(xs, x -> x % 2)', '[int]', '[3,1,2,4]', '[3,2]'],
  ['unique(xs, x -> x.a ?? 0)', '[{ a?: int }]', '[{},{"a":0},{"a":1}]', '[{},{"a":1}]'],
  ['group(xs, x -> x.k)', '[{ k: string, n: number }]', '[{"k":"b","n":1.0},{"k":"a","n":2},{"n":3,"k":"\\u0062"}]', '[{"key":"b","items":[{"k":"b","n":1.0},{"n":3,"k":"\\u0062"}]},{"key":"a","items":[{"k":"a","n":2}]}]'],
  ['[[g.key, length(g.items)] for g in group(xs, x -> x)]', '[string]', '["__proto__","constructor","__proto__","1"]', '[["__proto__",2],["constructor",1],["1",1]]'],
  ['group(xs, x -> x > 1)', '[int]', '[1,2,3]', '[{"key":false,"items":[1]},{"key":true,"items":[2,3]}]'],
  ['[contains(xs, 1), contains(xs, 4), index(xs, 2), index(xs, 4)]', '[number]', '[1.0,2,2]', '[true,false,1,-1]'],
  ['[contains(xs, x), index(xs, x)]', '{ xs: [{ a: int }], x: { a: int } }', '{"xs":[{"a":1},{"a":2}],"x":{ "a": 2.0 }}', '[true,1]'],
  ['contains(value, 1)', 'json', '[2,1]', 'true'],
  ['contains(value, "b")', 'json', '"abc"', 'true'],
  ['contains(value, 1)', 'json', '"abc"', FAILED],
  ['contains(value, 1)', 'json', '{}', FAILED],
  // lists of lists
  ['[flatten(xs), flatten([])]', '[[number]]', '[[1.0],[],[2,3]]', '[[1.0,2,3],[]]'],
  ['flatten(value)', 'json', '[[1],2]', FAILED],
  ['zip(xs, ys)', '{ xs: [int], ys: [string] }', '{"xs":[1,2,3],"ys":["a","b"]}', '[[1,"a"],[2,"b"]]'],
  ['zip(ys, xs)', '{ xs: [int], ys: [string] }', '{"xs":[1.0],"ys":["a","b"]}', '[["a",1.0]]'],
  ['[xs + ys, xs + [9], [] + xs]', '{ xs: [int], ys: [number] }', '{"xs":[1.0],"ys":[2.50]}', '[[1.0,2.50],[1.0,9],[1.0]]'],
  ['xs + ys', '{ xs: json, ys: json }', '{"xs":[1.0],"ys":["a"]}', '[1.0,"a"]'],
  ['xs + ys', '{ xs: json, ys: json }', '{"xs":[1.0],"ys":2}', FAILED],
  ['[range(3), range(0), range(-1)]', 'int', '0', '[[0,1,2],[],[]]'],
  ['[x * x for x in range(n)]', '{ n: int }', '{"n":4}', '[0,1,4,9]'],
  ['range(n)', '{ n: int }', '{"n":1000000000000}', /^too_large: a list of 1000000000000 items is larger than 16,777,216 bytes/],
  ['[s for a in range(n)]', '{ s: string, n: int }', `{"s":"${'x'.repeat(1000)}","n":100000}`, /^too_large: /],
  // slices
  ['[xs[1:3], xs[:2], xs[3:], xs[-2:], xs[:-1], xs[:], xs[2:2], xs[3:1], xs[-9:9]]', '{ xs: [number] }', '{"xs":[0.0,1,2,3]}', '[[1,2],[0.0,1],[3],[2,3],[0.0,1,2],[0.0,1,2,3],[],[],[0.0,1,2,3]]'],
  ['[s[1:3], s[:-1], s[-1:], s[9:], slice(s, 1, 3)]', '{ s: string }', '{"s":"aé😀z"}', '["é😀","aé😀","z","","é😀"]'],
  ['[x[1:], x[:n]]', '{ x: json, n: json }', '{"x":"ab","n":1}', '["b","a"]'],
  ['x[1:]', '{ x: json }', '{"x":[1,2.0]}', '[2.0]'],
  ['x[1:]', '{ x: json }', '{"x":5}', FAILED],
  ['x[:n]', '{ x: json, n: json }', '{"x":[1],"n":0.5}', "evaluation_failed: 0.5 is not an int in 'n'"],
  ['t[1:]', '{ t: (int, string, bool) }', '{"t":[1,"a",true]}', '["a",true]'],
  // strings
  ['[lines("a\\nb\\r\\n\\nc"), lines("a\\n"), lines("")]', 'int', '1', '[["a","b","","c"],["a"],[]]'],
  ['words(s)', 'string', '"  one\\ttwo\\n three "', '["one","two","three"]'],
  ['[pad("a", 3) + ".", pad("a", -3), pad("abc", 2), pad("😀", -2)]', 'int', '1', '["a  .","  a","abc"," 😀"]'],
  ['pad("a", n)', '{ n: int }', '{"n":1000000000000}', /^too_large: /],
  ['replace(s, "", s)', 'string', `"${'x'.repeat(10000)}"`, /^too_large: /],
  ['join([x.k for x in xs], ", ")', '[{ k: string }]', '[{"k":"a"},{"k":"\\u0062"}]', '"a, b"'],
  // patterns
  ['[matches(s, "[0-9]+"), matches(s, "^b"), matches(s, "\\\\d$")]', 'string', '"é1 b22"', '[true,false,true]'],
  ['find(s, "([a-zé])([0-9]+)(x)?")', 'string', '"é1 😀b22"', '[{"text":"é1","groups":["é","1",""],"at":0},{"text":"b22","groups":["b","22",""],"at":4}]'],
  ['[m.at for m in find(s, "x*")]', 'string', '"axxb"', '[0,1,3,4]'],
  ['[replace_all(s, "[0-9]", "$0"), replace_all(s, "x*", "-")]', 'string', '"é1 b"', '["é$0 b","-é-1- -b-"]'],
  ['[matches(s, p), find(s, p)]', '{ s: string, p: string }', '{"s":"ab","p":"b"}', '[true,[{"text":"b","groups":[],"at":1}]]'],
  ['matches(s, p)', '{ s: string, p: string }', '{"s":"ab","p":"(a"}', /^evaluation_failed: '\(a' is not a pattern of RE2: missing closing \) in 'p'/],
  // templates
  ['$"{s} {n} {xs} {o}: {{{upper(s)}}} {$"<{n + 1}>"} {"}"}\\t\\u007b"', '{ s: string, n: number, xs: [int], o: { a: json } }', '{"s":"a\\"\\u00e9","n":2.50,"xs":[1, 2.0],"o":{ "a" : "\\n" }}', '"a\\"é 2.50 [1, 2.0] { \\"a\\" : \\"\\\\n\\" }: {A\\"É} <3.5> }\\t{"'],
  ['$""', 'int', '1', '""'],
  ['$"{b}{u}"', '{ b: bool, u: unit }', '{"b":true,"u":null}', '"truenull"'],
  ['[$"{x.k}={x.n}" for x in xs]', '[{ k: string, n: number }]', '[{"k":"a","n":1.0},{"k":"\\u0062","n":2}]', '["a=1.0","b=2"]'],
  ['$"{a}{b}"', '{ a: string, b: string }', '{"a":"\\ud83d","b":"\\ude00"}', '"😀"'],
  ['$"{a}"', '{ a: string }', '{"a":"\\ud83d"}', '"\\ud83d"'],
  // times
  ['[time("1970-01-02"), time("2026-11-21T10:00:00+02:00"), time("2026-11-21t10:00:00.5z"), time("1969-12-31T23:59:59.5Z")]', 'int', '1', '[86400,1795248000,1795255200.5,-0.5]'],
  ['[time("0001-01-01"), time("2024-02-29"), time("1990-12-31T23:59:60Z")]', 'int', '1', '[-62135596800,1709164800,662688000]'],
  ['time(s)', 'string', '"2023-02-29"', FAILED],
  ['time(s)', 'string', '"2023-01-01T24:00:00Z"', FAILED],
  ['time(s)', 'string', '"2023-01-01T00:00:00"', FAILED],
  ['[iso(0), iso(-0.5), iso(1.25), iso(1795255200.1), iso(0.9999999), iso(-62135596800)]', 'int', '1', '["1970-01-01T00:00:00Z","1969-12-31T23:59:59.5Z","1970-01-01T00:00:01.25Z","2026-11-21T10:00:00.1Z","1970-01-01T00:00:01Z","0001-01-01T00:00:00Z"]'],
  ['iso(n)', '{ n: number }', '{"n":1e15}', FAILED],
]

t.test('what an expression gives', async (t) => {
  for (const [code, input, message, result] of GIVES) {
    const found = evaluate(code, input, message)
    if (typeof result === 'string') t.equal(found, result, code)
    else t.match(found, result, code)
  }
})

t.test('an expression does not keep a message for hours', async (t) => {
  const e = expression('sum([1 for a in range(n) for b in range(n) for c in range(n)])')
  const input = type('{ n: int }')
  t.ok(checkExpression(e, { input }, refuse))
  const stage = compileMap(e, { input }, new MessageScanner(input))
  const message = Buffer.from('{"n":10000}\n')
  t.equal(stage.run(message, 0, message.length - 1, new Sink()), Verdict.FAILED)
  t.match(stage.fault, { error: 'too_large', detail: 'the expression looks at more than 100,000,000 items' })
})

const R = '{ n: int, s: string, b: bool, xs: [int], rs: [{ k: string, n?: int }], o?: int, j: json, m: { [string]: int } }'

t.test('the type of an expression', async (t) => {
  const rows: readonly (readonly [string, string])[] = [
    ['[x + 1 for x in xs]', '[int]'],
    ['[x for x in j]', '[json]'],
    ['[r.n ?? "none" for r in rs]', '[int | "none"]'],
    ['xs[1:]', '[int]'],
    ['s[1:]', 'string'],
    ['j[1:]', 'json'],
    ['xs + [0.5]', '[number]'],
    ['xs + [s]', '[int | string]'],
    ['sum(xs)', 'int'],
    ['sum([x / 2 for x in xs])', 'number'],
    ['sum(j)', 'number'],
    ['max(xs)', 'int'],
    ['first(rs).k', 'string'],
    ['group(rs, r -> r.k)', '[{ key: string, items: [{ k: string, n?: int }] }]'],
    ['zip(xs, rs)', '[(int, { k: string, n?: int })]'],
    ['unique(j)', '[json]'],
    ['flatten([xs, xs])', '[int]'],
    ['find(s, "a")', '[{ text: string, groups: [string], at: int }]'],
    ['$"{n}"', 'string'],
    ['time(s)', 'number'],
    ['range(n)', '[int]'],
    ['contains(xs, n)', 'bool'],
    ['m["a"] ?? 0.5', 'number'],
    ['keys(m)', '[string]'],
    ['values({ a: n, b: s })', '[int | string]'],
    ['entries(m)', '[{ key: string, value: int }]'],
    ['map_of([{ key: r.k, value: n } for r in rs])', '{ [string]: int }'],
    ['map_of(j)', '{ [string]: json }'],
  ]
  for (const [code, expected] of rows) {
    const wrong: Diagnostic[] = []
    const found = checkExpression(expression(code), { input: type(R) }, (d) => wrong.push(d))
    t.strictSame([found && printType(found), wrong], [expected, []], code)
  }
})

t.test('a mistake is underlined where it is', async (t) => {
  // The part between ⟦ and ⟧, the code, and a part of the message or the help.
  const rows: readonly (readonly [string, string, string])[] = [
    ['[⟦y⟧ for x in xs]', 'unknown_field', "no field 'y'"],
    ['[⟦xx⟧ for xy in xs]', 'unknown_field', "did you mean 'xy'?"],
    ['[x.k + ⟦n⟧ for x in rs]', 'type_mismatch', "'+'"],
    ['[r.⟦q⟧ for r in rs]', 'unknown_field', "no field 'q'"],
    ['[⟦r.n⟧ for r in rs]', 'type_mismatch', "'r.n' may be absent"],
    ['[x for x in ⟦n⟧]', 'type_mismatch', 'range(n) counts from 0'],
    ['[x for x in xs if ⟦x⟧]', 'type_mismatch', "'if' needs a bool"],
    ['[r.k for r in rs for x in ⟦r.k⟧]', 'type_mismatch', "'for' goes through a list"],
    ['⟦n⟧[1:]', 'type_mismatch', 'only a list or a string has slices'],
    ['xs[⟦s⟧:]', 'type_mismatch', 'an int'],
    ['xs + ⟦n⟧', 'type_mismatch', '[n] makes a list of it'],
    ['sum(⟦[r.k for r in rs]⟧)', 'type_mismatch', 'a list of numbers'],
    ['sort(⟦rs⟧)', 'type_mismatch', 'sort(rs, x -> x.k)'],
    ['sort(rs, r -> ⟦r.n ?? b⟧)', 'type_mismatch', "the key of 'sort'"],
    ['sort(rs, r -> r.⟦q⟧)', 'unknown_field', "no field 'q'"],
    ['⟦group(rs)⟧', 'arity_mismatch', 'group(xs, x -> key)'],
    ['sum(xs, ⟦x -> x⟧)', 'arity_mismatch', 'takes no function'],
    ['⟦min(n, n, n)⟧', 'arity_mismatch', 'takes 1 or 2 arguments'],
    ['any(⟦xs⟧)', 'type_mismatch', 'a list of bools'],
    ['range(⟦n / 2⟧)', 'type_mismatch', 'an int'],
    ['contains(xs, ⟦s⟧)', 'type_mismatch', 'never equal'],
    ['contains(s, ⟦n⟧)', 'type_mismatch', 'needs a string'],
    ['contains(⟦n⟧, n)', 'type_mismatch', 'a string or a list'],
    ['first(⟦s⟧)', 'type_mismatch', 'a list'],
    ['$"{⟦o⟧}"', 'type_mismatch', "'o' may be absent"],
    ['$"a {⟦nope⟧} b"', 'unknown_field', "no field 'nope'"],
    ['$"a {⟦1⟧ + s}"', 'type_mismatch', "'+'"],
    ['matches(s, "x[(](b)⟦(⟧a")', 'type_mismatch', 'missing closing )'],
    ['matches(s, "x\\\\(⟦)⟧")', 'type_mismatch', 'unexpected )'],
    ['matches(s, "\\"a⟦**⟧")', 'type_mismatch', 'invalid nested repetition operator'],
    ['matches(s, "(a)⟦\\\\1⟧")', 'type_mismatch', 'back-references'],
    ['find(s, "⟦(?=⟧a)")', 'type_mismatch', 'look-around'],
    ['⟦m["a"]⟧ + 1', 'type_mismatch', 'm["a"] ?? …'],
    ['m[⟦n⟧] ?? 0', 'type_mismatch', 'text(n) makes it a string'],
    ['m.⟦a⟧ ?? 0', 'type_mismatch', 'm["a"]'],
    ['xs[⟦s⟧]', 'type_mismatch', 'an index is an int'],
    ['keys(⟦xs⟧)', 'type_mismatch', 'a map or a record'],
    ['map_of(⟦rs⟧)', 'type_mismatch', '{ key: string, value: … }'],
    ['[has(⟦x⟧) for x in xs]', 'type_mismatch', "'has' asks for a field"],
  ]
  for (const [marked, code, part] of rows) {
    const start = marked.indexOf('⟦')
    const end = marked.indexOf('⟧') - 1
    const wrong: Diagnostic[] = []
    checkExpression(expression(marked.replace(/[⟦⟧]/g, '')), { input: type(R) }, (d) => wrong.push(d))
    t.strictSame(
      wrong.map((d) => [d.code, d.span.start, d.span.end]),
      [[code, start, end]],
      marked,
    )
    t.ok(
      wrong.every((d) => `${d.message} ${d.help}`.includes(part)),
      `${marked}: ${wrong[0]?.message} ${wrong[0]?.help}`,
    )
  }
})
