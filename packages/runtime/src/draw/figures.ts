// What a run has done, on a picture in Graphviz's language that `toDot` has written: a line below the name of each box, and the number of
// messages on each wire.

import type { Theme } from '../options/render-options.js'

export interface BoxFigures {
  /** `29 in, 1 failed, $0.42, 1.2 s`. */
  readonly text: string
  readonly isBad: boolean
  /** Where the box leads: a place on the page. */
  readonly href?: string
}

export interface Figures {
  /** By the id of the box. */
  readonly boxes: ReadonlyMap<string, BoxFigures>
  /** Messages, by the ids of both boxes, of each wire between them in order. */
  readonly wires: ReadonlyMap<string, readonly number[]>
}

export const wireKey = (from: string, to: string): string => JSON.stringify([from, to])

const BAD = '#c0392b'
const BAD_IN_DARK = '#ff9a91'
const NODE = /^(\s*)("(?:[^"\\]|\\.)*") \[label=<(.*)>, (.*)\]$/
/** A point that a wire is led round by. */
const BYPASS = /^\s*("bypass \d+") -> ("(?:[^"\\]|\\.)*")/gm
const WIRE = /^(\s*)("(?:[^"\\]|\\.)*")(\S*) -> ("(?:[^"\\]|\\.)*")(\S*) \[label=" (.*?) ", (.*)\]$/

export const withFigures = (dot: string, { boxes, wires }: Figures, theme: Theme = 'none'): string => {
  const seen = new Map<string, number>()
  const around = new Map([...dot.matchAll(BYPASS)].map(([, by = '', to = '']) => [by, to]))
  return dot
    .split('\n')
    .map((line) => {
      const [, pad, id, label = '', rest] = NODE.exec(line) ?? []
      const figures = id === undefined ? undefined : boxes.get(unquoted(id))
      if (figures)
        return `${pad}${id} [label=<${withRow(label, figures, theme === 'dark' ? BAD_IN_DARK : BAD)}>, ${rest}${linkOf(figures)}]`
      const [, before, from = '', port, to = '', entry, type, looks] = WIRE.exec(line) ?? []
      if (before === undefined) return line
      const key = wireKey(unquoted(from), unquoted(around.get(to) ?? to))
      const nth = seen.get(key) ?? 0
      seen.set(key, nth + 1)
      const count = wires.get(key)?.[nth]
      return count === undefined ? line : `${before}${from}${port} -> ${to}${entry} [label=" ${type} \u00d7 ${count} ", ${looks}]`
    })
    .join('\n')
}

/** Where outputs leave a box downwards: the last row of its table. */
const OUTLETS = /<TR><TD><TABLE [^>]*><TR><TD PORT="o(?:(?!<TR>).)*<\/TR><\/TABLE><\/TD><\/TR><\/TABLE>$/

// Below the other rows of its table, as wide as they are together; wires begin below it.
const withRow = (label: string, { text, isBad }: BoxFigures, bad: string): string => {
  const outlets = label.search(OUTLETS)
  const end = outlets < 0 ? label.lastIndexOf('</TABLE>') : outlets
  const words = `<FONT POINT-SIZE="10"${isBad ? ` COLOR="${bad}"` : ''}>${escaped(text)}</FONT>`
  const row = (columns: number) => `<TR><TD CELLPADDING="1" COLSPAN="${columns}">${words}</TD></TR>`
  return end < 0
    ? `<TABLE BORDER="0" CELLBORDER="0" CELLSPACING="0" CELLPADDING="0"><TR><TD>${label}</TD></TR>${row(1)}</TABLE>`
    : label.slice(0, end) + row(columnsOf(label)) + label.slice(end)
}

/** Of the first row of a table, in whose cells others may be. */
const columnsOf = (label: string): number => {
  let [depth, columns] = [0, 0]
  for (const [tag] of label.matchAll(/<\/?(?:TABLE|TR|TD)\b/g)) {
    if (tag === '<TABLE') depth++
    else if (tag === '</TABLE') depth--
    else if (tag === '<TD' && depth === 1) columns++
    else if (tag === '</TR' && depth === 1) break
  }
  return Math.max(1, columns)
}

const linkOf = ({ href }: BoxFigures): string => (href === undefined ? '' : `, href="${href.replace(/[^\w#-]/g, '')}"`)

const escaped = (text: string): string => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;')

const unquoted = (quoted: string): string =>
  quoted
    .slice(1, -1)
    .replace(/\\(.)/g, (_, sign: string) => (sign === 'n' ? '\n' : sign))
    .replace(/&amp;/g, '&')
