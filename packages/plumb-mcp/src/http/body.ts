// The body of a request: JSON, of bounded length, and bounded with all others that are on their way.

import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import { fail, parseJson, type Result } from '@plumb/wire'

export interface BodyLimits {
  /** Of one. */
  readonly maxBytes: number
  /** Of all that are on their way at once. */
  readonly maxTotalBytes: number
  /** Between two pieces of one (ms). */
  readonly stallTimeout: number
}

/** `line_too_long`, `overloaded` where others have taken all room, `connection_failed` where it stops in the middle. */
export type ReadBody = (request: IncomingMessage) => Promise<Result<unknown>>

/** So much of each is taken whatever others send: small requests are served beside large ones that stall. */
const FREE_BYTES = 16 * 1024

export const openBodies = ({ maxBytes, maxTotalBytes, stallTimeout }: BodyLimits): ReadBody => {
  const tooLong = fail('line_too_long', `the body is longer than ${maxBytes} bytes`)
  const noRoom = fail('overloaded', `the bodies that are on their way have more than ${maxTotalBytes} bytes together: try again later`)
  let total = 0
  return async (request) => {
    if (Number(request.headers['content-length'] ?? 0) > maxBytes) return tooLong
    const chunks: Buffer[] = []
    let bytes = 0
    let isStalled = false
    const stall = setTimeout(() => {
      isStalled = true
      request.destroy()
    }, stallTimeout)
    try {
      for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
        stall.refresh()
        bytes += chunk.length
        total += chunk.length
        if (bytes > maxBytes) return tooLong
        if (bytes > FREE_BYTES && total > maxTotalBytes) return noRoom
        chunks.push(chunk)
      }
      const body = Buffer.concat(chunks, bytes)
      if (!isUtf8(body)) return fail('invalid_utf8', 'the body is not UTF-8')
      return parseJson(body, 0, body.length)
    } catch {
      return fail('connection_failed', isStalled ? 'the body stopped in the middle' : 'the request ended in the middle of its body')
    } finally {
      clearTimeout(stall)
      total -= bytes
    }
  }
}
