// Loads one image, document or audio of an input as a block of the message: reads or decodes it, and checks it.

import { resolve } from 'node:path'
import { type Json, MEDIA_KINDS, type MediaKind } from '@plumb/lang'
import { type Authority, permit, type Subject } from '@plumb/policy'
import { absolutePath, mediaTypeOf, readWhole, resolvePath } from '@plumb/sandbox'
import { fail, preview, type Result, succeed } from '@plumb/wire'
import type { MediaBlock } from '../provider/media-block.js'

export interface MediaReach {
  readonly docroot: string
  /** The current authority. */
  readonly authority: () => Authority
}

/** Maximum bytes of one file. */
export const MAX_FILE_BYTES = 20 * 1024 * 1024

/** A value of `Media.Image`, `Media.Document` or `Media.Audio`. */
export interface MediaValue {
  readonly kind: MediaKind
  readonly path?: string
  readonly url?: string
  readonly data?: string
  readonly media_type?: string
  readonly title?: string
}

export const readMediaValue = (value: Json): MediaValue => value as unknown as MediaValue

export const loadMedia = async (value: MediaValue, reach: MediaReach): Promise<Result<MediaBlock>> => {
  const { kind, path, url, data } = value
  const given = [path, url, data].filter((text) => text !== undefined).length
  if (given !== 1) {
    const found = given === 0 ? 'none of them is there' : `${given} of them are there`
    return fail('input_type_mismatch', `${kind} needs one of 'path', 'url' and 'data', and ${found}`)
  }
  if (url !== undefined) return fromAddress(value, url)
  if (data !== undefined) return fromBase64(value, data)
  const read = await readBelow(path as string, reach)
  return read.ok ? toBlock({ ...value, ...titleOf(value, path as string) }, read.value, `'${preview(path as string, 200)}'`) : read
}

/** A file that the command line names. */
export const attachedBlock = (path: string, bytes: Buffer): Result<MediaBlock> => {
  const shown = `'${preview(path, 200)}'`
  const found = mediaTypeOf(bytes)
  const kind = found === undefined ? undefined : MEDIA_KINDS.find((name) => TYPES[name].includes(found))
  return kind === undefined ? unknownBytes(shown) : toBlock({ kind, ...titleOf({ kind }, path) }, bytes, shown)
}

const fromAddress = ({ kind, media_type, title }: MediaValue, url: string): Result<MediaBlock> => {
  const scheme = URL.canParse(url) ? new URL(url).protocol : undefined
  if (scheme !== 'https:' && scheme !== 'http:') {
    const hint = scheme === 'data:' ? "; write its base64 as 'data'" : ''
    return fail('unsupported_media', `url of ${kind} is not an address of http or https: '${preview(url)}'${hint}`)
  }
  return succeed({ type: kind, url, ...(media_type === undefined ? {} : { media_type }), ...(title === undefined ? {} : { title }) })
}

const fromBase64 = (value: MediaValue, data: string): Result<MediaBlock> => {
  if (data.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(data))
    return fail('unsupported_media', `data of ${value.kind} is not base64 with its padding (RFC 4648, 4): '${preview(data)}'`)
  return toBlock(value, Buffer.from(data, 'base64'), `data of ${value.kind}`)
}

const readBelow = async (path: string, { docroot, authority }: MediaReach): Promise<Result<Buffer>> => {
  // A forbidden path is not looked up.
  const forbidden = whyNotPermitted(path, { deferred: 'targets' }, authority())
  if (forbidden) return forbidden
  const resolved = resolvePath(path, 'read', { roots: new Map([['docroot', resolve(docroot)]]) })
  if (!resolved.ok) return resolved
  const refused = whyNotPermitted(path, { paths: [absolutePath(resolved.value)] }, authority())
  if (refused) return refused
  const tooLarge = (size: number) =>
    fail('too_large', `'${preview(path, 200)}' has ${size} bytes, and at most ${MAX_FILE_BYTES} go into a message`, {
      path: preview(path, 200),
    })
  const read = await readWhole(resolved.value, { maxBytes: MAX_FILE_BYTES, tooLarge })
  return read.ok ? succeed(read.value.bytes) : read
}

/** Rules of a policy know it as the tool `media`. */
const whyNotPermitted = (
  named: string,
  targets: Pick<Subject, 'paths' | 'deferred'>,
  authority: Authority,
): ReturnType<typeof fail> | undefined => {
  const permission = permit({ tool: 'media', effects: ['fs.read'], ...targets }, authority, Date.now())
  if (permission.kind === 'allow') return undefined
  const path = preview(named, 200)
  if (permission.kind === 'deny') return fail('permission_denied', `'${path}' is not read: ${permission.fault.detail}`, { path })
  return fail('permission_denied', `'${path}' is not read: a rule of the policy asks a person, and for a file of an input none is asked`, {
    path,
  })
}

const TYPES: Readonly<Record<MediaKind, readonly string[]>> = {
  image: ['image/png', 'image/jpeg', 'image/gif', 'image/webp'],
  document: ['application/pdf', 'text/plain'],
  audio: ['audio/wav', 'audio/mpeg'],
}

const ALIASES: Readonly<Record<string, string>> = {
  'image/jpg': 'image/jpeg',
  'audio/mp3': 'audio/mpeg',
  'audio/x-wav': 'audio/wav',
  'audio/wave': 'audio/wav',
}

const toBlock = ({ kind, media_type, title }: MediaValue, bytes: Buffer, shown: string): Result<MediaBlock> => {
  const found = mediaTypeOf(bytes)
  if (found === undefined) return unknownBytes(shown)
  if (!TYPES[kind].includes(found))
    return fail('unsupported_media', `${shown} is ${found}, and ${kind} is one of ${TYPES[kind].join(', ')}`)
  const declared = media_type?.toLowerCase().split(';')[0]?.trim()
  const isText = found === 'text/plain' && declared?.startsWith('text/') === true
  if (declared !== undefined && !isText && (ALIASES[declared] ?? declared) !== found)
    return fail('unsupported_media', `${shown} is ${found}, and its media_type says '${preview(declared)}'`)
  const titled = { type: kind, ...(title === undefined ? {} : { title }) }
  if (found === 'text/plain') return succeed({ ...titled, media_type: found, text: bytes.toString('utf8') })
  return succeed({ ...titled, media_type: found, data: bytes.toString('base64') })
}

const unknownBytes = (shown: string): ReturnType<typeof fail> =>
  fail('unsupported_media', `${shown} is not one of ${MEDIA_KINDS.flatMap((kind) => TYPES[kind]).join(', ')}, by its first bytes`)

// A model identifies a document by its name.
const titleOf = ({ kind, title }: MediaValue, path: string): { title?: string } =>
  title !== undefined ? { title } : kind === 'document' ? { title: path.split('/').at(-1) ?? path } : {}
