// One numbered line (plumb-wire(5)), as it is read. One object serves for all lines of a stream: `read` sets what its kind has.
//
//   kind        has
//   value       seq or seqs, port, start, end
//   error       seq or seqs, error, isShared; isEnd: nothing more comes of the input
//   done        seq or seqs, isEnd, isLost
//   control     seq, isPaused
//   telemetry   start, end
//   waiting     waiting, isBatched

import { isRecord } from '../is-record.js'
import { eachMember, hasDistinctKeys } from '../json/members.js'
import { checkJson } from '../json/parse.js'
import { DEFAULT_PORT } from './write.js'

type Kind = 'value' | 'error' | 'done' | 'control' | 'telemetry' | 'waiting'

export class NumberedLine {
  kind: Kind = 'done'
  /** Of a line about an input: its number, from 1, or 0 if it belongs to none. Of a line about control: the number of that message. */
  seq = 0
  /** All inputs that it is about, if they are several; `seq` is the last. */
  seqs: readonly number[] = NONE
  port = DEFAULT_PORT
  /** Of a value or telemetry: its JSON is `buf[start..end)`. */
  start = 0
  end = 0
  /** Of an error: what is there, whatever it is. */
  error: unknown
  /** Nothing more comes of the input. */
  isEnd = false
  /** Of the end of an input: something of it was dropped or failed. */
  isLost = false
  /** Of an error: other inputs fail with the same cause. */
  isShared = false
  /** Of a line about control: no input is started now. */
  isPaused = false
  /** Inputs that wait for others, and whether some of them are in batches. */
  waiting = 0
  isBatched = false

  readonly #takesOurs: boolean

  /** `takesOurs`: it is written by an executable of this project, which has forms and members of its own (`telemetry`, `waiting`, `seqs`, `lost`, `shared`, `paused`). */
  constructor(takesOurs: boolean) {
    this.#takesOurs = takesOurs
  }

  /** Takes the line `buf[start..end)`, which is UTF-8. False: it has another form. */
  read(buf: Buffer, start: number, end: number): boolean {
    this.seqs = NONE
    this.port = DEFAULT_PORT
    this.isEnd = this.isLost = this.isShared = this.isPaused = false
    return (this.#takesOurs && this.#readAsWritten(buf, start, end)) || this.#readAny(buf, start, end)
  }

  // Our own lines have one layout, and a value is the last member: so its end is known without looking at it. The reader of the value
  // checks it.
  #readAsWritten(buf: Buffer, start: number, end: number): boolean {
    if (hasAt(TELEMETRY, buf, start)) return this.#enter('telemetry', start + TELEMETRY.length, end - 1)
    if (!hasAt(SEQ, buf, start)) return false
    let at = start + SEQ.length
    let seq = 0
    while (isDigit(buf[at] as number)) seq = seq * 10 + (buf[at++] as number) - ZERO
    if (seq === 0) {
      if (!hasAt(NULL, buf, at)) return false
      at += NULL.length
    }
    this.seq = seq
    if (hasAt(DONE, buf, at) && at + DONE.length === end) {
      this.isEnd = true
      return this.#enter('done', end, end)
    }
    if (hasAt(SEQS, buf, at)) at = this.#readSeqs(buf, at + SEQS.length)
    if (hasAt(PORT, buf, at)) at = this.#readPort(buf, at + PORT.length)
    return hasAt(VALUE, buf, at) && buf[end - 1] === CLOSE && this.#enter('value', at + VALUE.length, end - 1)
  }

  #readSeqs(buf: Buffer, from: number): number {
    const seqs: number[] = []
    let at = from
    for (; buf[at] === COMMA || isDigit(buf[at] as number); at++) {
      if (buf[at] === COMMA || at === from) seqs.push(0)
      if (buf[at] !== COMMA) seqs.push((seqs.pop() ?? 0) * 10 + (buf[at] as number) - ZERO)
    }
    this.seqs = seqs
    return at + 1
  }

  #readPort(buf: Buffer, from: number): number {
    const behind = buf.indexOf(QUOTE, from)
    this.port = buf.toString('utf8', from, behind)
    return behind + 1
  }

  #enter(kind: Kind, start: number, end: number): true {
    this.kind = kind
    this.start = start
    this.end = end
    return true
  }

  #readAny(buf: Buffer, start: number, end: number): boolean {
    let open = start
    while (buf[open] === SPACE || buf[open] === TAB) open++
    if (buf[open] !== OPEN || checkJson(buf, start, end) || !hasDistinctKeys(buf, open)) return false
    const members = new Map<string, readonly [start: number, end: number]>()
    eachMember(buf, open, (keyStart, keyEnd, from, to) => {
      const key = buf.toString('utf8', keyStart, keyEnd)
      members.set(key.includes('\\') ? (JSON.parse(`"${key}"`) as string) : key, [from, to])
    })
    const valueOf = (name: string): unknown => {
      const place = members.get(name)
      return place && (JSON.parse(buf.toString('utf8', ...place)) as unknown)
    }
    const isTrue = (name: string): boolean => valueOf(name) === true
    const isOurs = (name: string): boolean => this.#takesOurs && isTrue(name)
    if (members.has('control')) return !members.has('seq') && isTrue('done') && this.#enterControl(valueOf('control'), isOurs('paused'))
    if (this.#takesOurs && members.has('waiting')) return this.#enterWaiting(valueOf('waiting'), isTrue('batched'))
    const seq = valueOf('seq')
    if (seq !== null && !isNumber(seq)) return false
    this.seq = seq ?? 0
    const seqs = this.#takesOurs ? valueOf('seqs') : undefined
    if (Array.isArray(seqs) && seqs.every(isNumber)) this.seqs = seqs
    const port = valueOf('port') ?? DEFAULT_PORT
    if (typeof port !== 'string') return false
    this.port = port
    const [value, error, isDone] = [members.get('value'), members.get('error'), isTrue('done')]
    if (value && error) return false
    this.isEnd = isDone || (error !== undefined && !isTrue('more'))
    this.isLost = isOurs('lost')
    this.isShared = isOurs('shared')
    if (value) return this.#enter('value', ...value)
    if (this.seq === 0) return false
    if (error) {
      this.error = valueOf('error')
      return this.#enter('error', ...error)
    }
    return isDone && this.#enter('done', end, end)
  }

  #enterControl(k: unknown, isPaused: boolean): boolean {
    if (!isNumber(k)) return false
    this.seq = k
    this.isPaused = isPaused
    return this.#enter('control', 0, 0)
  }

  #enterWaiting(waiting: unknown, isBatched: boolean): boolean {
    if (!Number.isSafeInteger(waiting)) return false
    this.waiting = waiting as number
    this.isBatched = isBatched
    return this.#enter('waiting', 0, 0)
  }
}

/** An error that a program wrote, as words for a person. */
export const textOfError = (error: unknown): string => {
  if (typeof error === 'string') return error
  const { detail, message } = isRecord(error) ? error : {}
  const words = [detail, message].find((one) => typeof one === 'string' && one !== '')
  return typeof words === 'string' ? words : JSON.stringify(error)
}

const NONE: readonly number[] = []
const [TAB, SPACE, QUOTE, COMMA, ZERO, NINE, OPEN, CLOSE] = [0x09, 0x20, 0x22, 0x2c, 0x30, 0x39, 0x7b, 0x7d]
const TELEMETRY = Buffer.from('{"telemetry":')
const SEQ = Buffer.from('{"seq":')
const NULL = Buffer.from('null')
const SEQS = Buffer.from(',"seqs":[')
const PORT = Buffer.from(',"port":"')
const VALUE = Buffer.from(',"value":')
const DONE = Buffer.from(',"done":true}')

const isDigit = (byte: number): boolean => byte >= ZERO && byte <= NINE

const isNumber = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) > 0

const hasAt = (word: Buffer, buf: Buffer, at: number): boolean => {
  for (let i = 0; i < word.length; i++) if (buf[at + i] !== word[i]) return false
  return true
}
