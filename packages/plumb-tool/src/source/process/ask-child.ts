// Sends one line to a child and expects exactly one line before it ends.

import { EX_TEMPFAIL, GRACE_MS, readStderr, type StderrTail, stopWhenAborted } from '@plumb/sandbox'
import { type Child, type Exit, type Fault, fail, LineReader, parseJson, preview, type Result, succeed } from '@plumb/wire'
import type { JsonText } from '../../json-text.js'

export interface AskOptions {
  /** The name of the process in errors. */
  readonly name: string
  readonly child: Child
  readonly input: JsonText
  readonly signal: AbortSignal
  /** Receives warnings of the child; undefined for foreign programs, whose stderr is not interpreted. */
  readonly warn?: ((warning: Fault) => void) | undefined
}

/** Resolves when the child has ended. An error object that the child wrote on stderr becomes the error. */
export const askChild = async ({ name, child, input, signal, warn }: AskOptions): Promise<Result<JsonText>> => {
  const words = readStderr(child.stderr, { warn: warn && ((warning) => warn({ ...warning, source: warning.source ?? name })) })
  const answers = listen(name, child)
  child.stdin.end(`${input}\n`)
  const exit = await stopWhenAborted(child, signal)
  if (exit === 'aborted') return fail('cancelled', `process '${name}' was stopped before it gave an answer`)
  const failed = findFailure(name, exit, words, answers)
  return failed ?? answers.first ?? fail('tool_crashed', `process '${name}' ended without an answer`)
}

interface Answers {
  first: Result<JsonText> | undefined
  count: number
}

const listen = (name: string, child: Child): Answers => {
  const answers: Answers = { first: undefined, count: 0 }
  const read = (): void => {
    while (reader.next()) {
      answers.count++
      answers.first ??= readAnswer(name, reader)
      // A second line is an error already.
      if (answers.count === 2) void child.terminate(GRACE_MS)
    }
  }
  const reader = new LineReader(child.stdout, { onReadable: read })
  return answers
}

const readAnswer = (name: string, { fault, buf, start, end, isLast }: LineReader): Result<JsonText> => {
  const parsed = fault ? ({ ok: false, error: fault } as const) : parseJson(buf, start, end, isLast)
  if (parsed.ok) return succeed(buf.toString('utf8', start, end))
  return fail(parsed.error.error, `what process '${name}' gave cannot be read: ${parsed.error.detail}`, { source: name })
}

const findFailure = (
  name: string,
  { status, signal }: Exit,
  words: StderrTail,
  { first, count }: Answers,
): Result<JsonText> | undefined => {
  if (count > 1) {
    return fail('output_type_mismatch', `process '${name}' gave more than one output for one input, and a tool gives exactly one`)
  }
  if (words.fault && (status !== 0 || !first)) return { ok: false, error: { source: name, ...words.fault } as typeof words.fault }
  if (status === 0) return undefined
  const ended = signal ? `was ended by ${signal}` : `ended with status ${status}`
  const said = words.text === '' ? 'and said nothing on stderr' : `and said: ${preview(words.text, MAX_SAID)}`
  const code = status === EX_TEMPFAIL ? 'overloaded' : first ? 'child_failed' : 'tool_crashed'
  return fail(code, `process '${name}' ${ended}, ${said}`, { source: name, ...(signal ? { signal } : { status }) })
}

const MAX_SAID = 600
