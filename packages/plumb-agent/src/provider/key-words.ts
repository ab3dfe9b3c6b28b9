// How a key is written, and the command that gives one.

export interface KeyCommandWords {
  readonly words: readonly string[]
  /** A program with a slash is relative to it. */
  readonly directory: string
  /** Names of further variables that it gets. */
  readonly env: readonly string[]
}

/** What is longer no server takes as a header. */
export const MAX_KEY = 32_768

/** A key as a header can hold it. */
export const isKey = (text: string): boolean => text.length <= MAX_KEY && /^[\x21-\x7e]+$/.test(text)
