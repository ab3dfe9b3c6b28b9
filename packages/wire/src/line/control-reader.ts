// Reads control messages from a descriptor: few, small, and each handled at once. Data goes through LineReader.

import { isUtf8 } from 'node:buffer'
import type { Readable } from 'node:stream'
import { type Fault, fault } from '../error.js'
import { parseJson } from '../json/parse.js'
import { fail } from '../result.js'
import { systemReason } from '../system-reason.js'
import { MAX_LINE } from './reader.js'

/**
 * `text` is the JSON of the message as it was written. Bad lines go to `onFault` with their `line`, and reading continues; a `read_failed`
 * is followed by `onEnd`, which is called once.
 */
export const readControl = (
  stream: Readable,
  onMessage: (message: unknown, line: number, text: Uint8Array) => void,
  onFault: (fault: Fault) => void,
  onEnd: () => void,
): void => {
  let line = 0
  let unfinished = 0
  let isLast = false

  const take = (text: string): void => {
    line++
    const bytes = withoutMark(Buffer.from(text, 'latin1'), line)
    if (isBlank(bytes)) return
    const parsed = isUtf8(bytes) ? parseJson(bytes, 0, bytes.length, isLast) : fail('invalid_utf8', `line ${line} is not UTF-8`)
    if (parsed.ok) onMessage(parsed.value, line, bytes)
    else onFault({ ...parsed.error, line })
  }

  // Bytes travel as Latin-1, since split2 would replace invalid UTF-8 with U+FFFD. It silently drops lines that are too long.
  const options = { maxLength: MAX_LINE, skipOverflow: true }
  // Created late: most programs get no control, and such a stream costs a tenth of Node's own start.
  const split = require('split2') as typeof import('split2')
  const splitter = split(take, options).resume()
  stream.on('data', (chunk: Buffer) => {
    const wasTooLong = unfinished > MAX_LINE
    const newline = chunk.lastIndexOf(10)
    unfinished = newline < 0 ? unfinished + chunk.length : chunk.length - newline - 1
    splitter.write(chunk.toString('latin1'), 'utf8')
    if (unfinished <= MAX_LINE || (wasTooLong && newline < 0)) return
    line++
    onFault(fault('line_too_long', `line ${line} is longer than ${MAX_LINE} bytes`, { line }))
  })

  let hasEnded = false
  const end = (): void => {
    if (hasEnded) return
    hasEnded = true
    isLast = true
    splitter.end(onEnd)
  }
  stream.on('end', end)
  stream.on('close', end)
  stream.on('error', (error) => {
    if (!hasEnded) onFault(fault('read_failed', `cannot read: ${systemReason(error)}`))
    end()
  })
}

const withoutMark = (bytes: Buffer, line: number): Buffer =>
  line === 1 && bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes

const isBlank = (bytes: Buffer): boolean => bytes.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d)
