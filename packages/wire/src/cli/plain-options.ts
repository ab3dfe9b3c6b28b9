// Parses common command lines without commander, which costs a tenth of Node's own start. Commander is loaded for help and for errors.

import { attributeOf, NO, type OptionRow, type ParsedOptions } from './option.js'

export interface ParsedLine {
  readonly parsed: ParsedOptions
  readonly operands: readonly string[]
}

export interface LineForm {
  readonly rows: readonly OptionRow[]
  readonly maxOperands: number
  /** The first operand ends the options: what follows is the command line of another program. */
  readonly passesThrough?: boolean
}

/** Undefined: the command line needs commander, which otherwise gives the same result. */
export const parsePlainly = ({ rows, maxOperands, passesThrough }: LineForm, argv: readonly string[]): ParsedLine | undefined => {
  const parsed: Record<string, unknown> = {}
  for (const { flags } of rows) if (flags.startsWith(NO)) parsed[attributeOf(flags)] = true
  const operands: string[] = []
  const words = [...argv]
  for (let word = words.shift(); word !== undefined; word = words.shift()) {
    if (word === '--') {
      operands.push(...words)
      break
    }
    if (word.length < 2 || !word.startsWith('-')) {
      operands.push(word)
      if (passesThrough) operands.push(...words.splice(0))
      continue
    }
    // Several short options in one word: takes the first, and leaves the rest for the next round.
    const isCluster = word.length > 2 && word[1] !== '-'
    const name = isCluster ? word.slice(0, 2) : word
    const row = rows.find(({ flags }) => hasName(flags, name))
    if (!row || row.flags.endsWith(']') || (isCluster && takesText(row))) return undefined
    if (isCluster) words.unshift(`-${word.slice(2)}`)
    const key = attributeOf(row.flags)
    const value = takesText(row) ? readValue(row, words.shift(), parsed[key]) : !row.flags.startsWith(NO)
    if (value === undefined) return undefined
    parsed[key] = value
  }
  return operands.length > maxOperands ? undefined : { parsed, operands }
}

const hasName = (flags: string, name: string): boolean => {
  const at = flags.indexOf(name)
  return at >= 0 && isEdge(flags[at - 1]) && isEdge(flags[at + name.length]) && ![...name].some(isEdge)
}

const isEdge = (character: string | undefined): boolean => character === undefined || character === ' ' || character === ','

const takesText = ({ flags }: OptionRow): boolean => flags.endsWith('>')

const readValue = ({ read, choices }: OptionRow, text: string | undefined, before: unknown): unknown => {
  if (text === undefined || !read) return text === undefined || (choices?.includes(text) ?? true) ? text : undefined
  try {
    return read(text, before)
  } catch {
    return undefined
  }
}
