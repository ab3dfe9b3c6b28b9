// A terminal that can do lines only (TERM=dumb), or stdout that is not a terminal: the editing of the system, and no control sequences.

import type { Readable, Writable } from 'node:stream'
import { LineReader } from '@plumb/wire'
import { continueMessage } from './continuation.js'
import type { Question, QuestionAnswer, Terminal, TerminalListener } from './terminal.js'

export interface PlainOptions {
  readonly input: Readable
  /** Where the prompt goes. */
  readonly output: Writable
  readonly prompt: string
  readonly listener: TerminalListener
}

const ANSWERS: Readonly<Record<string, QuestionAnswer>> = { y: 'yes', yes: 'yes', a: 'always', always: 'always', e: 'edit', edit: 'edit' }

/** Ctrl-C comes as a signal. */
export const openPlain = (options: PlainOptions): Terminal => new PlainTerminal(options)

class PlainTerminal implements Terminal {
  readonly #options: PlainOptions
  #state: 'open' | 'held' | 'closed' = 'held'
  #question: { line: string; readonly answer: (answer: QuestionAnswer) => void } | undefined
  /** Takes the next line in place of a question. */
  #typing: { readonly line: string; readonly answer: (text: string | undefined) => void } | undefined
  readonly lend = undefined
  #message = ''
  /** Lines that were typed before a question: they do not answer it. */
  readonly #ahead: string[] = []
  readonly #reader: LineReader

  constructor(options: PlainOptions) {
    this.#options = options
    this.#reader = new LineReader(options.input, { raw: true, onReadable: () => this.#pull() })
  }

  open(): void {
    if (this.#state !== 'held') return
    this.#state = 'open'
    if (this.#question) return
    this.show()
    this.#pull()
  }

  ask({ above, line }: Question): Promise<QuestionAnswer> {
    if (this.#state === 'closed') return Promise.resolve('leave')
    while (this.#reader.next()) if (!this.#reader.fault) this.#ahead.push(this.#typed())
    this.hide()
    this.#options.output.write(`${above}\n`)
    return new Promise((answer) => {
      this.#question = { line, answer }
      this.show()
      this.#pull()
    })
  }

  reword({ line }: Question): void {
    if (!this.#question) return
    this.hide()
    this.#question.line = line
    this.show()
  }

  withdraw(why: string): void {
    if (!this.#question) return
    this.#options.output.write(`${why}\n`)
    this.#settle('withdrawn')
    this.show()
    this.#pull()
  }

  typed(line: string): Promise<string | undefined> {
    if (this.#state === 'closed') return Promise.resolve(undefined)
    return new Promise((answer) => {
      this.#typing = { line, answer }
      this.show()
      this.#pull()
    })
  }

  get isAsking(): boolean {
    return this.#question !== undefined || this.#typing !== undefined
  }

  close(): void {
    if (this.#state === 'closed') return
    this.#state = 'closed'
    this.#settle('leave')
    this.#reader.stop()
  }

  #pull(): void {
    while (this.isAsking || this.#state === 'open') {
      const line = this.isAsking ? undefined : this.#ahead.shift()
      if (line !== undefined) this.#take(line)
      else if (!this.#reader.next()) break
      else if (!this.#reader.fault) this.#take(this.#typed())
    }
    if (this.#reader.hasEnded && this.#state !== 'closed') this.#end()
  }

  #typed(): string {
    const { buf, start, end } = this.#reader
    return JSON.parse(buf.toString('utf8', start, end))
  }

  #end(): void {
    this.#settle('leave')
    this.#options.listener.onEnd()
  }

  #settle(answer: QuestionAnswer): void {
    const asked = this.#question
    this.#question = undefined
    asked?.answer(answer)
    this.#endTyping(undefined)
  }

  #endTyping(text: string | undefined): void {
    const typing = this.#typing
    this.#typing = undefined
    typing?.answer(text)
  }

  #take(line: string): void {
    if (this.#typing) return this.#endTyping(line)
    if (this.#question) {
      this.#settle(ANSWERS[line.trim().toLowerCase()] ?? 'no')
      if (this.#state === 'open') this.show()
      return
    }
    const text = this.#message + line
    const longer = continueMessage(text)
    if (longer !== undefined) {
      this.#message = longer
      return
    }
    this.#message = ''
    this.#state = 'held'
    this.#options.listener.onMessage(text)
  }

  show(): void {
    const asked = this.#question ?? this.#typing
    if (asked) this.#options.output.write(asked.line)
    else if (this.#state === 'open') this.#options.output.write(this.#options.prompt)
  }

  hide(): void {
    if (this.isAsking || this.#state === 'open') this.#options.output.write('\n')
  }
}
