// Diagnostics for people (plumbing(5), DIAGNOSTICS): the place, the line of the source with carets, and the help.

import { replaceHidden } from '@plumb/wire/preview'
import { type Styled, textWidth, wrapStyled } from '@plumb/wire/terminal'
import { type Diagnostic, diagnosticToJson, errorsOf, positionText } from './diagnostic.js'
import { codePoints, lineAround, position, type Span } from './source.js'

/** Where diagnostics are written, as a `Reporter` has it. */
export interface DiagnosticOutput {
  /** It is a terminal that shows colour and weight. */
  readonly isStyled: boolean
  /** Its width, in characters. */
  readonly columns: number
  readonly write: (text: string | Styled) => void
}

/** Writes each, as one object or as text; on a terminal with a blank line between two, and with `countText` at the end. */
export const showDiagnostics = (diagnostics: readonly Diagnostic[], output: DiagnosticOutput, isJson: boolean): void => {
  // Stderr is opened where something is written.
  if (diagnostics.length === 0) return
  if (isJson) {
    for (const diagnostic of diagnostics) output.write(JSON.stringify(diagnosticToJson(diagnostic)))
    return
  }
  const { isStyled, columns } = output
  for (const diagnostic of diagnostics) {
    output.write(styledLines(diagnostic, isStyled ? Math.max(MIN_WIDTH, columns) : undefined))
    if (isStyled) output.write('')
  }
  if (isStyled) output.write(countText(diagnostics))
}

/** `FILE:LINE:COLUMN: error: text`, the source line, carets under the span, and the help if there is one. */
export const toText = (diagnostic: Diagnostic): string =>
  styledLines(diagnostic)
    .map((part) => (typeof part === 'string' ? part : part[1]))
    .join('')

/** `3 errors, 1 warning in 2 files; plumb explain CODE`, with the code of the first error. */
const countText = (diagnostics: readonly Diagnostic[]): string => {
  const errors = errorsOf(diagnostics)
  const [first] = [...errors, ...diagnostics]
  const files = new Set(diagnostics.map(({ span }) => span.source.path)).size
  const counts = [counted(errors.length, 'error'), counted(diagnostics.length - errors.length, 'warning')].filter((text) => text !== '')
  return `${counts.join(', ')}${files > 1 ? ` in ${files} files` : ''}; plumb explain ${first?.code}`
}

const counted = (count: number, what: string): string => (count === 0 ? '' : `${count} ${what}${count === 1 ? '' : 's'}`)

// `columns`: of a terminal, on which texts are broken between words, and the line of the source is cut around the span.
const styledLines = (diagnostic: Diagnostic, columns?: number): Styled => {
  const { span, severity, message, help, related, path } = diagnostic
  const place = (of: Span): Styled[number] => ['dim', `${positionText(of)}:`]
  const text = (...parts: Styled): Styled => {
    const shown = parts.map(withoutControls)
    return columns === undefined ? shown : wrapStyled(shown, columns, CONTINUED)
  }
  const room: Room = columns === undefined ? ANYWHERE : { width: columns - INDENT.length - ENDS, cells: textWidth }
  const source = (of: Span, style: 'error' | 'warning' | 'dim') => excerpt(of, style, room).map((line) => line.map(withoutControls))
  const lines: Styled[] = [text(place(span), ' ', [severity, `${severity}:`], ` ${message}`), ...source(span, severity)]
  for (const r of related ?? []) lines.push(text(place(r.span), ` note: ${r.message}`), ...source(r.span, 'dim'))
  for (const step of path ?? [])
    lines.push(text(`  ${step.message} (${positionTextFrom(step.span, span)}${step.note === undefined ? '' : `, ${step.note}`})`))
  if (help !== undefined) lines.push(text(['help', 'help:'], ` ${help}`))
  return lines.flatMap((line, i) => [...(i === 0 ? [] : ['\n']), ...line])
}

// For the same file, line and column only.
const positionTextFrom = (span: Span, { source }: Span): string => {
  const { line, column } = position(span.source, span.start)
  return span.source === source ? `${line}:${column}` : positionText(span)
}

interface Room {
  /** In cells. Of a longer line only the part around the span is shown, a third of it before the span, with `…` at the ends. */
  readonly width: number
  /** How many a text takes. */
  readonly cells: (text: string) => number
}

/** Where there is no terminal that draws some characters wider, a caret stands for a code point, as in positions. */
const ANYWHERE: Room = { width: 240, cells: codePoints }
const MIN_WIDTH = 20
const INDENT = '  '
/** Spaces before the second line of a text: more than before the line of the source, which follows it. */
const CONTINUED = 4
/** Columns of `…` at both ends. */
const ENDS = 2

const excerpt = ({ source, start, end }: Span, severity: 'error' | 'warning' | 'dim', room: Room): Styled[] => {
  const { text } = source
  const { width, cells } = room
  const line = lineAround(source, start)
  const isLong = line.end - line.start > width || cells(text.slice(line.start, line.end)) > width
  const from = isLong
    ? start - fitting([...text.slice(Math.max(line.start, start - width), start)].reverse(), { width: Math.floor(width / 3), cells })
    : line.start
  const to = isLong ? from + fitting(text.slice(from, Math.min(line.end, from + 2 * width)), room) : line.end
  const head = from > line.start ? '…' : ''
  // Tabs stay tabs, so that the carets are under the same column at any tab width.
  const pad = [...head, ...text.slice(from, start)].map((c) => (c === '\t' ? c : ' '.repeat(cells(c)))).join('')
  // A multi-line span is underlined to the end of its first line.
  const carets = '^'.repeat(Math.max(1, cells(text.slice(start, Math.min(end, to)).trimEnd())))
  return [[`${INDENT}${head}${withoutKeys(text.slice(from, to))}${to < line.end ? '…' : ''}`], [`${INDENT}${pad}`, [severity, carets]]]
}

// As long as it was, so that carets stay aligned.
const withoutKeys = (line: string): string => line.replace(WRITTEN_KEY, (_, before: string, key: string) => before + '*'.repeat(key.length))

/** A key that somebody wrote into a spec, where it does not belong. */
const WRITTEN_KEY = /((?:api_?key|token|secret|password|authorization)["']?\s*[:=]\s*["'])([^"']{8,})/gi

// Of how many UTF-16 units the characters are that fit.
const fitting = (characters: Iterable<string>, { width, cells }: Room): number => {
  let [units, taken] = [0, 0]
  for (const c of characters) {
    taken += cells(c)
    if (taken > width) break
    units += c.length
  }
  return units
}

// One each, so that carets stay aligned.
const withoutControls = (part: Styled[number]): Styled[number] =>
  typeof part === 'string' ? replaceControls(part) : [part[0], replaceControls(part[1])]

const replaceControls = (line: string): string => replaceHidden(line, (c) => (c === '\t' ? c : '\uFFFD'))
