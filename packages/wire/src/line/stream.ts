// What lines are read from, and written to: Node's streams are both, and so are the bare pipes of ours.

export interface LineSource {
  on(event: 'data', listener: (chunk: Buffer) => void): unknown
  on(event: 'error', listener: (error: NodeJS.ErrnoException) => void): unknown
  on(event: 'end' | 'close', listener: () => void): unknown
  isPaused(): boolean
  resume(): unknown
  pause(): unknown
  /** Reads no more. */
  destroy(): unknown
}

export interface LineSink {
  on(event: 'error', listener: (error: NodeJS.ErrnoException) => void): unknown
  on(event: 'close', listener: () => void): unknown
  once(event: 'close', listener: () => void): unknown
  /** `done` when the kernel has it; with an error also comes `error`. */
  write(chunk: Buffer, done: (error?: Error | null) => void): unknown
  /** What is written until `uncork` may be handed to the kernel at once. */
  cork?(): void
  uncork?(): void
  /** `done` when the kernel has everything; where it cannot, `close` comes. */
  end(done: () => void): unknown
  /** Writes no more; `close` comes. */
  destroy(): unknown
  /** Bytes that the kernel has not taken. */
  readonly writableLength: number
}
