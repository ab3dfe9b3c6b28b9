// Reads a file whole, in one piece and up to a limit.

import type { Stats } from 'node:fs'
import { type Result, succeed } from '@plumb/wire'
import { fileChanged } from './file-stamp.js'
import { closeQuietly, openFile } from './open.js'
import { type ResolvedPath, systemFault } from './resolved-path.js'
import { readUnsized } from './sized-reader.js'

export interface ReadLimit {
  readonly maxBytes: number
  readonly tooLarge: (size: number) => Result<never>
}

/** `file_changed` where it is being written at this moment. */
export const readWhole = async (
  resolved: ResolvedPath,
  { maxBytes, tooLarge }: ReadLimit,
): Promise<Result<{ readonly bytes: Buffer; readonly stat: Stats }>> => {
  const opened = await openFile(resolved)
  if (!opened.ok) return opened
  const handle = opened.value
  try {
    const stat = await handle.stat()
    if (stat.size > maxBytes) return tooLarge(stat.size)
    if (stat.size === 0) {
      const bytes = await readUnsized(handle, maxBytes)
      return bytes ? succeed({ bytes, stat }) : tooLarge(maxBytes + 1)
    }
    const whole = Buffer.alloc(stat.size + 1)
    const { bytesRead } = await handle.read(whole, 0, whole.length, 0)
    return bytesRead === stat.size ? succeed({ bytes: whole.subarray(0, bytesRead), stat }) : fileChanged(resolved.shown)
  } catch (error) {
    return systemFault(error, 'read', resolved.shown)
  } finally {
    await closeQuietly(handle)
  }
}
