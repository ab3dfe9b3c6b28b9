// The TextMate grammar, in the engine that editors use: what it calls the tokens of real programs is what the lexer and the parser take
// them for.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { loadWASM, OnigScanner, OnigString } from 'vscode-oniguruma'
import { type IGrammar, INITIAL, parseRawGrammar, Registry } from 'vscode-textmate'
import { allFunctions } from '../src/expression/run/function-table.js'
import { RESERVED } from '../src/parse/cursor.js'
import { tokenize } from '../src/parse/lexer.js'

// Tests run in the root.
const GRAMMAR = 'packages/lang/grammar/plumb.tmLanguage.json'

const grammarText = readFileSync(GRAMMAR, 'utf8')

const load = async () => {
  await loadWASM(new Uint8Array(readFileSync(require.resolve('vscode-oniguruma/release/onig.wasm'))).buffer)
  const grammars = new Registry({
    onigLib: Promise.resolve({
      createOnigScanner: (patterns) => new OnigScanner(patterns),
      createOnigString: (text) => new OnigString(text),
    }),
    loadGrammar: async () => parseRawGrammar(grammarText, GRAMMAR),
  })
  const grammar = await grammars.loadGrammar('source.plumb')
  if (!grammar) throw new Error('no grammar')
  return grammar
}

/** The scopes of each UTF-16 unit, innermost last, without the root and the name of the language. */
const scopesOf = (grammar: IGrammar, text: string): string[][] => {
  const units: string[][] = []
  let state = INITIAL
  for (const line of text.split('\n')) {
    const { tokens, ruleStack } = grammar.tokenizeLine(line, state)
    state = ruleStack
    const own: string[][] = Array.from({ length: line.length + 1 }, () => [])
    for (const { startIndex, endIndex, scopes } of tokens) {
      const names = scopes.slice(1).map((scope) => scope.replace(/\.plumb$/, ''))
      for (let i = startIndex; i < Math.min(endIndex, line.length); i++) own[i] = names
    }
    units.push(...own)
  }
  return units
}

const filesUnder = (directory: string): string[] =>
  readdirSync(directory, { withFileTypes: true }).flatMap((e) => {
    if (e.isDirectory()) return e.name === 'node_modules' || e.name === 'dist' ? [] : filesUnder(join(directory, e.name))
    return e.name.endsWith('.plumb') ? [join(directory, e.name)] : []
  })

t.test('programs', async (t) => {
  const grammar = await load()
  const files = [...filesUnder('packages'), ...(process.env.PLUMB_MORE_SPECS ?? '').split(':').filter(Boolean).flatMap(filesUnder)]
  t.ok(files.length > 3)
  for (const file of files) {
    const source = { path: file, text: readFileSync(file, 'utf8') }
    const scopes = scopesOf(grammar, source.text)
    const { tokens, comments, shebang = '' } = tokenize(source, () => {})
    const isComment = new Set(comments.flatMap(({ span }) => units(span)))
    const wrong: string[] = []
    const expect = (what: string, { start, end }: { start: number; end: number }, isRight: (names: readonly string[]) => boolean) => {
      const bad = units({ start, end }).find((i) => source.text[i] !== '\n' && !isRight(scopes[i] ?? []))
      if (bad !== undefined) wrong.push(`${what} '${source.text.slice(start, end)}' at ${bad}: ${scopes[bad]?.join(' ')}`)
    }
    const has = (name: string) => (names: readonly string[]) => names.some((n) => n.startsWith(name))
    expect('shebang', { start: 0, end: shebang.length }, has('comment.line'))
    for (const { span } of comments) expect('comment', span, has('comment.block'))
    for (const [i, names] of scopes.entries()) if (has('comment.block')(names) && !isComment.has(i)) wrong.push(`no comment at ${i}`)
    for (const [i, token] of tokens.entries()) {
      const { kind, text, span } = token
      if (kind === 'string')
        expect('string', span, has(source.text.startsWith('"""', span.start) ? 'string.quoted.triple' : 'string.quoted.double'))
      if (kind === 'template') {
        const isEdge = (names: readonly string[]) => has('string.interpolated')(names) || has('punctuation.section.embedded')(names)
        expect('template', span, isEdge)
      }
      if (kind === 'number' && tokens[i - 1]?.text !== '.') expect('number', span, has('constant.numeric'))
      if (kind === 'symbol') expect('symbol', span, (names) => /^(keyword\.operator|punctuation)\./.test(names.at(-1) ?? ''))
      if (kind !== 'identifier') continue
      const before = tokens[i - 1]
      const after = tokens[i + 1]
      const isField = before?.text === '.' || before?.text === '@' || after?.text === ':' || after?.text === '?'
      // Reserved nowhere else: a field may be called so.
      const isOfTest = (text === 'test' && after?.kind === 'string') || (text === 'of' && before?.kind === 'string')
      const isWord = (RESERVED.has(text) && !isField) || (text === 'as' && before?.kind !== 'symbol') || isOfTest
      // Before a type; the name of one is written with a capital, or is a word of the language.
      const isLabel = /^(untrusted|secret)$/.test(text) && !isField && /^([[{(]|\w)/.test(after?.text ?? '')
      const isStep = /^(send|recv|call|loop|end)$/.test(text)
      expect('name', span, (names) => NAMES.test(names.at(-1) ?? '') || isWord || isLabel || (isStep && STEPS.test(names.at(-1) ?? '')))
      if (isLabel) expect('label', span, (names) => LABELS.test(names.at(-1) ?? ''))
      if (isWord) expect('word', span, (names) => WORDS.test(names.at(-1) ?? ''))
    }
    t.strictSame(wrong.slice(0, 5), [], file)
  }
})

const NAMES = /^(variable|entity|support\.(type|function$)|storage\.type\.annotation)/
const STEPS = /^keyword\.control\.step/
const LABELS = /^storage\.modifier\.label/
const WORDS = /^(keyword|constant\.language|support\.function\.morphism)/

const units = ({ start, end }: { start: number; end: number }): number[] => Array.from({ length: end - start }, (_, i) => start + i)

// The part between ⟦ and ⟧ has this innermost scope, or these from the outside in.
const SNIPPETS: readonly (readonly [string, string])[] = [
  ['⟦let⟧ a : !int -> !int = id', 'keyword.declaration.binding'],
  ['let ⟦a⟧ : !int -> !int = id', 'entity.name.function'],
  ['let ⟦server⟧ = { a: 1 }', 'entity.name.function'],
  ['⟦test⟧ "a" of f { given: [1] }', 'keyword.declaration.test'],
  ['test "a" ⟦of⟧ f { given: [1] }', 'keyword.declaration.test'],
  ['test "a" of ⟦f⟧ { given: [1] }', 'variable.other'],
  ['test "a" of f { ⟦given⟧: [1] }', 'variable.other.property'],
  ['test "a" of f { holds: out ⟦>⟧ 1 }', 'keyword.operator.comparison'],
  ['test "a" of f { given: [] }\n⟦let⟧ a : !int -> !int = id', 'keyword.declaration.binding'],
  ['let a : ⟦!⟧int -> !int = id', 'keyword.operator.stream'],
  ['let a : !⟦int⟧ -> !int = id', 'support.type.primitive'],
  ['let a : !int ⟦→⟧ !int = id', 'keyword.operator.arrow'],
  ['let a : !int -> !⟦Review⟧ = id', 'entity.name.type'],
  ['let a : !⟦Mem⟧.CtrlCmd -> !int = id', 'entity.name.namespace'],
  ['let a : !Mem.⟦CtrlCmd⟧ -> !int = id', 'entity.name.type'],
  ['let a : !int -> !int = ⟦id⟧', 'support.function.morphism'],
  ['let a : !int -> !int = ⟦f⟧ ; g', 'variable.other'],
  ['let a : !int -> !int = f ⟦;⟧ g', 'keyword.operator.sequence'],
  ['⟦type⟧ A = int', 'keyword.declaration.type'],
  ['type ⟦A⟧ = int', 'entity.name.type'],
  ['⟦protocol⟧ P = end', 'keyword.declaration.protocol'],
  ['protocol ⟦P⟧ = end', 'entity.name.type'],
  ['protocol P = ⟦send⟧ T . end', 'keyword.control.step'],
  ['protocol P = send T ⟦.⟧ end', 'punctuation.separator.step'],
  ['protocol P = send ⟦Fs⟧.Path . end', 'entity.name.namespace'],
  ['protocol P = send { ⟦a⟧: int } . end', 'variable.other.property'],
  ['protocol P = { ⟦end⟧: loop, end }', 'variable.other.property'],
  ['protocol P = { a: ⟦loop⟧, end }', 'keyword.control.step'],
  ['protocol P = { a: end }\n⟦let⟧ b = {}', 'keyword.declaration.binding'],
  ['let a : (!int, ⟦~⟧P) -> !int = id', 'keyword.operator.dual'],
  ['let (* why *) a (* is *) : !⟦int⟧ -> !int = id', 'support.type.primitive'],
  ['type A (* is *) = ⟦int⟧', 'support.type.primitive'],
  ['type A = { ⟦type⟧: string }', 'variable.other.property'],
  ['type A = { ⟦int⟧?: int }', 'variable.other.property'],
  ['type A = { a: int = ⟦3⟧ }', 'constant.numeric'],
  ['type A = { a: bool = ⟦true⟧ }', 'constant.language'],
  ['type A = { a: ⟦"low"⟧ | "high" }', 'string.quoted.double'],
  ['type A = { @⟦min⟧ 1 a: int }', 'storage.type.annotation'],
  ['type A = int\n@⟦tool⟧ true\nlet f : A -> A = id', 'storage.type.annotation'],
  ['type A = int ⟦let⟧ f : A -> A = id', 'keyword.declaration.binding'],
  ['⟦use⟧ mem', 'keyword.control.import'],
  ['use ⟦mem⟧', 'entity.name.namespace'],
  ['use "./x.plumb" ⟦as⟧ X', 'keyword.control.import'],
  ['use "./x.plumb" as ⟦X⟧', 'entity.name.namespace'],
  ['use "./x.plumb" as X\n⟦let⟧ a : int -> int = id', 'keyword.declaration.binding'],
  ['let a : !int -> !int = map(⟦as⟧ + 1)', 'variable.other'],
  ['let a : !A -> !int = map(⟦int⟧)', 'variable.other'],
  ['let a : !A -> !int = map(⟦number⟧(x))', 'support.function'],
  ['let a : !A -> !int = map(⟦map⟧)', 'variable.other'],
  ['let a : !A -> !int = map(x.⟦not⟧)', 'variable.other.property'],
  ['let a : !A -> !int = map(⟦not⟧ x)', 'keyword.operator.logical'],
  ['let a : !A -> !int = map(⟦if⟧ a then b else c)', 'keyword.control.conditional'],
  ['let a : !A -> !int = map({ ⟦if⟧: 1 })', 'variable.other.property'],
  ['let a : !A -> !int = map(a ⟦*⟧ b)', 'keyword.operator.arithmetic'],
  ['let a : !A -> !int = f ⟦*⟧ b', 'keyword.operator.tensor'],
  ['let a : !A -> !int = map({ ⟦...⟧value })', 'keyword.operator.spread'],
  ['let a : !A -> !int = map({ ...⟦value⟧ })', 'variable.language'],
  ['let a : !A -> !int = map(a ⟦??⟧ b)', 'keyword.operator.coalescing'],
  ['let a : !A -> !int = map(x[⟦0⟧])', 'constant.numeric'],
  ['let a : !A -> !int = map([x ⟦for⟧ x in xs])', 'keyword.control.loop'],
  ['let a : !A -> !int = map([x for x ⟦in⟧ xs])', 'keyword.control.loop'],
  ['let a : !A -> !int = map(sort(xs, x ⟦->⟧ x.a))', 'keyword.operator.arrow'],
  ['let a : !A -> !int = map(xs[1⟦:⟧2])', 'punctuation.separator.slice'],
  ['let a : !A -> !int = map(⟦sort⟧(xs))', 'support.function'],
  ['let a : !A -> !int = map($"⟦a⟧ {b}")', 'string.interpolated.double'],
  ['let a : !A -> !int = map($"a ⟦{⟧b}")', 'punctuation.section.embedded.begin'],
  ['let a : !A -> !int = map($"a {⟦b⟧} c")', 'variable.other'],
  ['let a : !A -> !int = map($"a {$"{⟦b⟧}"} c")', 'variable.other'],
  ['let a : !A -> !int = map($"a {{⟦b⟧}} c")', 'string.interpolated.double'],
  ['let a : !A -> !int = map($"""\n"⟦a⟧" {b}\n""")', 'string.interpolated.triple'],
  ['let a : !A -> !int = map($"a {b} c" ⟦+⟧ d)', 'keyword.operator.arithmetic'],
  ['let a : !A -> !int = filter((a) and b) ⟦;⟧ c', 'keyword.operator.sequence'],
  ['let a : !A -> !int = f⟦@⟧telemetry ; g', 'punctuation.definition.port'],
  ['let a : !A -> !int = f@⟦telemetry⟧ ; g', 'entity.other.attribute-name.port'],
  ['let a : !A -> !int = ⟦Mem⟧.compact', 'entity.name.namespace'],
  ['let a : !A -> !int = f.⟦filter⟧', 'variable.other.property'],
  ['let a : !A -> !int = ⟦agent⟧ {}', 'keyword.other.implementation'],
  ['let a : !A -> !int = agent { ⟦prompt⟧: "x" }', 'support.type.property-name'],
  ['let a : !A -> !int = agent { tools: [⟦f⟧] }', 'variable.other'],
  ['let a : !A -> !int = agent { ⟦tool⟧: 1, agent: 2 }', 'support.type.property-name'],
  ['let a : !A -> !int = agent { p: ⟦-⟧1 }', 'keyword.operator.arithmetic'],
  ['let a : !A -> !int = agent { p: "x" }\nlet ⟦b⟧ = {}', 'entity.name.function'],
  ['let a : !A -> !int = ⟦plumb⟧(i, o) { i ; o }', 'keyword.other.implementation'],
  ['let a : !A -> !int = plumb(⟦i⟧, o) { i ; o }', 'variable.parameter'],
  ['let a : !A -> !int = plumb(i, o) { let ⟦c⟧ : !int = channel }', 'variable.other.channel'],
  ['let a : !A -> !int = plumb(i, o) { let c : !int = ⟦channel⟧ }', 'keyword.other.channel'],
  ['let a : !A -> !int = plumb(i, o) { ⟦spawn⟧ f(input=c) }', 'keyword.other.spawn'],
  ['let a : !A -> !int = plumb(i, o) { spawn f(⟦input⟧=c) }', 'variable.parameter'],
  ['let a : !A -> !int = plumb(i, o) { spawn Mem.⟦f⟧(c) }', 'variable.other'],
  ['let a : !A -> !int = plumb(i, o) { spawn f(c)\n i ⟦;⟧ o }', 'keyword.operator.sequence'],
  ['let a : !A -> !int = plumb(i, o) { i ; o }\n⟦type⟧ B = int', 'keyword.declaration.type'],
  ['let a : A -> A = trace(f, ⟦max⟧: 3, until: ok)', 'variable.parameter'],
  ['let a : A -> A = trace(f, max: 3, until: ⟦not⟧ ok)', 'keyword.operator.logical'],
  ['let a : A -> A = trace(f, until: ok) ⟦;⟧ g', 'keyword.operator.sequence'],
  ['(* a (* b *) ⟦c⟧ *) let', 'comment.block'],
  ['(* a (* ⟦b⟧ *) c *) let', 'comment.block comment.block'],
  ['(* a (* b *) c *) ⟦let⟧ d', 'keyword.declaration.binding'],
  ['(* "⟦*)⟧', 'comment.block punctuation.definition.comment.end'],
  ['let a = { p: "(* ⟦no⟧ *)" }', 'string.quoted.double'],
  ['let a = { p: """ "a" ⟦x⟧\n""" }', 'string.quoted.triple'],
  ['let a = { p: """\n\\⟦n⟧ """ }', 'string.quoted.triple constant.character.escape'],
  ['let a = { p: "⟦\\q⟧" }', 'string.quoted.double invalid.illegal.escape'],
  ['let a = { p: "never closed\n ⟦q⟧: 1 }', 'support.type.property-name'],
  ['#!/usr/bin/env ⟦plumb⟧\nlet', 'comment.line.shebang'],
]

t.test('snippets', async (t) => {
  const grammar = await load()
  for (const [marked, expected] of SNIPPETS) {
    const start = marked.indexOf('⟦')
    const end = marked.indexOf('⟧') - 1
    const scopes = scopesOf(grammar, marked.replace(/[⟦⟧]/g, ''))
    const found = units({ start, end }).map((i) => scopes[i] ?? [])
    const wrong = found.find(
      (names) => ` ${names.join(' ')} `.indexOf(` ${expected} `) < 0 || (expected.split(' ').at(-1) !== names.at(-1) && !isQuote(names)),
    )
    t.strictSame(wrong, undefined, marked)
  }
})

const isQuote = (names: readonly string[]): boolean => /^punctuation\.definition\.string/.test(names.at(-1) ?? '')

t.test('words', async (t) => {
  const missing = [...RESERVED, ...allFunctions().map(({ name }) => name), 'has'].filter(
    (word) => !new RegExp(`\\b${word}\\b`).test(grammarText),
  )
  t.strictSame(missing, [], 'every word and function of the language is in the grammar')
})
