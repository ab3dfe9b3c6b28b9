// All of a stream as one text, to a limit.

import { isUtf8 } from 'node:buffer'
import type { Readable } from 'node:stream'
import { fail, MAX_LINE, type Result, succeed, systemReason } from '@plumb/wire'

export const readAll = async (stream: Readable, maxBytes = MAX_LINE): Promise<Result<string>> => {
  const chunks: Buffer[] = []
  let total = 0
  try {
    for await (const chunk of stream) {
      chunks.push(chunk)
      total += chunk.length
      if (total > maxBytes) return fail('line_too_long', `standard input is longer than ${maxBytes} bytes`)
    }
  } catch (error) {
    return fail('read_failed', `cannot read standard input: ${systemReason(error as NodeJS.ErrnoException)}`)
  }
  const bytes = Buffer.concat(chunks)
  return isUtf8(bytes) ? succeed(bytes.toString()) : fail('invalid_utf8', 'standard input is not UTF-8')
}
