// The decoded bytes of a reply: decompressed if the server compressed unasked, and limited.

import { pipeline, type Readable } from 'node:stream'
import { Unreadable } from './failure.js'

export interface HttpReply {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: Readable
}

/** Ends with an exception when the connection breaks off, the encoding is unknown or the limit is passed. */
export async function* readBody({ headers, body }: HttpReply, maxBytes: number): AsyncGenerator<Buffer> {
  const decoded = await decode(body, header(headers, 'content-encoding').toLowerCase())
  let bytes = 0
  for await (const chunk of decoded as AsyncIterable<Buffer>) {
    bytes += chunk.length
    // By decoded bytes: a gzip bomb of 200 KB would pass any other limit.
    if (bytes > maxBytes) throw new Unreadable(`answered with more than ${maxBytes} bytes`)
    yield chunk
  }
}

const decode = async (body: Readable, encoding: string): Promise<Readable> => {
  if (isPlain(encoding)) return body
  const zlib = await import('node:zlib')
  const decoders = { gzip: zlib.createGunzip, 'x-gzip': zlib.createGunzip, deflate: zlib.createInflate, br: zlib.createBrotliDecompress }
  const open = Object.hasOwn(decoders, encoding) ? decoders[encoding as keyof typeof decoders] : undefined
  if (!open) throw new Unreadable(`compressed its reply unasked, in a way that is not known here`)
  // Errors here break the iteration over the result, too.
  return pipeline(body, open(), () => {})
}

/** It needs no decoding. */
export const isPlain = (encoding: string): boolean => encoding === '' || encoding.toLowerCase() === 'identity'

/** The whole of it as text; over the limit it is cut with `isCut`, else an exception. */
export const readText = async (reply: HttpReply, maxBytes: number, isCut = false): Promise<string> => {
  const chunks: Uint8Array[] = []
  try {
    for await (const chunk of readBody(reply, maxBytes)) chunks.push(chunk)
  } catch (error) {
    if (!isCut) throw error
  }
  return textOf(chunks)
}

/** Some servers begin with a byte-order mark, which JSON has none of. */
export const textOf = (chunks: readonly Uint8Array[]): string =>
  Buffer.concat(chunks)
    .toString('utf8')
    .replace(/^\ufeff/, '')

/** One value of a header, trimmed; empty where it is absent. */
export const header = (headers: HttpReply['headers'], name: string): string => {
  const value = headers[name]
  return (Array.isArray(value) ? (value[0] ?? '') : (value ?? '')).trim()
}
