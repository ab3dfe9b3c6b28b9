// The text of a whole file to its place, and what is told of it.

import { type Result, succeed } from '@plumb/wire'
import type { Place } from '../../path/resolved-path.js'
import { type WriteOptions, writeWhole } from '../../path/write-file-atomically.js'
import { sha256Of, toBytes } from './text-file.js'

export const writeText = async (
  place: Place,
  text: string,
  options: WriteOptions & { readonly hasMark?: boolean },
): Promise<Result<{ path: string; bytes: number; sha256: string }>> => {
  const bytes = toBytes(text, place.shown, options)
  if (!bytes.ok) return bytes
  const written = await writeWhole(place, bytes.value, options)
  return written.ok ? succeed({ path: place.shown, bytes: bytes.value.length, sha256: sha256Of(bytes.value) }) : written
}
