// A terminal with a line editor, fed key by key: keys typed during an answer wait, a paste is text, and keys typed before a question do not
// answer it.

import { StringDecoder } from 'node:string_decoder'
import type { ReadStream, WriteStream } from 'node:tty'
import { continueMessage } from './continuation.js'
import { type Key, KeyReader } from './keys.js'
import { EditLine, type View } from './line.js'
import { sanitize } from './sanitize.js'
import { Search } from './search.js'
import type { Question, QuestionAnswer, Terminal, TerminalListener } from './terminal.js'

export interface EditorOptions {
  readonly input: ReadStream
  readonly output: WriteStream
  readonly prompt: string
  /** The newest first; may grow. */
  readonly history: readonly string[]
  /** Completions of the line when Tab is pressed. */
  readonly complete: (line: string) => readonly string[]
  readonly listener: TerminalListener
}

const PASTES_ON = '\x1b[?2004h'
const PASTES_OFF = '\x1b[?2004l'
const ESCAPE = '\x1b'
const [ABORT, ERASE] = ['\x07', /^[\x7f\b]/]
const ERASED = /^.*[\x7f\b]/s
/** More than that is not typed ahead by a listener. */
const MAX_TYPE_AHEAD = 4096

export const openEditor = (options: EditorOptions): Terminal => new Editor(options)

interface OpenQuestion {
  readonly answer: (answer: QuestionAnswer) => void
  /** The line before it. */
  readonly typed: View
  readonly always: string
  isWord: boolean
  /** It is asked whether that is meant for all calls like this one. */
  isAlways: boolean
}

interface OpenSearch {
  readonly state: Search
  /** The line before it. */
  readonly draft: View
}

const emptyLine = (prompt: string): View => ({ prompt, text: '', cursor: 0 })

class Editor implements Terminal {
  readonly #options: EditorOptions
  readonly #prompt: string
  #state: 'open' | 'held' | 'closed' = 'held'
  /** Shown instead of the line, in any state. */
  #question: OpenQuestion | undefined
  /** A line that is taken in place of a question. */
  #typing: { readonly answer: (text: string | undefined) => void; readonly typed: View } | undefined
  #isLent = false
  #search: OpenSearch | undefined
  #lastQuery = ''
  readonly #ahead: Key[] = []
  readonly #delayed: Key[] = []
  #entered = ''
  readonly #keys = new KeyReader()
  readonly #decoder = new StringDecoder('utf8')
  readonly #line: EditLine
  /** The entry of the history that is shown, -1 for none, and the line that was typed before. */
  #place = -1
  #draft = ''

  constructor(options: EditorOptions) {
    this.#options = options
    const { input, output, prompt, complete } = options
    this.#prompt = prompt
    this.#line = new EditLine({
      input,
      output,
      complete,
      onEntered: () => {
        this.#state = 'held'
        this.#options.listener.onMessage(this.#entered)
      },
      onSettled: () => {
        for (const key of this.#delayed.splice(0)) this.#take(key)
      },
    })
    this.#line.set(emptyLine(prompt))
    input.on('data', this.#onData).on('end', this.#onTerminalGone).on('error', this.#onTerminalGone)
    output.on('resize', this.#onResize)
    process.on('exit', this.close)
    input.setRawMode(true)
    output.write(PASTES_ON)
  }

  open(): void {
    if (this.#state !== 'held') return
    this.#state = 'open'
    if (this.#question) return
    this.#line.show()
    this.#takeAhead()
  }

  ask({ above, line: text, always }: Question): Promise<QuestionAnswer> {
    if (this.#state === 'closed') return Promise.resolve('leave')
    const typed = this.#line.view
    this.#line.hide()
    this.#options.output.write(`${above}\n`)
    this.#line.show(emptyLine(text))
    return new Promise((answer) => {
      this.#question = { answer, typed, always, isWord: false, isAlways: false }
    })
  }

  reword({ line: text }: Question): void {
    if (this.#question && !this.#question.isAlways) this.#line.show({ prompt: text })
  }

  withdraw(why: string): void {
    this.#settle('withdrawn', why)
  }

  get isAsking(): boolean {
    return this.#question !== undefined || this.#typing !== undefined
  }

  typed(prompt: string, text: string): Promise<string | undefined> {
    if (this.#state === 'closed') return Promise.resolve(undefined)
    const typed = this.#line.view
    this.#line.show({ prompt, text, cursor: text.length })
    return new Promise((answer) => {
      this.#typing = { answer, typed }
    })
  }

  readonly lend = (): (() => void) => {
    const { input, output } = this.#options
    this.#line.hide()
    this.#isLent = true
    input.pause()
    input.setRawMode(false)
    output.write(PASTES_OFF)
    return () => {
      this.#isLent = false
      if (this.#state === 'closed') return
      input.setRawMode(true)
      output.write(PASTES_ON)
      input.resume()
      this.show()
    }
  }

  hide(): void {
    this.#line.hide()
  }

  show(): void {
    if (!this.#isLent && (this.isAsking || this.#state === 'open')) this.#line.show()
  }

  #dropLine(): void {
    this.#place = -1
    this.#line.leave('^C')
    this.#line.show(emptyLine(this.#prompt))
  }

  #walkHistory(step: 1 | -1): void {
    const to = this.#place + step
    if (to < -1 || to >= this.#options.history.length) return
    if (this.#place === -1) this.#draft = this.#line.text
    this.#place = to
    this.#line.replace(this.#options.history[to] ?? this.#draft)
  }

  #enter(): void {
    const longer = continueMessage(this.#line.text)
    if (longer !== undefined) return this.#line.replace(longer)
    this.#entered = this.#line.text
    this.#place = -1
    this.#line.feed('\r')
  }

  #edit(key: Key): void {
    switch (key.kind) {
      case 'keys':
        return this.#line.feed(key.text)
      case 'paste':
        return this.#line.insert(cleanPaste(key.text))
      case 'newline':
        return this.#line.insert('\n')
      case 'enter':
        return this.#enter()
      case 'older':
        return this.#walkHistory(1)
      case 'newer':
        return this.#walkHistory(-1)
      case 'search-older':
      case 'search-newer':
        this.#search = { state: new Search(this.#options.history, this.#lastQuery, this.#line.view), draft: this.#line.view }
        return this.#line.show(this.#search.state.view)
      case 'interrupt':
        return this.#line.text === '' ? this.#options.listener.onInterrupt() : this.#dropLine()
      case 'end':
        return this.#line.text === '' ? this.#options.listener.onEnd() : this.#line.feed('\x04')
      case 'suspend':
        return this.#line.suspend()
    }
  }

  // The match becomes the line; the key that ended the search then acts on it.
  #endSearch(view: Partial<View>): void {
    if (!this.#search) return
    if (this.#search.state.query !== '') this.#lastQuery = this.#search.state.query
    this.#place = this.#search.state.place
    this.#draft = this.#search.draft.text
    this.#search = undefined
    this.#line.show({ ...view, prompt: this.#prompt })
  }

  #seek(key: Key, { state: found, draft }: OpenSearch): void {
    if (key.kind === 'interrupt') return this.#endSearch(draft)
    if (key.kind === 'search-older') found.older()
    else if (key.kind === 'search-newer') found.newer()
    else if (key.kind === 'paste') found.type(cleanPaste(key.text))
    else if (key.kind !== 'keys') {
      this.#endSearch({})
      return this.#take(key)
    } else {
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these end what is typed
      const [text = ''] = /^[^\x00-\x1f\x7f]*/.exec(key.text) ?? []
      const rest = key.text.slice(text.length)
      if (text !== '') found.type(text)
      if (rest !== '') return this.#seekOn(rest, found, draft)
    }
    this.#line.show(found.view)
  }

  #seekOn(rest: string, found: Search, draft: View): void {
    if (rest.startsWith(ABORT)) return this.#endSearch(draft)
    if (!ERASE.test(rest)) {
      this.#line.show(found.view)
      this.#endSearch({})
      return rest === ESCAPE ? undefined : this.#take({ kind: 'keys', text: rest })
    }
    found.erase()
    this.#line.show(found.view)
    if (rest.length > 1) this.#take({ kind: 'keys', text: rest.slice(1) })
  }

  #settle(result: QuestionAnswer, end: string): void {
    if (!this.#question) return
    const { answer, typed } = this.#question
    this.#line.leave(end)
    this.#question = undefined
    this.#line.set(typed)
    answer(result)
    if (this.#state !== 'open') return
    this.#line.show()
    this.#takeAhead()
  }

  #type(key: Key): void {
    if (key.kind === 'keys') this.#line.feed(key.text)
    else if (key.kind === 'paste') this.#line.insert(cleanPaste(key.text))
    else if (key.kind === 'newline') this.#line.insert('\n')
    else if (key.kind === 'suspend') this.#line.suspend()
    else if (key.kind === 'enter') this.#endTyping(this.#line.text)
    else if (key.kind === 'interrupt' || key.kind === 'end') this.#endTyping(undefined)
  }

  #endTyping(text: string | undefined): void {
    if (!this.#typing) return
    const { answer, typed } = this.#typing
    this.#line.leave('')
    this.#typing = undefined
    this.#line.set(typed)
    answer(text)
  }

  #decide(key: Key): void {
    if (key.kind === 'interrupt' || key.kind === 'end') {
      this.#settle('leave', 'no')
      this.#options.listener.onInterrupt()
    } else if (key.kind === 'enter') this.#settle('no', 'no')
    else if (key.kind === 'paste') this.#keep(key)
    else if (key.kind === 'keys') this.#decideBy(key.text)
  }

  // The y of a word that was begun before the question allows nothing.
  #decideBy(text: string): void {
    if (!this.#question) return
    const [typed = '', escape] = text.split(ESCAPE, 2)
    const last = typed.replace(ERASED, '')
    if (last !== typed) this.#question.isWord = false
    const { isAlways, isWord, always } = this.#question
    if (text.endsWith(ESCAPE) || /n/i.test(last)) this.#settle('no', 'no')
    else if (escape !== undefined || isWord || !(isAlways ? /^(y(es)?|ay?)$/i : /^(y(es)?|ay?|e)$/i).test(last))
      this.#question.isWord ||= last !== ''
    else if (/^ay$/i.test(last) || (isAlways && /^y/i.test(last))) this.#settle('always', 'yes')
    else if (/^y/i.test(last)) this.#settle('yes', 'yes')
    else if (/^e/i.test(last)) this.#settle('edit', 'edit')
    else if (!isAlways) {
      this.#question.isAlways = true
      this.#line.show({ prompt: always })
    }
  }

  #take(key: Key): void {
    if (this.#line.isSettling) this.#delayed.push(key)
    else if (this.#typing) this.#type(key)
    else if (this.#question) this.#decide(key)
    else if (this.#state === 'open') this.#search ? this.#seek(key, this.#search) : this.#edit(key)
    else if (key.kind === 'interrupt') this.#options.listener.onInterrupt()
    else this.#keep(key)
  }

  #keep(key: Key): void {
    if (this.#ahead.length < MAX_TYPE_AHEAD) this.#ahead.push(key)
  }

  #takeAhead(): void {
    for (const key of this.#ahead.splice(0)) this.#take(key)
  }

  readonly #onData = (chunk: Buffer): void => {
    // The signal for a new width may come later than keys that were typed at that width, or than the terminal's answers at it.
    refreshSize(this.#options.output)
    for (const key of this.#keys.push(this.#decoder.write(chunk))) {
      if (key.kind === 'position') this.#line.handleCursorColumn(key.column)
      else if (this.#state !== 'closed') this.#take(key)
    }
  }

  readonly #onTerminalGone = (): void => {
    if (this.#state !== 'closed') this.#options.listener.onEnd()
  }

  readonly #onResize = (): void => this.#line.resize()

  readonly close = (): void => {
    if (this.#state === 'closed') return
    this.#state = 'closed'
    this.#settle('leave', '')
    this.#endTyping(undefined)
    process.off('exit', this.close)
    this.#options.output.off('resize', this.#onResize)
    this.#line.close()
    this.#options.input.setRawMode(false)
    this.#options.input.destroy()
    this.#options.output.write(PASTES_OFF)
  }
}

// Emits `resize` if the size has changed. An internal method of Node, unchanged since its first versions.
const refreshSize = (output: WriteStream & { _refreshSize?(): void }): void => output._refreshSize?.()

// Control characters do not belong into a message.
const cleanPaste = (text: string): string => {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is taken out
  const kept = text.replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/g, '')
  return sanitize(kept)
}
