// All that is written for a person: answers on stdout, what is told beside them on stderr, never two on one line, and never over a question.

import type { Writable } from 'node:stream'
import type { Paint } from './colour.js'
import { SafeText, safe } from './safe-text.js'
import type { Terminal } from './terminal.js'

export interface Screen {
  /** A piece of an answer, as it comes. */
  answer(piece: string): void
  /** Whose answer begins now. */
  speaks(agent: string): void
  /** Ends the line of an answer; nothing where none was begun. */
  endAnswer(): void
  /** A whole text on stdout. */
  output(text: string): void
  /** A line beside the answers. */
  notice(text: string): void
  /** The same, in an agent's colour behind its name. */
  tell(agent: string, text: string): void
  fault(words: string): void
  /** Whose line is taken out of the way. */
  terminal: Pick<Terminal, 'hide' | 'show' | 'isAsking'> | undefined
}

export const openScreen = (stdout: Writable, stderr: Writable, paint: Paint): Screen => {
  const pieces = new SafeText()
  let isMidLine = false
  /** Of the line of an answer that comes while a question is open: it is shown when it is whole. */
  let held = ''
  const put = (stream: Writable, text: string): void => {
    if (text !== '') stream.write(text)
  }
  const above = (stream: Writable, text: string): void => {
    screen.terminal?.hide()
    put(stream, text)
    screen.terminal?.show()
  }
  const whole = (stream: Writable, text: string): void => {
    screen.endAnswer()
    above(stream, text.endsWith('\n') ? text : `${text}\n`)
  }
  const piece = (text: string): void => {
    held += text
    if (screen.terminal?.isAsking) {
      const end = held.lastIndexOf('\n') + 1
      if (end > 0) above(stdout, held.slice(0, end))
      held = held.slice(end)
    } else if (held !== '') {
      if (!isMidLine) screen.terminal?.hide()
      put(stdout, held)
      held = ''
      isMidLine = true
    }
  }
  const screen: Screen = {
    terminal: undefined,
    answer: (text) => piece(pieces.push(text)),
    speaks: (agent) => {
      screen.endAnswer()
      piece(`${paint.agent(agent, `[${safe(agent)}]`)} `)
    },
    endAnswer: () => {
      const rest = pieces.end()
      if (isMidLine) {
        put(stdout, `${rest}\n`)
        isMidLine = false
        screen.terminal?.show()
      } else if (held + rest !== '') above(stdout, `${held}${rest}\n`)
      held = ''
    },
    output: (text) => whole(stdout, safe(text)),
    notice: (text) => whole(stderr, safe(text)),
    tell: (agent, text) => whole(stderr, paint.agent(agent, safe(text))),
    fault: (words) => whole(stderr, paint.error(safe(words))),
  }
  return screen
}
