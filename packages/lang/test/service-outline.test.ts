// What an editor shows of a whole file: symbols, folds, types that are not written, and every place of a name.

import t from 'tap'
import { type Compiled, compile } from '../src/compile.js'
import type { Files } from '../src/names/modules.js'
import { MORPHISMS, PLAIN_MORPHISMS } from '../src/parse/morphism.js'
import { foldsIn, hintsIn, type ListedSymbol, referencesAt, signaturesAt, symbolsIn, tokensIn } from '../src/service/index.js'

const LIBRARY = 'type Word = { text: string, length: int }\nlet measure = map({ text: value, length: length(value) })\n'
const files: Files = {
  read: (path) =>
    path === 'words.plumb'
      ? { ok: true, value: LIBRARY }
      : { ok: false, error: { error: 'file_not_found', category: 'config', detail: `no '${path}'` } },
  find: (name) => (name === 'words' ? 'words.plumb' : undefined),
  beside: (path) => path,
}
const compiled = (text: string, path = 'main.plumb'): Compiled => compile({ path, text, files, checksTests: true })

const SPEC = `use words
(* A review
   of two lines. *)
type Review = {
  score: int,
  tags: [string]
}
param limit : int = 3
@tool true
let double : int -> int = map(value + value)
let best = map([t for t in tags if length(t) > 1])
let main : !Review -> ![string] = plumb(input, output) {
  let kept : !Review = channel
  input ; filter(double(score) > limit) ; kept
  kept ; best ; output
}
test "one" of main { given: [], expect: [] }
`
const textOf = ({ start, end }: { start: number; end: number }, text = SPEC) => text.slice(start, end)

t.test('symbols', async (t) => {
  const outline = (list: readonly ListedSymbol[]): unknown[] =>
    list.map(({ kind, name, detail, parts }) => [kind, name, ...(detail ? [detail] : []), ...(parts.length > 0 ? [outline(parts)] : [])])
  const symbols = symbolsIn(compiled(SPEC))
  t.strictSame(outline(symbols), [
    ['module', 'Words'],
    [
      'type',
      'Review',
      [
        ['field', 'score'],
        ['field', 'tags'],
      ],
    ],
    ['param', 'limit'],
    ['tool', 'double', 'int -> int'],
    ['value', 'best'],
    ['process', 'main', '!Review -> ![string]', [['channel', 'kept']]],
    ['test', 'one'],
  ])
  t.strictSame(
    symbols.map(({ span, at }) => textOf(span).includes(textOf(at))),
    symbols.map(() => true),
  )
  t.strictSame(outline(symbolsIn(compiled('let a : !int -> !int = nothing\nlet b = '))).slice(0, 1), [['process', 'a', '!int -> !int']])
  const broken = compiled('type T = {}}\nlet f : !int -> !int = plumb(i, o) {\n  i ; ) o\n}\nparam p : =\nlet g : !int -> !int = id')
  t.strictSame(outline(symbolsIn(broken)), [
    ['type', 'T'],
    ['value', 'f'],
    ['param', 'p'],
    ['process', 'g', '!int -> !int'],
  ])
  const labelled = 'let safe : !untrusted   string -> !string = endorse("read")'
  t.strictSame(outline(symbolsIn(compiled(labelled))), [['process', 'safe', '!untrusted string -> !string']])
})

t.test('folds: what has several lines, and the longest that begins on one', async (t) => {
  const firstWords = foldsIn(compiled(SPEC)).map(({ span, isComment }) => [textOf(span).split('\n')[0], isComment])
  t.match(firstWords, [
    ['(* A review', true],
    ['type Review = {', false],
    ['@tool true', false],
    ['let main : !Review -> ![string] = plumb(input, output) {', false],
  ])
  t.strictSame(foldsIn(compiled('let a : !int -> !int = id')), [])
  t.equal(foldsIn(compiled('let a : !int -> !int = plumb(i, o) {\n  i ; ) o\n}\n')).length, 1, 'what is being written stays folded')
})

t.test('every place of a name, in all files', async (t) => {
  const [main, words] = [compiled(SPEC), compiled(LIBRARY, 'words.plumb')]
  const found = referencesAt(main, [words], SPEC.indexOf('double(score'))
  t.strictSame(
    found?.map(({ span, isDeclaration }) => [textOf(span), SPEC.slice(0, span.start).split('\n').length, isDeclaration]),
    [
      ['double', 10, true],
      ['double', 14, false],
    ],
  )
  const other = compiled('use words\nlet main : !string -> !{ text: string, length: int } = Words.measure\n', 'other.plumb')
  t.strictSame(
    referencesAt(words, [other], LIBRARY.indexOf('measure'))?.map(({ span }) => span.source.path),
    ['words.plumb', 'other.plumb'],
  )
  t.equal(referencesAt(main, [], SPEC.indexOf('plumb(input')), undefined, 'a word of the language')
})

t.test('types that are not written', async (t) => {
  const text = 'type R = { tags: [string] }\nlet twice : !R -> ![int] = map([length(t) for t in tags if length(t) > 1])\nlet up = id\n'
  const hints = hintsIn(compiled(text))
  t.strictSame(
    hints.map(({ offset, text: hint }) => `${text.slice(0, offset).split('\n').at(-1)?.slice(-5)}${hint}`),
    ['for t: string'],
  )
})

t.test('the functions whose arguments stand at a place', async (t) => {
  const at = (marked: string) => signaturesAt(compiled(marked.replace('‸', '')), marked.indexOf('‸'))
  const inside = at('let a : !string -> ![string] = map(split(value, ‸"x"))')
  t.match(inside, { usages: [{ usage: 'split(s, sep)', text: /separators/ }], argument: 1 })
  t.match(at('let a : !string -> ![string] = map(split(lower(‸value), "x"))'), { usages: [{ usage: 'lower(s)' }], argument: 0 })
  t.match(at('let f : int -> int = map(value + 1)\nlet a : !int -> !int = map(f(‸value))'), { usages: [{ usage: 'f : int -> int' }] })
  t.match(
    at('let a : !string -> ![string] = map(spl‸it(value, "x"))'),
    { usages: [{ word: 'map' }] },
    'the name is not an argument of its own',
  )
  t.match(at('let a : !string -> ![string] = map(split([value, ‸"x"][0], "x"))'), { usages: [{ usage: 'split(s, sep)' }], argument: 0 })
  t.equal(at('let a : !int -> !int = plumb(inp‸ut, output) { input ; output }'), undefined)
  t.equal(at('let a : !int -> !int = (‸id)'), undefined, 'no function')
})

t.test('what stands in the parentheses of a word such as map', async (t) => {
  const at = (marked: string) => signaturesAt(compiled(marked.replace('‸', '')), marked.indexOf('‸'))
  const rows: [string, string[], number][] = [
    ['map(‸value + 1)', ['map(e)', 'map(f, parallel: n)'], 0],
    ['map((value ‸+ 1) * 2)', ['map(e)', 'map(f, parallel: n)'], 0],
    ['map(‸', ['map(e)', 'map(f, parallel: n)'], 0],
    ['map(value) ; filter(not (‸', ['filter(e)'], 0],
    ['fold({ a: state.a + 1, b: 2 }, ‸', ['fold(e, from: x, by: key, emit: "end")'], 1],
    ['map(if value > 0 then length(‸', ['length(x)'], 0],
    ['map($"a, {lower(‸', ['lower(s)'], 0],
    ['map($"a, {lower("x")}", ‸', ['map(e)', 'map(f, parallel: n)'], 1],
    ['batch(2, ‸within: 1)', ['batch(n, within: seconds)', 'batch()', 'batch(within: seconds)'], 1],
    ['map(value) ; ‸', [], 0],
  ]
  for (const [chain, usages, argument] of rows) {
    const found = at(`let twice : !int -> !int = id\nlet a : !int -> !int = ${chain}\nlet b : !int -> !int = id\n`)
    t.strictSame(found?.usages.map(({ usage }) => usage) ?? [], usages, chain)
    t.equal(found?.argument ?? 0, argument, chain)
  }
  const taking = [...MORPHISMS].filter((word) => !PLAIN_MORPHISMS.has(word))
  for (const word of [...taking, 'each']) t.match(at(`let a : !int -> !int = ${word}(‸`), { usages: [{ word }] }, word)
})

t.test('what names mean, in their order', async (t) => {
  const tokens = tokensIn(compiled(SPEC))
  const shown = tokens.map(({ span, kind, isDeclaration }) => `${textOf(span)} ${kind}${isDeclaration ? ' declared' : ''}`)
  for (const wanted of [
    'Review type declared',
    'Review type',
    'double method declared',
    'double method',
    'limit variable',
    'kept variable declared',
  ])
    t.ok(shown.includes(wanted), wanted)
  t.ok(tokens.every(({ span }, i) => i === 0 || span.start >= (tokens[i - 1]?.span.end ?? 0)))
})
