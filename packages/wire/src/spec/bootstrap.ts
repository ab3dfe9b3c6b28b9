// The message of a parent to one of our executables, on a descriptor: JSON Lines, the first with all spec texts, later ones with renewed
// authority.

import { readSync } from 'node:fs'
import type { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import { openInput } from '../fd/open.js'
import { readControl } from '../line/control-reader.js'
import { fail, type Result } from '../result.js'
import type { Bundle } from './source-files.js'

/** The parent writes, and closes when it ends; that ends only the renewals. */
export interface Bootstrap {
  readonly bundle: Bundle
  /** The authority at the start of this process. Undefined: the parent gave none. */
  readonly authority: unknown
  /** The checked plan that plumb-agent runs. Undefined: it compiles the texts. */
  readonly agent: unknown
  /** Called with each renewal; listening does not keep the process alive. At most one listener. */
  onAuthority(listener: (authority: unknown) => void): void
}

/** The first line, `{"entry":…,"files":{…},"modules":{…},"around"?:{…},"params"?:{…},"authority"?:…,"agent"?:…}`. */
export const bootstrapLine = (bundle: Bundle, handed: { readonly authority?: unknown; readonly agent?: unknown }): string =>
  `${JSON.stringify({ ...bundle, ...handed })}\n`

/** Each line after it, `{"authority":…}`. */
export const renewalLine = (authority: unknown): string => `${JSON.stringify({ authority })}\n`

/**
 * Waits for the first line, which the parent writes when it starts this process. The descriptor is below 17: `closeInherited` closes
 * those above, since children would get them.
 */
export const openBootstrap = (fd: number): Result<Bootstrap> => {
  try {
    const { line, rest } = readFirstLine(fd)
    const value: unknown = JSON.parse(line.toString('utf8'))
    if (!isBundle(value)) return refuse(fd)
    const { authority, agent, entry, files, modules, around, params } = value
    const onAuthority = (listener: (authority: unknown) => void) => listen(fd, rest, listener)
    return {
      ok: true,
      value: {
        bundle: { entry, files, modules, ...(around ? { around } : {}), ...(params ? { params } : {}) },
        authority,
        agent,
        onAuthority,
      },
    }
  } catch {
    return refuse(fd)
  }
}

const refuse = (fd: number) => fail('fd_invalid', `no sources can be read from descriptor ${fd}`)

const isBundle = (value: unknown): value is Bundle & { readonly authority?: unknown; readonly agent?: unknown } =>
  typeof value === 'object' && value !== null && 'entry' in value && 'files' in value && 'modules' in value

const CHUNK_BYTES = 64 * 1024
/** Far more than all the specs of one program. */
const MAX_BYTES = 256 * 1024 * 1024
const LF = 10

// The chunk may already hold a part of the next line.
const readFirstLine = (fd: number): { line: Buffer; rest: Buffer } => {
  const chunks: Buffer[] = []
  for (let total = 0; total < MAX_BYTES; ) {
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES)
    const bytes = readSync(fd, chunk)
    const end = chunk.subarray(0, bytes).indexOf(LF)
    chunks.push(chunk.subarray(0, end < 0 ? bytes : end))
    total += bytes
    if (end >= 0 || bytes === 0) return { line: Buffer.concat(chunks), rest: chunk.subarray(end < 0 ? bytes : end + 1, bytes) }
  }
  throw new Error('too long')
}

const listen = (fd: number, rest: Buffer, listener: (authority: unknown) => void): void => {
  const stream: Readable = openInput(fd)
  if (rest.length > 0) stream.unshift(rest)
  const take = (message: unknown) => {
    if (typeof message === 'object' && message !== null && 'authority' in message) listener(message.authority)
  }
  const ignore = () => {}
  readControl(stream, take, ignore, ignore)
  if ('unref' in stream) (stream as Socket).unref()
}
