// Reads and writes whole text files, with their version and byte-order mark.

import { isUtf8 } from 'node:buffer'
import {
  type FileStamp,
  fileChanged,
  fileStamp,
  type ResolvedPath,
  readWhole,
  type WriteOptions,
  writeFileAtomically,
} from '@plumb/sandbox'
import { fail, preview, type Result, sha256Of, succeed } from '@plumb/wire'
import { lineEndOf, withLineEnds } from './line-ends.js'

export interface WholeFile {
  readonly bytes: Buffer
  readonly stamp: FileStamp
  /** Permission bits. */
  readonly mode: number
}

interface TextFile extends WholeFile {
  /** Without the byte-order mark. */
  readonly text: string
  readonly hasMark: boolean
}

/** Files are held in memory whole. */
export const MAX_EDITED_BYTES = 16 * 1024 * 1024

/** For editing: at most 16 MiB of UTF-8. `file_changed` if `sha256` is given and differs. */
export const readTextFile = async (resolved: ResolvedPath, sha256?: string): Promise<Result<TextFile>> => {
  const file = await readWholeFile(resolved, sha256)
  return file.ok ? asTextFile(file.value, resolved.shown) : file
}

export const readWholeFile = async (resolved: ResolvedPath, sha256?: string): Promise<Result<WholeFile>> => {
  const read = await readWhole(resolved, { maxBytes: MAX_EDITED_BYTES, tooLarge: () => tooLarge(resolved.shown) })
  if (!read.ok) return read
  const { bytes, stat } = read.value
  if (sha256 !== undefined && sha256.toLowerCase() !== sha256Of(bytes)) return fileChanged(resolved.shown)
  return succeed({ bytes, stamp: fileStamp(stat), mode: stat.mode & 0o7777 })
}

export const asTextFile = (file: WholeFile, shown: string): Result<TextFile> => {
  const { bytes } = file
  if (isBinary(bytes) || !isUtf8(bytes)) return refuseBinary(shown)
  const hasMark = bytes.length >= 3 && bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
  return succeed({ ...file, text: bytes.toString('utf8', hasMark ? 3 : 0), hasMark })
}

/** Encodes text as UTF-8. `hasMark`: with a byte-order mark. */
export const encodeText = (text: string, shown: string, { hasMark = false } = {}): Result<Buffer> => {
  if (/\p{Cs}/u.test(text)) return unwritable(shown, 'the text holds one half of a surrogate pair, which UTF-8 has no bytes for')
  const bytes = Buffer.from(hasMark ? `\ufeff${text}` : text)
  return bytes.length <= MAX_EDITED_BYTES ? succeed(bytes) : unwritable(shown, `it would have more than ${MAX_EDITED_BYTES} bytes`)
}

const unwritable = (shown: string, why: string): ReturnType<typeof fail> =>
  fail('input_type_mismatch', `'${preview(shown, 200)}' cannot be written: ${why}`, { path: preview(shown, 200) })

/** A file with a NUL byte counts as binary. */
export const isBinary = (bytes: Uint8Array): boolean => bytes.includes(0)

export const refuseBinary = (shown: string): ReturnType<typeof fail> =>
  fail('input_type_mismatch', `'${preview(shown, 200)}' is not UTF-8 text: binary files are not read`, { path: preview(shown, 200) })

const tooLarge = (shown: string): ReturnType<typeof fail> =>
  fail('input_type_mismatch', `'${preview(shown, 200)}' is larger than ${MAX_EDITED_BYTES} bytes, more than this tool changes`, {
    path: preview(shown, 200),
  })

/** Written whole over an old text: with its byte-order mark, and its line ends if it has one kind and the new text only line feeds. */
export const inStyleOf = ({ text: old, hasMark }: TextFile, text: string): { readonly text: string; readonly hasMark: boolean } => {
  const isPlain = !text.includes('\r')
  return { text: withLineEnds(hasMark ? text.replace(/^\ufeff/, '') : text, isPlain ? lineEndOf(old) : undefined), hasMark }
}

export const writeText = async (
  resolved: ResolvedPath,
  text: string,
  options: WriteOptions & { readonly hasMark?: boolean },
): Promise<Result<{ path: string; bytes: number; sha256: string }>> => {
  const bytes = encodeText(text, resolved.shown, options)
  if (!bytes.ok) return bytes
  const written = await writeFileAtomically(resolved, bytes.value, options)
  return written.ok ? succeed({ path: resolved.shown, bytes: bytes.value.length, sha256: sha256Of(bytes.value) }) : written
}
