// Numbered lines (plumb-wire(5)): what a program tells of its inputs on one stream, in the order in which it happens. Here they are written.

import { type Fault, isShared } from '../error.js'
import { scrub } from '../scrub.js'

/** The port that is not named. */
export const DEFAULT_PORT = 'output'

/** `{"seq":N,"value":V}`, or null if the input is unknown; no line end. V keeps its bytes. */
export const seqLine = (seq: number, buf: Buffer, start: number, end: number): Buffer =>
  enclosed(`{"seq":${seq === 0 ? 'null' : seq},"value":`, buf, start, end)

/**
 * An output of one of these inputs, from 1, or of several: the last of them is its `seq`, and `seqs` names all. None: it belongs to no
 * input.
 */
export const valueLine = (seqs: readonly number[], port: string, buf: Buffer, start: number, end: number): Buffer =>
  enclosed(valueHead(seqs, port), buf, start, end)

/** The same, where the value is a text. */
export const valueText = (seqs: readonly number[], port: string, json: string): string => `${valueHead(seqs, port)}${json}}`

/** The inputs failed. `hasMore`: that is not their end. `isForOurs`: what reads it knows our own members. */
export const errorText = (
  seqs: readonly number[],
  { seq: _, seqs: __, ...error }: Fault,
  { hasMore, isForOurs }: { readonly hasMore: boolean; readonly isForOurs: boolean },
): string => {
  const shared = isForOurs && isShared(error as Fault) ? ',"shared":true' : ''
  return scrub(`{${about(seqs)},"error":${JSON.stringify(error)}${hasMore ? ',"more":true' : ''}${shared}}`)
}

/** Nothing more comes of the input. `isLost`: something of it was dropped or failed. */
export const doneText = (seq: number, isLost = false): string => `{"seq":${seq},"done":true${isLost ? ',"lost":true' : ''}}`

/** The k-th control message, from 1, was dealt with, and its replies are before. */
export const controlText = (k: number, isPaused = false): string => `{"control":${k},"done":true${isPaused ? ',"paused":true' : ''}}`

/** A line of telemetry, where it has no descriptor. */
export const telemetryText = (json: string): string => `{"telemetry":${json}}`

export const telemetryLine = (buf: Buffer, start: number, end: number): Buffer => enclosed('{"telemetry":', buf, start, end)

/** Nothing moves: so many inputs wait for others. `isBatched`: some of them in batches, which can be let go. */
export const waitingText = (waiting: number, isBatched: boolean): string => `{"waiting":${waiting}${isBatched ? ',"batched":true' : ''}}`

const valueHead = (seqs: readonly number[], port: string): string =>
  `{${about(seqs)}${port === DEFAULT_PORT ? '' : `,"port":${JSON.stringify(port)}`},"value":`

const about = (seqs: readonly number[]): string => {
  const last = seqs.at(-1)
  return last === undefined ? '"seq":null' : `"seq":${last}${seqs.length > 1 ? `,"seqs":[${seqs}]` : ''}`
}

const CLOSE = 0x7d

const enclosed = (head: string, buf: Buffer, start: number, end: number): Buffer => {
  const isPlain = /^[ -~]*$/.test(head)
  const before = isPlain ? head.length : Buffer.byteLength(head)
  const line = Buffer.allocUnsafe(before + end - start + 1)
  line.write(head, isPlain ? 'latin1' : 'utf8')
  buf.copy(line, before, start, end)
  line[line.length - 1] = CLOSE
  return line
}
