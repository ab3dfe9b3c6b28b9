// The body of a request: JSON, of bounded length.

import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import { fail, parseJson, type Result } from '@plumb/wire'

export const readBody = async (request: IncomingMessage, maxBytes: number): Promise<Result<unknown>> => {
  const tooLong = fail('line_too_long', `the body is longer than ${maxBytes} bytes`)
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) return tooLong
  const chunks: Buffer[] = []
  let bytes = 0
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      bytes += chunk.length
      if (bytes > maxBytes) return tooLong
      chunks.push(chunk)
    }
  } catch {
    return fail('connection_failed', 'the request ended in the middle of its body')
  }
  const body = Buffer.concat(chunks, bytes)
  if (!isUtf8(body)) return fail('invalid_utf8', 'the body is not UTF-8')
  return parseJson(body, 0, body.length)
}
