// The bytes of a reply, unpacked, up to a limit on what comes out: what unpacks to more is not read to its end.

import type { Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { fail, preview, type Result, readBytes, succeed } from '@plumb/wire'
import type { HttpReply } from './request.js'

const MAX_BYTES = 5_000_000

const UNPACK: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
}

/** Throws when the connection breaks or the packing is damaged. */
export const readReplyBody = async ({ headers, body }: HttpReply): Promise<Result<Buffer>> => {
  const encoding = (headers['content-encoding'] ?? '').trim().toLowerCase()
  const unpack = UNPACK[encoding]
  if (encoding !== '' && encoding !== 'identity' && !unpack) {
    return fail('bad_reply', `the reply is packed as '${preview(encoding)}'; only gzip, deflate and br are unpacked, and only once`)
  }
  const stream = unpack ? unpack() : body
  if (stream !== body) {
    body.on('error', (error) => stream.destroy(error))
    body.pipe(stream as Transform)
  }
  const bytes = await readBytes(stream as AsyncIterable<Buffer>, MAX_BYTES)
  if (bytes.length <= MAX_BYTES) return succeed(bytes)
  body.destroy()
  return fail('bad_reply', `the document exceeds ${MAX_BYTES} bytes`, { limit: MAX_BYTES })
}
