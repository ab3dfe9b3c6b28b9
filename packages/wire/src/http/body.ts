// Reads the body of a request: UTF-8, of bounded length, and bounded together with all bodies in transit.

import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import { fail, type Result, succeed } from '../result.js'

export interface BodyLimits {
  /** Bytes of one body. */
  readonly maxBytes: number
  /** Bytes of all bodies in transit. */
  readonly maxTotalBytes: number
  /** Maximum time between two pieces of one (ms). */
  readonly stallTimeout: number
  /** Maximum time of all of one (ms). */
  readonly maxMs?: number
}

/**
 * Without a byte-order mark. `line_too_long`, `overloaded` if other bodies have used the shared limit, `timeout` if it comes too slowly,
 * `connection_failed` if it ends in the middle.
 */
export type ReadBody = (request: IncomingMessage) => Promise<Result<Buffer>>

/** Bytes that each body may use regardless of the others: small requests are served beside large ones that stall. */
const FREE_BYTES = 16 * 1024

/** Time for an answer to a body that is not read. */
const ANSWER_MS = 5000

const BOM = Buffer.from('\ufeff')

export const openBodies = ({ maxBytes, maxTotalBytes, stallTimeout, maxMs }: BodyLimits): ReadBody => {
  const tooLong = fail('line_too_long', `the body is longer than ${maxBytes} bytes`)
  const noRoom = fail('overloaded', `the bodies that are on their way have more than ${maxTotalBytes} bytes together: try again later`)
  const tooSlow = fail('timeout', 'the body did not come in time')
  let total = 0
  return (request) => {
    if (Number(request.headers['content-length'] ?? 0) > maxBytes) return Promise.resolve(tooLong)
    return new Promise((resolve) => {
      const chunks: Buffer[] = []
      let bytes = 0
      const settle = (read: Result<Buffer>): void => {
        clearTimeout(stall)
        clearTimeout(end)
        request.off('data', take).off('end', finish).off('error', cut).off('close', cut)
        if (!read.ok) request.pause()
        total -= bytes
        resolve(read)
      }
      const take = (chunk: Buffer): void => {
        stall.refresh()
        bytes += chunk.length
        total += chunk.length
        if (bytes > maxBytes) return settle(tooLong)
        if (bytes > FREE_BYTES && total > maxTotalBytes) return settle(noRoom)
        chunks.push(chunk)
      }
      const finish = (): void => settle(wholeOf(chunks, bytes))
      const cut = (): void => settle(fail('connection_failed', 'the request ended in the middle of its body'))
      const giveUp = (): void => {
        // Once it is answered.
        setTimeout(() => request.destroy(), ANSWER_MS).unref()
        settle(tooSlow)
      }
      const stall = setTimeout(giveUp, stallTimeout)
      const end = maxMs === undefined ? undefined : setTimeout(giveUp, maxMs)
      if (request.destroyed) cut()
      else request.on('end', finish).on('error', cut).on('close', cut).on('data', take)
    })
  }
}

const wholeOf = (chunks: readonly Buffer[], bytes: number): Result<Buffer> => {
  const [first] = chunks
  const body = chunks.length === 1 && first ? first : Buffer.concat(chunks, bytes)
  if (!isUtf8(body)) return fail('invalid_utf8', 'the body is not UTF-8')
  return succeed(body.indexOf(BOM) === 0 ? body.subarray(BOM.length) : body)
}
