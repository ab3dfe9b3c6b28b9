// Waits for a command and returns its output: text, or the JSON on its stdout. A status other than 0 is an error with the text.

import { isUtf8 } from 'node:buffer'
import type { Readable } from 'node:stream'
import { resolve as resolveType, type Type } from '@plumb/lang'
import { EX_TEMPFAIL, stopWhenAborted } from '@plumb/sandbox'
import { type Child, type Exit, fail, MAX_LINE, parseJson, preview, type Result, succeed } from '@plumb/wire'
import type { CallRecord } from '../../call/call.js'
import { cutText } from '../../call/cut-text.js'
import { reportedFault } from '../../call/reported-fault.js'
import type { JsonText } from '../../json-text.js'

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

export const collectOutput = async ({ name, child, signal, output, maxOutput, record }: CollectOptions): Promise<Result<JsonText>> => {
  const isText = resolveType(output).kind === 'string'
  const said = new OutputBuffer(CHARACTER_BYTES * (maxOutput + 1))
  const json = new OutputBuffer(MAX_LINE)
  child.stdin.end()
  // stdout and stderr are joined here if the system has not joined them.
  const ending = new OutputTail()
  for (const stream of [child.stderr, child.stdout]) said.listen(stream)
  ending.listen(child.stderr)
  // For text, stderr was redirected into stdout and ends at once.
  if (isText) ending.listen(child.stdout)
  if (!isText) json.listen(child.stdout)
  const exit = await stopWhenAborted(child, signal)
  const kept = said.wholeCharacters
  const { text, cutBytes } = cutText(kept.toString('utf8'), maxOutput, said.bytes - kept.length)
  if (exit === 'aborted') return fail('cancelled', `command '${name}' was stopped before it ended`, { output: text })
  if (exit.status !== 0) return commandFailure(name, exit, text, ending.lastLine)
  if (!isText) return readJson(name, json, output)
  record.truncated ||= cutBytes > 0
  return succeed(JSON.stringify(text))
}

/** The error of a failed command: an error object on its last line, or `overloaded` for EX_TEMPFAIL of sysexits(3). */
const commandFailure = (name: string, { status, signal }: Exit, output: string, lastLine: string): Result<never> => {
  const ending = signal ? { signal } : { status }
  const reported = reportedFault(parseObject(lastLine), `command '${name}'`)
  if (reported) return { ok: false, error: { ...reported, ...ending, output } }
  const ended = signal ? `was ended by ${signal}` : `ended with status ${status}`
  const last = output.trimEnd().split('\n').slice(-LAST_LINES).join('\n')
  const words = last === '' ? 'and wrote nothing' : `and wrote: ${preview(last, MAX_WORDS)}`
  const code = status === EX_TEMPFAIL ? 'overloaded' : 'child_failed'
  return fail(code, `command '${name}' ${ended}, ${words}`, { ...ending, output })
}

const parseObject = (line: string): unknown => {
  if (!line.startsWith('{')) return undefined
  const bytes = Buffer.from(line)
  const parsed = parseJson(bytes, 0, bytes.length)
  return parsed.ok ? parsed.value : undefined
}

const LAST_LINES = 5
const MAX_WORDS = 400

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

class OutputBuffer {
  /** All bytes that came, kept or not. */
  bytes = 0
  readonly #maxBytes: number
  readonly #chunks: Buffer[] = []
  #kept = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** Chunks of several streams are kept in order of arrival. */
  listen(stream: Readable): void {
    stream.on('data', (chunk: Buffer) => {
      this.bytes += chunk.length
      if (this.#kept >= this.#maxBytes) return
      // Copied, since a slice would keep the whole chunk in memory.
      this.#chunks.push(Buffer.from(chunk.subarray(0, this.#maxBytes - this.#kept)))
      this.#kept = Math.min(this.#maxBytes, this.#kept + chunk.length)
    })
  }

  /** The bytes kept. */
  get beginning(): Buffer {
    return Buffer.concat(this.#chunks, this.#kept)
  }

  /** The bytes kept, without a last UTF-8 character that was cut. */
  get wholeCharacters(): Buffer {
    const bytes = this.beginning
    if (bytes.length === this.bytes) return bytes
    let end = bytes.length
    while (end > 0 && ((bytes[end - 1] as number) & 0xc0) === 0x80) end--
    return bytes.subarray(0, Math.max(0, end - 1))
  }
}

const MAX_LAST_BYTES = 64 * 1024

/** The last 64 KiB or more of a stream, for its last line. */
class OutputTail {
  readonly #bytes = Buffer.alloc(2 * MAX_LAST_BYTES)
  #length = 0

  listen(stream: Readable): void {
    stream.on('data', (chunk: Buffer) => {
      const part = chunk.subarray(Math.max(0, chunk.length - MAX_LAST_BYTES))
      if (this.#length + part.length > this.#bytes.length) {
        this.#bytes.copy(this.#bytes, 0, this.#length - MAX_LAST_BYTES, this.#length)
        this.#length = MAX_LAST_BYTES
      }
      this.#length += part.copy(this.#bytes, this.#length)
    })
  }

  /** The last line that is not empty. */
  get lastLine(): string {
    return this.#bytes.toString('utf8', 0, this.#length).trimEnd().split('\n').at(-1) ?? ''
  }
}
