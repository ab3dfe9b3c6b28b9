// Errors to stderr, for people or for programs, and the exit status that follows from them.

import type { Writable } from 'node:stream'
import { exitStatus, type Fault, fault } from '../error.js'
import { openOutput } from '../fd/open.js'
import { LineWriter } from '../line/writer.js'
import { escapeControls, escapeLines } from '../preview.js'
import { showReported } from '../reported.js'
import { scrub } from '../scrub.js'

export interface ReporterOptions {
  /** One object a line; else `program: error: …`. Default: as `PLUMB_ERRORS` says, `json` or `text`; else whether stderr is no terminal. */
  readonly isJson?: boolean
}

// Errors that are not read must not fill the memory.
const MAX_WAITING_BYTES = 16 * 1024 * 1024

export class Reporter {
  /** The worst of what was reported: the exit status. */
  status: 0 | 1 | 2 = 0

  /** What is shown of an error or warning; its status counts as it is. */
  shown: (fault: Fault) => Fault = (fault) => fault

  readonly #program: string
  readonly #open: () => Writable
  readonly #wantsJson: boolean | undefined
  #opened: { readonly stream: Writable; readonly writer: LineWriter } | undefined
  #dropped = 0

  /**
   * `open` gives stderr, and is called when there is something to say: most programs say nothing, and start sooner for it. A stderr that is
   * full or closed is not heard of again.
   */
  constructor(program: string, open: () => Writable = () => openOutput(2), { isJson }: ReporterOptions = {}) {
    this.#program = program
    this.#open = open
    this.#wantsJson = isJson
  }

  get isJson(): boolean {
    const { PLUMB_ERRORS: form } = process.env
    if (this.#wantsJson !== undefined) return this.#wantsJson
    return form === 'json' || (form !== 'text' && (this.#stderr.stream as { isTTY?: boolean }).isTTY !== true)
  }

  report(error: Fault): void {
    this.status = Math.max(this.status, exitStatus(error)) as 1 | 2
    this.write(this.#format(this.shown(error), 'error'))
  }

  /** What is worth knowing and stops nothing: the exit status stays. */
  warn(warning: Fault): void {
    this.write(this.#format(this.shown(warning), 'warning'))
  }

  /** One line without its end, but for keys and what a terminal would obey; for diagnostics and logs, which share stderr. */
  write(line: string): void {
    const { stream, writer } = this.#stderr
    if (stream.writableLength > MAX_WAITING_BYTES) {
      this.#dropped++
      return
    }
    if (this.#dropped > 0) this.#tellDropped()
    writer.writeText(scrub(escapeLines(line)))
  }

  /** What was said so far is with the kernel before what is written elsewhere from now on, where there is room for it. */
  flush(): void {
    this.#opened?.writer.flush()
  }

  /** Resolves when everything is written, or cannot be. */
  async end(): Promise<void> {
    if (this.#dropped > 0) this.#tellDropped()
    await this.#opened?.writer.end()
  }

  get #stderr(): { readonly stream: Writable; readonly writer: LineWriter } {
    if (!this.#opened) {
      const stream = this.#open()
      this.#opened = { stream, writer: new LineWriter(stream) }
    }
    return this.#opened
  }

  #tellDropped(): void {
    const detail = `${this.#dropped} lines were dropped here, since stderr was not read`
    this.#dropped = 0
    this.#stderr.writer.writeText(this.#format(fault('overflow', detail), 'error'))
  }

  #format(fault: Fault, severity: 'error' | 'warning'): string {
    if (!this.isJson) return `${this.#program}: ${severity}: ${describe(fault)}`
    return showReported({ severity, fault })
  }
}

const describe = ({ error, detail, port, line, seqs }: Fault): string => {
  const place = [typeof port === 'string' ? port : '', typeof line === 'number' ? `line ${line}` : ''].filter((part) => part !== '')
  const where = place.length === 0 || /\bline \d/.test(detail) ? '' : `${place.join(' ')}: `
  const inputs =
    Array.isArray(seqs) && seqs.length > 0
      ? `; inputs ${joinRanges(seqs as Range[])
          .map(rangeText)
          .join(', ')}`
      : ''
  return escapeControls(`${where}${detail}${inputs} (${error})`)
}

type Range = readonly [first: number, last: number]

const rangeText = ([first, last]: Range): string => (first === last ? String(first) : `${first}-${last}`)

/** Ranges in order, those that touch or overlap as one. */
export const joinRanges = (ranges: readonly Range[]): [number, number][] => {
  const all: [number, number][] = []
  for (const [first, last] of [...ranges].sort(([a], [b]) => a - b)) {
    const before = all.at(-1)
    if (before && first <= before[1] + 1) before[1] = Math.max(before[1], last)
    else all.push([first, last])
  }
  return all
}
