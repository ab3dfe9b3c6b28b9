// How a key is written, and the command that gives one.

export interface KeyCommandWords {
  readonly words: readonly string[]
  /** A program with a slash is relative to it. */
  readonly directory: string
  /** Names of further variables that it gets. */
  readonly env: readonly string[]
}

/** A key as a header can hold it. */
export const isKey = (text: string): boolean => /^[\x21-\x7e]+$/.test(text)
