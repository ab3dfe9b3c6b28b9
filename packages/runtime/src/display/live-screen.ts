// A few live lines at the bottom of a terminal, below lines that stay. All that is written to the terminal goes through here.

import { readFileSync } from 'node:fs'
import { Writable } from 'node:stream'
import type { WriteStream } from 'node:tty'
import { besidePrompt } from '@plumb/wire'

const ESC = '\x1b['
/** The cursor is above the live lines, so that other programs write before them. */
const ERASE_BELOW = `\r${ESC}J`

export class LiveScreen extends Writable {
  /** As of the terminal behind it. */
  readonly isTTY = true
  readonly #terminal: WriteStream
  /** Lines, each narrower than the terminal. */
  readonly #lines: () => readonly string[]
  #isShown = false
  /** Calls of `without` that are going on. */
  #pauses = 0

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

  /** Draws the lines as they are now, unless the terminal is still busy, paused, or owned by another process group. */
  draw(): void {
    if (this.destroyed || this.writableEnded || this.#terminal.writableNeedDrain || this.#pauses > 0 || !isInForeground()) return
    this.#isShown = true
    this.#terminal.write(ERASE_BELOW + this.#drawn())
  }

  /** Erases the lines, until they are drawn again. */
  clear(): void {
    if (!this.#isShown || this.destroyed) return
    this.#isShown = false
    this.#terminal.write(ERASE_BELOW)
  }

  /** The lines are not drawn until `work` is done. */
  async without<T>(work: () => Promise<T>): Promise<T> {
    this.clear()
    this.#pauses++
    try {
      return await work()
    } finally {
      this.#pauses--
    }
  }

  override _write(chunk: Buffer, _encoding: string, done: (error?: Error | null) => void): void {
    // One write, so that nothing flickers.
    const bytes = this.#isShown ? Buffer.concat([Buffer.from(ERASE_BELOW), chunk, Buffer.from(this.#drawn())]) : besidePrompt(chunk)
    this.#terminal.write(bytes, done)
  }

  override _final(done: () => void): void {
    this.clear()
    done()
  }

  // An empty line comes first: another program writes there, and the lines are drawn again below.
  #drawn(): string {
    const lines = this.#lines()
    return lines.length === 0 ? '' : `\n${lines.join('\n')}${ESC}${lines.length}A\r`
  }
}

/** Outputs on the same terminal: live lines, where there are some, are erased for each, and drawn again at the next turn. */
export class OutputBesideScreen extends Writable {
  constructor(
    private readonly terminal: WriteStream,
    private readonly screen?: LiveScreen,
  ) {
    super()
    terminal.on('error', (error) => this.destroy(error))
  }

  override _write(chunk: Buffer, _encoding: string, done: (error?: Error | null) => void): void {
    this.screen?.clear()
    this.terminal.write(besidePrompt(chunk), done)
  }

  override _final(done: () => void): void {
    this.terminal.end(done)
  }
}

/**
 * Whether the terminal shows what this process group writes: a shell that runs it in the background owns the terminal meanwhile.
 * True where the system does not say.
 */
const isInForeground = (): boolean => {
  try {
    // proc_pid_stat(5): after the name in parentheses come state, parent, process group, session, terminal, and its foreground group.
    const stat = readFileSync('/proc/self/stat', 'latin1')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return fields[2] === fields[5]
  } catch {
    return true
  }
}
