// Reads stdin, one message a line: inputs, and envelopes for other ports.

import { checkTree, describeToAuthor, fillDefaults, type Identity, type KeyReader, printType, type Type, takesText } from '@plumb/lang'
import {
  checkLine,
  type Fault,
  fail,
  fault,
  isEnvelope,
  type LineReader,
  parseJson,
  parseTree,
  preview,
  type Result,
  splitEnvelope,
  succeed,
  suggestRaw,
} from '@plumb/wire'

export type InboundMessage =
  | { readonly kind: 'input'; readonly line: number; readonly json: Buffer; readonly isLast: boolean }
  /** An unreadable line instead of an input: it counts as one. */
  | { readonly kind: 'bad-input'; readonly line: number; readonly fault: Fault }
  /** `text`: the same as JSON. */
  | { readonly kind: 'control'; readonly message: unknown; readonly text: Buffer }
  | { readonly kind: 'tool-answer'; readonly message: unknown }
  /** On port `spec`, after the spec itself: renewed authority, tools or budget. */
  | { readonly kind: 'authority'; readonly message: unknown }
  /** For no known port, or unreadable. */
  | { readonly kind: 'invalid'; readonly fault: Fault }
  /** What follows has nothing to do with what came before. */
  | { readonly kind: 'afresh' }
  | { readonly kind: 'end'; readonly port: 'input' | 'ctrl_in' | 'tool_resp' | 'spec' }

/**
 * `data`: every line is an input. `mixed`: envelopes may be among the inputs. `mux`: there are only envelopes; `mux-spec`: and the first
 * of them was the spec.
 */
export type Framing = 'data' | 'mixed' | 'mux' | 'mux-spec'

export interface Intake {
  /** Undefined: nothing now, or at the end (`hasEnded`). */
  next(): InboundMessage | undefined
  readonly hasEnded: boolean
  readonly mayCarryControl: boolean
  /** Including approvals and answers to tool calls. */
  readonly mayCarryAll: boolean
}

/** `hasRequests`: a blank line begins a request. */
export const openIntake = (reader: LineReader, framing: Framing, hasRequests = false): Intake => {
  const next = (): InboundMessage | undefined => (reader.next() ? readLine(reader, framing) : undefined)
  return {
    next: hasRequests ? byRequests(reader, next) : next,
    get hasEnded() {
      return reader.hasEnded
    },
    mayCarryControl: framing !== 'data',
    mayCarryAll: isMux(framing),
  }
}

const byRequests = (reader: LineReader, next: () => InboundMessage | undefined): (() => InboundMessage | undefined) => {
  let [line, held]: [number, InboundMessage | undefined] = [0, undefined]
  return () => {
    const message = held ?? next()
    const isBegun = held !== undefined || reader.line <= line + 1
    line = reader.line
    held = isBegun ? undefined : message
    return isBegun ? message : { kind: 'afresh' }
  }
}

const isMux = (framing: Framing): boolean => framing === 'mux' || framing === 'mux-spec'

const readLine = (reader: LineReader, framing: Framing): InboundMessage => {
  const { fault: flaw, line, buf, start, end, isLast } = reader
  if (flaw)
    return isMux(framing) || flaw.error === 'read_failed' ? { kind: 'invalid', fault: flaw } : { kind: 'bad-input', line, fault: flaw }
  const isPlain = framing === 'data' || (framing === 'mixed' && !isEnvelope(buf, start, end))
  return isPlain ? { kind: 'input', line, json: buf.subarray(start, end), isLast } : openEnvelope(reader, framing)
}

const openEnvelope = ({ buf, start, end, line, isLast }: LineReader, framing: Framing): InboundMessage => {
  const envelope = splitEnvelope(buf, start, end, isLast)
  if (!envelope.ok) return { kind: 'invalid', fault: { ...envelope.error, line } }
  const { port, isEof, start: from, end: to } = envelope.value
  // The output of another executable is input here, so that they compose.
  if (port === 'input' || port === 'output')
    return isEof ? { kind: 'end', port: 'input' } : { kind: 'input', line, json: buf.subarray(from, to), isLast }
  const kind = Object.hasOwn(KINDS[framing], port) ? KINDS[framing][port] : undefined
  if (!kind) return { kind: 'invalid', fault: unknownPort(port, ['input', ...Object.keys(KINDS[framing])], line) }
  if (isEof) return { kind: 'end', port: port as 'ctrl_in' | 'tool_resp' | 'spec' }
  const message = parseJson(buf, from, to)
  return message.ok
    ? { kind, message: message.value, text: buf.subarray(from, to) }
    : { kind: 'invalid', fault: { ...message.error, line } }
}

type Kind = 'control' | 'tool-answer' | 'authority'

const MIXED: Readonly<Record<string, Kind>> = { ctrl_in: 'control' }
const MUX: Readonly<Record<string, Kind>> = { ...MIXED, tool_resp: 'tool-answer' }
const KINDS: Readonly<Record<Framing, Readonly<Record<string, Kind>>>> = {
  data: {},
  mixed: MIXED,
  mux: MUX,
  'mux-spec': { ...MUX, spec: 'authority' },
}

const unknownPort = (port: string, ports: readonly string[], line: number): Fault =>
  fault('unknown_port', `no port is named '${preview(port)}', there are ${ports.map((name) => `'${name}'`).join(', ')}`, {
    port: preview(port),
    line,
  })

export interface UserInput {
  readonly text: string
  /** A string, here without its quotes. */
  readonly isString: boolean
  /** Which memory it is answered with. Undefined: the one that there is. */
  readonly conversation?: Identity
}

export interface InputOptions {
  readonly type: Type
  /** Who writes the input has the command line too: errors may name its options. */
  readonly isOfCommandLine: boolean
  readonly key: KeyReader | undefined
}

/** The user's message: a string as itself, anything else as JSON, checked against the input type. `isLast`: the line had no newline. */
export const readInput = (json: Buffer, isLast: boolean, { type, isOfCommandLine, key }: InputOptions): Result<UserInput> => {
  const mayBeText = isOfCommandLine && takesText(type)
  const tree = parseTree(json, 0, json.length)
  if (tree.kind === 'fault') {
    const refusal = checkLine(json, 0, json.length, mayBeText, isLast)
    return refusal ? { ok: false, error: refusal } : fail(tree.error, `not JSON: ${tree.detail}`)
  }
  const mismatch = checkTree(type, json, tree)
  if (mismatch) {
    const detail = `message ${describeToAuthor(mismatch, preview(printType(type)))}`
    const error = fault('input_type_mismatch', detail, { path: mismatch.path, expected: preview(mismatch.expected) })
    return { ok: false, error: suggestRaw(error, json, tree.start, mayBeText) }
  }
  const text = (fillDefaults(type, json, tree) ?? json.subarray(tree.start, tree.end)).toString()
  const isString = tree.kind === 'string'
  const said = { text: isString ? JSON.parse(text) : text, isString }
  if (!key) return succeed(said)
  const conversation = key.read(json, tree.start, tree.end)
  if (conversation !== undefined) return succeed({ ...said, conversation })
  return { ok: false, error: key.fault ?? fault('evaluation_failed', 'the message names no conversation') }
}
