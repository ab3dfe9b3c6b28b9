// A few lines at the bottom of a terminal that change, below lines that stay. Whatever else is written to the terminal goes through here.

import { Writable } from 'node:stream'
import type { WriteStream } from 'node:tty'
import { isInForeground } from './foreground.js'

const ESC = '\x1b['
/** The cursor waits above the lines, so that what others write meanwhile comes before them. */
const ERASE_BELOW = `\r${ESC}J`

export class LiveScreen extends Writable {
  /** For whoever asks whether a person reads it. */
  readonly isTTY = true
  readonly #terminal: WriteStream
  /** Lines, each narrower than the terminal. */
  readonly #lines: () => readonly string[]
  #isShown = false
  /** Others who have the terminal. */
  #others = 0

  constructor(terminal: WriteStream, lines: () => readonly string[]) {
    super()
    this.#terminal = terminal
    this.#lines = lines
    terminal.on('error', (error) => this.destroy(error))
  }

  // Node follows the size of its own stream alone.
  get columns(): number {
    return process.stderr.columns || 80
  }

  get rows(): number {
    return process.stderr.rows || 24
  }

  /** Draws the lines as they are now; nothing as long as the terminal is busy with what was drawn before, or is somebody else's. */
  draw(): void {
    if (this.destroyed || this.writableEnded || this.#terminal.writableNeedDrain || this.#others > 0 || !isInForeground()) return
    this.#isShown = true
    this.#terminal.write(ERASE_BELOW + this.#drawn())
  }

  /** Takes the lines away, until they are drawn again. */
  clear(): void {
    if (!this.#isShown || this.destroyed) return
    this.#isShown = false
    this.#terminal.write(ERASE_BELOW)
  }

  /** The lines are away until that is done. */
  async without<T>(work: () => Promise<T>): Promise<T> {
    this.clear()
    this.#others++
    try {
      return await work()
    } finally {
      this.#others--
    }
  }

  override _write(chunk: Buffer, _encoding: string, done: (error?: Error | null) => void): void {
    // In one write, so that nothing flickers.
    const bytes = this.#isShown ? Buffer.concat([Buffer.from(ERASE_BELOW), chunk, Buffer.from(this.#drawn())]) : chunk
    this.#terminal.write(bytes, done)
  }

  override _final(done: () => void): void {
    this.clear()
    done()
  }

  // An empty line comes first: what another program writes there ends it, and the lines are drawn below.
  #drawn(): string {
    const lines = this.#lines()
    return lines.length === 0 ? '' : `\n${lines.join('\n')}${ESC}${lines.length}A\r`
  }
}

/** Outputs on a terminal that has such lines: they are taken away for them, and come back by themselves. */
export class BesideScreen extends Writable {
  constructor(
    private readonly terminal: WriteStream,
    private readonly screen: LiveScreen,
  ) {
    super()
    terminal.on('error', (error) => this.destroy(error))
  }

  override _write(chunk: Buffer, _encoding: string, done: (error?: Error | null) => void): void {
    this.screen.clear()
    this.terminal.write(chunk, done)
  }

  override _final(done: () => void): void {
    this.terminal.end(done)
  }
}
