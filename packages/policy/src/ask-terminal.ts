// Asks a person at the terminal, whatever stdin and stdout are.

import { closeSync, constants, openSync, readSync } from 'node:fs'
import type { Readable, Writable } from 'node:stream'
import { type AskedCall, consentQuestion } from '@plumb/ledger'
import { AsyncLineReader, isTerminal, openInput, openOutput } from '@plumb/wire'

export interface ConsentTerminal {
  readonly input: Readable
  readonly output: Writable
}

/** Undefined if there is no terminal. */
export type AskTerminal = (question: AskedCall, signal: AbortSignal) => Promise<boolean | undefined>

/** Asks one question at a time. Any answer but `y` or `yes` means no. */
export const terminalApproval = (open: () => ConsentTerminal | undefined = openTerminal): AskTerminal => {
  let before: Promise<unknown> = Promise.resolve()
  return (question, signal) => {
    const answer = before.then(() => ask(question, signal, open))
    before = answer
    return answer
  }
}

const ask = async (question: AskedCall, signal: AbortSignal, open: () => ConsentTerminal | undefined): Promise<boolean | undefined> => {
  if (signal.aborted) return false
  const terminal = open()
  if (!terminal) return undefined
  const { input, output } = terminal
  output.on('error', () => {})
  const { above, line: asked } = consentQuestion(question)
  output.write(`${above}\n${asked}`)
  const lines = new AsyncLineReader(input)
  const stop = (): void => lines.stop()
  signal.addEventListener('abort', stop, { once: true })
  const { current } = lines
  const line = (await lines.next()) && !current.fault ? current.buf.toString('utf8', current.start, current.end) : undefined
  signal.removeEventListener('abort', stop)
  if (line === undefined) output.write('\n')
  lines.stop()
  output.end()
  return line !== undefined && /^y(es)?$/i.test(line.trim())
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
