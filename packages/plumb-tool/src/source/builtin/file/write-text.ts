// The text of a whole file to its place, and what is told of it.

import { type Result, succeed } from '@plumb/wire'
import type { ResolvedPath } from '../../path/resolved-path.js'
import { type WriteOptions, writeFileAtomically } from '../../path/write-file-atomically.js'
import { encodeText, sha256Of } from './text-file.js'

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
