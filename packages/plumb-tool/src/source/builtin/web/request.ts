// One request over its own connection to a checked address. Proxies of the environment are not used: they would connect unchecked.

import type { LookupAddress } from 'node:dns'
import { BlockList, isIP } from 'node:net'
import type { Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib'
import { fixedLookup } from '@plumb/sandbox'
import { fail, preview, type Result, readBytes, succeed } from '@plumb/wire'
import type { Dispatcher } from 'undici'

export interface WebReply {
  readonly status: number
  /** By lower-case name; repeated headers are joined by commas. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Dispatcher.ResponseData['body']
  readonly close: () => void
}

const CONNECT_MS = 10_000
const IDLE_MS = 15_000
const MAX_HEADERS = 64 * 1024

/** Throws if the request fails or the signal fires. Redirects are not followed. */
export const sendRequest = async (
  url: URL,
  headers: Readonly<Record<string, string>>,
  addresses: readonly LookupAddress[],
  signal: AbortSignal,
): Promise<WebReply> => {
  const { Agent, buildConnector } = await import('undici')
  const connect = buildConnector({ timeout: CONNECT_MS, lookup: fixedLookup(addresses) })
  const agent = new Agent({
    headersTimeout: IDLE_MS,
    bodyTimeout: IDLE_MS,
    maxHeaderSize: MAX_HEADERS,
    // Finally check the address at the other end of the socket.
    connect: (options, callback) =>
      connect(options, (error, socket) => {
        if (!socket) return callback(error ?? new Error('no connection'), null)
        if (isKnown(socket.remoteAddress, addresses)) return callback(null, socket)
        socket.destroy()
        callback(new Error('connected to an address that was not looked up'), null)
      }),
  })
  const close = (): void => void agent.destroy().catch(() => {})
  try {
    const { pathname, search, origin } = url
    const reply = await agent.request({ origin, path: `${pathname}${search}`, method: 'GET', headers, signal })
    return { status: reply.statusCode, headers: joined(reply.headers), body: reply.body, close }
  } catch (error) {
    close()
    throw error
  }
}

const isKnown = (address: string | undefined, addresses: readonly LookupAddress[]): boolean => {
  const known = new BlockList()
  for (const { address, family } of addresses) known.addAddress(address, familyOf(family))
  return address !== undefined && known.check(address, familyOf(isIP(address)))
}

const familyOf = (version: number): 'ipv4' | 'ipv6' => (version === 6 ? 'ipv6' : 'ipv4')

const joined = (headers: Dispatcher.ResponseData['headers']): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : (value ?? '')]))

const MAX_BYTES = 5_000_000

type Body = WebReply['body']

const piped =
  (unpack: () => Transform) =>
  (body: Body): Transform => {
    const stream = unpack()
    body.on('error', (error) => stream.destroy(error))
    return body.pipe(stream)
  }

/** Some servers leave the header of zlib out; its first two bytes tell. */
const inflated = async (body: Body): Promise<Transform> => {
  const packed = await readBytes(body, MAX_BYTES)
  const hasHeader = packed.length > 1 && ((packed[0] ?? 0) & 0x0f) === 8 && packed.readUInt16BE(0) % 31 === 0
  const stream = hasHeader ? createInflate() : createInflateRaw()
  stream.end(packed)
  return stream
}

const UNPACK: Readonly<Record<string, (body: Body) => Transform | Promise<Transform>>> = {
  gzip: piped(createGunzip),
  'x-gzip': piped(createGunzip),
  deflate: inflated,
  br: piped(createBrotliDecompress),
}

/** Reads and decompresses the body, up to MAX_BYTES decompressed. Throws if the connection breaks or the compression is damaged. */
export const readReplyBody = async ({ headers, body }: WebReply): Promise<Result<Buffer>> => {
  const encoding = (headers['content-encoding'] ?? '').trim().toLowerCase()
  const unpack = UNPACK[encoding]
  if (encoding !== '' && encoding !== 'identity' && !unpack) {
    return fail('bad_reply', `the reply is packed as '${preview(encoding)}'; only gzip, deflate and br are unpacked, and only once`)
  }
  const stream: AsyncIterable<Buffer> = unpack ? await unpack(body) : body
  const bytes = await readBytes(stream, MAX_BYTES)
  if (bytes.length <= MAX_BYTES) return succeed(bytes)
  body.destroy()
  return fail('bad_reply', `the document exceeds ${MAX_BYTES} bytes`, { limit: MAX_BYTES })
}
