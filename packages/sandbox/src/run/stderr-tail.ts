// Reads the stderr of a child: the first error object in plumb's form, warnings, and the last few lines.

import type { Readable } from 'node:stream'
import { ERRORS, type Fault, LineReader, preview, type Reported, readReported, scrub } from '@plumb/wire'

const MAX_LINES = 5
/** What a program lacked may be above the trace of its stack. */
const MAX_LINES_KEPT = 40
const MAX_LINE_BYTES = 256 * 1024
const MAX_SHOWN = 500

export interface StderrTail {
  /** The first error object, without `seq`, `seqs` and `line`, which count the child's own input. */
  readonly fault: Fault | undefined
  /** The last lines, shortened, joined by ` | `. */
  readonly text: string
  /** More of the last lines, each ending with a newline. */
  readonly tail: string
  /** Number of lines so far. */
  readonly count: number
  /** As `text`, without the first `count` lines. */
  readonly since: (count: number) => string
}

export interface StderrOptions {
  /** Receives warnings, such as a server that is left out. */
  readonly warn?: ((warning: Fault) => void) | undefined
  /** Receives each line, with secrets removed and control characters escaped. */
  readonly line?: ((line: string) => void) | undefined
}

/** Reads to end of file, whatever the limits, so that the child never blocks. */
export const readStderr = (stderr: Readable, { warn, line: onLine }: StderrOptions = {}): StderrTail => {
  const lines: string[] = []
  const words = {
    fault: undefined as Fault | undefined,
    count: 0,
    get text() {
      return shown(lines)
    },
    get tail() {
      return lines.map((line) => `${line}\n`).join('')
    },
    since: (count: number) => (words.count === count ? '' : shown(lines.slice(-(words.count - count)))),
  }
  const read = (): void => {
    while (reader.next()) {
      if (reader.fault) continue
      const line = reader.buf.toString('utf8', reader.start, reader.end)
      const reported = parseReported(line)
      if (reported?.severity === 'warning') warn?.(reported.fault)
      else words.fault ??= reported?.fault
      if (reported?.severity === 'warning' && warn) continue
      const clean = scrub(line)
      onLine?.(preview(clean, MAX_LINE_BYTES))
      words.count++
      lines.push(preview(clean, MAX_SHOWN))
      if (lines.length > MAX_LINES_KEPT) lines.shift()
    }
  }
  const reader = new LineReader(stderr, { maxLine: MAX_LINE_BYTES, onReadable: read })
  return words
}

/** The reason stands above the trace of its stack. */
const shown = (lines: readonly string[]): string => {
  const reasons = lines.filter((line) => !TRACE.test(line))
  return (reasons.length === 0 ? lines : reasons).slice(-MAX_LINES).join(' | ')
}

/** A frame of a stack, the marks below a line of source, and what Node writes last. */
const TRACE = /^\s*(?:at \S.*|\^+|Node\.js v\d.*)$/

/** Parses a line as an error or warning of the table, without what names an input of another program; undefined if it is none. */
export const parseReported = (line: string): Reported | undefined => {
  if (!/^\{"(error|warning)"/.test(line)) return undefined
  try {
    const reported = readReported(JSON.parse(line))
    if (!reported || reported.fault.category !== ERRORS[reported.fault.error].category) return undefined
    const { seq: _, seqs: __, line: ___, ...fault } = reported.fault
    return { severity: reported.severity, fault: fault as Fault }
  } catch {
    return undefined
  }
}
