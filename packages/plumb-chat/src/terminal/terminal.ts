// Where a person types: with a line editor, or, on a terminal that can do no more, with the system's own.

export interface Terminal {
  /** Shows the prompt and takes a message; what was typed before comes first. */
  open(): void
  /** Asks about one thing, below all else that is written, until it is answered or withdrawn. What is being typed is kept. */
  ask(question: Question): Promise<Said>
  /** The question that is open in other words. */
  reword(question: Question): void
  /** Nothing is asked any more; `why` stands behind the question. */
  withdraw(why: string): void
  readonly isAsking: boolean
  /** The terminal is as it was found. */
  close(): void
  /** Something else is about to be written: takes the line that is being typed, or the question, out of the way. */
  hide(): void
  /** It was written, and the cursor stands at the beginning of a line. */
  show(): void
}

export interface Question {
  /** More than fits into a few rows, to be shown once, above; undefined: `line` says it all. */
  readonly above: string | undefined
  /** A few rows at most, to be drawn again and again. */
  readonly line: string
}

/** `leave`: the person wants to do something else. */
export type Said = 'yes' | 'no' | 'leave' | 'withdrawn'

export interface Person {
  /** A message, whole; the terminal is closed to typing until it is opened again. */
  readonly onMessage: (text: string) => void
  /** Ctrl-C, where it has no line to drop. */
  readonly onInterrupt: () => void
  /** Ctrl-D, or the terminal is gone. */
  readonly onEnd: () => void
}
