// What people write in jq, as expressions of the language: the same outputs. From its manual, and from questions that are asked of it.

import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import t from 'tap'
import { scaled } from '../../wire/test/patience.js'
import { parseChainText, parseExpressionText } from '../src/parse/parser.js'
import { evaluate } from './evaluate.js'
import { compileText } from './reports.js'

const USERS = '[{"name":"ann","age":3,"tags":["x"]},{"name":"bob","age":5,"tags":["y","x"]},{"name":"eve","age":3,"tags":[]}]'

// biome-ignore format: a table
const TABLE: readonly (readonly [jq: string, ours: string, input: string, gives: string])[] = [
  ['.foo', 'value.foo', '{"foo":42,"bar":1}', '42'],
  ['.foo // null', 'value.foo ?? null', '{"bar":1}', 'null'],
  ['.a.b.c?', 'value.a.b.c ?? null', '{"a":{"b":{"c":1.50}}}', '1.50'],
  ['."content-type"', 'value."content-type"', '{"content-type":"t"}', '"t"'],
  ['.[0]', 'value[0]', '[1,2]', '1'],
  ['.[-1]', 'last(value)', '[1,2]', '2'],
  ['.[1:3]', 'value[1:3]', '[1,2,3,4]', '[2,3]'],
  ['.[-2:]', 'value[-2:]', '"abcdef"', '"ef"'],
  ['[.[] | .name]', '[x.name for x in value]', USERS, '["ann","bob","eve"]'],
  ['map(select(.age > 3))', '[x for x in value if x.age > 3]', USERS, '[{"name":"bob","age":5,"tags":["y","x"]}]'],
  ['map(.age + 1)', '[x.age + 1 for x in value]', USERS, '[4,6,4]'],
  ['map({name, n: .age})', '[{ name: x.name, n: x.age } for x in value]', USERS, '[{"name":"ann","n":3},{"name":"bob","n":5},{"name":"eve","n":3}]'],
  ['[.[] | select(.name == "bob") | .age][0]', 'first([x.age for x in value if x.name = "bob"])', USERS, '5'],
  ['length', 'length(value)', '[1,2,3]', '3'],
  ['length', 'length(value)', '"añb"', '3'],
  ['keys_unsorted', 'keys(value)', '{"b":1,"a":2}', '["b","a"]'],
  ['keys', 'sort(keys(value))', '{"b":1,"a":2}', '["a","b"]'],
  ['[.[]]', 'values(value)', '{"b":1,"a":2}', '[1,2]'],
  ['has("a")', 'has(value.a)', '{"a":null}', 'true'],
  ['to_entries', 'entries(value)', '{"a":1}', '[{"key":"a","value":1}]'],
  ['from_entries', 'map_of(value)', '[{"key":"a","value":1},{"key":"b","value":2}]', '{"a":1,"b":2}'],
  ['with_entries(.value += 1)', 'map_of([{ key: e.key, value: e.value + 1 } for e in entries(value)])', '{"a":1,"b":2}', '{"a":2,"b":3}'],
  ['with_entries(select(.value > 1))', 'map_of([e for e in entries(value) if e.value > 1])', '{"a":1,"b":2}', '{"b":2}'],
  ['map_values(. * 2)', 'map_of([{ key: e.key, value: e.value * 2 } for e in entries(value)])', '{"a":1,"b":2}', '{"a":2,"b":4}'],
  ['del(.a)', 'without(value, "a")', '{"a":1,"b":2}', '{"b":2}'],
  ['. + {c: 3}', '{ ...value, c: 3 }', '{"a":1}', '{"a":1,"c":3}'],
  ['.a = 5', '{ ...value, a: 5 }', '{"a":1,"b":2}', '{"a":5,"b":2}'],
  ['.a += 1', '{ ...value, a: value.a + 1 }', '{"a":1,"b":2}', '{"a":2,"b":2}'],
  ['.[.k] = 1', '{ ...value, [value.k]: 1 }', '{"k":"z"}', '{"k":"z","z":1}'],
  ['{(.k): .v}', '{ [value.k]: value.v }', '{"k":"z","v":2}', '{"z":2}'],
  ['add', 'sum(value)', '[1,2,3]', '6'],
  ['add', 'join(value, "")', '["a","b"]', '"ab"'],
  ['add / length', 'sum(value) / length(value)', '[1,2]', '1.5'],
  ['[min, max]', '[min(value), max(value)]', '[3,1,2]', '[1,3]'],
  ['max_by(.age).name', 'max(value, x -> x.age).name', USERS, '"bob"'],
  ['sort', 'sort(value)', '[3,1,2]', '[1,2,3]'],
  ['sort_by(.age, .name) | map(.name)', '[x.name for x in sort(sort(value, x -> x.name), x -> x.age)]', USERS, '["ann","eve","bob"]'],
  ['sort_by(-.age) | map(.name)', '[x.name for x in sort(value, x -> -x.age)]', USERS, '["bob","ann","eve"]'],
  ['group_by(.age) | map({age: .[0].age, n: length})', '[{ age: g.key, n: length(g.items) } for g in group(value, x -> x.age)]', USERS, '[{"age":3,"n":2},{"age":5,"n":1}]'],
  ['unique', 'sort(unique(value))', '[3,1,3]', '[1,3]'],
  ['unique_by(.age) | length', 'length(unique(value, x -> x.age))', USERS, '2'],
  ['[.[].tags[]]', 'flatten([x.tags for x in value])', USERS, '["x","y","x"]'],
  ['[.[] | select(.tags | index("x"))] | length', 'length([x for x in value if contains(x.tags, "x")])', USERS, '2'],
  ['any(.[]; . > 2)', 'any([x > 2 for x in value])', '[1,3]', 'true'],
  ['all(. > 0)', 'all([x > 0 for x in value])', '[1,0]', 'false'],
  ['reverse', 'reverse(value)', '[1,2]', '[2,1]'],
  ['first(.[] | select(. > 1))', 'first([x for x in value if x > 1])', '[1,2,3]', '2'],
  ['[range(3)]', 'range(3)', '0', '[0,1,2]'],
  ['. as $x | [$x, $x * $x]', 'let x = value in [x, x * x]', '4', '[4,16]'],
  ['if . == null then "none" elif . > 1 then "many" else "one" end', 'if value = null then "none" else if value > 1 then "many" else "one"', '3', '"many"'],
  ['.a // "d"', 'value.a ?? "d"', '{"a":null}', '"d"'],
  ['"\\(.name) is \\(.age)"', '$"{value.name} is {value.age}"', '{"name":"ann","age":3}', '"ann is 3"'],
  ['ascii_upcase', 'upper(value)', '"ab"', '"AB"'],
  ['split(", ")', 'split(value, ", ")', '"a, b"', '["a","b"]'],
  ['join("-")', 'join(value, "-")', '["a","b"]', '"a-b"'],
  ['ltrimstr("v")', 'if starts_with(value, "v") then value[1:] else value', '"v1"', '"1"'],
  ['test("^a[0-9]+$")', 'matches(value, "^a[0-9]+$")', '"a12"', 'true'],
  ['[match("[0-9]+"; "g").string]', '[m.text for m in find(value, "[0-9]+")]', '"a1b22"', '["1","22"]'],
  ['capture("(?<y>[0-9]+)-(?<m>[0-9]+)")', 'let m = first(find(value, "([0-9]+)-([0-9]+)")) in { y: m.groups[0], m: m.groups[1] }', '"2024-05"', '{"y":"2024","m":"05"}'],
  ['gsub("[aeiou]"; "_")', 'replace_all(value, "[aeiou]", "_")', '"banana"', '"b_n_n_"'],
  ['tonumber', 'number(value)', '"1.50"', '1.50'],
  ['tostring', 'text(value)', '[1,"x"]', '"[1,\\"x\\"]"'],
  ['fromjson', 'parse(value)', '"{\\"a\\":1}"', '{"a":1}'],
  ['tojson', 'text(value)', '{"a":1}', '"{\\"a\\":1}"'],
  ['@base64', 'base64(value)', '"hé"', '"aMOp"'],
  ['@base64d', 'unbase64(value)', '"aMOp"', '"hé"'],
  ['@uri', 'url_encode(value)', '"a b/é"', '"a%20b%2F%C3%A9"'],
  ['@csv', 'to_csv([[text(x) for x in value]])', '["a,b",1]', '"\\"a,b\\",1"'],
  ['type == "number"', 'match value { x : number -> true, _ -> false }', '1', 'true'],
  ['fromdate', 'time(value)', '"2015-03-05T23:51:47Z"', '1425599507'],
  ['todate', 'iso(value)', '1425599507', '"2015-03-05T23:51:47Z"'],
  ['[floor, sqrt, pow(.; 2)]', '[floor(value), sqrt(value), pow(value, 2)]', '4', '[4,2,16]'],
  ['transpose', '[[row[i] for row in value] for i in range(length(value[0]))]', '[[1,2],[3,4]]', '[[1,3],[2,4]]'],
  ['[.[] | numbers]', '[x for x in value if match x { n : number -> true, _ -> false }]', '[1,"a",2]', '[1,2]'],
  ['.a[1].b', 'value.a[1].b ?? null', '{"a":[0,{"b":7}]}', '7'],
  ['. % 2', 'value % 2', '7', '1'],
  ['[.[] | .[]?]', '[y for x in value for y in x]', '[[1],[2,3]]', '[1,2,3]'],
  ['to_entries | map("\\(.key)=\\(.value)") | join("&")', 'join([$"{e.key}={e.value}" for e in entries(value)], "&")', '{"a":1,"b":"x"}', '"a=1&b=x"'],
  ['[.[] | {(.name): .age}] | add', 'map_of([{ key: x.name, value: x.age } for x in value])', USERS, '{"ann":3,"bob":5,"eve":3}'],
  // What people ask on the web.
  ['map(select(has("a") | not))', '[x for x in value if not has(x.a)]', '[{"a":1},{"b":2}]', '[{"b":2}]'],
  ['map(select(. != null))', '[x for x in value if x != null]', '[1,null,2]', '[1,2]'],
  ['with_entries(select(.value != null))', 'map_of([e for e in entries(value) if e.value != null])', '{"a":1,"b":null}', '{"a":1}'],
  ['with_entries(.key |= ascii_downcase)', 'map_of([{ key: lower(e.key), value: e.value } for e in entries(value)])', '{"A":1}', '{"a":1}'],
  ['group_by(.k) | map({k: .[0].k, total: map(.n) | add})', '[{ k: g.key, total: sum([x.n for x in g.items]) } for g in group(value, x -> x.k)]', '[{"k":"a","n":1},{"k":"a","n":3},{"k":"b","n":2}]', '[{"k":"a","total":4},{"k":"b","total":2}]'],
  ['map(select(.k | IN("a", "b")))', '[x for x in value if contains(["a", "b"], x.k)]', '[{"k":"a"},{"k":"c"}]', '[{"k":"a"}]'],
  ['.a * .b', '{ ...value.a, ...value.b }', '{"a":{"x":1,"y":1},"b":{"y":2}}', '{"x":1,"y":2}'],
  ['map(.n += 1)', '[{ ...x, n: x.n + 1 } for x in value]', '[{"n":1,"z":0}]', '[{"n":2,"z":0}]'],
  ['map(del(.b))', '[without(x, "b") for x in value]', '[{"a":1,"b":2}]', '[{"a":1}]'],
  ['[.[] | {id, tag: .tags[]}]', '[{ id: x.id, tag: y } for x in value for y in x.tags]', '[{"id":1,"tags":["a","b"]}]', '[{"id":1,"tag":"a"},{"id":1,"tag":"b"}]'],
  ['to_entries | map([.key, .value])', '[[i, value[i]] for i in range(length(value))]', '["a","b"]', '[[0,"a"],[1,"b"]]'],
  ['indices("b")', '[i for i in range(length(value)) if value[i] = "b"]', '["a","b","b"]', '[1,2]'],
  ['. - [2]', '[x for x in value if not contains([2], x)]', '[1,2,3]', '[1,3]'],
  ['flatten', 'flatten(flatten(value))', '[[[1],[2]],[[3]]]', '[1,2,3]'],
  ['type', 'match value { b : bool -> "boolean", n : number -> "number", s : string -> "string", x : [json] -> "array", u : unit -> "null", _ -> "object" }', '[1]', '"array"'],
  ['(.a // []) + (.b // [])', '(value.a ?? []) + (value.b ?? [])', '{"a":[1]}', '[1]'],
  ['all(.[]; has("id"))', 'all([has(x.id) for x in value])', '[{"id":1}]', 'true'],
  ['[.a, .b] | transpose', 'zip(value.a, value.b)', '{"a":[1,2],"b":["x","y"]}', '[[1,"x"],[2,"y"]]'],
  ['INDEX(.id)', 'map_of([{ key: text(x.id), value: x } for x in value])', '[{"id":7}]', '{"7":{"id":7}}'],
  ['split("/") | last', 'last(split(value, "/"))', '"a/b/c"', '"c"'],
  ['explode | reverse | implode', 'join(reverse(split(value, "")), "")', '"abc"', '"cba"'],
  ['[limit(2; .[])]', 'value[:2]', '[1,2,3]', '[1,2]'],
  ['(fromdate + 86400) | todate', 'iso(time(value) + 86400)', '"2024-02-28T00:00:00Z"', '"2024-02-29T00:00:00Z"'],
  ['split(".")[1] | @base64d | fromjson', 'let s = split(value, ".")[1] in parse(unbase64(s + "==="[:(4 - length(s) % 4) % 4]))', '"x.eyJhIjoxfQ.y"', '{"a":1}'],
  ['if . > 0 then . else error("no") end', 'if value > 0 then value else fail("no")', '1', '1'],
]

t.test('one-liners of jq', async (t) => {
  t.ok(TABLE.length >= 60, `${TABLE.length} of them`)
  for (const [jq, ours, input, gives] of TABLE) t.equal(evaluate(ours, 'json', input).replace(/^PASS$/, input), gives, `${jq}: ${ours}`)
})

const HAS_JQ = spawnSync('jq', ['--version']).status === 0

t.test('a real jq gives the same values', { skip: !HAS_JQ && 'no jq is installed' }, async (t) => {
  const program = `[${TABLE.map(([jq, , input]) => `(${JSON.stringify(input)} | fromjson | [${jq}])`)}]`
  const { stdout, stderr } = spawnSync('jq', ['-nc', program], { encoding: 'utf8', timeout: scaled(10_000) })
  t.equal(stderr, '')
  for (const [i, found] of (JSON.parse(stdout) as unknown[]).entries())
    t.strictSame(found, [JSON.parse(TABLE[i]?.[3] ?? '')], TABLE[i]?.[0] ?? '')
})

t.test('the tables of plumbing(5) for those who come from elsewhere can be read', async (t) => {
  const page = readFileSync('man/plumbing.5', 'utf8')
  const [, section = ''] = /\.Ss If you come from jq(.*?)\n\.Sh /s.exec(page) ?? []
  const tables = [...section.matchAll(/\n\.It Ta\n(.*?)\n\.El/gs)].map(([, table = '']) => table.split('\n'))
  t.strictSame(
    tables.map(({ length }) => length >= 10),
    [true, true],
  )
  for (const row of tables.flat()) {
    const cell = row.split(' Ta ').at(-1) ?? ''
    const texts = [...cell.matchAll(/\\fB(.+?)\\fP/g)].map(([, code = '']) => code.replaceAll('\\(dq', '"').replaceAll('\\-', '-'))
    t.ok(texts.length > 0, row)
    for (const text of texts) {
      const source = { path: 'row', text }
      const program = /^param /.test(text) ? text : `let walk : json -> json = ${text}`
      const isDeclared = compileText(program).diagnostics.every(({ code }) => code !== 'syntax_error')
      t.ok(isDeclared || (parseExpressionText(source, () => {}) ?? parseChainText(source, () => {})), text)
    }
  }
})
