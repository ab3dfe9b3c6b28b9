// Specs: lexer, parser, checks, layout and plan of any text, and what an editor asks about it.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { format } from '../../../packages/lang/src/format/format.js'
import {
  agentsOf,
  bindingNamed,
  compile,
  type Diagnostic,
  diagnosticToJson,
  hasErrors,
  planOf,
  STANDARD_LIBRARY,
  toolsOf,
  toText,
  toToolSchema,
} from '../../../packages/lang/src/index.js'
import { completionsAt } from '../../../packages/lang/src/service/completions-at.js'
import { hoverAt } from '../../../packages/lang/src/service/hover-at.js'
import { bundledFiles, isCode } from '../../../packages/wire/src/index.js'
import { must, type Target } from '../target.js'

const PATH = 'fuzz.plumb'

const specsIn = (directory: string): string[] =>
  readdirSync(directory)
    .filter((name) => name.endsWith('.plumb'))
    .map((name) => readFileSync(join(directory, name), 'utf8'))

const EVERYTHING = `use fs as files
type Row = { @description "n" @min 1 @max 9 n: int = 3, s?: string | null, kind: "a" | "b", list: [Tree], pair: (int, json) }
type Tree = { left?: Tree, value: number } | string
@description "adds"
@tool true
let inc : int -> int = map(value + 1)
let both : int -> (int, int) = inc * inc
let clean : !Row -> !{ n: int } = filter(n > 0 and (s ?? "") != "x").n ; map({ n: value })
let ask : { q: string } -> string = tool { command: "cat", args: ["-"], timeout: 5, retry: 2 }
let bot : !string -> !string = agent { provider: "eliza", model: "doctor", tools: [ask, inc], prompt: """
  be kind
  """, max_messages: 3, concurrency: 2 }
let loop : !int -> !int = plumb(input, output) {
  let c : !int = channel
  spawn inc2(input=c, output=output)
  input ; copy ; merge ; c
  c ; filter(value > 0) ; map(value - 1) ; c
}
let inc2 : !int -> !int = map(if value > 1 then value else -value)
let lists : !Row -> !json = map({ a: [x + 1 for x in [n, 2] if x > 1], b: sort(list, l -> text(l))[1:], c: group(list, l → l)[:-1], f: find(text(n), "[0-9]+") })
let letter : !Row -> !string = map($"n {n} {{}} {$"{kind}"} {{{"}"}}}" + $"""
  of {s ?? "none"}
  """)
let named : !string -> !string = agent { provider: "eliza", prompt: $"be {1 + 1}" }
let tr : int -> int = trace(inc ; inc, max: 5, until: value > 3)
let main : (!string, !Row) -> !json = plumb(words, rows, output) {
  words ; bot ; output
  (words * (rows ; clean)) ; barrier ; map({ ...value, n: 1 }) ; output
  rows ; discard
}
`

const files = bundledFiles({
  entry: PATH,
  files: { 'words.plumb': 'type Word = string\nlet id2 : !Word -> !Word = id\n' },
  modules: STANDARD_LIBRARY,
})

const isInside = ({ span }: Pick<Diagnostic, 'span'>): boolean =>
  span.start >= 0 && span.start <= span.end && span.end <= span.source.text.length

const shown = (diagnostics: readonly Diagnostic[]): string =>
  diagnostics.map((one) => JSON.stringify(diagnosticToJson(one)) + toText(one)).join('\n')

export const spec: Target = {
  name: 'spec',
  seeds: [EVERYTHING, ...specsIn('packages/plumb/examples'), ...specsIn('packages/lang/src/stdlib')],
  words: [
    ...[
      'let',
      'type',
      'use',
      'as',
      'plumb',
      'agent',
      'tool',
      'channel',
      'spawn',
      'map',
      'filter',
      'copy',
      'merge',
      'barrier',
      'id',
      'discard',
    ],
    ...[
      'empty',
      'project(0)',
      'each',
      'flatten',
      'batch(2, within: 1)',
      'fold(state, from: 0)',
      'trace',
      'max:',
      'until:',
      'if',
      'then',
      'else',
      'and',
      'or',
      'not',
      'has(',
      'value',
      'input',
      'output',
      'main',
    ],
    ...[
      '!int',
      '!string',
      'json',
      'number',
      'bool',
      'null',
      '->',
      '→',
      '...',
      '??',
      '"""',
      '(*',
      '*)',
      '@tool true',
      '@min 1',
      '@',
      ';',
      '*',
      '+',
    ],
    ...[
      '|',
      '{',
      '}',
      '[',
      ']',
      '(',
      ')',
      ':',
      '=',
      ',',
      '.',
      '?',
      '#!/usr/bin/env plumb\n',
      '\n\n',
      '1e400',
      '"\\u12"',
      '_',
      'Row',
      'Tree',
    ],
  ],
  cases: 200,
  judge: (input, random) => {
    const text = input.toString('utf8')
    const source = { path: PATH, text }
    const compiled = compile({ ...source, files, checksTests: true })
    const { diagnostics, program } = compiled
    for (const one of diagnostics) {
      must(isInside(one) && (one.related ?? []).every(isInside), `'${one.code}' lies outside of its text`)
      must(isCode(one.code), `'${one.code}' is not a code of the table`)
    }
    const said = shown(diagnostics)
    if (random.oneIn(4))
      must(shown(compile({ ...source, files, checksTests: true }).diagnostics) === said, 'the same text is judged in two ways')
    if (!hasErrors(diagnostics)) {
      const main = bindingNamed(program, 'main')
      if (main?.category === 'stream') planOf(main)
      for (const plan of toolsOf(program)) JSON.stringify(toToolSchema(plan.input))
      agentsOf(program)
    }
    const laidOut = format(source)
    if (laidOut.ok) {
      const again = format({ path: PATH, text: laidOut.text })
      must(again.ok && again.text === laidOut.text, `the layout of a layout is another: ${laidOut.text}`)
    }
    const offset = random.below(text.length + 1)
    const hover = hoverAt(compiled, offset)
    must(!hover || (hover.span.start <= offset && offset <= hover.span.end), 'a hover lies beside its place')
    must(completionsAt(source, files, offset).start <= offset, 'a completion begins behind its place')
  },
}
