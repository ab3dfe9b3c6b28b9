// For programs that work on one line before they take the next.

import { LineReader, type LineReaderOptions } from './reader.js'
import type { LineSource } from './stream.js'

export class AsyncLineReader {
  /** Holds the line, or its fault. */
  readonly current: LineReader
  #wake: () => void = () => {}

  constructor(stream: LineSource, options: Pick<LineReaderOptions, 'maxLine' | 'raw'> = {}) {
    this.current = new LineReader(stream, { ...options, onReadable: () => this.#wake() })
  }

  /** Resolves to true when `current` holds the next line or fault, to false at the end and after `stop`. */
  async next(): Promise<boolean> {
    while (!this.current.next()) {
      if (this.current.hasEnded) return false
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
    return true
  }

  stop(): void {
    this.current.stop()
    this.#wake()
  }
}
