import fc from 'fast-check'
import t from 'tap'
import { parseTree, type Tree } from '../../wire/src/json/index.js'
import { runs } from '../../wire/test/property.js'
import type { Diagnostic } from '../src/diagnostic/diagnostic.js'
import { checkExpression, openInference } from '../src/expression/infer/check.js'
import { Sink } from '../src/expression/run/sink.js'
import type { ScannedStage } from '../src/expression/stage/scanned-stage.js'
import { compileCheck, compileFilter, compileMap, Verdict } from '../src/expression/stage/stage.js'
import type { Path } from '../src/scan/scanner.js'
import { makeScanner } from '../src/scan/scanner-code.js'
import { isBool } from '../src/types/kind.js'
import { printType } from '../src/types/print.js'
import { INT, JSON_TYPE, type NamedType, resolve, STRING, type Type, UNIT } from '../src/types/type.js'
import { checkTree } from '../src/validate/check-tree.js'
import { arbitraryEvent, arbitraryExpression, EVENT } from './arbitrary-expression.js'
import { arbitraryJson, arbitraryNearMiss, arbitraryType, arbitraryValue } from './arbitrary-type.js'
import { evaluate, NO_NAMES, run } from './evaluate.js'
import { expression, refuse, type } from './parsed.js'

t.test('what an expression gives', async (t) => {
  const FAILED = /^evaluation_failed: /
  // biome-ignore format: a table: expression, input type, message, result
  const rows: [string, string, string, string | RegExp][] = [
    // arithmetic
    ['[a + b, a - b, a * b, a / b, a % b]', '{ a: int, b: int }', '{"a":7,"b":2}', '[9,5,14,3.5,1]'],
    ['a + b * 2 - (a + b) * 2', '{ a: int, b: int }', '{"b":2,"a":7}', '-7'],
    ['[-x % 3, x % -3, -x, - -x]', 'int', '7', '[-1,1,-7,7]'],
    ['x * 0.1', 'number', '3', '0.30000000000000004'],
    ['[x - x, x * -1]', 'int', '0', '[0,0]'],
    ['x * 1e300', 'number', '1e10', FAILED],
    ['10 / x', 'int', '0', "evaluation_failed: division by zero in '10 / x'"],
    ['10 / x', 'number', '-0.0', FAILED],
    ['x % x', 'int', '0', FAILED],
    ['x + 1', 'int', '9007199254740991', '9007199254740992'],
    ['x + 1', 'int', '9007199254740992', FAILED],
    ['x + 0', 'int', '9007199254740992', '9007199254740992'],
    ['(r.o ?? 0) * 2', '{ r: { o?: int } }', '{"r":{"o":9007199254740993}}', "evaluation_failed: a whole number beyond ±2^53 cannot be computed with in 'r.o'"],
    ['({ ...r }.o ?? 0) * 2', '{ r: { o?: int } }', '{"r":{"o":9007199254740993}}', "evaluation_failed: a whole number beyond ±2^53 cannot be computed with in '{ ...r }.o'"],
    ['x + 0', 'int', '9007199254740993', FAILED],
    ['x - 1', 'int', '-9007199254740992', FAILED],
    ['x * 2', 'int', '9007199254740991', FAILED],
    ['x * 1.5', 'int', '9007199254740993', FAILED],
    ['-x', 'int', '12345678901234567890', FAILED],
    ['[x + 0, x * 10]', 'int', '1.0e2', '[100,1000]'],
    // A double would lose digits of it too: it is compared and moved.
    ['x + 0.5', 'number', '12345678901234567890.5', "evaluation_failed: a number beyond ±2^53 cannot be computed with in 'x'"],
    ...['x + 1', 'x * 2', 'x / 2', 'x % 2', '-x', 'abs(x)', 'sum([x, 1])', 'value + 1'].map((code): [string, string, string, RegExp] => [code, code === 'value + 1' ? 'json' : 'number', '-9007199254740993.5', FAILED]),
    ['[x, max(x, 0), x < -9007199254740992]', 'number', '-9007199254740993.5', '[-9007199254740993.5,0,true]'],
    ['x + 1e15', 'number', '0.5', '1000000000000000.5'],
    ['"a" + s + "\\n"', 'string', '"é\\u0041"', '"aéA\\n"'],
    // numbers
    ['[abs(x), abs(-x)]', 'int', '-3', '[3,3]'],
    ['[floor(x), ceil(x), round(x)]', 'number', '2.5', '[2,3,3]'],
    ['[floor(x), ceil(x), round(x)]', 'number', '-2.5', '[-3,-2,-3]'],
    ['round(x)', 'number', '0.49999999999999994', '0'],
    ['[round(x), ceil(x)]', 'number', '-0.4', '[0,0]'],
    ['round(x)', 'number', '1e300', FAILED],
    ['[min(x, 2), max(x, 2), min(x, 2.5)]', 'int', '3', '[2,3,2.5]'],
    // comparison
    ['[x < y, x <= y, x > y, x >= y, x = y, x != y]', '{ x: int, y: number }', '{"x":2,"y":2.0}', '[false,true,false,true,true,false]'],
    ['[x = y, x < y]', '{ x: int, y: int }', '{"x":12345678901234567890,"y":12345678901234567891}', '[false,true]'],
    ['x = 12345678901234567890', 'int', '12345678901234567890.0', 'true'],
    ['x = -12345678901234567890', 'int', '-1234567890123456789e1', 'true'],
    ['x = 9007199254740992', 'int', '9007199254740993', 'false'],
    ['value = 1e22', 'json', '10000000000000000000000', 'true'],
    ['[s < t, s = t, s >= t]', '{ s: string, t: string }', '{"s":"abc","t":"ab"}', '[false,false,true]'],
    ['s < t', '{ s: string, t: string }', '{"s":"\uffee","t":"\u{1f600}"}', 'true'],
    ['s = "a\\"b"', 'string', '"a\\u0022b"', 'true'],
    ['[s = "é", s = "e", s = "longer", s = ""]', 'string', '"\\u00e9"', '[true,false,false,false]'],
    ['s = "\\ud800"', 'string', '"\\uD800"', 'true'],
    ['s = t', '{ s: string, t: string }', '{"s":"\\/","t":"/"}', 'true'],
    ['a = b', '{ a: json, b: json }', '{"a":{"x":1,"y":[1e0,"\\u0041"]},"b":{"y":[1.0,"A"], "x":1}}', 'true'],
    ['a = b', '{ a: json, b: json }', '{"a":{"x":1},"b":{"x":1,"y":2}}', 'false'],
    ['a = b', '{ a: json, b: json }', '{"a":{"__proto__":1},"b":{}}', 'false'],
    ['a = b', '{ a: json, b: json }', '{"a":[1],"b":[1,2]}', 'false'],
    ['a = b', '{ a: json, b: json }', '{"a":{"k":1,"k":2},"b":{"k":2}}', 'true'],
    ['a != b', '{ a: json, b: json }', '{"a":null,"b":false}', 'true'],
    ['x = null', 'int | unit', 'null', 'true'],
    ['[x = {a: 1, b: [n, "s"]}, {} = x, x = {b: [n], a: 1}]', '{ x: json, n: int }', '{"n":2,"x":{"b":[2,"s"],"a":1}}', '[true,false,false]'],
    ['[xs = [1, 2], xs = []]', '[int]', '[1,2]', '[true,false]'],
    // logic
    ['[a and b, a or b, not a, !a || b && a]', '{ a: bool, b: bool }', '{"a":true,"b":false}', '[false,true,false,false]'],
    ['n != 0 and 10 / n > 1', '{ n: int }', '{"n":0}', 'false'],
    ['n = 0 or 10 / n > 1', '{ n: int }', '{"n":0}', 'true'],
    // choice
    ['if x < 0 then "below" else if x = 0 then "zero" else "above"', 'int', '-5', '"below"'],
    ['1 + (if far then 10 else 1)', '{ far: bool }', '{"far":true}', '11'],
    ['if c then x else y', '{ c: bool, x: int, y: number }', '{"c":true,"x":1.0,"y":2}', '1.0'],
    ['(if c then x else y) + 1', '{ c: bool, x: int, y: number }', '{"c":false,"x":1.0,"y":2.5}', '3.5'],
    ['if c then {a: 1} else {a: 2.50}', '{ c: bool }', '{"c":false}', '{"a":2.50}'],
    ['nick ?? name', '{ name: string, nick?: string }', '{"name":"Anna"}', '"Anna"'],
    ['nick ?? name', '{ name: string, nick?: string }', '{"name":"Anna","nick":"\\u0041n"}', '"\\u0041n"'],
    ['upper(nick ?? name)', '{ name: string, nick?: string }', '{"name":"Anna","nick":"an"}', '"AN"'],
    ['a ?? b ?? 0', '{ a?: int, b?: int }', '{"b":1.0}', '1.0'],
    ['a.b ?? 0', '{ a?: { b: int } }', '{}', '0'],
    ['a.b.c ?? 0', '{ a?: { b?: { c: int } } }', '{"a":{"b":{"c":5}}}', '5'],
    ['(x.n ?? 0) + 1', '{ x: json }', '{"x":{"n":"1","n":2}}', '3'],
    ['x.n.m ?? 7', '{ x: json }', '{"x":{"n":3}}', "evaluation_failed: 3 has no fields in 'x.n.m'"],
    ['x.n.m ?? 7', '{ x: json }', '{"x":{"n":null}}', '7'],
    ['[has(a), has(b), has(value.b), has(c.d), has(j.x), has(j.x.y)]', '{ a?: int, b: int, c?: { d: int }, j: json }', '{"b":1,"j":{"x":null}}', '[false,true,true,false,true,false]'],
    ['size * size', '{ size?: int = 3 }', '{}', '9'],
    ['value', '{ in: { size?: int = 3, n: int } }', '{ "in" : { "n": 1.0 } }', '{ "in" : { "n": 1.0,"size":3 } }'],
    ['value', '{ a: int }', '{ "a" : 1 }', 'PASS'],
    // data
    ['{ a, b: b + 1, "c": 1 }'.replace('"c": 1', 'c: "\\u00e9"'), '{ a: int, b: int }', '{"b":1,"a":1.0}', '{"a":1.0,"b":2,"c":"é"}'],
    ['{ total: price * count, ...value }', '{ price: int, count: int }', '{"price":3,"count":4}', '{"total":12,"price":3,"count":4}'],
    ['{ ...r, a: 9 }', '{ r: { a: int, b: int } }', '{"r":{"b":1.0,"a":2}}', '{"a":9,"b":1.0}'],
    ['{ a: 9, ...r }', '{ r: { a?: int, b?: int } }', '{"r":{}}', '{"a":9}'],
    ['{ a: 9, ...r }', '{ r: { a?: int, b?: int } }', '{"r":{"b":1,"a":2}}', '{"a":2,"b":1}'],
    ['{ ...r, ...s, z: 0 }', '{ r: { a?: int }, s: { b?: int } }', '{"r":{},"s":{"b":2}}', '{"b":2,"z":0}'],
    ['{ ...r, ...s }', '{ r: { a?: int, b?: int }, s: { b?: int, c?: int } }', '{"r":{"a":1,"b":2},"s":{"c":3}}', '{"a":1,"b":2,"c":3}'],
    ['{ ...r }', '{ r: { a?: int } }', '{"r":{}}', '{}'],
    ['{ a: 1, ...j, b: 2 }', '{ j: json }', '{"j":{"b":7,"c": [1, 2],"a":"\\u0041"}}', '{"a":"\\u0041","b":2,"c":[1, 2]}'],
    ['{ ...j }', '{ j: json }', '{"j":[1]}', "evaluation_failed: a list is not an object in 'j'"],
    ['{ ...value, n: 1 }', '{ kind: "a", x: int } | { kind: "b" }', '{"x":1.0,"kind":"a"}', '{"x":1.0,"kind":"a","n":1}'],
    ['{ ...(if c then {a: 1} else {a: 2}), b: 3 }', '{ c: bool }', '{"c":true}', '{"a":1,"b":3}'],
    ['{ ...{}, ...[{k: 1}][0] }', 'int', '0', '{"k":1}'],
    ['value.in.deep.n', '{ in: { deep: { n: int } } }', '{"in":{"deep":{"n":9.0}}}', '9.0'],
    ['{ type: value.type, filter: value.map + 1 }', '{ type: string, map: int, if?: bool }', '{"type":"t","map":1,"if":true}', '{"type":"t","filter":2}'],
    ['value.value + value.n', '{ value: int, n: int }', '{"value":1,"n":2}', '3'],
    ['kind', '{ kind: "a", x: int } | { kind: "b" }', '{"kind":"b"}', '"b"'],
    ['xs[1]', '[number]', '[1, 2.50 ,3]', '2.50'],
    ['xs[1].n + 1', '[{ n: int }]', '[{"n":1},{ "n" : 2 }]', '3'],
    ['xs[i]', '{ xs: (int, string), i: int }', '{"xs":[1.0,"a"],"i":0}', '1.0'],
    ['value[1]', '(int, string)', '[1,"\\u0061"]', '"\\u0061"'],
    ['xs[3]', '[int]', '[1,2]', "evaluation_failed: there is no item 3 in a list of 2 in 'xs[3]'"],
    ['xs[0]', '[int]', '[]', FAILED],
    ['xs[i]', '{ xs: [int], i: int }', '{"xs":[1],"i":-1}', FAILED],
    ['[a, a + 1][1]', '{ a: int }', '{"a":1}', '2'],
    ['[]', 'json', '1', '[]'],
    ['12345678901234567890', 'json', '1', '12345678901234567890'],
    ['[1.50, -0.10, "\\/", null, true]', 'json', '1', '[1.50,-0.10,"/",null,true]'],
    // strings
    ['[lower(s), upper(s), trim(s)]', 'string', '" \\tÉa ß\\n"', '[" \\téa ß\\n"," \\tÉA SS\\n","Éa ß"]'],
    ['length(s)', 'string', '"a\\ud83d\\ude00é\\ud800"', '4'],
    ['length(s)', 'string', '"\u{1f600}"', '1'],
    ['[length(xs), length([1, xs])]', '[json]', '[[1,2], {} ,3]', '[3,2]'],
    ['[contains(s, "b"), starts_with(s, "ab"), ends_with(s, "ab")]', 'string', '"abc"', '[true,true,false]'],
    ['split(s, ",")', 'string', '"a,,b"', '["a","","b"]'],
    ['split(s, "")', 'string', '"a\u{1f600}\\ud800"', '["a","\u{1f600}","\\ud800"]'],
    ['join(split(s, ","), " & ")', 'string', '"a,b"', '"a & b"'],
    ['join(xs, s)', '{ xs: ["a" | "b"], s: string }', '{"xs":["a","\\u0062"],"s":"-"}', '"a-b"'],
    ['join([s, "x"], "")', 'string', '"y"', '"yx"'],
    ['split(s, ",")[1]', 'string', '"a,b"', '"b"'],
    ['length(split(s, ","))', 'string', '"a,b"', '2'],
    ['replace(s, "dog", "$&bird")', 'string', '"dog.dog"', '"$&bird.$&bird"'],
    ['replace(s, "", "-")', 'string', '"ab"', '"a-b"'],
    ['upper(s)', 'string', '"\\ud83d"', '"\\ud83d"'],
    // conversion
    ['[text(s), text(n), text(n > 1), text(value.s)]', '{ s: string, n: int }', '{"s":"a \\"b\\"","n":42.0}', '["a \\"b\\"","42.0","true","a \\"b\\""]'],
    ['text(j)', '{ j: json }', '{"j":{"a": [1.0]}}', '"{\\"a\\": [1.0]}"'],
    ['text({ n, s: [n + 1, text([n])] })', '{ n: int }', '{"n":1.0}', '"{\\"n\\":1.0,\\"s\\":[2,\\"[1.0]\\"]}"'],
    ['text(if c then n else 0)', '{ c: bool, n: int }', '{"c":true,"n":12345678901234567890}', '"12345678901234567890"'],
    ['parse(s)', 'string', '" {\\"a\\":\\n[1.0, 12345678901234567890]} "', '{"a": [1.0, 12345678901234567890]}'],
    ['parse(s).a + 1', 'string', '"{\\"a\\":41}"', '42'],
    ['parse(s)', 'string', '"[1,]"', FAILED],
    ['parse(s)', 'string', '""', FAILED],
    ['parse(s)', 'string', '"1e999"', FAILED],
    ['parse(s)', 'string', '"\\"\\ud800\\""', '"\\ud800"'],
    ['parse(s)', 'string', '"\\"\\\\\\ud800\\""', FAILED],
    ['parse(s)', 'string', `"${'['.repeat(512)}${']'.repeat(512)}"`, `${'['.repeat(512)}${']'.repeat(512)}`],
    ['parse(s)', 'string', `"${'['.repeat(513)}${']'.repeat(513)}"`, FAILED],
    ['[number(s), number(s) + 1]', 'string', '"2.50"', '[2.50,3.5]'],
    ['number(s)', 'string', '"12345678901234567890"', '12345678901234567890'],
    ['number(s)', 'string', '" 2"', FAILED],
    ['number(s)', 'string', '"0x10"', FAILED],
    ['number(s)', 'string', '"1e999"', FAILED],
    // json is looked at when it is there
    ['data + 1', '{ data: json }', '{"data":41}', '42'],
    ['data + 1', '{ data: json }', '{"data":{"deep":1}}', "evaluation_failed: an object is not a number in 'data'"],
    ['data + "b"', '{ data: json }', '{"data":"a"}', '"ab"'],
    ['data + data', '{ data: json }', '{"data":"a"}', '"aa"'],
    ['data + data', '{ data: json }', '{"data":1}', '2'],
    ['data + data', '{ data: json }', '{"data":true}', FAILED],
    ['data < 3', '{ data: json }', '{"data":2}', 'true'],
    ['data < 3', '{ data: json }', '{"data":"2"}', FAILED],
    ['data < data', '{ data: json }', '{"data":"2"}', 'false'],
    ['data and true', '{ data: json }', '{"data":1}', FAILED],
    ['if data then 1 else 2', '{ data: json }', '{"data":false}', '2'],
    ['-data', '{ data: json }', '{"data":2}', '-2'],
    ['upper(data)', '{ data: json }', '{"data":1}', FAILED],
    ['join(data, ",")', '{ data: json }', '{"data":["a","b"]}', '"a,b"'],
    ['join(data, ",")', '{ data: json }', '{"data":["a",1]}', FAILED],
    ['join([data, "b"], ",")', '{ data: json }', '{"data":"a"}', '"a,b"'],
    ['join([data, "b"], ",")', '{ data: json }', '{"data":1.5}', FAILED],
    ['join(xs + [1], ",")', '{ xs: [json] }', '{"xs":["a"]}', FAILED],
    ['join(xs, ",")', '{ xs: [json] }', '{"xs":["a",{"b":"c"}]}', FAILED],
    ['length(data)', '{ data: json }', '{"data":{}}', FAILED],
    ['data.a.b', '{ data: json }', '{"data":{"a":{"b": [1.0] }}}', '[1.0]'],
    ['data.a', '{ data: json }', '{"data":{}}', "evaluation_failed: there is no field 'a' in 'data.a'"],
    ['data.a', '{ data: json }', '{"data":[1]}', FAILED],
    ['data.constructor', '{ data: json }', '{"data":{}}', FAILED],
    ['data.__proto__', '{ data: json }', '{"data":{"__proto__":1.0}}', '1.0'],
    ['data.é'.replace('é', 'a'), '{ data: json }', '{"data":{"\\u0061":"escaped"}}', '"escaped"'],
    ['data[1]', '{ data: json }', '{"data":[1,2.0]}', '2.0'],
    ['data[data[0]]', '{ data: json }', '{"data":[1,2]}', '2'],
    ['constructor + text(toString)', '{ constructor: string, toString: int }', '{"constructor":"c","toString":2}', '"c2"'],
    ['n * n', 'int', '3', '9'],
    ['value.x', 'json', '{"x":1.0}', '1.0'],
  ]
  for (const [code, input, message, expected] of rows) {
    if (typeof expected === 'string') t.equal(evaluate(code, input, message), expected, `${code} of ${message}`)
    else t.match(evaluate(code, input, message), expected, `${code} of ${message}`)
  }
})

t.test('every wrong expression has one error, at its place', async (t) => {
  const ROW = '{ name: string, n: int, ok: bool, xs: [int], pair: (int, string), nick?: string, level: "low" | "high", j: json }'
  const SHAPE = '{ kind: "a", x: int } | { kind: "b", y: int }'
  // biome-ignore format: a table: expression, what is underlined, code, part of message or help, input
  const rows: [string, string, string, string, string?][] = [
    ['name + n', 'n', 'type_mismatch', 'text(n)'],
    ['n + name', 'n', 'type_mismatch', 'text(n)'],
    ['ok * 2', 'ok', 'type_mismatch', 'bool'],
    ['name - 1', 'name', 'type_mismatch', 'number(name)'],
    ['upper(n)', 'n', 'type_mismatch', 'text(n)'],
    ['not n', 'n', 'type_mismatch', 'n != 0'],
    ['if n then 1 else 2', 'n', 'type_mismatch', 'bool'],
    ['if ok then xs else ys', 'if ok then xs else ys', 'type_mismatch', '[string]', '{ ok: bool, xs: [int], ys: [string] }'],
    ['if ok then {a: 1} else r', 'if ok then {a: 1} else r', 'type_mismatch', 'overlap', '{ ok: bool, r: { a: int, x?: int = 3 } }'],
    ['n < name', 'n < name', 'type_mismatch', 'number(name)'],
    ['ok < ok', 'ok', 'type_mismatch', 'orders'],
    ['n = name', 'n = name', 'type_mismatch', 'never equal'],
    ['level = "mid"', 'level = "mid"', 'type_mismatch', '"low" | "high"'],
    ['xs["a"]', '"a"', 'type_mismatch', 'index'],
    ['xs[-1]', '-1', 'type_mismatch', 'no item'],
    ['pair[2]', '2', 'type_mismatch', 'no item 2'],
    ['name[0]', 'name', 'type_mismatch', 'list'],
    ['n.name', 'name', 'type_mismatch', 'no fields'],
    ['ok and name', 'name', 'type_mismatch', 'bool'],
    ['nosuch(n)', 'nosuch', 'unknown_function', 'nosuch'],
    ['uper(name)', 'uper', 'unknown_function', "'upper'"],
    ['upper(name, n)', 'upper(name, n)', 'arity_mismatch', 'upper(s)'],
    ['has()', 'has()', 'arity_mismatch', 'has(value.a)'],
    ['has(n + 1)', 'n + 1', 'type_mismatch', 'field'],
    ['has(value)', 'value', 'type_mismatch', 'field'],
    ['nmae', 'nmae', 'unknown_field', "'name'"],
    ['upper', 'upper', 'unknown_field', 'function'],
    ['value.nmae', 'nmae', 'unknown_field', "'name'"],
    ['constructor', 'constructor', 'unknown_field', 'constructor'],
    ['value.__proto__', '__proto__', 'unknown_field', '__proto__'],
    ['nick', 'nick', 'type_mismatch', 'nick ?? …'],
    ['upper(value.nick)', 'value.nick', 'type_mismatch', '??'],
    ['{ nick }', 'nick', 'type_mismatch', '??'],
    ['name ?? "x"', 'name', 'type_mismatch', 'always there'],
    ['{ a: 1, a: 2 }', 'a', 'duplicate_name', 'twice'],
    ['{ ...xs }', 'xs', 'type_mismatch', 'record'],
    ['join(xs, ",")', 'xs', 'type_mismatch', 'strings'],
    ['length(n)', 'n', 'type_mismatch', 'list'],
    ['text(nmae) + n', 'nmae', 'unknown_field', 'name'],
    ['x', 'x', 'unknown_field', 'x', SHAPE],
    ['{ ...value, kind: 1, x: 1, y: 1 }', '', '', '', SHAPE],
    ['a + b', 'b', 'unknown_name', "'a'", 'int'],
    ['size ?? 1', 'size', 'type_mismatch', 'always there', '{ size?: int = 3 }'],
    ['12345678901234567890 = "x"', '12345678901234567890 = "x"', 'type_mismatch', 'never equal'],
  ]
  for (const [code, place, errorCode, part, input = ROW] of rows) {
    const reports: Diagnostic[] = []
    const of = checkExpression(expression(code), { input: type(input) }, (d) => reports.push(d))
    if (errorCode === '') {
      t.ok(of && reports.length === 0, code)
      continue
    }
    const [first] = reports
    const text = first ? first.span.source.text.slice(first.span.start, first.span.end) : ''
    t.strictSame([of, reports.length, text, first?.code], [undefined, 1, place, errorCode], code)
    t.ok(`${first?.message} ${first?.help}`.includes(part), `${code}: ${first?.message}; ${first?.help}`)
  }
  const reports: Diagnostic[] = []
  checkExpression(expression('{ a: n + name, b: nope, c: upper(n), d: n }'), { input: type(ROW) }, (d) => reports.push(d))
  t.equal(reports.length, 3, 'independent errors are all reported')
})

t.test('the type of an expression', async (t) => {
  const ROW = '{ s: string, i: int, x: number, o?: int, d?: int = 1, xs: [int], p: (int, string), j: json, l: "a" | "b" }'
  // biome-ignore format: a table
  const rows: [string, string, string?][] = [
    ['i + i', 'int'], ['i / i', 'number'], ['i + x', 'number'], ['-i', 'int'], ['s + "a"', 'string'], ['j + 1', 'number'], ['j + j', 'json'], ['"a"', '"a"'],
    ['1.0', 'int'], ['1.5', 'number'], ['1e300', 'number'], ['null', 'unit'], ['i = x', 'bool'], ['l = "a"', 'bool'], ['round(x)', 'int'], ['max(i, 1)', 'int'],
    ['max(i, x)', 'number'], ['abs(j)', 'number'], ['if i > 0 then "p" else "n"', '"p" | "n"'], ['if i > 0 then i else x', 'number'], ['if i > 0 then i else null', 'int | unit'],
    ['if i > 0 then l else s', 'string'], ['o ?? 0', 'int'], ['o ?? null', 'int | unit'], ['d', 'int'], ['[i, s]', '(int, string)'], ['[]', '[]'], ['xs[0]', 'int'],
    ['p[1]', 'string'], ['p[i]', 'int | string'], ['j.a', 'json'], ['j[0]', 'json'], ['parse(s)', 'json'], ['number(s)', 'number'], ['split(s, "")', '[string]'],
    ['{ i, a: s, ...{ s: x } }', '{ i: int, a: string, s: number }'], ['{ ...value, i: s }.i', 'string'],
    ['{ ...r }', '{ a?: int }', '{ r: { a?: int } }'], ['{ a: "x", ...r }', '{ a: "x" | int }', '{ r: { a?: int } }'], ['{ ...j, a: 1 }', 'json'],
    ['{ ...value, n: 1 }', '{ kind: "a", x: int, n: int } | { kind: "b", n: int }', '{ kind: "a", x: int } | { kind: "b" }'],
    ['kind', '"a" | "b"', '{ kind: "a", x: int } | { kind: "b" }'], ['v', 'int | string', '{ kind: "a", v: int } | { kind: "b", v: string }'], ['value', 'json', 'json'],
  ]
  for (const [code, expected, input = ROW] of rows) {
    const of = checkExpression(expression(code), { input: type(input) }, refuse)
    t.equal(of && printType(of), expected, `${code} : ${expected}`)
  }
})

t.test('checks, filters and moves', async (t) => {
  const row = type('{ a: int, b?: string }')
  const check = compileCheck(row)
  const verdicts = [
    '{"a":1}',
    '{"a":1,"c":2}',
    '{}',
    '{"a":1.0}',
    '{"a":1.5}',
    ' {"b":"x" , "a":2e0}\t',
    '{"a":1,"b":null}',
    '{"\\u0061":1}',
    '{"a":"x","a":1}',
    '{"a":1',
  ]
  t.strictSame(
    verdicts.map((message) => run(check, message).replace(/:.*/, '')),
    [
      'PASS',
      'input_type_mismatch',
      'input_type_mismatch',
      'PASS',
      'input_type_mismatch',
      'PASS',
      'input_type_mismatch',
      'PASS',
      'input_type_mismatch',
      'invalid_json',
    ],
  )
  check.run(Buffer.from('{"a":1.5}'), 0, 9, new Sink())
  t.match(check.fault, { error: 'input_type_mismatch', category: 'invalid', path: '.a', expected: 'int' })
  t.match(run(compileCheck(JSON_TYPE), `${'['.repeat(513)}${']'.repeat(513)}`), /^too_deep/)
  t.equal(run(compileCheck(JSON_TYPE), `${'['.repeat(512)}${']'.repeat(512)}`), 'PASS')
  t.match(run(compileCheck(JSON_TYPE), '[1e999]'), /^invalid_json/)
  t.equal(run(compileCheck(type('{ n?: int = 3 }')), '{ }'), '{"n":3 }')

  const filter = compileFilter(expression('score >= 10'), { input: type('{ name: string, score: int, size?: int = 1 }') })
  t.equal(run(filter, '{"score": 10, "name": "b","size":2}'), 'PASS')
  t.equal(run(filter, '{"score": 10, "name": "b"}'), '{"score": 10, "name": "b","size":1}')
  t.equal(run(filter, '{"score": 9, "name": "b"}'), 'DROP')
  t.match(run(filter, '7'), /^input_type_mismatch/)
  t.match(run(compileFilter(expression('j'), { input: type('{ j: json }') }), '{"j":1}'), /^evaluation_failed/)

  t.equal(
    run(compileMap(expression('value.a[1]'), { input: type('{ a: (int, json) }') }), '{"a":[1, {"z":[1, 2],"b": 12345678901234567890}]}'),
    '{"z":[1, 2],"b": 12345678901234567890}',
  )
})

t.test('a result may be longer than a chunk', async (t) => {
  const out = new Sink()
  const stage = compileMap(expression('{ s, t: s + s, u: split(s, "x") }'), { input: type('{ s: string }') })
  for (const length of [10, 30_000, 65_530, 200_000, 5]) {
    const s = 'axé'.repeat(length / 4)
    const message = Buffer.from(`${JSON.stringify({ s })}\n`)
    t.equal(stage.run(message, 0, message.length - 1, out), Verdict.WROTE)
    t.ok(out.buf.toString('utf8', out.start, out.end) === JSON.stringify({ s, t: s + s, u: s.split('x') }), `${length}`)
    t.equal(out.buf[out.end], 10)
  }
})

t.test('the scanner and the tree give the same verdict and the same bytes', async (t) => {
  const ROW = '{ n: number, i: int, s: string, b: bool, u: unit, j: json }'
  const row = (over: Record<string, string>) => {
    const fields = { n: '1.5', i: '1', s: '"a"', b: 'true', u: 'null', j: '{"k":[1]}', ...over }
    return `{${Object.entries(fields).map(([key, value]) => `"${key}":${value}`)}}`
  }
  const good = {
    i: ['-0', '1.0', '1.000', '10e-1', '0e5', '1e2', '123456789012345678901'],
    n: ['-0.5', '1E+5', '0', '1e-400', `0.${'0'.repeat(400)}1`],
    s: ['""', '"\\u00e9\\n\\/"', '"\u007f"'],
  }
  const bad = {
    i: ['1.05', '1.0e-1', '1.5', '01', '-', '1.', '+1', '"1"', '1e400', '0x1', '1.0.0', '9'.repeat(400), 'NaN', ''],
    n: ['1e400', '-1e400', '.5', '1e', '1e+', '1.e5', '9'.repeat(400), `${'9'.repeat(400)}.5`, '--1'],
    s: ['"\u0001"', '"\u001f"', '"\t"', '"\\x"', '"\\u00g0"', '"\\u00"', '"a', 'a"', "'a'", '"\\"', 'null'],
    b: ['tru', 'truE', 'falsy', 'False', '1', 'true1'],
    u: ['nul', 'nulL', 'null0', 'undefined'],
    j: [
      '{"k":}',
      '{"k"}',
      '{k:1}',
      '[1,]',
      '[,1]',
      '{"k":1,}',
      '[1 2]',
      '{"k" 1}',
      '[1',
      'fals',
      'falsE',
      'nulls',
      '{"k":"\u001f"}',
      '[1e400]',
      '{"\\u00zz":1}',
      ']',
      '[}',
    ],
  }
  for (const [key, values] of Object.entries(good))
    for (const value of values) t.equal(run(compileCheck(type(ROW)), row({ [key]: value })), 'PASS', `${key} ${value}`)
  for (const [key, values] of Object.entries(bad))
    for (const value of values) t.not(run(compileCheck(type(ROW)), row({ [key]: value })), 'PASS', `${key} ${value}`)

  const FILLED = '{ n?: int = 3, s?: string = "x", b: bool }'
  // biome-ignore format: a table: type, message, result of the check (or of `code`)
  const rows: [string, string, string, string?][] = [
    ['{ a: int }', '{"a":1,"a":2}', 'input_type_mismatch: at .a: the key is given twice, and each is to be given once'],
    ['{ a: int, b: int }', '{"a":1,"a":2}', 'input_type_mismatch: at .a: the key is given twice, and each is to be given once'],
    ['{ a: int, ... }', '{"x":1,"a":1,"x":2}', 'PASS'],
    ['{ [string]: int }', '{"x":1,"y":1,"\\u0078":2}', 'input_type_mismatch: at .x: the key is given twice, and each is to be given once'],
    ['{ a: int }', '{"a":1} {"a":1}', 'invalid_json'],
    ['{ a: int }', '{"a":1}}', 'invalid_json'],
    ['{ a: int }', '{"a":1,}', 'invalid_json'],
    ['{ a: int }', '{,"a":1}', 'invalid_json'],
    ['{ }', '{ }', 'PASS'],
    ['{ n?: int = 3, s?: string = "x" }', ' { } ', '{"n":3,"s":"x" }'],
    [FILLED, '{"b":true}', '{"b":true,"n":3,"s":"x"}'],
    [FILLED, '{ "b" : true , "s" : "" } ', '{ "b" : true , "s" : "","n":3 }'],
    [`[${FILLED}]`, '[{"b":true},{"s":"y","b":false,"n":1}, {"n":2,"b":true}]', '[{"b":true,"n":3,"s":"x"},{"s":"y","b":false,"n":1}, {"n":2,"b":true,"s":"x"}]'],
    [`{ r: ${FILLED}, t?: int = 0 }`, '{"r":{"b":true }}', '{"r":{"b":true,"n":3,"s":"x" },"t":0}'],
    [`[{ n?: int = 3 }]`, `[${Array(100).fill('{}').join()}]`, `[${Array(100).fill('{"n":3}').join()}]`],
    [`{ n?: int = 3, k: "a" } | { n?: int = 4, k: "b" } | { n?: int = 5, k: "c" }`, '{"k":"b"}', '{"k":"b","n":4}'],
    [`{ x: { n?: int = 3 }, k: "a" } | { x: { n?: int = 4 }, k: "b" }`, '{"x":{},"k":"b"}', '{"x":{"n":4},"k":"b"}'],
    ['{ r: json }', '{"r":{"o":1,"o":{}}}', '{}', 'r.o'],
    // What a variant captured before it failed is forgotten.
    ['{ o?: int, k: "a", v: int } | { k: "b", o?: string, v: int }', '{"v":1.0,"k":"b"}', '[false,1.0]', '[has(o), v]'],
    ['{ r: { o?: int }, k: "a" } | { k: "b", r: { p?: int, o?: int, q: int } }', '{"r":{"o":1,"q":2},"k":"b"}', 'true', 'has(r.o)'],
    ['({ o?: int }, "a") | ({ o?: int, q: int }, "b")', '[{"q":1},"b"]', '0', 'value[0].o ?? 0'],
    ['(int, { k: "a" }) | (int, { k: "b" })', '[1.0,{"k":"b"}]', '1.0', 'value[0]'],
  ]
  for (const [of, message, expected, code] of rows) {
    const given = code ? evaluate(code, of, message) : run(compileCheck(type(of)), message)
    t.equal(expected === 'invalid_json' ? given.replace(/:.*/, '') : given, expected, `${of} of ${message}`)
  }
})

/** Some paths that lead somewhere in a type. */
const pathsOf = (of: Type, depth = 3): Path[] => {
  const t = resolve(of)
  const below = (step: string | number, part: Type): Path[] => [
    [step],
    ...(depth > 0 ? pathsOf(part, depth - 1).map((path) => [step, ...path]) : []),
  ]
  if (t.kind === 'record') return t.fields.flatMap((field) => below(field.name, field.type))
  return t.kind === 'tuple' ? t.items.flatMap((item, i) => below(i, item)) : []
}
const follow = (tree: Tree, path: Path): Tree | undefined => {
  const [step, ...rest] = path
  if (step === undefined) return tree
  const next =
    tree.kind === 'object'
      ? tree.entries.find(({ key }) => key === step)?.node
      : tree.kind === 'array'
        ? tree.items[Number(step)]
        : undefined
  return next && follow(next, rest)
}

t.test('a scanner accepts only what the tree accepts, and finds the same parts', async (t) => {
  const typeAndText = arbitraryType({ withDefaults: true, withLimits: true }).chain((of) =>
    fc.tuple(
      fc.constant(of),
      fc.oneof(arbitraryValue(of), arbitraryNearMiss(of), arbitraryJson()),
      fc.tuple(fc.nat(), fc.constantFrom('', '"', '}', ',', '0', 'e', ' ', '\\', '\u0001')),
    ),
  )
  let accepted = 0
  fc.assert(
    fc.property(typeAndText, fc.boolean(), ([of, valid, [at, noise]], isSpoilt) => {
      const cut = at % (valid.length + 1)
      const text = (isSpoilt ? valid.slice(0, cut) + noise + valid.slice(cut + (at % 2)) : valid).replaceAll('\n', ' ')
      // Half a surrogate pair has no UTF-8.
      if (/\p{Surrogate}/u.test(text)) return
      // Throws where the scanner and the tree differ.
      run(compileCheck(of), text)
      const paths = [[], ...pathsOf(of).slice(0, 5)]
      const scanner = makeScanner(of, paths)
      const captures = new Int32Array(scanner.size).fill(7)
      const buf = Buffer.from(`x${text}\n}]"`)
      const end = buf.length - 4
      if (scanner.scan(buf, 1, end, captures) !== end) return
      accepted++
      const tree = parseTree(buf, 1, end)
      if (tree.kind === 'fault') throw new Error(tree.detail)
      const mismatch = checkTree(of, buf, tree)
      if (mismatch) throw new Error(mismatch.reason)
      for (const [k, path] of paths.entries()) {
        const part = follow(tree, path)
        const found = [captures[2 * k], part && captures[2 * k + 1]]
        if (found[0] !== (part?.start ?? -1) || found[1] !== part?.end)
          throw new Error(`${JSON.stringify(path)}: ${found} for ${part?.start} ${part?.end}`)
      }
    }),
    { numRuns: runs(2000) },
  )
  t.ok(accepted > runs(300), `${accepted} texts were accepted`)
})

/** The same bytes; throws when more of them are read than that. */
const readAtMost = (most: number, buf: Buffer): Buffer => {
  let reads = 0
  const get = (target: Buffer, key: string | symbol): unknown => {
    if (++reads > most) throw new Error(`more than ${most} reads of ${target.length} bytes`)
    return target[key as unknown as number]
  }
  return new Proxy(buf, { get })
}

t.test('a scanner is no burden on the slow path', async (t) => {
  const of = type(
    '{ id: int, s?: string, xs: [(number, bool)], u: "a" | "b" | int | unit, r: { kind: "x", n: int } | { kind: "y", s: json } }',
  )
  const messages = [
    '{"id":1,"xs":[],"u":"a","r":{"kind":"x","n":1}}',
    ' { "r" : { "s" : [ { "a" : "\\u0041\\n" } , null , -1.5e-3 ] , "kind" : "y" } , "u" : null , "id" : 12345678901234567890 , "xs" : [ [ 1.0 , true ] , [ 0 , false ] ] } ',
    '{"xs":[[1E5,true]],"s":"é\\\\\\"","u":-5.0,"r":{"n":0,"kind":"x"},"id":-0}',
  ]
  for (const message of messages) {
    const buf = Buffer.from(`${message}\n`)
    t.equal(makeScanner(of, []).scan(buf, 0, buf.length - 1, new Int32Array(0)), buf.length - 1, message)
  }
  const FILLED = '{ n?: int = 3, s?: string = "x", r: { m?: int = 1 }, k: "a" } | { r: { m?: int = 2, o?: int }, n?: int = 4, k: "b" }'
  for (const message of ['{"r":{},"k":"a"}', ' { "r" : { "m" : 5 } , "k" : "a" } ', '{"r":{"o":1},"k":"b"}', '{"r":{ },"k":"b"}', '{}']) {
    const stage = compileCheck(type(message === '{}' ? '{ n?: int = 3, s?: string = "x" }' : FILLED)) as ScannedStage
    stage.runSlowly = () => Verdict.FAILED
    const buf = Buffer.from(`${message}\n`)
    t.equal(stage.run(buf, 0, buf.length - 1, new Sink()), Verdict.WROTE, message)
  }
  // The values of a map are read in place, whatever its keys; only where one key comes twice does the tree decide.
  for (const [message, verdict] of [
    [' { "a" : { } , "\\u0061b" : {"n":1} , "":{}} ', Verdict.WROTE],
    ['{"a":{"n":1},"a":{"n":2}}', Verdict.FAILED],
    ['{"a":{},"\\u0061":{"n":2}}', Verdict.FAILED],
    ['{}', Verdict.PASS],
  ] as const) {
    const stage = compileCheck(type('{ [string]: { n?: int = 3 } }')) as ScannedStage
    stage.runSlowly = () => Verdict.FAILED
    const buf = Buffer.from(`${message}\n`)
    t.equal(stage.run(buf, 0, buf.length - 1, new Sink()), verdict, message)
  }
  // Variants that differ only at their end.
  const list: NamedType = { kind: 'named', name: 'List', target: UNIT }
  const record = (tag: Type): Type => ({
    kind: 'record',
    fields: [
      { name: 'next', type: list, isOptional: false },
      { name: 'tag', type: tag, isOptional: false },
    ],
  })
  const tuple = (tag: Type): Type => ({ kind: 'tuple', items: [list, tag] })
  for (const [cell, open, close] of [
    [record, '{"next":', ',"tag":"c"}'],
    [tuple, '[', ',"c"]'],
  ] as const) {
    list.target = { kind: 'sum', variants: [UNIT, ...['a', 'b', 'c'].map((value) => cell({ kind: 'literal', value }))] }
    const deep = Buffer.from(`${open.repeat(60)}null${close.repeat(60)}\n`)
    const flat = Buffer.from(`[${open}${deep.subarray(0, -1)}${close}]\n`)
    for (const buf of [deep, flat]) {
      const { scan } = makeScanner({ kind: 'tuple', items: [list] }, [])
      t.doesNotThrow(() => scan(readAtMost(64 * buf.length, buf), 0, buf.length - 1, new Int32Array(0)), `linear work for ${open}`)
    }
  }
})

// PLUMB_SEED: the cases of another run; it is printed. PLUMB_TIMES: so many times as many. PLUMB_MESSAGES: so many for each, at least.
const { PLUMB_SEED, PLUMB_TIMES = '1', PLUMB_MESSAGES = '3' } = process.env
const SEED = PLUMB_SEED === undefined ? Date.now() % 2 ** 31 : Number(PLUMB_SEED)

t.test(`seed ${SEED}: a checked expression gives a value of its type, or fails; by generated code as by the interpreter`, async (t) => {
  const names = ['a', 'b', 'c', 'kind', 'constructor', 'value']
  const { e: code } = fc.letrec<{ e: string }>((tie) => {
    const e = tie('e')
    const of = (...parts: (string | fc.Arbitrary<string>)[]) =>
      fc.tuple(...parts.map((part) => (typeof part === 'string' ? fc.constant(part) : part))).map((all) => all.join(''))
    const name = fc.constantFrom(...names)
    return {
      e: fc.oneof(
        { maxDepth: 4, depthSize: 'small' },
        name,
        fc.constantFrom('"x"', '""', '1', '2.50', '-3', '12345678901234567890', 'null', 'true', '[]', 'value'),
        of('value.', name),
        of('(', e, fc.constantFrom('+', '-', '*', '/', '%', ' = ', ' != ', ' < ', ' >= ', ' and ', ' or '), e, ')'),
        of('(', e, ').', name),
        of('(', e, ')[', fc.constantFrom('0', '1', 'a', 'value.a'), ']'),
        of('(if ', e, ' then ', e, ' else ', e, ')'),
        of('((value.', name, ') ?? ', e, ')'),
        of('(value.', name, '.', name, ' ?? ', e, ')'),
        of('has(value.', name, ')'),
        of('[', e, ',', e, ']'),
        of('{ a: ', e, ', ...', e, ', c: ', e, ' }'),
        of('{ ...', e, ', ...', e, ' }'),
        of(fc.constantFrom('text', 'length', 'upper', 'round', 'abs', 'parse', 'number'), '(', e, ')'),
        of(fc.constantFrom('(-', '(not '), e, ')'),
        of(fc.constantFrom('split', 'contains', 'min', 'join'), '(', e, ',', e, ')'),
        of('join(split(', e, ',', e, '), "-")'),
      ),
    }
  })
  const fields = ['a', 'b', 'c', 'kind', 'constructor']
  const scalar = fc.constantFrom(
    STRING,
    INT,
    INT,
    type('number'),
    type('bool'),
    JSON_TYPE,
    JSON_TYPE,
    JSON_TYPE,
    type('"x" | "y"'),
    type('[int]'),
    type('(int, string)'),
    type('{ a: int, b?: string }'),
  )
  const record = fc
    .array(fc.tuple(scalar, fc.nat(3)), { minLength: 3, maxLength: 5 })
    .map((all): Type => ({ kind: 'record', fields: all.map(([of, k], i) => ({ name: fields[i] ?? '', type: of, isOptional: k === 0 })) }))
  const arbitrary = fc.oneof({ weight: 3, arbitrary: record }, { weight: 1, arbitrary: arbitraryType({ withDefaults: true }) })
  const seen = { checked: 0, filters: 0, values: 0, failures: 0 }
  fc.assert(
    fc.property(
      arbitrary.chain((of) => fc.tuple(fc.constant(of), fc.array(arbitraryValue(of), { minLength: 2, maxLength: 4 }))),
      fc.array(code, { minLength: 4, maxLength: 8 }),
      ([of, messages], codes) => {
        for (const code of codes) {
          const e = expression(code)
          const reports: Diagnostic[] = []
          const result = checkExpression(e, { input: of }, (d) => reports.push(d))
          if ((result === undefined) !== reports.length > 0) throw new Error(`${code}: ${reports.length} reports`)
          if (!result) continue
          seen.checked++
          const stage = compileMap(e, { input: of })
          const filter = isBool(result) ? compileFilter(e, { input: of }) : undefined
          for (const message of messages) {
            const text = message.replaceAll('\n', ' ')
            // Throws where the two roads differ.
            const given = run(stage, text)
            if (filter) {
              run(filter, text)
              seen.filters++
            }
            if (given.startsWith('evaluation_failed: ')) {
              seen.failures++
              continue
            }
            seen.values++
            const output = Buffer.from(given === 'PASS' ? text : given)
            const tree = parseTree(output, 0, output.length)
            if (tree.kind === 'fault') throw new Error(`${code} of ${printType(of)} gave ${given} for ${text}: ${tree.detail}`)
            const mismatch = checkTree(result, output, tree)
            if (mismatch) throw new Error(`${code} : ${printType(result)} gave ${given} for ${text}`)
          }
        }
      },
    ),
    { numRuns: runs(600 * Number(PLUMB_TIMES)), seed: SEED },
  )
  t.ok(seen.values > runs(800) && seen.failures > runs(8) && seen.filters > runs(100), JSON.stringify(seen))
  t.comment(JSON.stringify(seen))
})

/** What a failure says where a value is not of the kind that an operation takes: only of what is or holds json may it be said. */
const WRONG_KIND =
  /^evaluation_failed: (?!the (?:string|result) )(?!'.*' is (?:neither a time|not a pattern)).* (?:is not an? |is neither a |has no (?:fields|items)|have no common order|no field ')/

const known = new WeakMap<Type, boolean>()

/** Whether nothing of it is only seen at run time. */
const isKnown = (of: Type): boolean => {
  const found = known.get(of) ?? !/json|\.\.\./.test(printType(of))
  known.set(of, found)
  return found
}

t.test(`seed ${SEED}: generated code gives what the interpreter says, in bytes, errors and outcomes, and of its type`, async (t) => {
  const seen = { checked: 0, refused: 0, typed: 0, values: 0, failures: 0, kept: 0, dropped: 0, matched: 0 }
  const messages = fc.array(arbitraryEvent, { minLength: Number(PLUMB_MESSAGES), maxLength: Number(PLUMB_MESSAGES) + 3 })
  fc.assert(
    fc.property(arbitraryExpression, messages, (code, texts) => {
      const e = expression(code)
      const environment = { input: EVENT, scope: NO_NAMES }
      const inference = openInference(environment, () => {})
      const result = inference.infer(e)
      if (!result) {
        seen.refused++
        return
      }
      seen.checked++
      if (code.includes('match ')) seen.matched++
      const isTyped = [...inference.facts.values()].every(({ type }) => isKnown(type))
      if (isTyped) seen.typed++
      const stages = [compileMap(e, environment), ...(isBool(result) ? [compileFilter(e, environment)] : [])]
      for (const text of texts.filter((one) => !/\p{Surrogate}/u.test(one))) {
        for (const stage of stages) {
          // Throws where the two roads differ.
          const given = run(stage, text)
          if (/^[a-z_]+: /.test(given)) {
            seen.failures++
            if (isTyped && WRONG_KIND.test(given)) throw new Error(`${code} of ${text}: ${given}`)
          } else if (stage === stages[0]) {
            seen.values++
            const output = Buffer.from(given === 'PASS' ? text : given)
            const tree = parseTree(output, 0, output.length)
            if (tree.kind === 'fault') throw new Error(`${code} of ${text} gave ${given}: ${tree.detail}`)
            if (checkTree(result, output, tree)) throw new Error(`${code} : ${printType(result)} gave ${given} for ${text}`)
          } else seen[given === 'DROP' ? 'dropped' : 'kept']++
        }
      }
    }),
    { numRuns: runs(2000 * Number(PLUMB_TIMES)), seed: SEED },
  )
  t.ok(
    seen.checked > runs(1000) &&
      seen.typed > runs(100) &&
      seen.matched > runs(50) &&
      seen.values > runs(2000) &&
      seen.failures > runs(300) &&
      seen.kept > runs(50) &&
      seen.dropped > runs(50),
    JSON.stringify(seen),
  )
  t.comment(JSON.stringify(seen))
})
