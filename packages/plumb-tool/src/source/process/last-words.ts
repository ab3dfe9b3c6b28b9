// What a child says on stderr: the first error object of ours, and its last lines, to a limit.

import type { Readable } from 'node:stream'
import { ERRORS, type Fault, isCode, LineReader, preview, scrub } from '@plumb/wire'

const MOST_LINES = 5
const MAX_LINE_BYTES = 256 * 1024
const MAX_SHOWN = 500

export interface LastWords {
  /** The cause, as far as it was told; counts of the child's own input are left out. */
  readonly fault: Fault | undefined
  /** For a person: the last lines, shortened. */
  readonly text: string
}

/** Reads to the end and beyond all limits, so that the child is never held up. */
export const hear = (stderr: Readable): LastWords => {
  const reader = new LineReader(stderr, { maxLine: MAX_LINE_BYTES })
  const words: { fault: Fault | undefined; lines: string[]; readonly text: string } = {
    fault: undefined,
    lines: [],
    get text() {
      return scrub(words.lines.join(' | '))
    },
  }
  reader.onReadable = () => {
    while (reader.next()) {
      if (reader.fault) continue
      const line = reader.buf.toString('utf8', reader.start, reader.end)
      words.fault ??= faultIn(line)
      words.lines.push(preview(line, MAX_SHOWN))
      if (words.lines.length > MOST_LINES) words.lines.shift()
    }
  }
  return words
}

const faultIn = (line: string): Fault | undefined => {
  if (!line.startsWith('{"error"')) return undefined
  try {
    const { seq: _, seqs: __, line: ___, ...fault } = JSON.parse(line) as Fault
    const isOurs = typeof fault.error === 'string' && isCode(fault.error) && typeof fault.detail === 'string'
    return isOurs && fault.category === ERRORS[fault.error].category ? (fault as Fault) : undefined
  } catch {
    return undefined
  }
}
