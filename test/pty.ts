// A program on a pseudo-terminal, with what a person would see on its screen.

import { type IPty, spawn } from '@lydell/node-pty'
import { Terminal } from '@xterm/headless'
import { scaled } from '../packages/wire/test/patience.js'

export interface PtyOptions {
  readonly command: readonly string[]
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
  /** 80 × 24. */
  readonly columns?: number
  readonly rows?: number
  /** The line with the cursor is laid out anew where the terminal gets another width, as with most; else it is cut off, as xterm does. */
  readonly doesReflow?: boolean
}

export interface PtyExit {
  readonly status: number
  /** 0: none. */
  readonly signal: number
}

/** Of a cursor: in which line, from 1, however many rows that takes, and behind how many characters. */
interface Place {
  readonly line: number
  readonly characters: number
}

/** What of the screen cannot be said from outside. */
interface Inside {
  readonly _core: { readonly buffer: { x: number; y: number } }
}

const LIMIT_MS = scaled(30_000)
const ALL_ROWS = 5000

/** `TERM` is xterm-256color unless `env` says otherwise. The caller closes it, whatever happens. */
export class Pty {
  readonly pid: number
  readonly exited: Promise<PtyExit>
  /** Every byte that it wrote, as text. */
  output = ''
  readonly #pty: IPty
  readonly #screen: Terminal
  readonly #doesReflow: boolean
  #exit: PtyExit | undefined
  #look: () => void = () => {}

  constructor({ command: [file = '', ...args], cwd = process.cwd(), env = {}, columns = 80, rows = 24, doesReflow = true }: PtyOptions) {
    const { PATH = '', HOME = '' } = process.env
    this.#screen = new Terminal({ cols: columns, rows, scrollback: ALL_ROWS, allowProposedApi: true, reflowCursorLine: doesReflow })
    this.#pty = spawn(file, args, {
      name: env.TERM ?? 'xterm-256color',
      cols: columns,
      rows,
      cwd,
      env: { PATH, HOME, LANG: 'C.UTF-8', ...env },
    })
    this.#doesReflow = doesReflow
    this.pid = this.#pty.pid
    // What a terminal itself answers, as where its cursor is.
    this.#screen.onData((text) => this.#pty.write(text))
    this.#pty.onData((text) => {
      this.output += text
      this.#screen.write(text, () => this.#look())
    })
    this.exited = new Promise((resolve) => {
      this.#pty.onExit(({ exitCode, signal = 0 }) => {
        const exit = { status: exitCode, signal }
        // What it wrote last may still be on its way to the screen, in more than one piece.
        this.#screen.write('', () => {
          this.#exit = exit
          this.#look()
          resolve(exit)
        })
      })
    })
  }

  /** Keys, as a terminal sends them: `\r` is Enter, `\x03` Ctrl-C, `\x04` Ctrl-D, `\x1b[A` the arrow up. */
  type(keys: string): void {
    this.#pty.write(keys)
  }

  resize(columns: number, rows: number): void {
    const before = this.#doesReflow ? this.#cursorPlace() : undefined
    this.#screen.resize(columns, rows)
    if (before !== undefined) this.#moveCursor(before)
    this.#pty.resize(columns, rows)
  }

  // Of a terminal that lays rows out anew the cursor moves with its text. This one leaves it in its column, and not always in its line, so it
  // is put there: so many characters behind the beginning of that line.
  #cursorPlace(): Place {
    const { active } = this.#screen.buffer
    let characters = active.cursorX
    let line = 0
    for (let y = active.baseY + active.cursorY, isFound = false; y >= 0; y--) {
      if (active.getLine(y)?.isWrapped) characters += isFound ? 0 : this.#charactersIn(y - 1)
      else {
        isFound = true
        line++
      }
    }
    return { line, characters }
  }

  #moveCursor({ line, characters }: Place): void {
    const { active } = this.#screen.buffer
    let y = -1
    for (let lines = 0; lines < line; ) if (!active.getLine(++y)?.isWrapped) lines++
    let x = characters
    for (; active.getLine(y + 1)?.isWrapped && x >= this.#charactersIn(y); y++) x -= this.#charactersIn(y)
    Object.assign((this.#screen as unknown as Inside)._core.buffer, { x, y: y - active.baseY })
  }

  // In cells; a row whose last one is empty had no room there for a wide character.
  #charactersIn(y: number): number {
    const line = this.#screen.buffer.active.getLine(y)
    const last = line?.getCell(this.#screen.cols - 1)
    return this.#screen.cols - (last?.getChars() === '' && last.getWidth() === 1 ? 1 : 0)
  }

  /** What stands on the screen, with what was scrolled out of it; no spaces at the ends of lines, no empty lines at the end. */
  get screen(): string {
    const { buffer } = this.#screen
    const lines: string[] = []
    for (let y = 0; y < buffer.active.length; y++) {
      const line = buffer.active.getLine(y)
      const text = line?.translateToString(true) ?? ''
      if (line?.isWrapped) lines.push((lines.pop() ?? '') + text)
      else lines.push(text)
    }
    return lines.join('\n').trimEnd()
  }

  /** Resolves once the screen shows it. Throws where the program ends before, or after its time. */
  async shows(wanted: string | RegExp): Promise<void> {
    await this.until(() => (typeof wanted === 'string' ? this.screen.includes(wanted) : wanted.test(this.screen)), String(wanted))
  }

  /** The same for anything that changes when the program writes or ends. */
  until(holds: () => boolean, wanted: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const done = (settle: () => void): void => {
        clearTimeout(timer)
        this.#look = () => {}
        settle()
      }
      const fail = (why: string) => done(() => reject(new Error(`${why} before it showed ${wanted}; the screen:\n${this.screen}`)))
      const timer = setTimeout(() => fail(`${LIMIT_MS / 1000} s passed`), LIMIT_MS)
      this.#look = () => {
        if (holds()) done(resolve)
        else if (this.#exit) fail(`it ended with ${JSON.stringify(this.#exit)}`)
      }
      this.#look()
    })
  }

  signal(name: NodeJS.Signals): void {
    this.#pty.kill(name)
  }

  /** Hangs the terminal up and ends the program, if it still runs. */
  async close(): Promise<void> {
    if (!this.#exit) this.#pty.kill('SIGKILL')
    await this.exited
    this.#screen.dispose()
  }
}
