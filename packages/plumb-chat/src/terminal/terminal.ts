// Where a person types: with a line editor, or, on a terminal that can do no more, with the system's own.

export interface Terminal {
  /** Shows the prompt and takes a message; what was typed before comes first. */
  open(): void
  /** Asks about one thing; anything but `y` is a no. Resolves to undefined where the person leaves instead. */
  ask(question: string): Promise<boolean | undefined>
  /** The terminal is as it was found. */
  close(): void
  /** Something else is about to be written: takes the line that is being typed out of the way. */
  hide(): void
  /** It was written, and the cursor stands at the beginning of a line. */
  show(): void
}

export interface Person {
  /** A message, whole; the terminal is closed to typing until it is opened again. */
  readonly onMessage: (text: string) => void
  /** Ctrl-C, where it has no line to drop. */
  readonly onInterrupt: () => void
  /** Ctrl-D, or the terminal is gone. */
  readonly onEnd: () => void
}
