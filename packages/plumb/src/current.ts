// The input that is being worked on: errors that it causes anywhere in this process are told with it.

import { type Fault, fault } from '@plumb/wire'

export interface Origin {
  /** Empty: not known, as behind a child. */
  readonly port: string
  /** Number of the line from 1; 0: not known. */
  readonly line: number
  /** Number of the input from 1; 0: not known. */
  readonly seq: number
}

export class Current implements Origin {
  port = ''
  line = 0
  seq = 0
  /** The line has no newline: if it is no JSON, it was cut off. */
  isLast = false

  set({ port, line, seq }: Origin): void {
    this.port = port
    this.line = line
    this.seq = seq
    this.isLast = false
  }

  /** What is worked on next comes from nobody that is known. */
  clear(): void {
    this.seq = 0
    this.isLast = false
  }

  /** The error with what is known of the input that caused it. */
  causing(error: Fault): Fault {
    if (this.seq === 0) return error
    const cause =
      this.isLast && error.error === 'invalid_json' ? fault('truncated_line', 'the input ended in the middle of this line') : error
    const { port, line, seq } = this
    return { ...cause, ...(port === '' ? {} : { port: cause.port ?? port }), ...(line === 0 ? {} : { line }), seq }
  }
}
