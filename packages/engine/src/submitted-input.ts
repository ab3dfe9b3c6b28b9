// The lines that are submitted to a run: read, counted, and compared with those that an earlier command has submitted.

import type { Rejects } from '@plumb/runtime/record'
import { type Fault, fault, type LineReader, type Reporter, type Result, sha256Of, succeed } from '@plumb/wire'
import type { KeptRun } from './kept-run.js'
import type { RunCounts } from './run-counts.js'

export interface SubmittedInputOptions {
  /** Of the run. */
  readonly name: string
  readonly reader: LineReader
  readonly reporter: Reporter
  /** Opens the file of failed inputs; `isAppended`: some have failed before. */
  readonly openRejects: ((isAppended: boolean) => Result<Rejects>) | undefined
  readonly shown: { readonly counts: RunCounts } | undefined
  readonly kept: KeptRun | undefined
  readonly onError: (error: Fault) => void
}

/** As the tables have it: `taken` lines were submitted, with the digest `seen`. */
export interface TakenBefore {
  readonly state: string
  readonly taken: number
  readonly seen: string
}

interface Line {
  readonly seq: number
  readonly value: string
  /** Of all lines up to this one. */
  readonly seen: string
}

/** After so many lines, lines that cannot fail any more are dropped. */
const PRUNE_LINES = 1024

export class SubmittedInput {
  readonly #o: SubmittedInputOptions
  #before: TakenBefore = { state: 'open', taken: 0, seen: '' }
  /** Lines that were read, and their digest. */
  #taken = 0
  #seen = ''
  /** Those among them that the tables may lack. */
  #lines: Line[] = []
  #rejects: Rejects | undefined
  /** Earlier inputs cannot fail any more. */
  #oldest = 0

  constructor(options: SubmittedInputOptions) {
    this.#o = options
  }

  get taken(): number {
    return this.#taken
  }

  get lines(): readonly Line[] {
    return this.#lines
  }

  get wasOpen(): boolean {
    return this.#before.state === 'open'
  }

  /** Fewer lines were read than an earlier command has submitted. */
  get isShort(): boolean {
    return this.#taken < this.#before.taken
  }

  /** `first`: of this command; else the connection was lost, and is there again. */
  begin(before: TakenBefore, first: { readonly isAppended: boolean } | undefined): Result<void> {
    if (first) {
      const rejects = this.#o.openRejects?.(first.isAppended)
      if (rejects?.ok === false) return rejects
      this.#rejects = rejects?.value
      this.#before = before
    }
    this.#lines = this.#lines.filter(({ seq }) => seq > before.taken)
    return succeed(undefined)
  }

  /** Reads until `most` lines wait. A fault: this is not the input that an earlier command has submitted. */
  read(most: number): Fault | undefined {
    while (this.#lines.length < most && this.#o.reader.next()) {
      const wrong = this.#take()
      if (wrong) return wrong
    }
    return undefined
  }

  /** The lines are in the tables, or are not taken any more. */
  submitted(): void {
    this.#lines = []
  }

  changed(): Fault {
    return fault('input_changed', `run '${this.#o.name}' has taken ${this.#before.taken} lines, and this input does not begin with them`)
  }

  reject(errors: readonly Fault[]): void {
    for (const error of errors) this.#rejects?.reject(error)
    this.#rejects?.flush()
  }

  /** Rejects a line that is too long. */
  rejectPiece(piece: Buffer, isEnd: boolean): void {
    if (!this.isShort) this.#rejects?.rejectPiece(piece, isEnd)
  }

  get mayPrune(): boolean {
    return this.#rejects !== undefined && this.#taken >= this.#oldest + PRUNE_LINES
  }

  /** `oldest`: the first input that may still fail. Undefined: none that was read. */
  prune(oldest: number | undefined): void {
    this.#oldest = Math.min(oldest ?? this.#taken + 1, this.#taken + 1)
  }

  #take(): Fault | undefined {
    const { reader, reporter, shown, kept, onError } = this.#o
    const { buf, start, end } = reader
    this.#taken++
    if (shown) shown.counts.bytesRead += end - start + 1
    this.#rejects?.hold(this.#taken, reader, () => this.#oldest)
    const text = reader.fault ? '' : buf.toString('utf8', start, end)
    this.#seen = sha256Of(this.#seen + text)
    if (this.#taken <= this.#before.taken)
      return this.#taken === this.#before.taken && this.#seen !== this.#before.seen ? this.changed() : undefined
    const hasControl = text.includes('\0')
    const wrong = reader.fault ?? (hasControl ? fault('invalid_json', 'this line has a control character that is not escaped') : undefined)
    if (wrong) {
      const error = { ...wrong, seq: this.#taken, line: reader.line }
      shown?.counts.add(error)
      kept?.add(error)
      onError(error)
      reporter.report(error)
    }
    this.#lines.push({ seq: this.#taken, value: wrong ? '' : text, seen: this.#seen })
    return undefined
  }
}
