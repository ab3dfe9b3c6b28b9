// A whole file as a template, with `{e}` for params: the prompt of an agent with `template: true`.

import { parseTree, type Tree } from '@plumb/wire/json'
import { type Diagnostic, error } from '../diagnostic/diagnostic.js'
import type { Source, Span } from '../diagnostic/source.js'
import { openInference } from '../expression/infer/check.js'
import { Checked } from '../expression/infer/checked.js'
import type { Environment } from '../expression/infer/environment.js'
import { faultOfEvaluation } from '../expression/run/failure.js'
import { openFrame } from '../expression/run/frame.js'
import { evaluate } from '../expression/run/interpret.js'
import type { Expression, Name, Template } from '../parse/ast.js'
import { parseExpressionText } from '../parse/parser.js'
import { isIntegerText } from '../scan/integer.js'
import { joinAll } from '../types/join.js'
import { BOOL, INT, JSON_TYPE, NUMBER, STRING, type Type, UNIT } from '../types/type.js'

/** JSON text by the name of a param. */
export type ParamTexts = { readonly [name: string]: string }

export type Filled = { readonly text: string } | { readonly diagnostics: readonly Diagnostic[] }

/** `{{` and `}}` are braces. Other text outside of holes is unchanged. */
export const fillTemplate = (source: Source, values: ParamTexts): Filled => {
  const diagnostics: Diagnostic[] = []
  const { template, offsets } = readPieces(source, (wrong) => diagnostics.push(wrong))
  const members = Object.entries(values).map(([name, text]) => `${JSON.stringify(name)}:${text}`)
  const message = Buffer.from(`{${members.join()}}\n`)
  const tree = parseTree(message, 0, message.length)
  if (tree.kind === 'fault') throw new TypeError(tree.detail)
  const environment: Environment = { input: typeOf(tree, message) }
  const report = (wrong: Diagnostic) => void diagnostics.push(ofParams(wrong, Object.keys(values)))
  const isRight = diagnostics.length === 0 && openInference(environment, report).infer(template) !== undefined
  if (!isRight) return { diagnostics: diagnostics.map((wrong) => inFile(wrong, source, offsets)) }
  try {
    return { text: evaluate(template, openFrame(new Checked(template, environment), message, tree)) as string }
  } catch (failure) {
    return { diagnostics: [error('config_invalid', `the prompt has no text: ${faultOfEvaluation(failure).detail}`, template.span)] }
  }
}

const ofParams = (wrong: Diagnostic, names: readonly string[]): Diagnostic => {
  if (wrong.code !== 'unknown_field') return wrong
  const help = names.length === 0 ? 'the spec has no params' : `the params of the spec are ${names.join(', ')}`
  const { source, start, end } = wrong.span
  return { ...wrong, message: `no param is named '${source.text.slice(start, end)}'`, help: `${help}; ${HELP}` }
}

const HELP = "'{{' and '}}' are braces"

interface Pieces {
  readonly template: Template
  /** Each expression is a source of its own, which begins there in the file. */
  readonly offsets: ReadonlyMap<Source, number>
}

const readPieces = (source: Source, report: (wrong: Diagnostic) => void): Pieces => {
  const { text } = source
  const texts: Name[] = []
  const holes: Expression[] = []
  const offsets = new Map<Source, number>()
  const spanOf = (start: number, end: number): Span => ({ source, start, end })
  const braces = /[{}]/g
  let said = ''
  let at = 0
  for (;;) {
    const brace = braces.exec(text)?.index ?? text.length
    said += text.slice(at, brace)
    at = brace
    if (brace === text.length) break
    if (text[brace + 1] === text[brace]) {
      said += text[brace]
      at = brace + 2
    } else {
      const end = text[brace] === '{' ? holeEnd(text, brace + 1) : undefined
      if (end === undefined) {
        const what = text[brace] === '{' ? "a '{' that is not closed" : "a '}' without its '{'"
        report(error('syntax_error', `${what} in the prompt`, spanOf(brace, brace + 1), HELP))
        break
      }
      const inside: Source = { path: source.path, text: text.slice(brace + 1, end) }
      offsets.set(inside, brace + 1)
      const isEmpty = inside.text.trim() === ''
      if (isEmpty) report(error('syntax_error', 'an expression is missing between the braces', spanOf(brace, end + 1), HELP))
      // The text of the expression is a source of its own, and ends at the brace.
      const atBrace = (wrong: Diagnostic) => report({ ...wrong, message: wrong.message.replace('the end of the file', "'}'") })
      const hole = isEmpty ? undefined : parseExpressionText(inside, atBrace)
      if (hole) {
        texts.push({ text: said, span: spanOf(brace, brace) })
        holes.push(hole)
      }
      said = ''
      at = end + 1
    }
    braces.lastIndex = at
  }
  texts.push({ text: said, span: spanOf(at, at) })
  return { template: { kind: 'template', texts, holes, span: spanOf(0, text.length) }, offsets }
}

/** The offset of the closing brace, after nested records and strings. */
const holeEnd = (text: string, from: number): number | undefined => {
  let depth = 0
  for (let at = from; at < text.length; at++) {
    if (text[at] === '"') at = stringEnd(text, at)
    else if (text[at] === '{') depth++
    else if (text[at] === '}' && depth-- === 0) return at
  }
  return undefined
}

const stringEnd = (text: string, from: number): number => {
  for (let at = from + 1; at < text.length; at++) {
    if (text[at] === '\\') at++
    else if (text[at] === '"') return at
  }
  return text.length
}

const inFile = (wrong: Diagnostic, source: Source, offsets: Pieces['offsets']): Diagnostic => {
  const { start, end } = wrong.span
  const offset = offsets.get(wrong.span.source)
  return offset === undefined ? wrong : { ...wrong, span: { source, start: start + offset, end: end + offset } }
}

const typeOf = (node: Tree, buf: Buffer): Type => {
  switch (node.kind) {
    case 'object':
      return {
        kind: 'record',
        fields: node.entries.map((entry) => ({ name: entry.key, type: typeOf(entry.node, buf), isOptional: false })),
      }
    case 'array':
      return { kind: 'array', item: joinAll(node.items.map((item) => typeOf(item, buf))) ?? JSON_TYPE }
    case 'string':
      return STRING
    case 'number':
      return isIntegerText(buf.toString('latin1', node.start, node.end)) ? INT : NUMBER
    case 'null':
      return UNIT
    default:
      return BOOL
  }
}
