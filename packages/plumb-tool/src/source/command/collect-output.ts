// Waits for a command and returns its output: text, or the JSON on its stdout. A status other than 0 is an error with the text.

import { isUtf8 } from 'node:buffer'
import { resolve as resolveType, type Type } from '@plumb/lang'
import { EX_TEMPFAIL, stopWhenAborted } from '@plumb/sandbox'
import { type Child, type Exit, fail, MAX_LINE, parseJson, type Result, succeed } from '@plumb/wire'
import type { CallRecord } from '../../call/call.js'
import { cutText } from '../../call/cut-text.js'
import { lastWords } from '../../call/last-words.js'
import { reportedFault } from '../../call/reported-fault.js'
import type { JsonText } from '../../json-text.js'
import { OutputBuffer, OutputEnds, OutputTail } from './output-buffer.js'

interface CollectOptions {
  readonly name: string
  readonly child: Child
  readonly signal: AbortSignal
  readonly output: Type
  readonly maxOutput: number
  readonly record: CallRecord
}

/** The longest UTF-8 character. */
const CHARACTER_BYTES = 4
/** For the last line of what a command says of its end. */
const MAX_LAST_BYTES = 64 * 1024

export const collectOutput = async ({ name, child, signal, output, maxOutput, record }: CollectOptions): Promise<Result<JsonText>> => {
  const isText = resolveType(output).kind === 'string'
  const said = new OutputEnds(CHARACTER_BYTES * (maxOutput + 1))
  const json = new OutputBuffer(MAX_LINE)
  child.stdin.end()
  // stdout and stderr are joined here if the system has not joined them.
  const ending = new OutputTail(MAX_LAST_BYTES)
  for (const stream of [child.stderr, child.stdout]) said.listen(stream)
  ending.listen(child.stderr)
  // For text, stderr was redirected into stdout and ends at once.
  if (isText) ending.listen(child.stdout)
  if (!isText) json.listen(child.stdout)
  const exit = await stopWhenAborted(child, signal)
  const kept = said.text
  const { text, cutBytes } = cutText(kept.text, maxOutput, kept.droppedBytes)
  if (exit === 'aborted') return fail('cancelled', `command '${name}' was stopped before it ended`, { output: text })
  if (exit.status !== 0) return commandFailure(name, exit, { output: text, words: lastWords(said.end), lastLine: ending.lastLine })
  if (!isText) return readJson(name, json, output)
  record.truncated ||= cutBytes > 0
  return succeed(JSON.stringify(text))
}

/** The error of a failed command: an error object on its last line, or `overloaded` for EX_TEMPFAIL of sysexits(3). */
const commandFailure = (
  name: string,
  { status, signal }: Exit,
  { output, words, lastLine }: { readonly output: string; readonly words: string; readonly lastLine: string },
): Result<never> => {
  const ending = signal ? { signal } : { status }
  const reported = reportedFault(parseObject(lastLine), `command '${name}'`)
  if (reported) return { ok: false, error: { ...reported, ...ending, output } }
  const ended = signal ? `was ended by ${signal}` : `ended with status ${status}`
  const code = status === EX_TEMPFAIL ? 'overloaded' : 'child_failed'
  return fail(code, `command '${name}' ${ended}, ${words === '' ? 'and wrote nothing' : `and wrote: ${words}`}`, { ...ending, output })
}

const parseObject = (line: string): unknown => {
  if (!line.startsWith('{')) return undefined
  const bytes = Buffer.from(line)
  const parsed = parseJson(bytes, 0, bytes.length)
  return parsed.ok ? parsed.value : undefined
}

const readJson = (name: string, stdout: OutputBuffer, output: Type): Result<JsonText> => {
  if (stdout.bytes > MAX_LINE)
    return fail('output_type_mismatch', `command '${name}' wrote more than ${MAX_LINE} bytes, too much for one JSON value`)
  const bytes = stdout.beginning
  if (!isUtf8(bytes)) return fail('output_type_mismatch', `what command '${name}' wrote on stdout is not UTF-8`)
  // Empty output is the value of unit.
  if (resolveType(output).kind === 'unit' && bytes.toString('latin1').trim() === '') return succeed('null')
  const parsed = parseJson(bytes, 0, bytes.length)
  // In JSON, newlines are only white space between tokens.
  if (parsed.ok)
    return succeed(
      bytes
        .toString('utf8')
        .trim()
        .replace(/[\r\n]+/g, ' '),
    )
  return fail('output_type_mismatch', `what command '${name}' wrote on stdout is to be one JSON value: ${parsed.error.detail}`)
}
