// What stdin brings, one arrival a line: messages for the input, control messages in envelopes, and what is neither.

import { type Fault, fault, isEnvelope, type LineReader, parseJson, preview, splitEnvelope } from '@plumb/wire'

export type Arrival =
  | { readonly kind: 'input'; readonly line: number; readonly json: Buffer; readonly isLast: boolean }
  /** A line in the place of an input that is no text at all: it counts as one. */
  | { readonly kind: 'bad-input'; readonly line: number; readonly fault: Fault }
  | { readonly kind: 'control'; readonly message: unknown }
  | { readonly kind: 'tool-answer'; readonly message: unknown }
  /** A renewal of what may be done, where the spec came in an envelope. */
  | { readonly kind: 'authority'; readonly message: unknown }
  /** Belongs to no port, or is no line. */
  | { readonly kind: 'stray'; readonly fault: Fault }
  | { readonly kind: 'end'; readonly port: 'input' | 'ctrl_in' | 'tool_resp' | 'spec' }

/**
 * `data`: every line is an input. `mixed`: envelopes may stand among the inputs. `mux`: there are only envelopes; `mux-spec`: and the first
 * of them was the spec.
 */
export type Framing = 'data' | 'mixed' | 'mux' | 'mux-spec'

export interface Intake {
  /** Undefined: nothing now, or nothing any more (`hasEnded`). */
  next(): Arrival | undefined
  readonly hasEnded: boolean
  readonly mayCarryControl: boolean
  /** Approvals and answers to tool calls too. */
  readonly mayCarryAll: boolean
}

export const openIntake = (reader: LineReader, framing: Framing): Intake => ({
  next: () => (reader.next() ? readLine(reader, framing) : undefined),
  get hasEnded() {
    return reader.hasEnded
  },
  mayCarryControl: framing !== 'data',
  mayCarryAll: isMux(framing),
})

const isMux = (framing: Framing): boolean => framing === 'mux' || framing === 'mux-spec'

const readLine = (reader: LineReader, framing: Framing): Arrival => {
  const { fault: flaw, line, buf, start, end, isLast } = reader
  if (flaw)
    return isMux(framing) || flaw.error === 'read_failed' ? { kind: 'stray', fault: flaw } : { kind: 'bad-input', line, fault: flaw }
  const isPlain = framing === 'data' || (framing === 'mixed' && !isEnvelope(buf, start, end))
  return isPlain ? { kind: 'input', line, json: buf.subarray(start, end), isLast } : openEnvelope(reader, framing)
}

const openEnvelope = ({ buf, start, end, line, isLast }: LineReader, framing: Framing): Arrival => {
  const envelope = splitEnvelope(buf, start, end, isLast)
  if (!envelope.ok) return { kind: 'stray', fault: { ...envelope.error, line } }
  const { port, isEof, start: from, end: to } = envelope.value
  // What another executable wrote on its output is data here, so that they compose.
  if (port === 'input' || port === 'output')
    return isEof ? { kind: 'end', port: 'input' } : { kind: 'input', line, json: buf.subarray(from, to), isLast }
  const kind = Object.hasOwn(KINDS[framing], port) ? KINDS[framing][port] : undefined
  if (!kind) return { kind: 'stray', fault: unknownPort(port, ['input', ...Object.keys(KINDS[framing])], line) }
  if (isEof) return { kind: 'end', port: port as 'ctrl_in' | 'tool_resp' | 'spec' }
  const message = parseJson(buf, from, to)
  return message.ok ? { kind, message: message.value } : { kind: 'stray', fault: { ...message.error, line } }
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
