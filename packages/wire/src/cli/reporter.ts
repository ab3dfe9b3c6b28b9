// Reports errors on stderr, for people or for programs, and derives the exit status from them.

import type { Writable } from 'node:stream'
import { exitStatus, type Fault, fault } from '../error.js'
import { openOutput } from '../fd/open.js'
import { LineWriter } from '../line/writer.js'
import { escapeControls } from '../preview.js'
import { showReported } from '../reported.js'
import { hasStyles, type Styled, styledText } from '../terminal/style.js'
import { wrapStyled } from '../terminal/wrap.js'

export interface ReporterOptions {
  /**
   * One object a line; else `program: error: …`. Default: as `PLUMB_ERRORS` says, `json` or `text`; else JSON unless stderr is a terminal.
   */
  readonly isJson?: boolean
}

// Errors that are not read must not fill the memory.
const MAX_WAITING_BYTES = 16 * 1024 * 1024

interface OpenStderr {
  readonly stream: Writable & { readonly isTTY?: boolean; readonly columns?: number }
  readonly writer: LineWriter
  readonly isStyled: boolean
}

/** Of the lines of an error after the first. */
const INDENT = 2

export class Reporter {
  /** The exit status: the worst of what was reported. */
  status: 0 | 1 | 2 = 0

  /** Errors written as objects so far: the reader of stderr, once it has that many, has all of them. */
  errors = 0

  /** Transforms an error or warning before it is shown; its status still counts. */
  shown: (fault: Fault) => Fault = (fault) => fault

  readonly #program: string
  readonly #open: () => Writable
  readonly #wantsJson: boolean | undefined
  #opened: OpenStderr | undefined
  #dropped = 0

  /**
   * `open` opens stderr, and is called at the first report: most programs report nothing, and start sooner without it. Errors of stderr
   * itself are ignored.
   */
  constructor(program: string, open: () => Writable = () => openOutput(2), { isJson }: ReporterOptions = {}) {
    this.#program = program
    this.#open = open
    this.#wantsJson = isJson
  }

  get isJson(): boolean {
    const { PLUMB_ERRORS: form } = process.env
    if (this.#wantsJson !== undefined) return this.#wantsJson
    return form === 'json' || (form !== 'text' && this.#stderr.stream.isTTY !== true)
  }

  report(error: Fault): void {
    this.count(error)
    this.#writeError(this.shown(error))
  }

  /** The error is told elsewhere: only its status counts. */
  count(error: Fault): void {
    this.status = Math.max(this.status, exitStatus(error)) as 1 | 2
  }

  /** A warning: the exit status stays. */
  warn(warning: Fault): void {
    this.write(this.#format(this.shown(warning), 'warning'))
  }

  /** Stderr is a terminal that shows colour and weight. */
  get isStyled(): boolean {
    return this.#stderr.isStyled
  }

  /** Of stderr, in characters; of what is not a terminal 80. */
  get columns(): number {
    return this.#stderr.stream.columns ?? 80
  }

  /** Writes one line without its end, except for keys and terminal controls; for diagnostics and logs, which share stderr. */
  write(line: string | Styled): void {
    const { stream, writer, isStyled } = this.#stderr
    if (stream.writableLength > MAX_WAITING_BYTES) {
      this.#dropped++
      return
    }
    if (this.#dropped > 0) this.#reportDropped()
    writer.writeText(styledText(line, isStyled))
  }

  #writeError(error: Fault): void {
    const before = this.#dropped
    this.write(this.#format(error, 'error'))
    if (this.isJson && this.#dropped <= before) this.errors++
  }

  /** Flushes earlier reports to the kernel before anything is written elsewhere, as far as it has space. */
  flush(): void {
    this.#opened?.writer.flush()
  }

  /** Resolves when everything is written, or cannot be. */
  async end(): Promise<void> {
    if (this.#dropped > 0) this.#reportDropped()
    await this.#opened?.writer.end()
  }

  get #stderr(): OpenStderr {
    if (!this.#opened) {
      const stream: OpenStderr['stream'] = this.#open()
      this.#opened = { stream, writer: new LineWriter(stream), isStyled: hasStyles(stream.isTTY === true) }
    }
    return this.#opened
  }

  #reportDropped(): void {
    const detail = `${this.#dropped} lines were dropped here, since stderr was not read`
    this.#dropped = 0
    if (this.isJson) this.errors++
    this.#stderr.writer.writeText(styledText(this.#format(fault('overflow', detail), 'error'), this.isStyled))
  }

  #format(fault: Fault, severity: 'error' | 'warning'): string | Styled {
    if (this.isJson) return showReported({ severity, fault })
    const text: Styled = [`${this.#program}: `, [severity, `${severity}:`], ` ${describe(fault)}`]
    const { isTTY, columns = 0 } = this.#stderr.stream
    // The last column stays free: some terminals begin a new line after it.
    return isTTY === true && columns > 0 && process.env.TERM !== 'dumb' ? wrapStyled(text, columns - 1, INDENT) : text
  }
}

// The process that failed, and the input: by its number among the inputs of main where that is known, else by its port and line.
const whereOf = ({ source, process, port, line, seq, seqs, detail }: Fault): string => {
  // One error of several inputs names them at its end, and is the run's own.
  if (Array.isArray(seqs)) return ''
  const path = [source, process === source ? undefined : process].filter((name) => typeof name === 'string')
  const input =
    typeof seq === 'number'
      ? `input ${seq}`
      : typeof line === 'number' && !/\bline \d/.test(detail)
        ? [port, `line ${line}`].filter((part) => typeof part === 'string').join(' ')
        : undefined
  const where = [...(path.length === 0 ? [] : [path.join('.')]), ...(input === undefined ? [] : [input])].join(', ')
  return where === '' ? '' : `${where}: `
}

const describe = (reported: Fault): string => {
  const { error, detail, seqs } = reported
  const where = whereOf(reported)
  const ranges = Array.isArray(seqs) ? joinRanges(seqs as Range[]).map(rangeText) : []
  const isOne = ranges.length === 1 && !ranges[0]?.includes('-')
  const inputs = ranges.length === 0 ? '' : `; input${isOne ? '' : 's'} ${ranges.join(', ')}`
  return escapeControls(`${where}${detail}${inputs} (${error})`)
}

type Range = readonly [first: number, last: number]

const rangeText = ([first, last]: Range): string => (first === last ? String(first) : `${first}-${last}`)

/** The ranges in order; touching and overlapping ones are merged. */
export const joinRanges = (ranges: readonly Range[]): [number, number][] => {
  const all: [number, number][] = []
  for (const [first, last] of [...ranges].sort(([a], [b]) => a - b)) {
    const before = all.at(-1)
    if (before && first <= before[1] + 1) before[1] = Math.max(before[1], last)
    else all.push([first, last])
  }
  return all
}
