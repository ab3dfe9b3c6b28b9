// All of a stream as one text, to a limit.

import { isUtf8 } from 'node:buffer'
import type { Readable } from 'node:stream'
import { fail, MAX_LINE, type Result, readBytes, succeed, systemReason } from '@plumb/wire'

export const readAll = async (stream: Readable, maxBytes = MAX_LINE): Promise<Result<string>> => {
  try {
    const bytes = await readBytes(stream, maxBytes)
    if (bytes.length > maxBytes) return fail('line_too_long', `standard input is longer than ${maxBytes} bytes`)
    return isUtf8(bytes) ? succeed(bytes.toString()) : fail('invalid_utf8', 'standard input is not UTF-8')
  } catch (error) {
    return fail('read_failed', `cannot read standard input: ${systemReason(error as NodeJS.ErrnoException)}`)
  }
}
