// All that is written for a person: answers on stdout, what is told beside them on stderr, never two on one line.

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
  terminal: Pick<Terminal, 'hide' | 'show'> | undefined
}

export const openScreen = (stdout: Writable, stderr: Writable, paint: Paint): Screen => {
  const pieces = new SafeText()
  let isMidLine = false
  const put = (stream: Writable, text: string): void => {
    if (text !== '') stream.write(text)
  }
  const whole = (stream: Writable, text: string): void => {
    screen.endAnswer()
    screen.terminal?.hide()
    put(stream, text.endsWith('\n') ? text : `${text}\n`)
    screen.terminal?.show()
  }
  const screen: Screen = {
    terminal: undefined,
    answer: (piece) => {
      const text = pieces.push(piece)
      if (text === '') return
      if (!isMidLine) screen.terminal?.hide()
      put(stdout, text)
      isMidLine = true
    },
    speaks: (agent) => {
      screen.endAnswer()
      screen.terminal?.hide()
      put(stdout, `${paint.agent(agent, `[${safe(agent)}]`)} `)
      isMidLine = true
    },
    endAnswer: () => {
      if (!isMidLine) return
      put(stdout, `${pieces.end()}\n`)
      isMidLine = false
      screen.terminal?.show()
    },
    output: (text) => whole(stdout, safe(text)),
    notice: (text) => whole(stderr, safe(text)),
    tell: (agent, text) => whole(stderr, paint.agent(agent, safe(text))),
    fault: (words) => whole(stderr, paint.error(safe(words))),
  }
  return screen
}
