// The line at the bottom of a terminal, drawn by Node's line editor: a prompt and a text, over as many rows as they take. It is removed and
// drawn again around everything else that is written, and when the width of the terminal changes.

import { clearScreenDown, createInterface, cursorTo, type Interface, moveCursor } from 'node:readline'
import { Readable, Writable } from 'node:stream'
import type { ReadStream, WriteStream } from 'node:tty'

export interface LineOptions {
  readonly input: ReadStream
  readonly output: WriteStream
  /** Completions of the text when Tab is pressed. */
  readonly complete: (text: string) => readonly string[]
  /** Enter: the text stays on the screen, with the cursor below it. */
  readonly onEntered: () => void
  /** `isSettling` has become false. */
  readonly onSettled: () => void
}

export interface View {
  readonly prompt: string
  readonly text: string
  readonly cursor: number
}

/** Asks the terminal for the position of its cursor (DSR 6); the answer comes as typed input. */
const CURSOR_QUERY = '\x1b[6n'
/** Longer than a terminal takes to answer, also over ssh and on a busy machine: giving up too early would draw over existing text. */
const CURSOR_TIMEOUT_MS = 2000

/** Node documents `line` and `cursor`, and lets them be changed; only its types do not. */
type Editor = Interface & { line: string; cursor: number; prevRows: number }

export class EditLine {
  /** The width has changed, and the terminal was asked for its cursor: keys have to wait. */
  isSettling = false
  readonly #output: WriteStream
  readonly #editor: Editor
  readonly #typed: Readable
  readonly #onEntered: () => void
  readonly #onSettled: () => void
  #prompt = ''
  #isShown = false
  /** Enter was pressed, and `onEntered` is not called yet. */
  #isEntered = false
  /** The width that it was drawn for. */
  #columns: number
  /** Cursor queries that are not answered yet. */
  #openQueries = 0
  #timer: NodeJS.Timeout | undefined
  /** True when the terminal reflows its rows for a new width. Most do; others cut rows off. */
  #doesReflow = true
  #doesAnswer = true

  constructor({ input, output, complete, onEntered, onSettled }: LineOptions) {
    this.#output = output
    this.#columns = output.columns
    this.#onSettled = onSettled
    const setRawMode = (isRaw: boolean) => input.setRawMode(isRaw)
    this.#typed = Object.assign(new Readable({ read: () => {} }), { isTTY: true, setRawMode })
    const forward = (chunk: string, _encoding: string, done: () => void): void => {
      output.write(chunk)
      done()
    }
    const shown = new Writable({ decodeStrings: false, write: forward })
    Object.defineProperty(shown, 'columns', { get: () => this.#columns })
    this.#editor = createInterface({
      input: this.#typed,
      output: shown,
      terminal: true,
      // Node's own history would change messages of several lines, differently in each version.
      historySize: 0,
      completer: (text: string) => [complete(text), text],
    }) as Editor
    this.#onEntered = onEntered
    this.#editor.on('line', () => {
      this.#isShown = false
      this.#isEntered = true
    })
  }

  get view(): View {
    const { line: text, cursor } = this.#editor
    return { prompt: this.#prompt, text, cursor }
  }

  get text(): string {
    return this.#editor.line
  }

  // One by one: of several keys at once, Node puts all but the last at the end of the line, not at the cursor.
  feed(keys: string): void {
    for (const key of keys) {
      this.#draw(() => this.#typed.emit('data', Buffer.from(key)))
      if (!this.#isEntered) continue
      this.#isEntered = false
      this.#onEntered()
    }
  }

  insert(added: string): void {
    const { text, cursor } = this.view
    this.show({ text: text.slice(0, cursor) + added + text.slice(cursor), cursor: cursor + added.length })
  }

  replace(text: string): void {
    this.show({ text, cursor: text.length })
  }

  /** Changes what the next `show` draws. */
  set(changes: Partial<View>): void {
    this.hide()
    const { prompt, text, cursor } = { ...this.view, ...changes }
    this.#prompt = prompt
    this.#editor.setPrompt(prompt)
    Object.assign(this.#editor, { line: text, cursor })
  }

  /** Draws the line where it was, else at the cursor, which is at the beginning of a row. */
  show(changes: Partial<View> = {}): void {
    this.#draw(() => {
      this.set(changes)
      this.#columns = this.#output.columns
      this.#editor.prevRows = 0
      this.#editor.prompt(true)
      this.#isShown = true
    })
  }

  /** Ctrl-Z: the line is drawn again below what was written meanwhile. */
  suspend(): void {
    this.feed('\x1a')
    this.#editor.prevRows = 0
  }

  /** Removes the line from the screen, but keeps its text; the cursor is where the line began. */
  hide(column?: number): void {
    if (!this.#isShown) return
    this.#draw(() => {
      moveCursor(this.#output, 0, -this.#rowsAbove(column))
      cursorTo(this.#output, 0)
      clearScreenDown(this.#output)
    })
    this.#isShown = false
  }

  /** Leaves the line on the screen, with `end` after it, and the cursor below. */
  leave(end: string): void {
    if (!this.#isShown) return
    this.show({ cursor: this.text.length })
    this.#output.write(`${end}\n`)
    this.#isShown = false
  }

  /** The width has changed. The position of the cursor shows what the terminal has done with the rows of the line. */
  resize(): void {
    if (!this.#isShown) return
    this.isSettling = true
    clearTimeout(this.#timer)
    if (!this.#doesAnswer) return this.show()
    this.#timer = setTimeout(() => {
      this.#doesAnswer = false
      this.#openQueries = 0
      this.show()
    }, CURSOR_TIMEOUT_MS)
    this.#openQueries++
    this.#output.write(CURSOR_QUERY)
  }

  /** The terminal's answer: the column of its cursor, from 0. */
  handleCursorColumn(column: number): void {
    // Of several answers in a row only the last counts.
    if (this.#openQueries === 0 || --this.#openQueries > 0 || !this.isSettling) return
    this.#draw(() => {
      this.hide(column)
      this.show()
    })
  }

  close(): void {
    clearTimeout(this.#timer)
    this.#editor.close()
  }

  // In one write: if the terminal got another width between two parts of a drawing, the place where the line begins would be lost.
  #draw(change: () => void): void {
    this.#output.cork()
    try {
      change()
    } finally {
      this.#output.uncork()
    }
  }

  // `column`: that of the cursor, when the terminal has answered.
  #rowsAbove(column?: number): number {
    const { rows, cols } = this.#editor.getCursorPos()
    if (!this.isSettling) return rows
    this.isSettling = false
    clearTimeout(this.#timer)
    process.nextTick(this.#onSettled)
    this.#columns = this.#output.columns
    const now = this.#editor.getCursorPos()
    const last = this.#columns - 1
    const places = [
      { doesReflow: true, rows: now.rows, column: now.cols },
      // After a full row the cursor may still be in that row.
      ...(now.cols === 0 && now.rows > 0 ? [{ doesReflow: true, rows: now.rows - 1, column: last }] : []),
      { doesReflow: false, rows, column: Math.min(cols, last) },
    ]
    // When several fit, the terminal does what it did the last time. When none fits, part of the old line stays on the
    // screen, which is better than to erase other text: tmux loses the position in rows that end with wide characters.
    const fitting = places.filter((place) => column === undefined || place.column === Math.min(column, last))
    const found = fitting.find(({ doesReflow }) => doesReflow === this.#doesReflow) ?? fitting[0]
    if (!found) return 0
    if (column !== undefined) this.#doesReflow = found.doesReflow
    return found.rows
  }
}
