// Diagnostics of a program: what is wrong, where, and how to repair it; and their form for programs (plumbing(5), DIAGNOSTICS).

import type { Code } from '@plumb/wire/error'
import { preview } from '@plumb/wire/preview'
import { position, type Span } from './source.js'

export interface Diagnostic {
  readonly severity: 'error' | 'warning'
  readonly code: Code
  /** No capital, no full stop; names in single quotes. */
  readonly message: string
  readonly span: Span
  /** Present only if a repair is known. */
  readonly help?: string
  /** Other relevant places, such as the first of two definitions. */
  readonly related?: readonly { readonly message: string; readonly span: Span }[]
  /** The steps of a path, in order; the note follows the place. */
  readonly path?: readonly PathStep[]
}

export interface PathStep {
  readonly message: string
  readonly span: Span
  readonly note?: string
}

export type Report = (diagnostic: Diagnostic) => void

/** The JSON form of a diagnostic, one object a line with `--json`. Columns count code points from 1; the end is exclusive. */
export interface DiagnosticJson {
  file: string
  line: number
  column: number
  end_line: number
  end_column: number
  severity: 'error' | 'warning'
  code: Code
  message: string
  help?: string
  /** Edits that repair it, the likeliest first; positions as those of the diagnostic. */
  mends?: RepairJson[]
  path?: { text: string; file: string; line: number; column: number }[]
}

export interface RepairJson {
  range: Pick<DiagnosticJson, 'line' | 'column' | 'end_line' | 'end_column'>
  text: string
}

export const error = (code: Code, message: string, span: Span, help?: string): Diagnostic => ({
  severity: 'error',
  code,
  message,
  span,
  ...(help === undefined ? {} : { help }),
})

/** As `error`, with a help that is computed when it is first read: of thousands of errors only the first are shown. */
export const errorWithSearch = (code: Code, message: string, span: Span, search: () => string | undefined): Diagnostic => {
  let help: string | undefined
  let isFound = false
  return {
    ...error(code, message, span),
    get help() {
      if (!isFound) help = search()
      isFound = true
      return help
    },
  } as Diagnostic
}

/** Usually a mistake, but without consequences. */
export const warning = (code: Code, message: string, span: Span, help?: string): Diagnostic => ({
  ...error(code, message, span, help),
  severity: 'warning',
})

/** Both places of a name that is declared twice. */
export const reportDuplicate = (what: string, name: string, first: Span, second: Span, report: Report): void =>
  report({
    ...error('duplicate_name', `${what} '${preview(name)}' is declared twice`, second, 'rename or delete one of them'),
    related: [{ message: 'the first one is here', span: first }],
  })

/** For a second check of what was already reported. */
export const ignore: Report = () => {}

/** For each severity; the rest are counted. */
const MAX_DIAGNOSTICS = 200

/** Above this number, duplicates are not detected. */
const MAX_REPORTED = 10_000
/** In characters: two messages at one place differ before this. */
const MAX_KEY = 400

/** Collects diagnostics, each once, up to a limit. */
export class Diagnostics {
  readonly #kept: Diagnostic[] = []
  readonly #reported = new Set<string>()
  readonly #counts = { error: 0, warning: 0 }

  /** One mistake may be found on every branch that leads to it, or by everything that uses it. */
  readonly report: Report = (d) => {
    if (this.#reported.size < MAX_REPORTED) {
      const key = `${d.span.start} ${d.span.end} ${d.span.source.path} ${d.message.slice(0, MAX_KEY)}`
      if (this.#reported.has(key)) return
      this.#reported.add(key)
    }
    if (++this.#counts[d.severity] <= MAX_DIAGNOSTICS) this.#kept.push(d)
  }

  get hasErrors(): boolean {
    return this.#counts.error > 0
  }

  /** In reading order, with the number of omitted ones at `at`. */
  list(at: Span): readonly Diagnostic[] {
    const { error: errors, warning: warnings } = this.#counts
    const rest = (count: number, what: string) => {
      const more = count - MAX_DIAGNOSTICS
      return more > 0 ? [`${more.toLocaleString('en')} more ${what}${more === 1 ? '' : 's'}`] : []
    }
    const left = [...rest(errors, 'error'), ...rest(warnings, 'warning')]
    const ordered = inReadingOrder(this.#kept)
    if (left.length === 0) return ordered
    const message = `and ${left.join(' and ')}: of each the first ${MAX_DIAGNOSTICS} are shown`
    return [...ordered, { ...(errors > 0 ? error : warning)('too_large', message, at), help: 'fix these first, and check again' }]
  }
}

export const errorsOf = (diagnostics: readonly Diagnostic[]): readonly Diagnostic[] => diagnostics.filter((d) => d.severity === 'error')

export const hasErrors = (diagnostics: readonly Diagnostic[]): boolean => diagnostics.some((d) => d.severity === 'error')

/** By file in order of first mention, then by place: the order in which a reader meets them. */
const inReadingOrder = (diagnostics: readonly Diagnostic[]): Diagnostic[] => {
  const files = [...new Set(diagnostics.map((d) => d.span.source))]
  const rank = new Map(files.map((file, i) => [file, i]))
  const at = (d: Diagnostic) => rank.get(d.span.source) ?? 0
  return [...diagnostics].sort((a, b) => at(a) - at(b) || a.span.start - b.span.start || a.span.end - b.span.end)
}

/** With text instead of a span. */
export const repairToJson = ({ span, text }: { readonly span: Span; readonly text: string }): RepairJson => ({ range: rangeOf(span), text })

export const diagnosticToJson = ({ span, severity, code, message, help, related, path }: Diagnostic): DiagnosticJson => {
  const others = (related ?? []).map((r) => `; ${r.message} at ${positionText(r.span)}`).join('')
  return {
    file: span.source.path,
    ...rangeOf(span),
    severity,
    code,
    message: message + others,
    ...(help === undefined ? {} : { help }),
    ...(path ? { path: path.map(stepAsJson) } : {}),
  }
}

const rangeOf = ({ source, start, end }: Span): RepairJson['range'] => {
  const [from, to] = [position(source, start), position(source, end)]
  return { line: from.line, column: from.column, end_line: to.line, end_column: to.column }
}

const stepAsJson = ({ message, span, note }: PathStep) => ({
  text: note === undefined ? message : `${message} (${note})`,
  file: span.source.path,
  ...position(span.source, span.start),
})

/** `FILE:LINE:COLUMN`. */
export const positionText = ({ source, start }: Span): string => {
  const { line, column } = position(source, start)
  return `${source.path}:${line}:${column}`
}
