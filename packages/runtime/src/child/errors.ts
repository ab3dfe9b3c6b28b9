// The stderr of a child. What a plumb executable writes there about no input is reported, with its name. Other text, and all that a foreign
// program writes, is shown, up to a limit.

import { type Fault, LineReader, type LineSource, MAX_LINE, type Reported, type Reporter, readReported, scrubHead } from '@plumb/wire'

/** A child that floods stderr is drained, and parsed no further than this. */
const MAX_BYTES = 1024 * 1024
/** The text that is reported if a child fails without an error object. */
const LAST_LINES = 5
const MAX_LAST_LENGTH = 500
/** More than that, so that a key which the end cuts is known by its whole. */
const MAX_DECODED = 64 * 1024

const OPEN_BRACE = 0x7b

export interface ChildErrorsOptions {
  readonly process: string
  readonly reporter: Reporter
  /** Called with its errors. Undefined: it is foreign, and has none. */
  readonly report: ((fault: Fault) => void) | undefined
  /** It has read secrets: its text is not shown. */
  readonly isHidden: boolean
}

export class ChildErrors {
  /** Error objects it wrote. */
  reported = 0
  readonly #o: ChildErrorsOptions
  readonly #reader: LineReader
  readonly #last: string[] = []
  #bytes = 0
  #isMuted = false

  constructor(stderr: LineSource, options: ChildErrorsOptions) {
    this.#o = options
    this.#reader = new LineReader(stderr, { maxLine: MAX_LINE, onReadable: () => this.#drain() })
  }

  /** The last lines of a failed child. */
  get last(): string {
    return this.#last.join('\n')
  }

  /** Its later errors are ignored, since it is being ended, except those about other work. */
  mute(): void {
    this.#isMuted = true
  }

  #drain(): void {
    const reader = this.#reader
    const { report, reporter } = this.#o
    while (reader.next()) {
      if (reader.fault) continue
      const { buf, start, end } = reader
      const value = buf[start] === OPEN_BRACE ? parse(buf.toString('utf8', start, end)) : undefined
      const reported = report && readReported(value)
      // Work elsewhere that continues, and costs, is still reported.
      if (this.#isMuted && reported?.fault.error !== 'batch_left') continue
      if (reported?.severity === 'warning') reporter.warn(this.#named(reported))
      else if (reported) {
        this.reported++
        report(this.#named(reported))
      } else this.#words(buf.toString('utf8', start, this.#bytes > MAX_BYTES ? Math.min(end, start + MAX_DECODED) : end), value)
    }
  }

  #named({ fault }: Reported): Fault {
    return { ...fault, source: fault.source ?? this.#o.process }
  }

  #words(text: string, value: unknown): void {
    const { process, reporter, isHidden } = this.#o
    this.#last.push(scrubHead(text, MAX_LAST_LENGTH).head.slice(0, MAX_LAST_LENGTH))
    if (this.#last.length > LAST_LINES) this.#last.shift()
    if (this.#bytes > MAX_BYTES) return
    this.#bytes += text.length + 1
    const isTooMuch = this.#bytes > MAX_BYTES
    const shown = isHidden ? '***' : isTooMuch ? '[more was written on stderr; it is left out]' : text
    if (!reporter.isJson) reporter.write(`${process}: ${shown}`)
    // An error object of a foreign program would be taken for one of a plumb executable.
    else if (value !== undefined && !isTooMuch && !isHidden && !readReported(value)) reporter.write(text)
    else reporter.write(JSON.stringify({ source: process, text: shown }))
  }
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
