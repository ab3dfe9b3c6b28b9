// Forms that take values apart, know more of them, stand in for them, name them and refuse them: match, conditions, ??, let, fail.

import t from 'tap'
import { checkExpression } from '../src/expression/infer/check.js'
import { compileMap } from '../src/expression/stage/stage.js'
import { printType } from '../src/types/print.js'
import type { Type } from '../src/types/type.js'
import { evaluate, NO_NAMES, run } from './evaluate.js'
import { expression, type } from './parsed.js'
import { compileText } from './reports.js'

/** A type, or declarations with the name of one behind them. */
const inputOf = (text: string) => {
  const [name = '', ...declarations] = text
    .split(';;')
    .map((part) => part.trim())
    .toReversed()
  if (declarations.length === 0) return { input: type(name), scope: NO_NAMES }
  const scope = compileText(declarations.toReversed().join('\n')).program.entry
  return { input: scope.types.get(name) as Type, scope }
}

t.test('the type of each form, and what it gives of messages', async (t) => {
  // biome-ignore format: a table: input type, expression, its type, or an error and the beginning of its message; messages with their results
  const rows: [string, string, string, ...[message: string, result: string][]][] = [
    ['{ r?: { n?: int, m: int } }', 'if has(r.n) then r.n + r.m else 0', 'int', ['{"r":{"n":3,"m":1}}', '4'], ['{"r":{"m":1}}', '0'], ['{}', '0']],
    ['{ r?: { n?: int, m: int } }', 'if not has(r.n) then 0 else r.n', 'int', ['{"r":{"n":3,"m":1}}', '3'], ['{}', '0']],
    ['{ r?: { n?: int } }', 'if has(r) and has(r.n) then r.n else 0', 'int', ['{"r":{"n":3}}', '3']],
    ['{ r?: { n?: int } }', 'if !has(r) || !has(r.n) then 0 else r.n', 'int', ['{"r":{"n":3}}', '3'], ['{}', '0']],
    ['{ a: int | unit }', 'if a != null then a + 1 else 0', 'int', ['{"a":null}', '0'], ['{"a":1}', '2']],
    ['{ a: int | unit }', 'if null != a then a + 1 else 0', 'int', ['{"a":null}', '0'], ['{"a":1}', '2']],
    ['{ a: int | unit }', 'if value.a != null then a + 1 else 0', 'int', ['{"a":null}', '0'], ['{"a":1}', '2']],
    ['{ a: int | unit }', 'if a != null then value.a + 1 else 0', 'int', ['{"a":null}', '0'], ['{"a":1}', '2']],
    ['{ a?: int | unit }', 'if has(a) and a != null then a + 1 else 0', 'int', ['{"a":null}', '0'], ['{}', '0'], ['{"a":4}', '5']],
    ['{ a?: int | unit }', 'if (a ?? null) != null then a + 1 else 0', 'type_mismatch: \'a\' may be absent'],
    ['int | unit', 'if n = null then 0 else n + 1', 'int', ['null', '0'], ['4', '5']],
    ['int | string', 'if x = "a" then x + "b" else "c"', 'string', ['"a"', '"ab"'], ['1', '"c"']],
    ['bool | unit', 'if x = true then not x else true', 'bool', ['true', 'false'], ['null', 'true']],
    ['bool | unit | int', 'match x { b : bool -> 1, u : unit -> 2, i : int -> i }', 'int', ['true', '1'], ['null', '2'], ['7', '7']],
    ['{ k: "a", x: int } | { k: "b", y: string }', 'if k = "a" then x else length(y)', 'int', ['{"k":"a","x":3}', '3'], ['{"k":"b","y":"éé"}', '2']],
    ['{ k: "a", x: int } | { k: "b", y: string } | { k: "c" }', 'if k = "a" then x else if k != "c" then length(y) else -1', 'int', ['{"k":"c"}', '-1'], ['{"k":"b","y":"éé"}', '2']],
    ['{ k: "a", x: int } | { k: "b", y: string }', 'if value.k != "a" then value.y else text(value.x)', 'string', ['{"k":"a","x":3}', '"3"'], ['{"k":"b","y":"éé"}', '"éé"']],
    ['{ v: { k: "a", x: int } | { k: "b", y: string } }', 'if v.k = "a" then v.x else length(v.y)', 'int', ['{"v":{"k":"a","x":3}}', '3']],
    ['{ v: { k: "a", x: int } | { k: "b", y: string } }', 'let w = v in if w.k = "a" then w.x else length(w.y)', 'int', ['{"v":{"k":"a","x":3}}', '3']],
    ['{ vs: [{ k: "a", x: int } | { k: "b", y: string }] }', '[v.x for v in vs if v.k = "a"]', '[int]', ['{"vs":[{"k":"a","x":3},{"k":"b","y":"z"}]}', '[3]']],
    ['{ vs: [{ k: "a", x: [int] } | { k: "b", y: string }] }', '[q for v in vs if v.k = "a" for q in v.x if q > 1]', '[int]', ['{"vs":[{"k":"a","x":[3,1]},{"k":"b","y":"z"}]}', '[3]']],
    ['{ vs: [{ k: "a", x: int } | { k: "b", y: string }] }', 'sort(vs, v -> if v.k = "a" then v.x else length(v.y))', '[{ k: "a", x: int } | { k: "b", y: string }]', ['{"vs":[{"k":"a","x":3},{"k":"b","y":"z"}]}', '[{"k":"b","y":"z"},{"k":"a","x":3}]']],
    ['{ a: int, ... } | { b: string, c: int }', 'if has(b) then 1 else 2', 'unknown_field: the input { a: int, ... }'],
    ['{ a: int } | { b: string }', 'if has(a) then a else length(b)', 'int', ['{"a":1}', '1'], ['{"b":"xx"}', '2']],
    ['{ a: int } | { b: string }', 'if has(value.a) then value.a else length(value.b)', 'int', ['{"a":1}', '1'], ['{"b":"xx"}', '2']],
    ['{ u: int | string | unit }', 'if u != null and u != "x" then u else 0', 'int | string', ['{"u":"x"}', '0'], ['{"u":"y"}', '"y"'], ['{"u":null}', '0']],
    ['{ u: "a" | "b" | "c" }', 'if u = "a" or u = "b" then u else "z"', '"a" | "b" | "z"', ['{"u":"b"}', '"b"'], ['{"u":"c"}', '"z"']],
    ['{ u: "a" | "b" | "c" }', 'if u != "a" and u != "b" then u else "z"', '"c" | "z"', ['{"u":"b"}', '"z"'], ['{"u":"c"}', '"c"']],
    ['{ u: "a" | "b" | "c" }', 'if not (u = "a" or u = "b") then u else "z"', '"c" | "z"', ['{"u":"b"}', '"z"'], ['{"u":"c"}', '"c"']],
    ['{ u: int | unit, xs: [int] }', '[u + x for x in xs if u != null]', '[int]', ['{"u":1,"xs":[1,2]}', '[2,3]'], ['{"u":null,"xs":[1]}', '[]']],
    ['{ u: int | unit, xs: [int] }', 'if u != null then [u + x for x in xs] else []', '[int]', ['{"u":1,"xs":[1,2]}', '[2,3]'], ['{"u":null,"xs":[1]}', '[]']],
    ['{ u: int | unit }', 'if u != null then (let u = null in u) else 0', 'unit | int', ['{"u":1}', 'null']],
    ['{ u: int | unit }', '(if u != null then 1 else 2) + u', 'type_mismatch: \'+\' needs a number, but this is int'],
    ['{ u: int | unit }', 'u != null and u > 3', 'bool', ['{"u":1}', 'false'], ['{"u":4}', 'true'], ['{"u":null}', 'false']],
    ['{ u: int | unit }', 'u = null or u > 3', 'bool', ['{"u":1}', 'false'], ['{"u":4}', 'true'], ['{"u":null}', 'true']],
    ['{ u: int | unit }', 'not (u = null) and u > 3', 'bool', ['{"u":4}', 'true'], ['{"u":null}', 'false']],
    ['{ "a-b"?: int }', 'if has(value."a-b") then value."a-b" else 0', 'int', ['{"a-b":3}', '3'], ['{}', '0']],
    ['{ "a"?: int }', 'if has(value."a") then a else 0', 'int', ['{"a":3}', '3'], ['{}', '0']],
    ['{ a?: int }', 'if has(a) then value."a" else 0', 'int', ['{"a":3}', '3'], ['{}', '0']],
    ['{ j: json }', 'if j.a != null then j.a + 1 else 0', 'number', ['{"j":{"a":1}}', '2']],
    ['{ m: { [string]: int } }', 'if has(m["x"]) then m["x"] + 1 else 0', 'type_mismatch: \'m["x"]\' may be absent'],
    ['{ m: { [string]: int } }', 'if has(m["x"]) then (m["x"] ?? 0) + 1 else 0', 'int', ['{"m":{"x":1}}', '2']],
    ['{ xs: [int | unit] }', '[x + 1 for x in xs if x != null]', '[int]', ['{"xs":[1,null,2]}', '[2,3]']],
    ['{ xs: [{ n?: int }] }', '[x.n for x in xs if has(x.n)]', '[int]', ['{"xs":[{"n":1},{}]}', '[1]']],
    ['{ t: (int | unit, int) }', 'if t[0] != null then t[0] + 1 else 0', 'int', ['{"t":[1,2]}', '2']],
    ['(int, { k: "a", x: int } | { k: "b" })', 'if value[1].k = "a" then value[1].x else value[0]', 'int', ['[1,{"k":"b"}]', '1'], ['[1,{"k":"a","x":5}]', '5']],
    ['(int, int | unit)', 'if value[1] != null then value[1] + value[0] else 0', 'int', ['[1,2]', '3'], ['[1,null]', '0']],
    ['{ k: "a", x: int } | { k: "b", x: int } | { k: "c" }', 'if k = "a" or k = "b" then x else 0', 'int', ['{"k":"b","x":4}', '4'], ['{"k":"c"}', '0']],
    ['{ k: "a", x: int } | { k: "b", x: int } | { k: "c" }', 'if not (k != "a" and k != "b") then x else 0', 'int', ['{"k":"b","x":4}', '4'], ['{"k":"c"}', '0']],
    ['{ k: "a", x: int } | { k: "b", x: int } | { k: "c" }', 'if k = "a" or true then x else 0', 'unknown_field: the input { k: "a", x: int }'],
    ['{ a?: int, b?: int }', 'if has(a) or has(b) then a ?? b else 0', 'type_mismatch: \'b\' may be absent'],
    ['{ a?: int, b?: int }', 'if has(a) or has(b) then (if has(a) then a else b ?? 7) else 0', 'int', ['{"b":3}', '3'], ['{"a":4}', '4']],
    ['{ r: { n: int } | unit }', 'if has(r.n) then r.n else 0', 'int', ['{"r":null}', '0'], ['{"r":{"n":2}}', '2']],
    ['{ r: { n?: int | unit } | unit }', 'if has(r.n) then r.n else 0', 'int | unit', ['{"r":null}', '0'], ['{"r":{"n":2}}', '2'], ['{"r":{"n":null}}', 'null']],
    ['{ r: { n?: int | unit } | unit }', 'if has(r.n) and r.n != null then r.n + 1 else 0', 'int', ['{"r":null}', '0'], ['{"r":{"n":2}}', '3'], ['{"r":{"n":null}}', '0']],
    ['{ r?: { q?: { n?: int } } }', 'if has(r.q.n) then r.q.n + length(keys(r.q)) else 0', 'int', ['{"r":{"q":{"n":2}}}', '3'], ['{}', '0']],
    ['{ r?: { q?: { n?: int } | unit } | unit }', 'if has(r.q.n) then r.q.n + length(keys(r.q)) else 0', 'int', ['{"r":{"q":{"n":2}}}', '3'], ['{}', '0'], ['{"r":{"q":null}}', '0']],
    ['{ r?: { q?: int } }', 'has(r.q) and r.q > 3', 'bool', ['{"r":{"q":4}}', 'true'], ['{}', 'false']],
    ['{ r: { q: int } | { p: int } }', 'if has(r.q) then r.q else r.p', 'int', ['{"r":{"q":4}}', '4'], ['{"r":{"p":5}}', '5']],
    ['{ r?: { q: int } | { p: int } }', 'if has(r.q) then r.q else r.p ?? 0', 'int', ['{"r":{"q":4}}', '4'], ['{"r":{"p":5}}', '5'], ['{}', '0']],
    ['{ x: int | string }', 'if x = -1 then x + 1 else 0', 'int', ['{"x":-1}', '0'], ['{"x":"a"}', '0']],
    ['{ a?: { b?: { c?: int | unit } | unit } }', 'a.b.c ?? 7', 'int', ['{}', '7'], ['{"a":{}}', '7'], ['{"a":{"b":null}}', '7'], ['{"a":{"b":{"c":null}}}', '7'], ['{"a":{"b":{"c":1}}}', '1']],
    ['{ a?: int, b: int | unit, c: int }', 'a ?? b ?? c', 'int', ['{"b":null,"c":3}', '3'], ['{"b":2,"c":3}', '2']],
    ['{ a?: int, b: int | unit, c: int }', '(a ?? b) ?? c', 'int', ['{"b":null,"c":3}', '3'], ['{"b":2,"c":3}', '2']],
    ['{ m: { [string]: { n?: int } } }', 'm["x"].n ?? 5', 'int', ['{"m":{}}', '5'], ['{"m":{"x":{}}}', '5'], ['{"m":{"x":{"n":1}}}', '1']],
    ['{ m: { [string]: int | unit } }', 'm["x"] ?? 5', 'int', ['{"m":{}}', '5'], ['{"m":{"x":null}}', '5']],
    ['{ xs: [{ n: int | unit }] }', 'xs[3].n ?? 5', 'int', ['{"xs":[]}', '5'], ['{"xs":[{"n":1},{"n":1},{"n":1},{"n":null}]}', '5'], ['{"xs":[{"n":1},{"n":1},{"n":1},{"n":6}]}', '6']],
    ['{ xs: [int] }', 'xs[3] ?? null', 'int | unit', ['{"xs":[]}', 'null']],
    ['{ t: (int, int) }', 't[0] ?? 1', 'type_mismatch: \'t[0]\' is always there'],
    ['{ t: (int, int) }', 't[i] ?? 1', 'unknown_field: the input { t: (int, int) } has no field \'i\''],
    ['{ t: (int, int), i: int }', 't[i] ?? 1', 'int', ['{"t":[1,2],"i":9}', '1'], ['{"t":[1,2],"i":-1}', '1']],
    ['{ xs: [int], i: int }', 'xs[i] ?? 1', 'int', ['{"xs":[1,2],"i":-1}', '1']],
    ['{ a: int }', 'a ?? 1', 'type_mismatch: \'a\' is always there'],
    ['{ a?: int = 3 }', 'a ?? 1', 'type_mismatch: \'a\' is always there'],
    ['json', 'value.a.b ?? 1', 'json', ['{"a":3}', 'evaluation_failed: 3 has no fields in \'value.a.b\''], ['{"a":null}', '1'], ['null', '1'], ['3', 'evaluation_failed: 3 has no fields in \'value.a\''], ['[]', 'evaluation_failed: a list has no fields in \'value.a\''], ['{"a":[1]}', 'evaluation_failed: a list has no fields in \'value.a.b\''], ['{"a":"x"}', 'evaluation_failed: "x" has no fields in \'value.a.b\'']],
    ['json', 'value[2].x ?? 1', 'json', ['[]', '1'], ['{"a":1}', 'evaluation_failed: an object has no items in \'value[2]\''], ['[1,2,3]', 'evaluation_failed: 3 has no fields in \'value[2].x\''], ['null', '1']],
    ['json', 'value["k"] ?? 1', 'json', ['{"k":2}', '2'], ['{}', '1'], ['[]', 'evaluation_failed: a list has no fields in \'value["k"]\''], ['null', '1']],
    ['json', 'value ?? 1', 'json', ['null', '1'], ['3.0', '3.0'], ['"n"', '"n"']],
    ['json', '(value ?? 1) + 1', 'number', ['null', '2'], ['3', '4']],
    ['json', '[x ?? 0 for x in value]', '[json]', ['[null,3,"n"]', '[0,3,"n"]']],
    ['[json]', '[x ?? 0 for x in value]', '[json]', ['[null,3.0,[]]', '[0,3.0,[]]']],
    ['[json]', 'sort(value, x -> x ?? 2)', '[json]', ['[null,3,1]', '[1,null,3]']],
    ['{ a: json, n: int }', 'a ?? n', 'json', ['{"a":null,"n":1e0}', '1e0'], ['{"a":[],"n":1}', '[]']],
    ['{ a: json }', '{ a: a ?? {} }', '{ a: json }', ['{"a":null}', '{"a":{}}'], ['{"a":"nul"}', '{"a":"nul"}']],
    ['(json, int)', 'value[0] ?? value[1]', 'json', ['[null,2]', '2'], ['[1,2]', '1']],
    ['{ s: string }', 'parse(s) ?? "none"', 'json', ['{"s":"null"}', '"none"'], ['{"s":"1.0"}', '1.0']],
    ['{ xs: [json] }', 'first(xs) ?? 0', 'json', ['{"xs":[null]}', '0'], ['{"xs":[1]}', '1'], ['{"xs":[]}', 'evaluation_failed: the list is empty in \'first(xs)\'']],
    ['json', 'let x = value.a ?? null in x ?? 3', 'json', ['{}', '3'], ['{"a":1}', '1']],
    ['json', '(if value.a = 1 then value.b else null) ?? "d"', 'json', ['{"a":1,"b":null}', '"d"'], ['{"a":1,"b":2}', '2'], ['{"a":2}', '"d"']],
    ['json', 'value ?? fail("null")', 'json', ['null', 'rejected: null'], ['0', '0']],
    ['json', 'match value { s : string -> s ?? "x", _ -> 0 }', 'type_mismatch: \'s\' is always there'],
    ['json', 'value[value.k]', 'json', ['{"k":"a","a":5}', '5'], ['{"k":"k"}', '"k"'], ['{"k":"b"}', "evaluation_failed: there is no field 'b' in 'value[value.k]'"], ['{"k":0}', "evaluation_failed: an object has no items in 'value[value.k]'"], ['{"k":null}', "evaluation_failed: null is not a number in 'value.k'"]],
    ['json', 'value.xs[value.k]', 'json', ['{"k":1,"xs":[1,2.0]}', '2.0'], ['{"k":1.5,"xs":[]}', "evaluation_failed: 1.5 is not an index in 'value.k'"], ['{"k":"a","xs":[]}', "evaluation_failed: a list has no fields in 'value.xs[value.k]'"]],
    ['json', 'value[value.k].b ?? 0', 'json', ['{"k":"a","a":{"b":5}}', '5'], ['{"k":"b"}', '0'], ['{"k":"a","a":null}', '0'], ['{"k":"a","a":1}', "evaluation_failed: 1 has no fields in 'value[value.k].b'"]],
    ['json', 'has(value[value.k])', 'bool', ['{"k":"a","a":null}', 'true'], ['{"k":"b"}', 'false'], ['{"k":0}', "evaluation_failed: an object has no items in 'value[value.k]'"]],
    ['json', '[value[k] for k in value.keys]', '[json]', ['{"keys":["b","a","b"],"a":1,"b":2}', '[2,1,2]']],
    ['{ m: json, k: json }', 'm[k] ?? k', 'json', ['{"m":[1],"k":0}', '1'], ['{"m":{"a":2},"k":"a"}', '2'], ['{"m":{"a":2},"k":"b"}', '"b"']],
    ['json', 'value.a ?? fail("no a")', 'json', ['{"a":2}', '2'], ['{}', 'rejected: no a']],
    ['{ a: int | unit }', '(a ?? fail("none")) + 1', 'int', ['{"a":null}', 'rejected: none'], ['{"a":2}', '3']],
    ['{ a?: string }', 'a ?? 0', 'string | int', ['{}', '0'], ['{"a":"s"}', '"s"']],
    ['{ a?: int }', 'b ?? 0', 'unknown_field: the input { a?: int } has no field \'b\''],
    ['{ a: int | unit }', 'has(a)', 'bool'],
    ['{ a: unit }', 'a ?? 1', 'int', ['{"a":null}', '1']],
    ['unit', 'value ?? 1', 'int', ['null', '1']],
    ['int | unit', 'value ?? 1', 'int', ['null', '1'], ['2', '2']],
    ['int | unit', 'n ?? 1', 'int', ['null', '1'], ['2', '2']],
    ['{ a?: [int] }', 'length(a ?? [])', 'int', ['{}', '0']],
    ['{ a?: { [string]: int } }', 'keys(a ?? {})', '[string]', ['{}', '[]'], ['{"a":{"x":1}}', '["x"]']],
    ['{ a?: { x: int } }', '(a ?? { x: 1 }).x', 'int', ['{}', '1']],
    ['{ a?: { x: int, y?: int } }', 'a ?? { x: 1 }', '{ x: int, y?: int }', ['{}', '{"x":1}']],
    ['{ a?: bool }', 'if a ?? false then 1 else 0', 'int', ['{}', '0'], ['{"a":true}', '1']],
    ['{ a?: int }', '(a ?? 0) > 1', 'bool', ['{}', 'false']],
    ['{ a?: json }', 'a.b ?? 1', 'json', ['{}', '1'], ['{"a":null}', '1'], ['{"a":{"b":null}}', '1']],
    ['{ n: int }', 'let x = n in let x = x + 1 in x * 10', 'int', ['{"n":1}', '20']],
    ['{ n: int }', 'let n = n + 1 in [n, value.n]', '(int, int)', ['{"n":1}', '[2,1]']],
    ['{ n: int }', 'let x = x in x', 'unknown_field: the input { n: int } has no field \'x\''],
    ['{ n: int }', '(let x = 1 in x) + x', 'unknown_field: the input { n: int } has no field \'x\''],
    ['{ n: int, xs: [int] }', '[let n = x in n + value.n for x in xs]', '[int]', ['{"n":1,"xs":[5]}', '[6]']],
    ['{ n: int, xs: [int] }', 'let x = 3 in [x for x in xs] + [x]', '[int]', ['{"n":1,"xs":[5]}', '[5,3]']],
    ['{ n: int, xs: [int] }', 'sort(xs, n -> -n)', '[int]', ['{"n":1,"xs":[5,7]}', '[7,5]']],
    ['{ n: int }', 'let value = n in value', 'int', ['{"n":1}', '1']],
    ['{ let: int, match: string }', '[value.let, value.match]', '(int, string)', ['{"let":1,"match":"x"}', '[1,"x"]']],
    ['{ let: int, match: string }', '{ let: 1, match: 2 }', '{ let: int, match: int }', ['{"let":1,"match":"x"}', '{"let":1,"match":2}']],
    ['{ let: int, match: string, fail: int }', 'fail + 1', 'int', ['{"let":1,"match":"x","fail":3}', '4']],
    ['{ n: int }', 'if n > 1 then fail($"n is {n}") else n', 'int', ['{"n":3}', 'rejected: n is 3'], ['{"n":0}', '0']],
    ['{ n: int }', 'fail("always")', 'never', ['{"n":1}', 'rejected: always']],
    ['{ n: int }', '{ a: fail("x"), b: 1 }', '{ a: never, b: int }', ['{"n":1}', 'rejected: x']],
    ['{ n: int }', '[fail("x")]', '[never]', ['{"n":1}', 'rejected: x']],
    ['{ n: int }', '1 + fail("x")', 'int', ['{"n":1}', 'rejected: x']],
    ['{ n: int }', 'fail("x") + "a"', 'string', ['{"n":1}', 'rejected: x']],
    ['{ n: int }', 'upper(fail("x"))', 'string', ['{"n":1}', 'rejected: x']],
    ['{ n: int }', 'fail("a") ?? 1', 'type_mismatch: \'fail("a")\' is always there'],
    ['{ n: int }', 'fail(n)', 'type_mismatch: \'fail\' needs a string, but this is int'],
    ['{ n: int }', 'fail()', 'arity_mismatch: \'fail\' takes 1 argument, but 0 are given'],
    ['{ n: int }', 'not fail("q")', 'bool', ['{"n":1}', 'rejected: q']],
    ['{ n: int }', 'match n { x : int -> fail("m") }', 'never', ['{"n":1}', 'rejected: m']],
    ['{ n: int }', '[x for x in fail("l")]', '[]', ['{"n":1}', 'rejected: l']],
    ['{ n: int }', '{...fail("l"), a: 1}', '{ a: int }', ['{"n":1}', 'rejected: l']],
    ['{ n: int }', 'fail("a").b', 'never', ['{"n":1}', 'rejected: a']],
    ['{ n: int }', 'fail("a")[0]', 'never', ['{"n":1}', 'rejected: a']],
    ['{ n: int }', 'if fail("c") then 1 else 2', 'int', ['{"n":1}', 'rejected: c']],
    ['{ n: int }', 'fail("c") = 1', 'bool', ['{"n":1}', 'rejected: c']],
    ['{ n: int }', 'fail("c") < 1', 'bool', ['{"n":1}', 'rejected: c']],
    ['{ n: int }', '-fail("c")', 'int', ['{"n":1}', 'rejected: c']],
    ['{ n: int }', 'keys(fail("c"))', '[string]', ['{"n":1}', 'rejected: c']],
    ['{ n: int }', 'text(fail("c"))', 'string', ['{"n":1}', 'rejected: c']],
    ['{ n: int }', '$"{fail("c")}"', 'string', ['{"n":1}', 'rejected: c']],
    ['{ n: int }', 'let x = fail("c") in 3', 'int', ['{"n":1}', 'rejected: c']],
    ['{ n: int, xs: [int] }', '1 + fail("x")', 'int', ['{"n":1,"xs":[]}', 'rejected: x']],
    ['{ n: int, xs: [int] }', 'fail("x") + fail("y")', 'int', ['{"n":1,"xs":[]}', 'rejected: x']],
    ['{ n: int, xs: [int] }', 'xs + fail("x")', '[int]', ['{"n":1,"xs":[]}', 'rejected: x']],
    ['{ n: int, xs: [int] }', 'fail("x") + xs', '[int]', ['{"n":1,"xs":[]}', 'rejected: x']],
    ['{ n: int, xs: [int] }', '{ ...fail("x"), a: 1 }', '{ a: int }', ['{"n":1,"xs":[]}', 'rejected: x']],
    ['{ n: int, xs: [int] }', 'fail("x").b.c', 'never', ['{"n":1,"xs":[]}', 'rejected: x']],
    ['{ n: int, xs: [int] }', 'fail("x")[1]', 'never', ['{"n":1,"xs":[]}', 'rejected: x']],
    ['{ n: int, xs: [int] }', 'fail("x")["k"]', 'never', ['{"n":1,"xs":[]}', 'rejected: x']],
    ['{ n: int, xs: [int] }', 'fail("x") = 3', 'bool', ['{"n":1,"xs":[]}', 'rejected: x']],
    ['{ n: int, xs: [int] }', 'n = fail("x")', 'bool', ['{"n":1,"xs":[]}', 'rejected: x']],
    ['{ n: int, xs: [int] }', 'let x = fail("q") in x.a + 1', 'int', ['{"n":1,"xs":[]}', 'rejected: q']],
    ['{ n: int, xs: [int] }', '(if n > 1 then fail("a") else fail("b")) + 1', 'int', ['{"n":1,"xs":[]}', 'rejected: b']],
    ['{ n: int, xs: [int] }', 'sum(fail("x")) + length(fail("y"))', 'int', ['{"n":1,"xs":[]}', 'rejected: x']],
    ['{ n: int, xs: [int] }', 'fail("x")[1:2]', 'string', ['{"n":1,"xs":[]}', 'rejected: x']],
    ['{ n: int, xs: [int] }', 'has(fail("x").b)', 'bool', ['{"n":1,"xs":[]}', 'rejected: x']],
    ['{ n: int, xs: [int] }', 'fail("x").b ?? 1', 'type_mismatch: \'fail("x").b\' is always there'],
    ['{ n: int, xs: [int] }', '{ a: fail("x"), b: fail("y") }', '{ a: never, b: never }', ['{"n":1,"xs":[]}', 'rejected: x']],
    ['{ n: int, xs: [int] }', 'map_of([])', '{}', ['{"n":1,"xs":[]}', '{}']],
    ['{ n: int, xs: [int] }', '[q for q in []]', '[]', ['{"n":1,"xs":[]}', '[]']],
    ['{ n: int, xs: [int] }', '[] + []', '[]', ['{"n":1,"xs":[]}', '[]']],
    ['{ n: int, xs: [int] }', 'first([])', 'never', ['{"n":1,"xs":[]}', 'evaluation_failed: the list is empty in \'first([])\'']],
    ['{ n: int, xs: [int] }', 'values(map_of([]))', '[]', ['{"n":1,"xs":[]}', '[]']],
    ['{ n: int, xs: [int] }', '[x + 1 for x in []]', '[int]', ['{"n":1,"xs":[]}', '[]']],
    ['{ n: int, xs: [int] }', '[x.a for x in []]', '[]', ['{"n":1,"xs":[]}', '[]']],
    ['{ n: int, xs: [int] }', 'sort([]) + group([])', 'arity_mismatch: \'group\' needs a function as its last argument'],
    ['type A = { k: "a", x: int };; type B = { k: "b", y: string };; type C = A | B;; type T = C | int | unit;; T', 'match value { c : C -> c.k, n : int -> "n", u : unit -> "u" }', '"a" | "b" | "n" | "u"', ['3', '"n"'], ['null', '"u"'], ['{"k":"a","x":1}', '"a"']],
    ['type A = { k: "a", x: int };; type B = { k: "b", y: string };; type C = A | B;; type T = C | int | unit;; T', 'match value { c : A -> text(c.x), b : B -> b.y, n : int | unit -> text(n) }', 'string', ['3', '"3"'], ['null', '"null"'], ['{"k":"a","x":1}', '"1"']],
    ['type T = [int] | string;; T', 'match value { x : [int] -> sum(x), s : string -> length(s) }', 'int', ['[1,2]', '3'], ['"ab"', '2']],
    ['type T = "a" | "b" | int;; T', 'match value { x : "a" -> 1, y : "b" -> 2, z : int -> z }', 'int', ['"b"', '2'], ['7', '7']],
    ['type T = "a" | "b" | int;; T', 'match value { x : "a" | int -> x, y : "b" -> 2 }', '"a" | int', ['"b"', '2'], ['7', '7'], ['"a"', '"a"']],
    ['type T = "a" | "b" | int;; T', 'match value { x : string -> 1, z : int -> z }', 'type_mismatch: string is not a variant of T'],
    ['type T = "a" | "b";; T', 'match value { x : "a" -> 1, _ -> 3 }', 'int', ['"b"', '3'], ['"a"', '1']],
    ['type T = "a" | "b";; T', 'match value { x : "a" -> 1, y : "a" -> 2, _ -> 3 }', 'type_mismatch: "a" is taken by an arm before'],
    ['type T = "a" | "b";; T', 'match value { x : "a" -> 1 }', 'type_mismatch: no arm of match takes "b"'],
    ['type T = int | string;; T', 'match value { x : number -> 1, s : string -> 2 }', 'type_mismatch: number is not a variant of T'],
    ['type T = number | string;; T', 'match value { x : int -> 1, s : string -> 2, _ -> 0 }', 'type_mismatch: int is not a variant of T'],
    ['json', 'match value { x : int -> x, s : string -> length(s), l : [int] -> sum(l), r : { a: int, ... } -> r.a, _ -> -1 }', 'int', ['3', '3'], ['"abc"', '3'], ['[1,2]', '3'], ['["a"]', '-1'], ['{"a":4,"b":1}', '4'], ['{"a":"x"}', '-1'], ['null', '-1'], ['1.5', '-1'], ['true', '-1'], ['{"a":1,"a":2}', '-1']],
    ['json', 'match value { x : int -> x, y : number -> 2, _ -> 0 }', 'type_mismatch: int and number overlap: both accept 0'],
    ['json', 'match value { x : int -> x }', 'type_mismatch: a json may have none of these types, and no arm of match takes that'],
    ['json', 'match value { _ -> 1 }', 'int', ['2', '1']],
    ['json', 'match value { x : { [string]: int } -> sum(values(x)), r : [json] -> length(r), _ -> 0 }', 'int', ['{"a":1,"b":2}', '3'], ['{"a":"x"}', '0'], ['[1]', '1']],
    ['json', 'match value.a { s : string -> s, u : unit -> "null", _ -> "?" }', 'string', ['{"a":"x"}', '"x"'], ['{"a":null}', '"null"'], ['{}', 'evaluation_failed: there is no field \'a\' in \'value.a\'']],
    ['json', 'match value.a ?? null { s : string -> s, u : unit -> "null", _ -> "?" }', 'string', ['{"a":"x"}', '"x"'], ['{"a":null}', '"null"'], ['{}', '"null"']],
    ['json', 'match value { r : { n?: int = 5 } -> r.n, _ -> 0 }', 'int', ['{}', '5'], ['{"n":2}', '2'], ['{"m":1}', '0']],
    ['type T = { a: int } | { b: int };; T', 'match value { x : { a: int } -> x.a, y : { b: int } -> y.b }', 'int', ['{"a":1}', '1'], ['{"b":2}', '2']],
    ['type T = { a: int, ... } | { b: int };; T', 'match value { x : { a: int, ... } -> x.a, y : { b: int } -> y.b }', 'int', ['{"a":1,"b":2}', '1'], ['{"b":2}', '2']],
    ['type T = { a: int, k: "x", ... } | { b: int, k: "y", ... };; T', 'match value { x : { a: int, k: "x", ... } -> x.a, y : { b: int, k: "y", ... } -> y.b }', 'int', ['{"a":1,"k":"x","z":0}', '1'], ['{"b":2,"k":"y"}', '2']],
    ['type T = (int, int) | (int, int, int);; T', 'match value { p : (int, int) -> p[0], q : (int, int, int) -> q[2] }', 'int', ['[1,2]', '1'], ['[1,2,3]', '3']],
    ['type T = (int, string) | (string, int);; T', 'match value { p : (int, string) -> p[0], q : (string, int) -> q[1] }', 'int', ['[1,"a"]', '1'], ['["a",3]', '3']],
    ['type T = { v: int | string };; T', 'match v { i : int -> i + 1, s : string -> length(s) } + 10', 'int', ['{"v":1}', '12'], ['{"v":"abc"}', '13']],
    ['type T = { v: int | string };; T', '{ a: match v { i : int -> i, s : string -> 0 }, b: match v { i : int -> "i", s : string -> s } }', '{ a: int, b: string }', ['{"v":1}', '{"a":1,"b":"i"}'], ['{"v":"abc"}', '{"a":0,"b":"abc"}']],
    ['type T = { v: int | string };; T', 'match v { v : int -> v + 1, v : string -> v + "!" }', 'int | string', ['{"v":1}', '2'], ['{"v":"abc"}', '"abc!"']],
    ['type T = { v: int | string };; T', 'match v { i : int -> i, s : string -> s } + 1', 'type_mismatch: \'+\' needs a number, but this is int'],
    ['type T = { v: int | string };; T', 'match v { i : int -> match value.v { j : int -> i + j, t : string -> 0 }, s : string -> 0 }', 'int', ['{"v":3}', '6']],
    ['type T = { v?: int | string };; T', 'match v { i : int -> i, s : string -> 0 }', 'type_mismatch: \'v\' may be absent'],
    ['type T = { v?: int | string };; T', 'match v ?? 0 { i : int -> i, s : string -> 0 }', 'int', ['{}', '0'], ['{"v":"x"}', '0']],
    ['type T = { vs: [int | string] };; T', '[match x { i : int -> i, s : string -> length(s) } for x in vs]', '[int]', ['{"vs":[1,"abc"]}', '[1,3]']],
    ['type T = { vs: [int | string] };; T', '[x for x in vs if match x { i : int -> i > 1, s : string -> true }]', '[int | string]', ['{"vs":[1,"abc",3]}', '["abc",3]']],
    ['type T = bool;; T', 'match value { b : bool -> not b }', 'bool', ['true', 'false']],
    ['type T = int;; T', 'match value { n : int -> n + 1 }', 'int', ['1', '2']],
    ['type T = int;; T', 'match value { n : int -> n + 1, _ -> 0 }', 'int', ['1', '2']],
    ['type T = int;; T', 'match value { }', 'type_mismatch: no arm of match takes T'],
    ['type T = int;; T', 'match value { n : Foo -> 1, _ -> 0 }', 'unknown_type: no type is named \'Foo\''],
    ['type T = { @max 3 n: int } | { s: string };; T', 'match value { x : { @max 3 n: int } -> x.n, y : { s: string } -> 0 }', 'int', ['{"n":2}', '2']],
    ['type T = { @max 3 n: int } | { s: string };; T', 'match value { x : { n: int } -> x.n, y : { s: string } -> 0 }', 'int', ['{"n":2}', '2']],
    ['type T = { n?: int = 2 } | [int];; T', 'match value { x : { n?: int = 2 } -> x.n, y : [int] -> 0 }', 'int', ['{}', '2']],
    ['type L = { v: int, next?: L };; L', 'match value { l : L -> l.v }', 'int', ['{"v":1}', '1']],
    ['type L = { v: int, next: L | unit };; L', 'match next { l : L -> l.v, u : unit -> 0 }', 'int', ['{"v":1,"next":null}', '0'], ['{"v":1,"next":{"v":5,"next":null}}', '5']],
  ]
  for (const [of, code, expected, ...messages] of rows) {
    const environment = inputOf(of)
    const e = expression(code)
    const errors: string[] = []
    const result = checkExpression(e, environment, (d) => errors.push(`${d.code}: ${d.message}`))
    if (!result) t.ok(errors[0]?.startsWith(expected) && messages.length === 0, `${code}: ${errors[0]}`)
    else t.strictSame([printType(result), errors], [expected, []], code)
    for (const [message, gives] of result ? messages : []) t.equal(run(compileMap(e, environment), message), gives, `${code} of ${message}`)
  }
})

t.test('a text as long as a line may be is read and written', async (t) => {
  const long = (text: string, count: number) => JSON.stringify(text.repeat(count))
  const lengths = (code: string, message: string) => evaluate(code, 'string', message).length
  t.equal(lengths('value + "x"', long('a', 6_000_000)), 6_000_003)
  t.match(evaluate('value + value', 'string', long('a', 8_400_000)), /^too_large: /)
  t.equal(evaluate('length(unbase64(value))', 'string', long('QUJD', 3_000_000)), '9000000')
  t.equal(evaluate('length(csv(value)[0][0])', 'string', JSON.stringify(`"${'a""'.repeat(1_500_000)}"\n`)), '3000000')
})

t.test('what other languages write leads to what is written here', async (t) => {
  const ROW = 'type T = { name: string, n: int, tags: [string] }\ntype O = { id: int, ... }\n'
  // biome-ignore format: a table: expression over T, a part of the first message or of its help
  const rows: [string, string][] = [
    ['n is null', 'write a = b'], ['name in tags', 'contains(xs, x)'], ['name not in tags', 'not contains(xs, x)'], ['n as string', 'text(x)'],
    ['tags | length', 'length(xs)'], ['name ~ "a"', 'matches(s, "re")'], ['n ** 2', 'pow(x, y)'], ['let x = 1; x', 'write let x = e in e2'],
    ['match n { 1 -> 2 }', 'if x = 1'], ['match n { case int: 1 }', 'x : T -> e'], ['True', "'true'"], ['Math.floor(n)', 'write floor(x)'],
    ['JSON.stringify(n)', 'write text(x)'], ['name[0]', 'name[0:1]'], ['tags[-1]', 'last(tags)'], ['let q = [n] in q["a"]', 'write q.a'],
    ['n // 2', 'div(a, b)'], ['{ a: n // tags[0], b: 1 }', 'div(a, b)'], ['$"{n // 2}"', 'div(a, b)'], ['[n // 2\n]', 'div(a, b)'], ['{ a: name // "x",\n b: 1 }', 'a ?? b'],
    ['$x + 1', 'a name has no dollar'], ['tags.map(x -> x)', '[x for x in tags]'], ['value.tags.filter(x => x)', '[x for x in value.tags if c]'], ['name.x.y()', 'write y(name.x)'],
    ['n if n > 1 else 0', 'if c then a else b'], ['n !== 1', "write '!='"], ['value!.n', 'a.b ?? 0'], ['{ n: 1, **value }', 'write ...r'], ['{ n = 1 }', 'name: e'], ['{ n: 1; m: 2 }', 'by commas'],
    ['(n, 1)', 'a tuple is written [a, b]'], ['if n > 1 then 1', 'both branches'], ['if n > 1 then 1 elif n > 0 then 2 else 3', "'else if'"], ['if n > 1 then 1 else 2 end', 'without a word'],
    ['const x = 1', 'let x = e in e2'], ['lambda x: x', 'x -> e'], ['throw "a"', 'fail("…")'], ['raise ValueError("a")', 'fail("…")'], ['try n catch 1', 'a ?? b'], ['new Date()', 'time(s)'], ['Date.now()', 'no clock'],
    ['map(x -> x)', '[e for x in xs]'], ['sum(x for x in tags)', 'brackets of its own'], ['[for x in tags: x]', '[e for x in xs if c]'], ['sort(tags, key=x -> x)', 'x -> e'], ['sort(tags, (a, b) => a)', 'one name'],
    ['isinstance(n, int)', 'match x'], ['typeof n = "a"', 'match x'], ['n instanceof int', 'match x'], ['type(n)', 'match x'], ['n++', 'x + 1'], ['name ++ "x"', "one '+'"], ['name ++ name', "one '+'"], ['n += 1', 'a + b'], ['n & 1', "write 'and'"], ['n ^ 2', 'pow(x, y)'],
    ['",".join(tags)', 'join(xs, ",")'], ['"{}".format(n)', 'write $"…{e}…"'], ['name =~ "a"', 'matches(s, "re")'], ['name matches "a"', 'matches(s, "re")'], ['value has name', 'has(value.a)'], ['has(value, "name")', 'has(value.name)'],
    ['has("name")', 'has(value.name)'], ['value["name"]', 'write value.name'], ['1..5', 'range(n)'], ['[...tags, "x"]', 'xs + [x]'], ['range(1, 5)', 'range(b - a)'], ['round(n, 2)', 'fixed(x, 2)'], ['uuid()', 'no chance'], ['walk(value)', 'any depth'],
    ['n; 1', 'let x = e in e2'], ['tags[*].x', 'to go through a list'], ['value.*', 'values(m)'], ['print(name)', 'a port of its own'], ['assert(n > 1)', 'fail("…")'], ['switch (n) { case 1: 2 }', 'match e'],
    ['n // the number\n', 'comments are written (* … *)'], ['n // 2 halves (of it)\n', 'comments are written (* … *)'],
    [`$"Dear \${name}, {n}"`, "write '{name}'"], [`$"{n}\${n + 1}"`, "write '{n + 1}'"], [`"Dear \${name}"`, 'write $"Dear {name}"'],
  ]
  const first = (text: string): string => {
    const [found] = compileText(`${ROW}${text}`).diagnostics
    return `${found?.message} ${found?.help}`
  }
  for (const [code, part] of rows)
    t.ok(first(`let main : !T -> !json = map(${code})`).includes(part), `${code}: ${first(`let main : !T -> !json = map(${code})`)}`)
  // One cause, one error; and what is meant so has none.
  for (const code of [
    'n // 2',
    'isinstance(n, int)',
    '$x + $y',
    'if n > 1 then 1 elif n > 0 then 2 else 3',
    '$"{n // 2}"',
    '{ a: name // "x",\n b: 1 }',
    `$"\${n}"`,
    `"\${n}"`,
    '"$n {n}"',
    '{ a: "{value.n} of {name}" }',
  ])
    t.equal(compileText(`${ROW}let main : !T -> !json = map(${code})`).diagnostics.length, 1, code)
  for (const code of [
    '$"\\u0024{n}"',
    '$"{n}$"',
    `$"\${{{n}"`,
    `replace(name, "\${n}", text(n))`,
    `"\${other}"`,
    '"{other}"',
    '"\\u007bn}"',
    '"{n: 1}"',
    '"{}"',
    'replace(name, "{n}", text(n))',
  ])
    t.strictSame(compileText(`${ROW}let main : !T -> !json = map(${code})`).diagnostics, [], code)
  // Chains: one error each, and nothing of what stands behind.
  const WIRING = 'let a : !string -> !string = map(upper(value))\nlet b : !string -> !string = map(lower(value))\n'
  const chain = (code: string) => compileText(`${WIRING}let main : !string -> !string = ${code}`).diagnostics
  const inOrder = [
    'a >> b',
    'a |> b',
    'a => b',
    'a -> b',
    'a | b',
    'a then b',
    'a ++ b',
    'a.pipe(b)',
    'do a; b',
    '(a | b)',
    'each(a >> b)',
    'plumb(i, o) { i | a | o }',
  ]
  const beside = ['a, b', 'a || b', 'a && b', '(a, b) ; merge', 'a and b']
  for (const [codes, help] of [
    [inOrder, "wired with ';'"],
    [beside, "'a * b'"],
    [['seq { a; b }'], 'plumb(input, output)'],
  ] as const)
    for (const code of codes) {
      const [error, ...more] = chain(code)
      t.ok(
        error?.help?.includes(help) && more.length === 0,
        `${code}: ${error?.message} ${error?.help} ${more.map(({ message }) => message)}`,
      )
    }
  t.strictSame(
    chain('a ; b let other : !int -> !int = id').filter(({ severity }) => severity === 'error'),
    [],
  )
  // What may be absent is told once for each name of a place, and what only some variants have leads to those.
  t.match(
    compileText('let main : !{ a?: int } -> !json = map(if a != null then a + a else 0)').diagnostics.map(({ help }) => help),
    [/if has\(a\) then/],
  )
  for (const code of ['x', 'value.x'])
    t.match(first(`let main : !({ k: "a", x: int } | { k: "b" }) -> !json = map(${code})`), /some of its variants have it: .* match/, code)
  t.match(
    first('let main : !(int | unit) -> !json = map(value + 1)'),
    "'+' needs a number, but this is int | unit value ?? … stands in for null",
  )
  t.match(first('let main : !O -> !json = map(value.other)'), 'declare the field, as in other?: json')
  t.match(first('let main : !string -> !json = map(value[0])'), '(a * b) ; barrier')
})

t.test('what is wrong outside of expressions leads on too: one error each', async (t) => {
  const keyed = (options: string) => `let main : (!{ id: int }, !{ id: int }) -> !json = barrier(${options})`
  const chain = (code: string) => `let main : !int -> !json = ${code}`
  const agent = (key: string) =>
    `let main : !{ user: string } -> !string = agent { provider: "eliza", model: "doctor", conversation: ${key} }`
  const typed = (fields: string) => `type T = { ${fields} }\nlet main : !T -> !T = id`
  // biome-ignore format: a table: program, a part of its one message or of its help
  const rows: [string, string][] = [
    [chain('fold(0, state + value)'), 'as in fold(state + value, from: 0)'], [chain('fold(state + value, 0)'), 'as in fold(state + value, from: 0)'], [chain('fold((acc, x) -> acc + x, from: 0)'), "'state'"],
    ['let main : !{ k: string } -> !json = fold({ ...state, [k]: (state[k] ?? 0) + 1 }, from: {})', 'map_of([])'], [keyed('id, id'), 'barrier(by: (id, order))'],
    [chain('sort(batch())'), 'map(sort(…))'], [chain('batch() ; sort(value)'), 'map(sort(…))'], [chain('map(upper)'), 'map(upper(value))'], [chain('value + 1'), 'by map(…)'], [chain('id, id'), "with ';'"],
    [agent('"user"'), "write 'conversation: user'"], [agent('1 + 1'), 'tells them apart'], [agent('usr'), "did you mean 'user'?"],
    ['def main(x): x', "'let name : A -> B = map(e)'"], ['const main = 1', "'let name : A -> B = map(e)'"], ['import { x } from "./y"', "'use name'"], ['interface T { a: int }\nlet main : !T -> !T = id', "'type T = { … }'"],
    [typed('a: int; b: int'), 'by commas'], [typed('a: int, b: int,'), 'no comma behind the last'], [typed('a: int, [key: string]: int'), '{ [string]: T }'], [typed('a: int, ...rest'), '{ id: int, ... }'],
    ...[
      ['enum { a, b }', 'write "a" | "b"'], ['string?', 'T | unit'], ['"a" or "b"', 'A | B'], ['string where x', "'@min n'"], ['string(max: 10)', "'@min n'"], ['regex("a")', "'@min n'"],
      ['{ a: int(min: 1) }', "'@min n'"], ['{ a: string! }', 'leave the sign out'], ['{ a: int } extends B', 'none is taken over'], ['{ a: int b: int }', 'by commas'], ['{ [key: string]: int }', '{ [string]: T }'],
      ['[int, string]', '(A, B)'], ['Literal["a"]', 'write "a" | "b"'], ['string;', 'ends with its line'], ['date', 'time(s)'], ['uuid', 'matches(value, "re")'], ['image', "'use media'"], ['bytes', 'unbase64(s)'],
    ].map(([type, part]): [string, string] => [`type T = ${type}\nlet main : !T -> !json = id`, part as string]),
    ...[
      ['system: "x"', "'prompt'"], ['api_key: "x"', "'key_command'"], ['responseFormat: "json"', 'the type of the output'], ['top_p: 0.5', 'request: {'], ['fallback: "x"', 'asks b where a fails'],
      ['mcpServers: []', "'mcp'"], ['cache: true', 'plumb --cache'], ['prompt = "x"', "write 'prompt: …'"], ['prompt: f"x"', 'begins with $'], ['prompt: "a" + "b"', 'as a template'], ['prompt: file("x")', "'prompt_file'"], ['temperature: 1; max_tokens: 2', "by ','"],
    ].map(([key, part]): [string, string] => [`let main : !string -> !string = agent { provider: "eliza", model: "doctor", ${key} }`, part as string]),
    ['@description("x")\nlet main : !int -> !int = id', `'@description "…"'`],
    ['type T { a: int }\nlet main : !T -> !T = id', "'type T = …'"], ['type T: { a: int }\nlet main : !T -> !T = id', "'type T = …'"],
    ...[['let x = 1, y = 2 in x', 'a let of its own'], ['let x : int = 1 in x', 'that of its value'], ['let f = x -> x in f(1)', 'is no function'], ['let { a } = value in a', 'fields are x.a'],
      ['match [value] { n : [int] -> 1  _ -> 2 }', 'separated by commas'], ['{ a: 1, }', 'no comma behind the last'], ['[1, 2,]', 'no comma behind the last'], ['max(1, 2, )', 'no comma behind the last'],
    ].map(([code, part]): [string, string] => [chain(`map(${code})`), part as string]),
  ]
  for (const [text, part] of rows) {
    const { diagnostics } = compileText(text)
    const told = diagnostics.map(({ message, help }) => `${message} ${help}`)
    t.ok(told.length === 1 && told[0]?.includes(part), `${text}: ${told.join(' / ')}`)
  }
})
