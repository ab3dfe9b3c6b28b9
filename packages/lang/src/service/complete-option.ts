// The options of a morphism: their names where one can stand, and the one word that some of them take.

import { type Token, tokenize } from '../parse/lexer.js'
import type { Completion } from './completion.js'

/** By morphism, with what is written; an option of those without an expression stands right behind the parenthesis too. */
const OPTIONS: Readonly<Record<string, readonly string[]>> = {
  map: ['parallel: '],
  each: ['parallel: ', 'on_error: "skip"'],
  batch: ['within: '],
  fold: ['from: ', 'by: ', 'emit: "end"'],
  barrier: ['by: ', 'within: ', 'unmatched: "drop"'],
  trace: ['max: ', 'until: '],
}
const WITHOUT_EXPRESSION: ReadonlySet<string> = new Set(['batch', 'barrier'])

/** `head`: the declaration up to the word at the cursor. */
export const optionCompletions = (head: string): readonly Completion[] => {
  const { tokens } = tokenize({ path: '', text: head }, () => {})
  const known = tokens.filter(({ span }) => span.end > span.start)
  const open = openParenthesis(known)
  const word = known[open - 1]
  const options = word?.kind === 'identifier' && known[open - 2]?.text !== '.' ? OPTIONS[word.text] : undefined
  if (!word || !options) return []
  const last = known.at(-1)
  if (last?.text === ':') return valuesOf(known.at(-2)?.text, options)
  if (last?.text !== ',' && !(WITHOUT_EXPRESSION.has(word.text) && known.length - 1 === open)) return []
  const given = new Set(known.slice(open).flatMap(({ text }, i, rest) => (rest[i + 1]?.text === ':' ? [text] : [])))
  return options.map((text): Completion => ({ label: nameOf(text), kind: 'key', insert: text })).filter(({ label }) => !given.has(label))
}

const nameOf = (option: string): string => option.slice(0, option.indexOf(':'))

const valuesOf = (name: string | undefined, options: readonly string[]): readonly Completion[] => {
  const value = options.find((option) => nameOf(option) === name)?.slice(`${name}: `.length)
  return value ? [{ label: value, kind: 'value' }] : []
}

/** The place of the innermost bracket that is open at the end, if it is a parenthesis. */
const openParenthesis = (tokens: readonly Token[]): number => {
  let depth = 0
  for (let i = tokens.length - 1; i >= 0; i--) {
    const text = tokens[i]?.kind === 'symbol' ? (tokens[i]?.text ?? '') : ''
    if (/^[)\]}]$/.test(text)) depth++
    if (!/^[([{]$/.test(text)) continue
    if (depth === 0) return text === '(' ? i : -1
    depth--
  }
  return -1
}
