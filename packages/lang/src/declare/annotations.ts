// Checks annotations against the table of those that are allowed at a place.

import { nearest } from '@plumb/wire/nearest'
import { error, type Report } from '../diagnostic/diagnostic.js'
import type { Annotation } from '../parse/ast.js'

type Kind = keyof typeof WORDS

export type AnnotationTable = Readonly<Record<string, Kind>>
export type Annotations = ReadonlyMap<string, string | number | boolean | null>

const WORDS = { string: 'a string', number: 'a number', boolean: 'true or false', path: 'true, or a path' } as const

/** The valid ones; the others are reported. `where` as in "a field has no annotation '@x'". */
export const readAnnotations = (list: readonly Annotation[], table: AnnotationTable, where: string, report: Report): Annotations => {
  const found = new Map<string, string | number | boolean | null>()
  for (const { name, value, span } of list) {
    const fail = (message: string, help?: string) => report(error('annotation_invalid', message, span, help))
    const wanted = Object.hasOwn(table, name.text) ? table[name.text] : undefined
    if (!wanted) {
      const near = nearest(name.text, Object.keys(table))
      const all = Object.keys(table).map((known) => `@${known}`)
      fail(`${where} has no annotation '@${name.text}'`, near ? `did you mean '@${near}'?` : `it may have ${all.join(', ')}`)
    } else if (found.has(name.text)) fail(`'@${name.text}' is given twice`)
    else if (fits(value.value, wanted)) found.set(name.text, value.value)
    else fail(`'@${name.text}' takes ${WORDS[wanted]}`, wanted === 'boolean' ? undefined : `as in @${name.text} ${EXAMPLES[wanted]}`)
  }
  return found
}

const EXAMPLES = { string: '"…"', number: '1', path: '"/tickets"' } as const

// A path of a URL, as it is written there: its segments have no character that is escaped, and none is `.` or `..`.
const PATH = /^(\/(?!\.\.?(\/|$))[A-Za-z0-9._~-]{1,100}){1,10}$/

const fits = (value: unknown, kind: Kind): boolean =>
  kind === 'path' ? value === true || (typeof value === 'string' && PATH.test(value)) : typeof value === kind
