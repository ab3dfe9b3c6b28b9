// The stderr of a child: error objects are reported by us, with the child's name; other text is shown, up to a limit.

import {
  type Fault,
  fault,
  isRecord,
  LineReader,
  type LineSource,
  MAX_LINE,
  preview,
  type Reported,
  type Reporter,
  readReported,
} from '@plumb/wire'

/** A child that floods stderr is drained, and parsed no further than this. */
const MAX_BYTES = 1024 * 1024
/** The text that is reported if a child fails without an error object. */
const LAST_LINES = 5
const MAX_LAST_LENGTH = 500

const OPEN_BRACE = 0x7b

export class ChildErrors {
  /** Error objects it wrote. */
  reported = 0
  readonly #reader: LineReader
  readonly #last: string[] = []
  #bytes = 0
  #isMuted = false
  /** Chunks that came on other pipes since errors were last read. */
  #unread = 0

  constructor(
    private readonly process: string,
    stderr: LineSource,
    private readonly reporter: Reporter,
    /** An error of its own: reported with its name. */
    private readonly report: (fault: Fault) => void,
    /** It has read secrets: other text is not shown. */
    private readonly isHidden = false,
    maxLine = MAX_LINE,
  ) {
    this.#reader = new LineReader(stderr, { maxLine, onReadable: () => this.#drain() })
  }

  /** The last lines of a failed child. */
  get last(): string {
    return this.#last.join('\n')
  }

  /** All errors that it wrote before what has come on other pipes are read, as far as is known. */
  get areRead(): boolean {
    return this.#unread === 0
  }

  /** Something has come on another pipe: earlier errors have to be read first. Calls back when there are none left. */
  afterErrors(done: () => void): void {
    this.#unread++
    // The event loop polls all streams between two immediates.
    setImmediate(() =>
      setImmediate(() => {
        this.#unread--
        done()
      }),
    )
  }

  /** Its later errors are ignored, since it is being ended, except those about other work. */
  mute(): void {
    this.#isMuted = true
  }

  #drain(): void {
    const reader = this.#reader
    while (reader.next()) {
      if (reader.fault) continue
      const { buf, start, end } = reader
      const value = buf[start] === OPEN_BRACE ? parse(buf.toString('utf8', start, end)) : undefined
      const reported = readReported(value) ?? this.#ofItsOwn(value)
      // Work elsewhere that continues, and costs, is still reported.
      if (this.#isMuted && reported?.fault.error !== 'batch_left') continue
      if (reported?.severity === 'warning') this.reporter.warn(this.#named(reported.fault))
      else if (reported) {
        this.reported++
        this.report(this.#named(reported.fault))
      } else this.#words(buf.toString('utf8', start, this.#bytes > MAX_BYTES ? Math.min(end, start + MAX_LAST_LENGTH) : end), value)
    }
  }

  /** An error with an unknown code still identifies the failed input: without it another input would get its answer. */
  #ofItsOwn(value: unknown): Reported | undefined {
    if (!isRecord(value) || typeof value.error !== 'string' || (value.seq === undefined && value.seqs === undefined)) return undefined
    const { error, category: _, detail, ...extras } = value
    const why = typeof detail === 'string' ? `: ${preview(detail, 200)}` : ''
    return { severity: 'error', fault: fault('child_failed', `'${this.process}' failed with '${preview(error)}'${why}`, extras) }
  }

  #named(fault: Fault): Fault {
    return { ...fault, source: fault.source ?? this.process }
  }

  #words(text: string, value: unknown): void {
    this.#last.push(text.slice(0, MAX_LAST_LENGTH))
    if (this.#last.length > LAST_LINES) this.#last.shift()
    if (this.#bytes > MAX_BYTES) return
    this.#bytes += text.length + 1
    const isTooMuch = this.#bytes > MAX_BYTES
    const shown = this.isHidden ? '***' : isTooMuch ? '[more was written on stderr; it is left out]' : text
    if (!this.reporter.isJson) this.reporter.write(`${this.process}: ${shown}`)
    else if (value !== undefined && !isTooMuch && !this.isHidden) this.reporter.write(text)
    else this.reporter.write(JSON.stringify({ source: this.process, text: shown }))
  }
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Maximum inputs of one range in an error of a child. */
const MAX_NAMED = 1 << 18

/** The numbers of `seq` or `seqs` in an error: one, several, or ranges of them. */
export const numbersIn = (seqs: unknown): number[] => {
  if (typeof seqs === 'number') return [seqs]
  if (!Array.isArray(seqs)) return []
  return seqs.flatMap((one) => {
    if (typeof one === 'number') return [one]
    const [first, last] = one as [number, number]
    return Array.from({ length: Math.max(0, Math.min(last - first + 1, MAX_NAMED)) }, (_, i) => first + i)
  })
}
