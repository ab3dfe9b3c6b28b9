// Everything written for a person: answers on stdout, notices and errors on stderr, never two on one line, and never over a question.

import type { Writable } from 'node:stream'
import { styledText, textWidth, wrapStyled } from '@plumb/wire'
import { type AnswerTextOptions, openAnswerText } from './answer-text.js'
import type { Paint } from './colour.js'
import { sanitize, TextSanitizer } from './sanitize.js'
import type { Terminal } from './terminal.js'
import { openWaitingSign, type WaitingSign } from './waiting-sign.js'

export interface Screen {
  /** A piece of an answer, as it comes. */
  answer(piece: string): void
  /** An answer begins; with the name of its agent, unless that is undefined. One that is prose is laid out for reading. */
  startAnswer(agent: string | undefined, isProse: boolean): void
  /** Ends the line of an answer, if one was begun. */
  endAnswer(): void
  /** A complete text on stdout. */
  output(text: string): void
  /** The same, laid out as an answer is. */
  prose(text: string): void
  /** A line on stderr. */
  notice(text: string): void
  /** The same, in the colour of an agent. */
  agentNotice(agent: string, text: string): void
  /** The same, as an aside. */
  dimNotice(text: string): void
  fault(text: string): void
  /** From now on, or no longer, an answer is waited for: on a terminal with colours a dim line says so while nothing comes. */
  wait(isWaiting: boolean): void
  /** Before something else is written to the terminal. */
  clear(): void
  /** From now on the line of this terminal is hidden while something is written. */
  attach(terminal: TerminalLine): void
  /** Nothing is written until the function is called that it returns: another program has the terminal. */
  hold(): () => void
  detach(): void
}

type TerminalLine = Pick<Terminal, 'hide' | 'show' | 'isAsking'>

/** `layout`: of a terminal that answers are laid out for; undefined: stdout is none, and gets them as they are. */
export const openScreen = (
  stdout: Writable,
  stderr: Writable & { readonly isTTY?: boolean },
  paint: Paint,
  layout?: AnswerTextOptions,
): Screen => {
  const pieces = new TextSanitizer()
  const flowing = layout && openAnswerText(layout)
  let isProse = true
  let terminal: TerminalLine | undefined
  let isMidLine = false
  /** The unfinished line of an answer that comes while a question is open; it is shown when it is complete. */
  let held = ''
  const writing = openWriting(() => sign?.clear())
  const { write, hold } = writing
  const sign = openSign(stdout, layout, () => !(isMidLine || held !== '' || terminal?.isAsking || writing.isHeld))
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
  const laidOut = (text: string): string => (flowing && isProse ? flowing.push(text) : text)
  const told = (text: string): string => (layout && stderr.isTTY ? wrapped(sanitize(text), layout.columns()) : sanitize(text))
  const screen: Screen = {
    answer: (text) => writePiece(laidOut(pieces.push(text))),
    startAnswer: (agent, isOfProse) => {
      screen.endAnswer()
      isProse = isOfProse
      if (agent === undefined) return
      const name = `[${sanitize(agent)}]`
      flowing?.begin(textWidth(name) + 1)
      writePiece(`${paint.agent(agent, name)} `)
    },
    endAnswer: () => {
      const rest = laidOut(pieces.end()) + (flowing?.end() ?? '')
      if (isMidLine) {
        write(stdout, `${rest}\n`)
        isMidLine = false
        terminal?.show()
      } else if (held + rest !== '') writeAbove(stdout, `${held}${rest}\n`)
      held = ''
    },
    output: (text) => writeLines(stdout, sanitize(text)),
    prose: (text) => {
      const whole = layout && openAnswerText(layout)
      writeLines(stdout, whole ? whole.push(sanitize(text)) + whole.end() : sanitize(text))
    },
    notice: (text) => writeLines(stderr, told(text)),
    agentNotice: (agent, text) => writeLines(stderr, paint.agent(agent, told(text))),
    dimNotice: (text) => writeLines(stderr, paint.dim(told(text))),
    fault: (text) => writeLines(stderr, paint.error(told(text))),
    wait: (isWaiting) => sign?.wait(isWaiting),
    clear: () => sign?.clear(),
    attach: (line) => {
      terminal = line
    },
    detach: () => {
      terminal = undefined
    },
    hold,
  }
  return screen
}

// Each line between words, with more space before what follows than the line has.
const wrapped = (text: string, columns: number): string =>
  text
    .split('\n')
    .map((line) => styledText(wrapStyled(line, columns, line.length - line.trimStart().length + CONTINUED), false))
    .join('\n')

const CONTINUED = 2

const openSign = (stdout: Writable, layout: AnswerTextOptions | undefined, isFree: () => boolean): WaitingSign | undefined =>
  layout?.isStyled ? openWaitingSign({ write: (text) => stdout.write(text), isFree, columns: layout.columns }) : undefined

/** `before`: called before each text. */
const openWriting = (before: () => void) => {
  let withheld: (() => void)[] | undefined
  const write = (stream: Writable, text: string): void => {
    if (withheld) withheld.push(() => write(stream, text))
    else if (text !== '') {
      before()
      stream.write(text)
    }
  }
  const hold = (): (() => void) => {
    withheld ??= []
    return () => {
      const late = withheld ?? []
      withheld = undefined
      for (const one of late) one()
    }
  }
  return {
    write,
    hold,
    get isHeld() {
      return withheld !== undefined
    },
  }
}
