// What a child says on stderr: error objects are ours to report, with the child's name; anything else is shown as its words, to a limit.

import { type Fault, isCode, type LineReader, type Reporter } from '@plumb/wire'

/** A child that floods stderr is drained, and heard no further than this. */
const MAX_BYTES = 1024 * 1024
/** What is told of a child that fails without an error object. */
const LAST_LINES = 5

export class ChildErrors {
  /** Error objects it wrote. */
  reported = 0
  readonly #last: string[] = []
  #bytes = 0

  constructor(
    private readonly process: string,
    private readonly reader: LineReader,
    private readonly reporter: Reporter,
    private readonly report: (fault: Fault) => void,
  ) {
    reader.onReadable = () => this.#drain()
  }

  /** The last words of a child that failed. */
  get last(): string {
    return this.#last.join('\n')
  }

  #drain(): void {
    while (this.reader.next()) {
      if (this.reader.fault) continue
      const { buf, start, end } = this.reader
      // In raw mode a line is the JSON string of its text.
      const text = JSON.parse(buf.toString('utf8', start, end)) as string
      const fault = faultIn(text)
      if (fault) {
        this.reported++
        this.report(fault.source === undefined ? { ...fault, source: this.process } : fault)
      } else this.#words(text)
    }
  }

  #words(text: string): void {
    if (text.trim() === '') return
    this.#last.push(text.slice(0, 500))
    if (this.#last.length > LAST_LINES) this.#last.shift()
    const before = this.#bytes
    this.#bytes += text.length + 1
    if (before > MAX_BYTES) return
    const shown = this.#bytes > MAX_BYTES ? '[more was written on stderr; it is left out]' : text
    if (!this.reporter.isJson) this.reporter.write(`${this.process}: ${shown}`)
    else if (isObject(shown)) this.reporter.write(shown)
    else this.reporter.write(JSON.stringify({ source: this.process, text: shown }))
  }
}

const parse = (text: string): unknown => {
  if (!text.startsWith('{')) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const isObject = (text: string): boolean => parse(text) !== undefined

const faultIn = (text: string): Fault | undefined => {
  const value = parse(text) as Fault | undefined
  const isFault = value && typeof value.error === 'string' && isCode(value.error) && typeof value.detail === 'string' && typeof value.category === 'string'
  return isFault ? value : undefined
}
