// The line at the bottom of a terminal, drawn by Node's own line editor: a prompt and a text, over as many rows as they take. It is taken
// away and drawn again around all else that is written, and where the terminal gets another width.

import { clearScreenDown, createInterface, cursorTo, type Interface, moveCursor } from 'node:readline'
import { Readable, Writable } from 'node:stream'
import type { ReadStream, WriteStream } from 'node:tty'

export interface LineOptions {
  readonly input: ReadStream
  readonly output: WriteStream
  /** What the text may become when Tab is pressed. */
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

/** Asks a terminal where its cursor is (DSR 6); it answers as if that were typed. */
const WHERE = '\x1b[6n'
/** Longer than a terminal takes, also over ssh. */
const WHERE_TIMEOUT_MS = 500

/** Node documents both, and lets them be changed; only its types do not. */
type Editor = Interface & { line: string; cursor: number; prevRows: number }

export class Line {
  /** The terminal has another width and was asked where its cursor is: keys have to wait. */
  isSettling = false
  readonly #output: WriteStream
  readonly #editor: Editor
  readonly #typed: Readable
  readonly #onSettled: () => void
  #prompt = ''
  #isShown = false
  /** For which it was drawn. */
  #columns: number
  /** So many answers to WHERE are to come. */
  #asked = 0
  #timer: NodeJS.Timeout | undefined
  /** Whether the terminal lays its rows out anew for another width. Most do; others cut them off. */
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
      // It would change messages of several lines, in ways of each version.
      historySize: 0,
      completer: (text: string) => [complete(text), text],
    }) as Editor
    this.#editor.on('line', () => {
      this.#isShown = false
      onEntered()
    })
  }

  get view(): View {
    const { line: text, cursor } = this.#editor
    return { prompt: this.#prompt, text, cursor }
  }

  get text(): string {
    return this.#editor.line
  }

  // One by one: of several that come together Node puts all but the last at the end of the line, wherever the cursor is.
  feed(keys: string): void {
    for (const key of keys) this.#typed.emit('data', Buffer.from(key))
  }

  insert(added: string): void {
    const { text, cursor } = this.view
    this.show({ text: text.slice(0, cursor) + added + text.slice(cursor), cursor: cursor + added.length })
  }

  replace(text: string): void {
    this.show({ text, cursor: text.length })
  }

  /** What the next `show` shows. */
  set(changes: Partial<View>): void {
    this.hide()
    const { prompt, text, cursor } = { ...this.view, ...changes }
    this.#prompt = prompt
    this.#editor.setPrompt(prompt)
    Object.assign(this.#editor, { line: text, cursor })
  }

  /** Draws it where it was, or else where the cursor is, at the beginning of a row. */
  show(changes: Partial<View> = {}): void {
    this.set(changes)
    this.#columns = this.#output.columns
    this.#editor.prevRows = 0
    this.#editor.prompt(true)
    this.#isShown = true
  }

  /** Ctrl-Z: it is drawn anew behind what others wrote meanwhile. */
  suspend(): void {
    this.feed('\x1a')
    this.#editor.prevRows = 0
  }

  /** What it says is kept; the cursor stands where it began. */
  hide(column?: number): void {
    if (!this.#isShown) return
    moveCursor(this.#output, 0, -this.#rowsAbove(column))
    cursorTo(this.#output, 0)
    clearScreenDown(this.#output)
    this.#isShown = false
  }

  /** It stays on the screen, with `end` behind it, and the cursor stands below. */
  leave(end: string): void {
    if (!this.#isShown) return
    this.show({ cursor: this.text.length })
    this.#output.write(`${end}\n`)
    this.#isShown = false
  }

  /** The terminal has another width. Where its cursor is tells what it has done with the rows of the line. */
  resize(): void {
    if (!this.#isShown) return
    this.isSettling = true
    clearTimeout(this.#timer)
    if (!this.#doesAnswer) return this.show()
    this.#timer = setTimeout(() => {
      this.#doesAnswer = false
      this.#asked = 0
      this.show()
    }, WHERE_TIMEOUT_MS)
    this.#asked++
    this.#output.write(WHERE)
  }

  /** The terminal says in which column its cursor is, from 0. */
  isAt(column: number): void {
    // Of several widths in a row only the last is looked at.
    if (this.#asked === 0 || --this.#asked > 0 || !this.isSettling) return
    this.hide(column)
    this.show()
  }

  close(): void {
    clearTimeout(this.#timer)
    this.#editor.close()
  }

  // `column`: of the cursor, where the terminal has said that.
  #rowsAbove(column?: number): number {
    const { rows, cols } = this.#editor.getCursorPos()
    if (!this.isSettling) return rows
    this.isSettling = false
    clearTimeout(this.#timer)
    process.nextTick(this.#onSettled)
    this.#columns = this.#output.columns
    const anew = this.#editor.getCursorPos()
    const last = this.#columns - 1
    const places = [
      { doesReflow: true, rows: anew.rows, column: anew.cols },
      // Behind a row that is full it may stand in that.
      ...(anew.cols === 0 && anew.rows > 0 ? [{ doesReflow: true, rows: anew.rows - 1, column: last }] : []),
      { doesReflow: false, rows, column: Math.min(cols, last) },
    ]
    // Where several fit it is as it was the last time. Where none does, part of the old line is left above, which harms less than to take away
    // what is not of the line: tmux is seen to lose its place in rows that end with wide characters.
    const fitting = places.filter((place) => column === undefined || place.column === Math.min(column, last))
    const found = fitting.find(({ doesReflow }) => doesReflow === this.#doesReflow) ?? fitting[0]
    if (!found) return 0
    if (column !== undefined) this.#doesReflow = found.doesReflow
    return found.rows
  }
}
