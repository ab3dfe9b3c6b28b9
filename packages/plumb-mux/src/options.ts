// What the command line asks for.

export interface Options {
  /** The program and its arguments; empty where a record alone is played back. */
  readonly command: readonly string[]
  /** The inverse: envelopes inside, real descriptors outside. */
  readonly isUnwrapped: boolean
  readonly tee?: string
  readonly replay?: string
  readonly fds?: string
  readonly maxLineBytes?: number
}
