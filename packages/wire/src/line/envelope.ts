// Envelopes (plumb-wire(5), Envelopes): `{"__port":"NAME","msg":…}` and `{"__port":"NAME","eof":true}`, in bytes.

import type { Fault } from '../error.js'
import { isRecord } from '../is-record.js'
import { eachMember } from '../json/members.js'
import { checkJson, parseJson } from '../json/parse.js'
import { skipSpace, skipValue } from '../json/skip.js'
import { type Extent, stringOf } from '../json/tree.js'
import { preview } from '../preview.js'
import { isFault } from '../reported.js'
import { fail, type Result } from '../result.js'

/** The message is `buf[start..end)` of the split line; with `isEof` there is none, and the port closes. */
export interface Envelope {
  readonly port: string
  readonly isEof: boolean
  readonly start: number
  readonly end: number
}

/** `invalid_json` (or `truncated_line`, `too_deep`) if the line is not JSON, `bad_envelope` if it is another value. */
export const splitEnvelope = (buf: Buffer, start: number, end: number, isLast = false): Result<Envelope> => {
  const plain = splitLike(buf, start, end)
  if (plain) return { ok: true, value: plain }
  const members = readMembers(buf, start, end)
  if (!members) {
    const flaw = checkJson(buf, start, end, isLast)
    return flaw ? { ok: false, error: flaw } : refuse('it is not an object')
  }
  const { port, msg, eof, others } = members
  if (!port) return refuse("it has no '__port'")
  if (others > 0) return refuse("it has members other than '__port' and 'msg'")
  if (buf[port.start] !== QUOTE) return refuse("its '__port' is not a string")
  const name = stringOf(port, buf)
  if (msg && eof) return refuse(`it has both 'msg' and 'eof'`)
  if (msg) return { ok: true, value: { port: name, isEof: false, start: msg.start, end: msg.end } }
  if (!eof) return refuse("it has no 'msg'")
  if (buf.toString('latin1', eof.start, eof.end) !== 'true') return refuse("its 'eof' is not true")
  return { ok: true, value: { port: name, isEof: true, start: eof.end, end: eof.end } }
}

/** For parsed values: a port and its message, or `bad_envelope`. */
export const parseEnvelope = (value: unknown): Result<{ port: string; msg: unknown } | { port: string; eof: true }> => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return refuse('it is not an object')
  const { __port: port, msg, eof } = value as Record<string, unknown>
  if (typeof port !== 'string') return refuse("it has no '__port' that is a string")
  if (Object.keys(value).length !== 2) return refuse("it has members other than '__port' and 'msg'")
  if (Object.hasOwn(value, 'msg')) return { ok: true, value: { port, msg } }
  return eof === true ? { ok: true, value: { port, eof } } : refuse("it has neither 'msg' nor 'eof' true")
}

/** Recognises envelopes among plain lines: objects with exactly the keys `__port` and `msg`, or `__port` and `eof`. */
export const isEnvelope = (buf: Buffer, start: number, end: number): boolean => {
  if (!mayBeEnvelope(buf, start, end)) return false
  const members = readMembers(buf, start, end)
  return members?.port !== undefined && members.others === 0 && (members.msg === undefined) !== (members.eof === undefined)
}

/** A value that has a `__port` of its own is sent in an envelope, so that no reader takes it for one. */
export const hasPortKey = (buf: Buffer, start: number, end: number): boolean => readMembers(buf, start, end)?.port !== undefined

/** The envelope of a message, whose bytes are kept; no line end. */
export const enclose = (port: string, buf: Buffer, start: number, end: number): Buffer => {
  const head = envelopeHead(port)
  const envelope = Buffer.allocUnsafe(head.length + end - start + 1)
  head.copy(envelope)
  buf.copy(envelope, head.length, start, end)
  envelope[envelope.length - 1] = CLOSE
  return envelope
}

/** The text before the message of an envelope; after it comes `}`. */
export const envelopeHead = (port: string): Buffer => {
  let head = heads.get(port)
  if (!head) {
    head = Buffer.from(`{"__port":${JSON.stringify(port)},"msg":`)
    heads.set(port, head)
  }
  return head
}

const heads = new Map<string, Buffer>()

/** The envelope that closes a port. */
export const encloseEof = (port: string): Buffer => Buffer.from(JSON.stringify({ __port: port, eof: true }))

/** The envelope of a line that could not be read, with what is wrong with it. */
export const encloseUnreadable = (port: string, fault: Fault): Buffer => Buffer.from(JSON.stringify({ __port: port, unreadable: fault }))

/** Undefined: another line. */
export const unreadableIn = (buf: Buffer, start: number, end: number): { readonly port: string; readonly fault: Fault } | undefined => {
  const parsed = parseJson(buf, start, end)
  if (!parsed.ok || !isRecord(parsed.value)) return undefined
  const { __port: port, unreadable } = parsed.value
  return typeof port === 'string' && isFault(unreadable) ? { port, fault: unreadable } : undefined
}

const [QUOTE, BACKSLASH, OPEN, CLOSE] = [0x22, 0x5c, 0x7b, 0x7d]

interface Members {
  port?: Extent
  msg?: Extent
  eof?: Extent
  others: number
}

const PORT_HEAD = Buffer.from('{"__port":"')
const MSG_HEAD = Buffer.from('","msg":')

// Fast path: most envelopes are written in this form, and many of one port follow each other.
let latest = { port: '', head: Buffer.from('\n') }

const splitLike = (buf: Buffer, start: number, end: number): Envelope | undefined => {
  if (buf[end - 1] !== CLOSE || (!isAt(latest.head, buf, start) && !findHead(buf, start))) return undefined
  const at = start + latest.head.length
  return skipValue(buf, at, 0) === end - 1 ? { port: latest.port, isEof: false, start: at, end: end - 1 } : undefined
}

const findHead = (buf: Buffer, start: number): boolean => {
  if (!isAt(PORT_HEAD, buf, start)) return false
  const from = start + PORT_HEAD.length
  let to = from
  while (isLetter(buf[to] as number) && to - from < 64) to++
  if (!isAt(MSG_HEAD, buf, to)) return false
  latest = { port: buf.toString('latin1', from, to), head: Buffer.from(buf.subarray(start, to + MSG_HEAD.length)) }
  return true
}

const isLetter = (byte: number): boolean => byte === 0x5f || ((byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7a)

const isAt = (bytes: Buffer, buf: Buffer, at: number): boolean => {
  for (let i = 0; i < bytes.length; i++) if (buf[at + i] !== bytes[i]) return false
  return true
}

// The members of one object, the last of each name. Undefined: another value.
const readMembers = (buf: Buffer, start: number, end: number): Members | undefined => {
  const at = skipSpace(buf, start)
  if (at >= end || buf[at] !== OPEN) return undefined
  const members: Members = { others: 0 }
  const visit = (keyStart: number, keyEnd: number, start: number, end: number): void => {
    const name = stringOf({ start: keyStart - 1, end: keyEnd + 1 }, buf)
    if (name === '__port') members.port = { start, end }
    else if (name === 'msg') members.msg = { start, end }
    else if (name === 'eof') members.eof = { start, end }
    else members.others++
  }
  // The message may be nested as deep as one without an envelope.
  const behind = eachMember(buf, at, visit, 0)
  return behind >= 0 && behind <= end && skipSpace(buf, behind) >= end ? members : undefined
}

// Cheap and rarely wrong, since it runs for every line of data: whether the first key begins like one of the three.
const mayBeEnvelope = (buf: Buffer, start: number, end: number): boolean => {
  const at = skipSpace(buf, start)
  if (at >= end || buf[at] !== OPEN) return false
  const key = skipSpace(buf, at + 1)
  return buf[key] === QUOTE && mayBegin(buf[key + 1])
}

const mayBegin = (byte: number | undefined): boolean => byte === 0x5f || byte === 0x6d || byte === 0x65 || byte === BACKSLASH

const refuse = (why: string) => fail('bad_envelope', `no envelope: ${preview(why)}`)
