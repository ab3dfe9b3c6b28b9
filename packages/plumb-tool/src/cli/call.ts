// plumb-tool call: one call, or with `-` one for each line of standard input, in order, or one for all of it.

import { isUtf8 } from 'node:buffer'
import type { Readable } from 'node:stream'
import { type Field, openingHelp, printType, resolve, type Type, takesText } from '@plumb/lang'
import {
  AsyncLineReader,
  announceInput,
  checkLine,
  escapeLines,
  type Fault,
  fail,
  fault,
  isTerminal,
  type LineReader,
  LineWriter,
  MAX_LINE,
  onStop,
  openInput,
  openLineInput,
  openLineOutput,
  type Result,
  readBytes,
  type StopSignal,
  succeed,
  suggestRaw,
  systemReason,
  unquoted,
  writeStdout,
} from '@plumb/wire'
import { perform } from '../call/perform.js'
import type { JsonText } from '../json-text.js'
import type { Registered } from '../registry/registry.js'
import { unknownTool } from '../serve/dispatcher.js'
import type { CommandInput, RunCommand, ToolSet } from './command.js'

export const call: RunCommand = async (tools, asked) => {
  const [name = '', given] = asked.words
  const { registry } = tools
  const tool = registry.get(name)
  if (!tool) {
    asked.reporter.report(unknownTool(name, registry))
    return undefined
  }
  const wrong = misuse(tool, given, asked)
  if (wrong) {
    asked.reporter.report(wrong)
    return undefined
  }
  const caller = new Caller(tool, tools, asked)
  if (asked.options.verb.isSlurped) await caller.callWithAll()
  else if (given === '-') await caller.callEach()
  else await caller.callOnce(given)
  return caller.end()
}

class Caller {
  /** Open once there are lines to write. */
  #lines: LineWriter | undefined
  /** The only line, without its end. */
  #only: string | undefined
  readonly #stop = new AbortController()
  readonly #forgetSignals: () => void
  #inputs: AsyncLineReader | undefined
  /** Called when results can be written again. */
  #goOn: () => void = () => {}
  #signal: StopSignal | undefined

  constructor(
    private readonly tool: Registered,
    private readonly tools: ToolSet,
    private readonly asked: CommandInput,
  ) {
    this.#forgetSignals = onStop(
      (signal) => {
        this.#signal = signal
        this.#cancel()
      },
      () => {},
    )
  }

  async callOnce(given: string | undefined): Promise<void> {
    const input = given === undefined ? nothingFor(this.tool) : this.#asInput(given)
    if (typeof input === 'string') this.#only = await this.#call(input, {})
    else this.asked.reporter.report(input)
  }

  async callWithAll(): Promise<void> {
    const stdin = openInput(0)
    this.#stop.signal.addEventListener('abort', () => stdin.destroy(), { once: true })
    const text = await readAll(stdin, this.asked.options.verb.maxLine)
    const input = text.ok ? this.#asInput(text.value) : text.error
    if (typeof input === 'string') this.#only = await this.#call(input, {})
    else if (!this.#stop.signal.aborted) this.asked.reporter.report(input)
  }

  async callEach(): Promise<void> {
    const { isRawInput, maxLine } = this.asked.options.verb
    const lines = new AsyncLineReader(openLineInput(0), { raw: isRawInput, maxLine })
    this.#inputs = lines
    const reader = lines.current
    const form = { type: printType(this.tool.plan.input), takesText: this.#takesText, isRaw: isRawInput }
    announceInput('plumb-tool', form, (line) => this.asked.reporter.write(line))
    this.asked.reporter.flush()
    if (this.#stop.signal.aborted) lines.stop()
    const writer = this.#openWriter()
    for (let seq = 1; await lines.next(); seq++) {
      const place = { line: reader.line, seq }
      const input = reader.fault ?? this.#asLine(reader)
      const text = typeof input === 'string' ? await this.#call(input, place) : undefined
      if (typeof input !== 'string') this.asked.reporter.report({ ...input, ...place })
      if (text !== undefined) writer.writeText(text)
      if (writer.isFull) await this.#room()
    }
  }

  async end(): Promise<StopSignal | undefined> {
    const isStopped = this.#signal !== undefined
    if (this.#only !== undefined && isStopped) this.#openWriter().writeText(this.#only)
    await this.#lines?.end()
    // Writing synchronously would block on a reader that does not read, and a signal must not wait for it.
    this.#forgetSignals()
    if (this.#only !== undefined && !isStopped) await this.#writeOnly(this.#only)
    return this.#signal
  }

  #openWriter(): LineWriter {
    const { reporter } = this.asked
    const writer = new LineWriter(openLineOutput(1), {
      raw: this.#isRaw,
      onDrain: () => this.#goOn(),
      onClosed: () => this.#cancel(),
      onFault: (error) => {
        reporter.report(error)
        this.#cancel()
      },
    })
    this.#lines = writer
    return writer
  }

  // Without a stream, which would slow the start.
  async #writeOnly(json: string): Promise<void> {
    const text = `${this.#isRaw ? unquoted(json) : json}\n`
    const failure = await writeStdout(isTerminal(1) ? escapeLines(text) : text)
    if (failure) this.asked.reporter.report(failure)
  }

  get #isRaw(): boolean {
    const { isRawOutput, wantsEnvelope } = this.asked.options.verb
    return isRawOutput && !wantsEnvelope
  }

  /** The part of the result that is written. */
  async #call(input: JsonText, place: Readonly<Record<string, number>>): Promise<string | undefined> {
    const { reporter, options } = this.asked
    const asked = options.verb.wantsCheck ? withCheck(input) : input
    const { result, print } = await perform(this.tool.tool, asked, { session: this.tools.session, signal: this.#stop.signal })
    if (!result.ok && !this.#stop.signal.aborted) {
      const error = suggestRaw(result.error, Buffer.from(input), 0, this.#takesText && !options.verb.isRawInput)
      const open = error.error === 'input_type_mismatch' ? openingHelp(this.tool.plan.input, input) : ''
      reporter.report({ ...error, detail: error.detail + open, ...place })
    }
    if (options.verb.wantsEnvelope) return print()
    return result.ok ? result.value : undefined
  }

  #asInput(given: string): JsonText | Fault {
    if (this.asked.options.verb.isRawInput) return stringInput(this.tool.plan.input, JSON.stringify(given))
    const bytes = Buffer.from(given)
    return checkLine(bytes, 0, bytes.length, this.#takesText) ?? onOneLine(given)
  }

  #asLine(reader: LineReader): JsonText | Fault {
    const line = readLine(reader, this.#takesText)
    return this.asked.options.verb.isRawInput && typeof line === 'string' ? stringInput(this.tool.plan.input, line) : line
  }

  /** With -R. */
  get #takesText(): boolean {
    const { input } = this.tool.plan
    return takesText(input) || stringInput(input, '""') !== '""'
  }

  #room(): Promise<void> {
    return new Promise((resolve) => {
      this.#goOn = resolve
      this.#stop.signal.addEventListener('abort', () => resolve(), { once: true })
    })
  }

  // The results are no longer read, or a signal came: running calls are cancelled.
  #cancel(): void {
    this.#stop.abort()
    this.#inputs?.stop()
  }
}

const misuse = ({ plan }: Registered, given: string | undefined, { options }: CommandInput): Fault | undefined => {
  if (options.verb.isSlurped && given !== undefined && given !== '-')
    return fault('usage', '--slurp reads standard input, so no JSON may be given')
  if (!options.verb.wantsCheck || canCheck(plan.input)) return undefined
  return fault('usage', `'${plan.name}' cannot be tried with --check: it has no field 'check'`)
}

const readLine = ({ buf, start, end, isLast }: LineReader, isText: boolean): JsonText | Fault =>
  checkLine(buf, start, end, isText, isLast) ?? buf.toString('utf8', start, end)

// A call without input gets unit, if its type allows it.
const nothingFor = ({ plan: { name, input } }: Registered): JsonText | Fault => {
  const { kind } = resolve(input)
  if (kind === 'record') return '{}'
  if (kind === 'unit') return 'null'
  return fault('usage', `'${name}' takes '${printType(input)}': give it as JSON, or - to read it from standard input`)
}

// Limits as for any message. Between lines of JSON there is only white space.
const onOneLine = (json: string): string =>
  json
    .split(/[\r\n]/)
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join(' ')

/** A text unchanged; for a record with one required field, of type string, it is that field. `text` is its JSON. */
const stringInput = (input: Type, text: JsonText): JsonText => {
  const needed = fieldsOf(input).filter(({ isOptional }) => !isOptional)
  const [only] = needed
  return only && needed.length === 1 && resolve(only.type).kind === 'string' ? `{${JSON.stringify(only.name)}:${text}}` : text
}

/** The tool can be called without input. */
const canCheck = (input: Type): boolean => fieldsOf(input).some(({ name, type }) => name === 'check' && resolve(type).kind === 'bool')

/** Of two members of one name the last one counts. */
const withCheck = (input: JsonText): JsonText => {
  const inside = /^\s*\{(.*)\}\s*$/s.exec(input)?.[1]
  if (inside === undefined) return input
  return inside.trim() === '' ? '{"check":true}' : `{${inside},"check":true}`
}

const fieldsOf = (type: Type): readonly Field[] => {
  const resolved = resolve(type)
  return resolved.kind === 'record' ? resolved.fields : []
}

const readAll = async (stream: Readable, maxBytes = MAX_LINE): Promise<Result<string>> => {
  try {
    const bytes = await readBytes(stream, maxBytes)
    if (bytes.length > maxBytes) return fail('line_too_long', `standard input is longer than ${maxBytes} bytes`)
    return isUtf8(bytes) ? succeed(bytes.toString()) : fail('invalid_utf8', 'standard input is not UTF-8')
  } catch (error) {
    return fail('read_failed', `cannot read standard input: ${systemReason(error as NodeJS.ErrnoException)}`)
  }
}
