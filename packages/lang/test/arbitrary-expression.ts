// Random expressions over one record type, by the type of what they give, so that nearly all of them check; and messages of that type with
// the numbers and strings that are hard.

import fc from 'fast-check'
import { type } from './parsed.js'

export const EVENT_TEXT = `{ i: int, n: number, s: string, b: bool, e: "x" | "y", j: json, oi?: int, os?: string, d?: int = 3, r: { i: int, n?: number, s: string },
     l: [int], m: { [string]: number }, t: (int, string), v: { k: "a", z: int, q?: string } | { k: "b", z: number },
     u: int | string | [int] | unit, nn: int | unit, op: { p: int, "c-t"?: string, ... }, deep?: { q?: { n?: int } | unit, w: int } | unit,
     tn: (int | unit, { k: "a", z: int } | { k: "b", z: int } | { k: "c" }) }`
export const EVENT = type(EVENT_TEXT)

type Kind = 'int' | 'num' | 'str' | 'bool' | 'json' | 'list' | 'map' | 'record' | 'any'

const expressions = (tie: (kind: Kind) => fc.Arbitrary<string>): Record<Kind, fc.Arbitrary<string>> => {
  const [int, num, str, bool] = [tie('int'), tie('num'), tie('str'), tie('bool')]
  const [json, list, map, record, any] = [tie('json'), tie('list'), tie('map'), tie('record'), tie('any')]
  type Part = string | fc.Arbitrary<string>
  const of = (...parts: Part[]): fc.Arbitrary<string> =>
    fc.tuple(...parts.map((part) => (typeof part === 'object' ? part : fc.constant(part)))).map((all) => all.join(''))
  const words = (...all: string[]) => fc.constantFrom(...all)
  const nested = (...all: [fc.Arbitrary<string>, ...fc.Arbitrary<string>[]]) =>
    fc.oneof({ maxDepth: 4, depthIdentifier: 'expression' }, ...all)
  const choice = (e: Part) => of('(if ', bool, ' then ', e, ' else ', e, ')')
  const name = words('i', 'n', 's', 'z', '"c-t"')
  // A name of its own, or that of a field; and what takes a value apart, or is only reached where a condition holds.
  const bound = (e: Part, use: Part) => of('(let ', words('w', 'i', 's'), ' = ', e, ' in ', use, ')')
  const arms = (a: Part, b: Part, c: Part) =>
    fc.oneof(
      of('(match u { x : int -> ', a, ', x : string -> ', b, ', _ -> ', c, ' })'),
      of('(match v { x : { k: "a", z: int, q?: string } -> ', a, ', y : { k: "b", z: number } -> ', b, ' })'),
      of('(match j { x : int | number -> ', a, ', s : string | unit -> ', b, ', z : [json] -> ', c, ', _ -> ', a, ' })'),
    )
  const refused = (e: Part) => of('(if ', bool, ' then ', e, ' else fail(', str, '))')
  return {
    int: nested(
      words('i', 'value.i', 'r.i', 'd', 't[0]', '1', '-3', '2', '0', '9007199254740991', '12345678901234567890', '(-0)', 'op.p'),
      words('(nn ?? i)', '(if nn = null then 0 else nn)', '(if has(oi) then oi else d)', '(if v.k = "a" then v.z else 7)'),
      words(
        '(match u { n : int -> n, s : string -> length(s), x : [int] -> length(x), _ -> 0 })',
        '(if u != null and nn != null then nn else d)',
      ),
      of('(match u { w : int -> w + ', int, ', w : string -> length(w), w : [int] -> length(w), _ -> ', int, ' })'),
      words(
        '(deep.q.n ?? d)',
        '(if has(deep.q.n) then deep.q.n + deep.w else i)',
        '(if not has(deep.q.n) then 0 else deep.q.n)',
        '(if tn[0] != null then tn[0] else i)',
        '(if tn[1].k = "a" or tn[1].k = "b" then tn[1].z else -1)',
        '(if u = null or u = "x" then 1 else 2)',
        '(nn ?? fail(s))',
        '(let w = v in if w.k != "b" then w.z else round(w.z))',
      ),
      of('(if nn != null and nn > ', int, ' or b then d else (nn ?? ', int, '))'),
      of('(let w = ', int, ' in w', words('+', '-', '*'), 'w)'),
      bound(int, int),
      arms(int, int, int),
      refused(int),
      of('div(', int, ', ', int, ')'),
      of('(', int, words('+', '-', '*', '%'), int, ')'),
      of('(-', int, ')'),
      of('l[', int, ']'),
      of('(oi ?? ', int, ')'),
      of(words('round', 'floor', 'ceil'), '(', num, ')'),
      of('length(', fc.oneof(str, list), ')'),
      of(words('min', 'max'), '(', int, ',', int, ')'),
      of('({ ...r, n: ', num, ' }).i'),
      of('sum([', int, ' for q in ', list, '])'),
      of('sum(l[', int, ':])'),
      words('sum([q for q in l])', 'first(l)', 'max(l)', 'index(l, i)', 'length(j[1:])'),
      of('((if ', bool, ' then { o: i } else { o: r.i }).o)'),
      choice(int),
    ),
    num: nested(
      words('n', 'v.z', '1.50', '-0.5', '1e300', '0.1', '2.5e-3', '9007199254740993.0'),
      int,
      of('(', num, words('+', '-', '*', '/', '%'), num, ')'),
      of('(r.n ?? ', num, ')'),
      of('(m[', str, '] ?? ', num, ')'),
      of('(', map, '[', str, '] ?? ', num, ')'),
      of('({ ...r, i: ', int, ' }.n ?? ', num, ')'),
      of('({ ...m, [', str, ']: ', num, ' }[', str, '] ?? ', num, ')'),
      of('(let w = ', num, ' in w * w)'),
      arms(num, int, num),
      of(words('sqrt', 'log', 'exp'), '(', num, ')'),
      of('pow(', num, ', ', int, ')'),
      of('abs(', num, ')'),
      of(words('sum', 'min', 'max'), '(values(', map, '))'),
      of('time(', str, ')'),
      of('number(', str, ')'),
      choice(num),
    ),
    str: nested(
      words('s', 'e', 'r.s', 't[1]', 'v.k', '"x"', '""', '"é\\"😀"', '"\\ud800"'),
      of('(', str, '+', str, ')'),
      of('(os ?? ', str, ')'),
      of('iso(', num, ')'),
      of(words('lower', 'upper', 'trim'), '(', str, ')'),
      of('text(', any, ')'),
      of('join(split(', str, ',', str, '),', str, ')'),
      of('join(', choice(of('split(', str, ', "x")')), ', "-")'),
      // A brace behind a brace stands for itself.
      of('$"<{ ', any, ' }{ ', str, ' }>"'),
      of('(', str, ')[', int, ':]'),
      of('pad(', str, ', i)'),
      words('(op."c-t" ?? "-")', '(v.q ?? os ?? s)', '(if has(v.q) then v.q else "")', '(if e = "x" then e else s)'),
      of('fixed(', num, ', ', words('0', '2', '20'), ')'),
      of(words('base64', 'sha256', 'url_encode', 'url_decode', 'unbase64'), '(', str, ')'),
      of('unbase64(base64(', str, '))'),
      of('to_csv([[', str, ', ', str, ']])'),
      of('(let w = ', str, ' in w + w)'),
      bound(str, str),
      arms(str, str, str),
      refused(str),
      of('replace_all(', str, ', "[a-x]|\\\\d", ', str, ')'),
      of('replace(', str, ',', str, ',', str, ')'),
      choice(str),
    ),
    bool: nested(
      words('b', 'has(oi)', 'has(r.n)', 'has(j.a)', 'has(j.a.b)', 'true'),
      of('has(m[', str, '])'),
      words('has(v.q)', 'has(op."c-t")', '(nn = null)', '(u != null)'),
      of('(has(oi) and oi > ', int, ')'),
      of('(nn = null or nn < ', int, ')'),
      of('has(j[', str, '].a)'),
      of('has(j[', json, '].a)'),
      of('(', num, words(' < ', ' <= ', ' > ', ' >= ', ' = ', ' != '), num, ')'),
      of('(', str, words(' < ', ' >= ', ' = ', ' != '), str, ')'),
      of('(', json, words(' < ', ' = ', ' != ', ' > '), any, ')'),
      of('(', bool, words(' and ', ' or ', ' = '), bool, ')'),
      of('(not ', bool, ')'),
      of('any([', bool, ' for q in ', list, '])'),
      of('all([q < ', num, ' for q in l])'),
      of('matches(', str, ', "^[a-z ]*$")'),
      of('contains(', list, ', ', json, ')'),
      of(words('contains', 'starts_with', 'ends_with'), '(', str, ',', str, ')'),
      choice(bool),
    ),
    json: nested(
      words('j', 'j.a', 'j[0]', 'j.a.b', 'null'),
      of('(', json, ').', name),
      of('(', json, ')[', int, ']'),
      of('(', words('j', 'j[0]', 'parse(s)', 'first(j)', '(if b then j else null)'), ' ?? ', any, ')'),
      of('(j.a ?? ', any, ')'),
      of('(j.a.b[', int, '] ?? ', any, ')'),
      of('{ ...j, [', str, ']: ', any, ' }'),
      of('without(j, ', str, ')'),
      arms(json, any, str),
      of('(j[', str, '] ?? ', any, ')'),
      of('(j[', json, '] ?? ', any, ')'),
      of('(', json, ')[', json, ']'),
      of('(', json, ' + ', any, ')'),
      of('parse(', str, ')'),
    ),
    list: nested(
      words(
        'l',
        't',
        '[]',
        '[q for q in j]',
        '[q ?? i for q in j]',
        'sort(l, q -> -q)',
        'sort(j)',
        'reverse(t)',
        'zip(t, l)',
        'find(s, "(.)x?")',
        'group(t, q -> text(q))',
        'keys(j)',
        'values(v)',
        'values(op)',
        'entries(op)',
        '[e.value for e in entries({ ...op, n })]',
        'lines(s)',
      ),
      of('[', any, ' for q in ', list, ' if ', bool, ']'),
      of('[{ q, ...r, n: ', any, ' } for q in ', list, ']'),
      of('[q.', name, ' for q in ', json, ']'),
      of('[oi + q for q in l if has(oi) and q > ', int, ']'),
      of('[let w = q + 1 in w * ', int, ' for q in l]'),
      of('[match x { x : int -> x, _ -> 0 } for x in [u, nn]]'),
      of('csv(', str, ')'),
      arms(list, list, list),
      of('unique(', list, ', q -> ', any, ')'),
      of('(', list, ')[', int, ':', int, ']'),
      of('(j + ', list, ')'),
      of('[', any, ',', any, ']'),
      of(words('keys', 'values', 'entries'), '(', fc.oneof(map, record), ')'),
      of('split(', str, ',', str, ')'),
    ),
    record: nested(
      words('r', 'v', 'value', '{}'),
      map,
      of('{ a: ', any, ', b: ', any, ' }'),
      of('{ i: ', any, ', ...r, n: ', any, ' }'),
      of('{ n: ', any, ', ...r, s: ', any, ' }'),
      of('{ ...', record, ', i: ', any, ', ...', record, ' }'),
      of('{ i: ', any, ', ...j, z: ', any, ' }'),
      words('op', 'omit(value, "j", "d")', 'pick(value, "oi", "d", "v")', 'omit(op, "c-t")', 'pick(op, "p", "c-t")', '{ ...op, "c-t": s }'),
      of('omit({ ...r, b: ', any, ' }, "n")'),
      of('pick({ ...r, "b-b": ', any, ' }, "n", "b-b")'),
      of('{ "c-t": ', any, ', ...op }'),
      bound(any, record),
      arms(record, record, record),
      refused(record),
      choice(record),
    ),
    map: nested(
      words('m', 'map_of(entries(m))', 'map_of(j)'),
      of('{ ...', map, ', [', str, ']: ', num, ' }'),
      of('without(', map, ', ', str, ')'),
      of('map_of([{ key: ', str, ', value: ', num, ' } for q in ', list, '])'),
    ),
    any: fc.oneof(int, num, str, bool, json, list, record),
  }
}

/** The source of an expression. */
export const arbitraryExpression: fc.Arbitrary<string> = fc.letrec<Record<Kind, string>>((tie) => expressions(tie)).any

type Calls = Partial<Record<Kind, readonly (readonly [callee: string, takes: Kind])[]>>

/** The same with calls of bindings, by what they give. */
export const arbitraryExpressionWith = (calls: Calls): fc.Arbitrary<string> =>
  fc.letrec<Record<Kind, string>>((tie) => {
    const all = expressions(tie)
    for (const [kind, callees] of Object.entries(calls) as [Kind, readonly (readonly [string, Kind])[]][]) {
      const calls = callees.map(([callee, takes]) => fc.tuple(fc.constant(callee), tie(takes)).map((parts) => `${parts.join('(')})`))
      all[kind] = fc.oneof({ maxDepth: 4, depthIdentifier: 'expression' }, all[kind], ...calls)
    }
    return all
  }).any

const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined, freq: 2 })
const int = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: -3, max: 5 }).map(String) },
  { weight: 1, arbitrary: fc.constantFrom('-0', '1.0', '1e2', '9007199254740991', '9007199254740993', '-12345678901234567890') },
)
const num = fc.oneof(
  int,
  fc.constantFrom('0.5', '-1.50', '1E+3', '1e-7', '1e308', '0.30000000000000004', '123456789012345678.5'),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((n) => JSON.stringify(n)),
)
const str = fc.oneof(
  fc.constantFrom('"x"', '""', '"1"', '"-2.50"', '"[1,2]"', '"{\\"i\\":7}"', '"\\u0078"', '"\\ud83d\\ude00 x"', '"\\udc00"', '" A\\n"'),
  fc.string({ unit: 'grapheme', maxLength: 5 }).map((text) => JSON.stringify(text)),
)
const json = fc.oneof(
  num,
  str,
  fc.constantFrom('null', 'true', '[1, "x"]', '{"a":{"b":1,"b":2},"i":9}', '{ "a" : 2.50 , "z":[]}', '{"a":"x","s":null}'),
)

/** The text of a message, its fields in any order. */
export const arbitraryEvent: fc.Arbitrary<string> = fc
  .tuple(
    fc.record({
      i: int,
      n: num,
      s: str,
      b: fc.constantFrom('true', 'false'),
      e: fc.constantFrom('"x"', '"y"', '"\\u0079"'),
      j: json,
      oi: optional(int),
      os: optional(str),
      d: optional(int),
      r: fc.tuple(int, optional(num), str).map(([i, n, s]) => `{"s":${s},${n === undefined ? '' : `"n":${n}, `}"i":${i}}`),
      l: fc.array(int, { maxLength: 3 }).map((items) => `[${items.join(', ')}]`),
      m: fc
        .uniqueArray(fc.tuple(str, num), { maxLength: 3, selector: ([key]) => JSON.parse(key) })
        .map((entries) => `{${entries.map(([key, value]) => `${key}: ${value}`).join()}}`),
      t: fc.tuple(int, str).map(([a, b]) => `[${a},${b}]`),
      v: fc.oneof(
        int.map((z) => `{"k":"a","z":${z}}`),
        fc.tuple(int, str).map(([z, q]) => `{"q":${q},"k":"a","z":${z}}`),
        num.map((z) => `{"z":${z},"k":"b"}`),
      ),
      u: fc.oneof(int, str, fc.constantFrom('null', '[]', '[1, 2]')),
      nn: fc.oneof(int, fc.constant('null')),
      deep: optional(
        fc.oneof(
          fc.constantFrom('null', '{"w":1,"q":null}', '{"q":{},"w":2}'),
          int.map((n) => `{ "q": {"n":${n}},"w":3}`),
        ),
      ),
      tn: fc
        .tuple(fc.oneof(int, fc.constant('null')), int, fc.constantFrom('a', 'b', 'c'))
        .map(([n, z, k]) => `[${n}, {"k":"${k}"${k === 'c' ? '' : `,"z":${z}`}}]`),
      op: fc.tuple(int, str, fc.constantFrom('', ', "more": { "x" : 1.50 }', ', "c-t": "t"')).map(([p, , more]) => `{"p":${p}${more}}`),
    }),
    fc.boolean(),
    fc.constantFrom('', ' ', '\t'),
  )
  .map(([fields, isTurned, gap]) => {
    const entries = Object.entries(fields).flatMap(([key, text]) => (text === undefined ? [] : [`${gap}"${key}":${gap}${text}${gap}`]))
    return `{${(isTurned ? entries.reverse() : entries).join(',')}}`
  })
