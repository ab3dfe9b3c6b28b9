// One line of a record that --tee has written.

import { fail, isEnvelope, JsonScan, parseJson, type Result } from '@plumb/wire'
import type { Direction } from './tee.js'

/** The envelope lies in `buf[start..end)` of what was read; undefined where the line had been refused. */
export interface Recorded {
  readonly direction: Direction
  readonly envelope: { readonly start: number; readonly end: number } | undefined
}

export const parseRecord = (buf: Buffer, start: number, end: number, isLast: boolean): Result<Recorded> => {
  const parsed = parseJson(buf, start, end, isLast)
  if (!parsed.ok) return parsed
  const { direction, refused } = (parsed.value ?? {}) as Readonly<Record<string, unknown>>
  if (direction !== 'in' && direction !== 'out') return refuse("it has no 'direction' that is in or out")
  const envelope = spanOf('line', buf, start, end)
  if (envelope && isEnvelope(buf, envelope.start, envelope.end)) return { ok: true, value: { direction, envelope } }
  return refused === undefined ? refuse("it has no 'line' that is an envelope") : { ok: true, value: { direction, envelope: undefined } }
}

const [QUOTE_BYTES, COLON, COMMA, OPEN] = [1, 0x3a, 0x2c, 0x7b]

// The last member of that name, as text: numbers keep their digits. It is JSON, and an object.
const spanOf = (wanted: string, buf: Buffer, start: number, end: number): Recorded['envelope'] => {
  const scan = new JsonScan(buf, start, end)
  let span: Recorded['envelope']
  scan.isNext(OPEN)
  do {
    scan.space()
    const key = scan.at
    scan.string()
    const name = buf.toString('utf8', key + QUOTE_BYTES, scan.at - QUOTE_BYTES)
    scan.symbol(COLON)
    scan.space()
    const from = scan.at
    scan.value()
    if (name === wanted) span = { start: from, end: scan.at }
  } while (scan.isNext(COMMA))
  return span
}

const refuse = (why: string) => fail('bad_envelope', `no record of --tee: ${why}`)
