// CSV (RFC 4180): rows of fields between commas; a field in double quotes may hold any character, with a quote written twice.

import { eachItem } from '@plumb/wire/json'
import { expectList, expectString } from './coerce.js'
import { failEvaluation, type Site } from './failure.js'
import { Slice } from './slice.js'
import { takeSteps } from './steps.js'
import { limitedText } from './text.js'
import { listFrom, listOf } from './write.js'

/** The end of a field that is not in quotes; a CR alone is part of it. */
const END = /[",\n]|\r\n/g

/** Behind the field that begins at `at`: there, where no quote closes it. */
const endOfField = (text: string, at: number): number => {
  if (text[at] !== '"') {
    END.lastIndex = at
    return END.exec(text)?.index ?? text.length
  }
  for (let quote = text.indexOf('"', at + 1); quote >= 0; quote = text.indexOf('"', quote + 2))
    if (text[quote + 1] !== '"') return quote + 1
  return at
}

/** A list of lists of strings; lines end with LF or CRLF, and the end of the last line makes no row. */
export const readCsv = (text: string, site: Site): Slice =>
  listFrom((put) => {
    let at = 0
    let count = 0
    while (at < text.length) {
      const row: string[] = []
      for (;;) {
        const end = endOfField(text, at)
        const written = text.slice(at, end)
        at = end
        row.push(written.startsWith('"') ? written.slice(1, -1).replaceAll('""', '"') : written)
        count++
        if (text[at] !== ',') break
        at++
      }
      if (text[at] === '\r' && text[at + 1] === '\n') at++
      if (at < text.length && text[at] !== '\n')
        failEvaluation(site, `a quote in the wrong place, in row ${count === 0 ? 1 : rowAt(text, at)}`)
      at++
      put(listOf(row))
    }
    takeSteps(count)
  })

const rowAt = (text: string, at: number): number => text.slice(0, at).split('\n').length

/** Rows with a newline between them, and none at the end. */
export const writeCsv = (rows: Slice, site: Site): string => {
  const lines: string[] = []
  takeSteps(
    eachItem(rows.buf, rows.start, (start, end) => {
      const fields: string[] = []
      const row = expectList(new Slice(rows.buf, start, end), site)
      takeSteps(eachItem(row.buf, row.start, (from, to) => fields.push(quoted(expectString(new Slice(row.buf, from, to), site)))))
      // A single empty field, which would be no row.
      const line = fields.length === 1 && fields[0] === '' ? '""' : fields.join(',')
      lines.push(line)
    }),
  )
  return limitedText(lines.join('\n'), site)
}

const quoted = (field: string): string => (/[",\r\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field)
