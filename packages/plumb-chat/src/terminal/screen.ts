// Everything written for a person: answers on stdout, notices and errors on stderr, never two on one line, and never over a question.

import type { Writable } from 'node:stream'
import type { Paint } from './colour.js'
import { sanitize, TextSanitizer } from './sanitize.js'
import type { Terminal } from './terminal.js'

export interface Screen {
  /** A piece of an answer, as it comes. */
  answer(piece: string): void
  /** The answer of this agent begins. */
  startAnswer(agent: string): void
  /** Ends the line of an answer, if one was begun. */
  endAnswer(): void
  /** A complete text on stdout. */
  output(text: string): void
  /** A line on stderr. */
  notice(text: string): void
  /** The same, in the colour of an agent. */
  agentNotice(agent: string, text: string): void
  fault(text: string): void
  /** From now on the line of this terminal is hidden while something is written. */
  attach(terminal: TerminalLine): void
  detach(): void
}

type TerminalLine = Pick<Terminal, 'hide' | 'show' | 'isAsking'>

export const openScreen = (stdout: Writable, stderr: Writable, paint: Paint): Screen => {
  const pieces = new TextSanitizer()
  let terminal: TerminalLine | undefined
  let isMidLine = false
  /** The unfinished line of an answer that comes while a question is open; it is shown when it is complete. */
  let held = ''
  const write = (stream: Writable, text: string): void => {
    if (text !== '') stream.write(text)
  }
  const writeAbove = (stream: Writable, text: string): void => {
    terminal?.hide()
    write(stream, text)
    terminal?.show()
  }
  const writeLines = (stream: Writable, text: string): void => {
    screen.endAnswer()
    writeAbove(stream, text.endsWith('\n') ? text : `${text}\n`)
  }
  const writePiece = (text: string): void => {
    held += text
    if (terminal?.isAsking) {
      const end = held.lastIndexOf('\n') + 1
      if (end > 0) writeAbove(stdout, held.slice(0, end))
      held = held.slice(end)
    } else if (held !== '') {
      if (!isMidLine) terminal?.hide()
      write(stdout, held)
      held = ''
      isMidLine = true
    }
  }
  const screen: Screen = {
    answer: (text) => writePiece(pieces.push(text)),
    startAnswer: (agent) => {
      screen.endAnswer()
      writePiece(`${paint.agent(agent, `[${sanitize(agent)}]`)} `)
    },
    endAnswer: () => {
      const rest = pieces.end()
      if (isMidLine) {
        write(stdout, `${rest}\n`)
        isMidLine = false
        terminal?.show()
      } else if (held + rest !== '') writeAbove(stdout, `${held}${rest}\n`)
      held = ''
    },
    output: (text) => writeLines(stdout, sanitize(text)),
    notice: (text) => writeLines(stderr, sanitize(text)),
    agentNotice: (agent, text) => writeLines(stderr, paint.agent(agent, sanitize(text))),
    fault: (text) => writeLines(stderr, paint.error(sanitize(text))),
    attach: (line) => {
      terminal = line
    },
    detach: () => {
      terminal = undefined
    },
  }
  return screen
}
