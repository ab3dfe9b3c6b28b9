// Where a person types: with a line editor, or, on a terminal that can do lines only, with the editing of the system.

import type { ConsentQuestion } from '@plumb/ledger'

export interface Terminal {
  /** Shows the prompt and takes a message, beginning with keys that were typed before. */
  open(): void
  /** Asks a question, below everything else that is written, until it is answered or withdrawn. Keeps the line that is being typed. */
  ask(question: Question): Promise<QuestionAnswer>
  /** Changes the text of the open question. */
  reword(question: Question): void
  /** Takes the question back; `why` is written after it. */
  withdraw(why: string): void
  readonly isAsking: boolean
  /** Takes one line, which begins with this text where lines can be edited. Undefined: the person does something else instead. */
  typed(prompt: string, text: string): Promise<string | undefined>
  /** Gives the terminal to another program, until the function is called that it returns. Undefined: it cannot. */
  readonly lend: (() => () => void) | undefined
  /** Restores the terminal to its state before. */
  close(): void
  /** Takes the line that is being typed, or the question, off the screen, before something else is written. */
  hide(): void
  /** Shows it again; the cursor is at the beginning of a line. */
  show(): void
}

export interface Question extends ConsentQuestion {
  /** Asked in its place where the person wants to say yes to all that are like it. */
  readonly always: string
}

/** `leave`: the person does something else instead. */
export type QuestionAnswer = 'yes' | 'always' | 'no' | 'edit' | 'leave' | 'withdrawn'

export interface TerminalListener {
  /** A complete message. The terminal takes no further one until it is opened again. */
  readonly onMessage: (text: string) => void
  /** Ctrl-C on an empty line. */
  readonly onInterrupt: () => void
  /** Ctrl-D, or the terminal has closed. */
  readonly onEnd: () => void
}
