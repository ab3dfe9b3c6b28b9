// Asks a person at the terminal, whatever stdin and stdout are.

import { closeSync, constants, openSync } from 'node:fs'
import type { Readable, Writable } from 'node:stream'
import { escapeControls, LineReader, openInput, openOutput } from '@plumb/wire'

export interface ConsentTerminal {
  readonly input: Readable
  readonly output: Writable
}

interface Question {
  readonly tool: string
  /** JSON, as text. */
  readonly input: string
}

/** Undefined: there is no terminal. */
export type AskTerminal = (question: Question, signal: AbortSignal) => Promise<boolean | undefined>

/** One question at a time. Anything but `y` or `yes` is a no. */
export const terminalApproval = (open: () => ConsentTerminal | undefined = openTerminal): AskTerminal => {
  let before: Promise<unknown> = Promise.resolve()
  return (question, signal) => {
    const answer = before.then(() => ask(question, signal, open))
    before = answer
    return answer
  }
}

const ask = async (question: Question, signal: AbortSignal, open: () => ConsentTerminal | undefined): Promise<boolean | undefined> => {
  if (signal.aborted) return false
  const terminal = open()
  if (!terminal) return undefined
  const { input, output } = terminal
  output.on('error', () => {})
  output.write(words(question))
  const reader = new LineReader(input)
  const line = await nextLine(reader, signal)
  if (line === undefined) output.write('\n')
  reader.stop()
  output.end()
  return line !== undefined && /^y(es)?$/i.test(line.trim())
}

/** Undefined: the end, or the question was withdrawn. */
const nextLine = (reader: LineReader, signal: AbortSignal): Promise<string | undefined> =>
  new Promise((resolve) => {
    const done = (line?: string): void => {
      reader.onReadable = null
      signal.removeEventListener('abort', giveUp)
      resolve(line)
    }
    const giveUp = (): void => done()
    const read = (): void => {
      if (reader.next()) done(reader.fault ? undefined : reader.buf.toString('utf8', reader.start, reader.end))
      else if (reader.hasEnded) done()
    }
    signal.addEventListener('abort', giveUp, { once: true })
    reader.onReadable = read
    read()
  })

const words = ({ tool, input }: Question): string =>
  `allow tool '${escapeControls(tool)}' to run with ${shorten(escapeControls(input))} ? [y/N] `

const MAX_SHOWN = 4000

// The person who consents must know that there is more.
const shorten = (text: string): string => {
  const hidden = text.length - MAX_SHOWN
  return hidden <= 0 ? text : `${text.slice(0, MAX_SHOWN)} … and ${hidden} more characters`
}

const openTerminal = (): ConsentTerminal | undefined => {
  const fds: number[] = []
  try {
    for (const way of [constants.O_RDONLY, constants.O_WRONLY]) fds.push(openSync('/dev/tty', way | constants.O_NOCTTY))
  } catch {
    for (const fd of fds) closeSync(fd)
    return undefined
  }
  const [input = -1, output = -1] = fds
  return { input: openInput(input), output: openOutput(output) }
}
