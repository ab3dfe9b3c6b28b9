// The byte streams below line readers and writers: Node's streams fit, and so do our native pipes.

export interface LineSource {
  on(event: 'data', listener: (chunk: Buffer) => void): unknown
  on(event: 'error', listener: (error: NodeJS.ErrnoException) => void): unknown
  on(event: 'end' | 'close', listener: () => void): unknown
  isPaused(): boolean
  resume(): unknown
  pause(): unknown
  /** Stops reading. */
  destroy(): unknown
}

export interface LineSink {
  on(event: 'error', listener: (error: NodeJS.ErrnoException) => void): unknown
  on(event: 'close', listener: () => void): unknown
  once(event: 'close', listener: () => void): unknown
  /** `done` is called when the kernel has the bytes; an error also goes to `error`. */
  write(chunk: Buffer, done: (error?: Error | null) => void): unknown
  /** Writes until `uncork` may be handed to the kernel at once. */
  cork?(): void
  uncork?(): void
  /** `done` is called when the kernel has everything; if it cannot take it, `close` comes. */
  end(done: () => void): unknown
  /** Stops writing; `close` comes. */
  destroy(): unknown
  /** Bytes that the kernel has not accepted. */
  readonly writableLength: number
}
