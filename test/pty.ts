// A program on a pseudo-terminal, with what a person would see on its screen.

import { type IPty, spawn } from '@lydell/node-pty'
import { Terminal } from '@xterm/headless'

export interface PtyOptions {
  readonly command: readonly string[]
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
  /** 80 × 24. */
  readonly columns?: number
  readonly rows?: number
}

export interface PtyExit {
  readonly status: number
  /** 0: none. */
  readonly signal: number
}

const LIMIT_MS = 30_000
const ALL_ROWS = 5000

/** `TERM` is xterm-256color unless `env` says otherwise. Whoever opens one calls `close`, whatever happens. */
export class Pty {
  readonly pid: number
  readonly exited: Promise<PtyExit>
  /** Every byte that it wrote, as text. */
  output = ''
  readonly #pty: IPty
  readonly #screen: Terminal
  #exit: PtyExit | undefined
  #look: () => void = () => {}

  constructor({ command: [file = '', ...args], cwd = process.cwd(), env = {}, columns = 80, rows = 24 }: PtyOptions) {
    const { PATH = '', HOME = '' } = process.env
    this.#screen = new Terminal({ cols: columns, rows, scrollback: ALL_ROWS, allowProposedApi: true })
    this.#pty = spawn(file, args, {
      name: env.TERM ?? 'xterm-256color',
      cols: columns,
      rows,
      cwd,
      env: { PATH, HOME, LANG: 'C.UTF-8', ...env },
    })
    this.pid = this.#pty.pid
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
    this.#screen.resize(columns, rows)
    this.#pty.resize(columns, rows)
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

  /** Resolves once the screen shows it. Throws where the program ends before, or after half a minute. */
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
      const timer = setTimeout(() => fail('half a minute passed'), LIMIT_MS)
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
