// Asks a person at the terminal, whatever stdin and stdout are: whether a call may be made, and what an agent whose model is a person asks.

import { closeSync, constants, openSync, readSync } from 'node:fs'
import type { Readable, Writable } from 'node:stream'
import { type AskedCall, type Consent, consentQuestion } from '@plumb/ledger'
import { answerForm, folded, type PersonQuestion, shownQuestion, skippedFault } from '@plumb/ledger/approval'
import {
  AsyncLineReader,
  escapeControls,
  type Fault,
  fault,
  hasStyles,
  isTerminal,
  openInput,
  openOutput,
  paint,
  type Result,
  setPrompt,
  succeed,
} from '@plumb/wire'

export interface ConsentTerminal {
  readonly input: Readable
  readonly output: Writable
}

/** Undefined if there is no terminal. */
export type AskTerminal = (question: AskedCall, signal: AbortSignal) => Promise<Consent | undefined>

/** Resolves to the answer as JSON text. Undefined: there is no terminal. */
export type AskAnswer = (question: AnswerQuestion, signal: AbortSignal) => Promise<Result<string> | undefined>

export interface AnswerQuestion extends PersonQuestion {
  /** What is wrong with an answer, as JSON text. */
  readonly check: (json: string) => Fault | undefined
}

export interface TerminalQuestions {
  /** Any answer but `y`, `yes`, `e` or `edit` means no. */
  readonly approve: AskTerminal
  readonly answer: AskAnswer
}

/** Asks one question at a time. */
export const terminalQuestions = (open: () => ConsentTerminal | undefined = openTerminal): TerminalQuestions => {
  let before: Promise<unknown> = Promise.resolve()
  const inTurn = <T>(ask: () => Promise<T>): Promise<T> => {
    const answer = before.then(ask)
    before = answer
    return answer
  }
  return {
    approve: (question, signal) => inTurn(() => askConsent(question, signal, open)),
    answer: (question, signal) => inTurn(() => askAnswer(question, signal, open)),
  }
}

export const terminalApproval = (open: () => ConsentTerminal | undefined = openTerminal): AskTerminal => terminalQuestions(open).approve

interface Terminal {
  /** Undefined: nobody knows. */
  readonly columns: number | undefined
  readonly isStyled: boolean
  write(text: string): void
  /** Undefined: nothing more is typed. */
  line(): Promise<string | undefined>
  close(): void
}

const onTerminal = (signal: AbortSignal, open: () => ConsentTerminal | undefined): Terminal | undefined => {
  const terminal = open()
  if (!terminal) return undefined
  const { input, output } = terminal
  output.on('error', () => {})
  // Raw, so that a line with nothing on it is an answer.
  const lines = new AsyncLineReader(input, { raw: true })
  const stop = (): void => lines.stop()
  signal.addEventListener('abort', stop, { once: true })
  const { current } = lines
  let prompt = ''
  return {
    columns: 'columns' in output && typeof output.columns === 'number' ? output.columns : undefined,
    isStyled: hasStyles('isTTY' in output && output.isTTY === true),
    write: (text) => {
      prompt = text.slice(text.lastIndexOf('\n') + 1)
      output.write(text)
    },
    line: async () => {
      setPrompt(prompt)
      const isThere = await lines.next()
      setPrompt(undefined)
      return isThere && !current.fault ? (JSON.parse(current.buf.toString('utf8', current.start, current.end)) as string) : undefined
    },
    close: () => {
      signal.removeEventListener('abort', stop)
      lines.stop()
      output.end()
    },
  }
}

const askConsent = async (
  question: AskedCall,
  signal: AbortSignal,
  open: () => ConsentTerminal | undefined,
): Promise<Consent | undefined> => {
  let { wrong } = question
  while (!signal.aborted) {
    const terminal = onTerminal(signal, open)
    if (!terminal) return undefined
    const { above, line: asked } = consentQuestion({ ...question, wrong }, terminal)
    terminal.write(`${above}\n${asked}`)
    const line = (await terminal.line())?.trim()
    if (line === undefined) terminal.write('\n')
    if (line === undefined || !/^e(dit)?$/i.test(line)) {
      terminal.close()
      return line !== undefined && /^y(es)?$/i.test(line)
    }
    const edited = await edit(question.input, terminal, signal)
    if (edited.ok && edited.value !== undefined) return { edited: edited.value }
    wrong = edited.ok ? undefined : edited.error.detail
  }
  return false
}

// Where there is no editor, in a line. The terminal is given up to the editor; inputs that are typed are read all the time, and would take
// what is meant for it.
const edit = async (input: string, terminal: Terminal, signal: AbortSignal): Promise<Result<string | undefined>> => {
  const { editJson, editorWords, inOneLine } = await import('@plumb/wire/edit-json')
  const words = isTerminal(0) ? [] : editorWords(process.env)
  if (words.length === 0) terminal.write('its new input, as JSON (Enter leaves it as it is): ')
  const line = words.length === 0 ? ((await terminal.line()) ?? '').trim() : undefined
  terminal.close()
  if (line === undefined) return editJson(input, words, signal)
  return line === '' ? succeed(undefined) : inOneLine(line)
}

const ENDED: Result<string> = { ok: false, error: fault('cancelled', 'the run ended before the person had answered') }

const askAnswer = async (
  question: AnswerQuestion,
  signal: AbortSignal,
  open: () => ConsentTerminal | undefined,
): Promise<Result<string> | undefined> => {
  if (signal.aborted) return ENDED
  const terminal = onTerminal(signal, open)
  if (!terminal) return undefined
  terminal.write(`${shownQuestion(question, terminal)}\n`)
  const answered = await answerOn(terminal, question)
  terminal.close()
  return signal.aborted && !answered.ok ? ENDED : answered
}

// A whole answer as JSON may be typed for the first field.
const answerOn = async (terminal: Terminal, { schema, check }: AnswerQuestion): Promise<Result<string>> => {
  const form = answerForm(schema)
  for (;;) {
    const texts: string[] = []
    for (const { ask } of form.fields) {
      terminal.write(`${ask}, or skip: `)
      const line = await terminal.line()
      if (line === undefined) terminal.write('\n')
      if (line === undefined || /^\s*skip\s*$/.test(line)) return { ok: false, error: skippedFault() }
      texts.push(line)
      if (texts.length === 1 && form.fields.length > 1 && line.trim().startsWith('{')) break
    }
    const json = texts.length < form.fields.length ? (texts[0] as string).trim() : form.join(texts)
    const wrong = check(json)
    if (!wrong) return succeed(json)
    const detail = folded('', escapeControls(wrong.detail), terminal.columns)
    terminal.write(`${terminal.isStyled ? paint('error', detail) : detail}\n`)
  }
}

const openTerminal = (): ConsentTerminal | undefined => {
  const fds: number[] = []
  try {
    // Inputs that are typed are read all the time.
    if (!isTerminal(0)) dropTyped()
    for (const way of [constants.O_RDONLY, constants.O_WRONLY]) fds.push(openSync('/dev/tty', way | constants.O_NOCTTY))
  } catch {
    for (const fd of fds) closeSync(fd)
    return undefined
  }
  const [input = -1, output = -1] = fds
  return { input: openInput(input), output: openOutput(output) }
}

const MAX_DROPPED_LINES = 10_000

// Lines that were typed before the question do not answer it: what a model says can look like a question.
const dropTyped = (): void => {
  const fd = openSync('/dev/tty', constants.O_RDONLY | constants.O_NOCTTY | constants.O_NONBLOCK)
  try {
    const line = Buffer.alloc(4096)
    for (let n = 0; n < MAX_DROPPED_LINES && readSync(fd, line) > 0; n++) {}
  } catch {
    // Nothing more was typed.
  } finally {
    closeSync(fd)
  }
}
