// What a child says on stderr: the first error object of ours, its warnings, and its last lines, to a limit.

import type { Readable } from 'node:stream'
import { ERRORS, type Fault, isCode, LineReader, preview, scrub } from '@plumb/wire'

const MAX_LINES = 5
const MAX_LINE_BYTES = 256 * 1024
const MAX_SHOWN = 500

export interface StderrTail {
  /** The cause, as far as it was told; counts of the child's own input are left out. */
  readonly fault: Fault | undefined
  /** For a person: the last lines, shortened. */
  readonly text: string
  /** How many lines there were. */
  readonly count: number
  /** As `text`, of those after the first so many. */
  readonly since: (count: number) => string
}

export interface StderrOptions {
  /** Is given what stops nothing, such as a server that is left out. */
  readonly warn?: ((warning: Fault) => void) | undefined
  /** Is given each line, without keys and on one line. */
  readonly line?: ((line: string) => void) | undefined
}

/** Reads to the end and beyond all limits, so that the child is never held up. */
export const readStderr = (stderr: Readable, { warn, line: tell }: StderrOptions = {}): StderrTail => {
  const reader = new LineReader(stderr, { maxLine: MAX_LINE_BYTES })
  const lines: string[] = []
  const words = {
    fault: undefined as Fault | undefined,
    count: 0,
    get text() {
      return lines.join(' | ')
    },
    since: (count: number) => lines.slice(Math.max(0, lines.length - (words.count - count))).join(' | '),
  }
  reader.onReadable = () => {
    while (reader.next()) {
      if (reader.fault) continue
      const line = reader.buf.toString('utf8', reader.start, reader.end)
      const fault = parseFault(line)
      if (fault?.severity === 'warning') warn?.(fault)
      else words.fault ??= fault
      if (fault?.severity === 'warning' && warn) continue
      const clean = scrub(line)
      tell?.(preview(clean, MAX_LINE_BYTES))
      words.count++
      lines.push(preview(clean, MAX_SHOWN))
      if (lines.length > MAX_LINES) lines.shift()
    }
  }
  return words
}

/** The error object of ours that a text is. */
export const parseFault = (line: string): Fault | undefined => {
  if (!line.startsWith('{"error"')) return undefined
  try {
    const { seq: _, seqs: __, line: ___, ...fault } = JSON.parse(line) as Fault
    const isOurs = typeof fault.error === 'string' && isCode(fault.error) && typeof fault.detail === 'string'
    return isOurs && fault.category === ERRORS[fault.error].category ? (fault as Fault) : undefined
  } catch {
    return undefined
  }
}
