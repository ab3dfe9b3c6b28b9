// A terminal that can do lines only (TERM=dumb), or stdout that is not a terminal: the editing of the system, and no control sequences.

import type { Readable, Writable } from 'node:stream'
import { LineReader } from '@plumb/wire'
import { continueMessage } from './continuation.js'
import type { QuestionAnswer, Terminal, TerminalListener } from './terminal.js'

export interface PlainOptions {
  readonly input: Readable
  /** Where the prompt goes. */
  readonly output: Writable
  readonly prompt: string
  readonly listener: TerminalListener
}

/** Ctrl-C comes as a signal. */
export const openPlain = ({ input, output, prompt, listener }: PlainOptions): Terminal => {
  let state: 'open' | 'held' | 'closed' = 'held'
  let question: { line: string; readonly answer: (answer: QuestionAnswer) => void } | undefined
  let message = ''
  /** Lines that were typed before a question: they do not answer it. */
  const ahead: string[] = []
  const pull = (): void => {
    while (question || state === 'open') {
      const line = question ? undefined : ahead.shift()
      if (line !== undefined) take(line)
      else if (!reader.next()) break
      else if (!reader.fault) take(typed())
    }
    if (reader.hasEnded && state !== 'closed') end()
  }
  const typed = (): string => JSON.parse(reader.buf.toString('utf8', reader.start, reader.end))
  const end = (): void => {
    settle('leave')
    listener.onEnd()
  }
  const settle = (answer: QuestionAnswer): void => {
    const asked = question
    question = undefined
    asked?.answer(answer)
  }
  const take = (line: string): void => {
    if (question) {
      settle(/^\s*y(es)?\s*$/i.test(line) ? 'yes' : 'no')
      if (state === 'open') show()
      return
    }
    const text = message + line
    const longer = continueMessage(text)
    if (longer !== undefined) {
      message = longer
      return
    }
    message = ''
    state = 'held'
    listener.onMessage(text)
  }
  const reader = new LineReader(input, { raw: true, onReadable: pull })

  const show = (): void => {
    if (question) output.write(question.line)
    else if (state === 'open') output.write(prompt)
  }
  const hide = (): void => {
    if (question || state === 'open') output.write('\n')
  }
  return {
    open: () => {
      if (state !== 'held') return
      state = 'open'
      if (question) return
      show()
      pull()
    },
    ask: ({ above, line }) => {
      if (state === 'closed') return Promise.resolve('leave')
      while (reader.next()) if (!reader.fault) ahead.push(typed())
      hide()
      if (above !== undefined) output.write(`${above}\n`)
      return new Promise((answer) => {
        question = { line, answer }
        show()
        pull()
      })
    },
    reword: ({ line }) => {
      if (!question) return
      hide()
      question.line = line
      show()
    },
    withdraw: (why) => {
      if (!question) return
      output.write(`${why}\n`)
      settle('withdrawn')
      show()
      pull()
    },
    get isAsking() {
      return question !== undefined
    },
    close: () => {
      if (state === 'closed') return
      state = 'closed'
      settle('leave')
      reader.stop()
    },
    hide,
    show,
  }
}
