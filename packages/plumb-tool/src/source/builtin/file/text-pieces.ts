// A text file piece by piece, each of whole lines, so that one of any size is searched in bounded memory.

import { isUtf8 } from 'node:buffer'
import type { FileHandle } from 'node:fs/promises'
import { isBinary } from './text-file.js'

const PIECE_BYTES = 1024 * 1024
const MAX_LINE_BYTES = 16 * 1024 * 1024

/** Up to the size that it had when it was opened. Returns false where it turns out to be no UTF-8 text, or a line of it is too long. */
export async function* readTextPieces(handle: FileHandle, signal: AbortSignal): AsyncGenerator<string, boolean> {
  const { size } = await handle.stat()
  let rest: Buffer[] = []
  let restBytes = 0
  for (let position = 0; position < size && !signal.aborted; ) {
    const wanted = Math.min(PIECE_BYTES, size - position)
    const chunk = Buffer.allocUnsafe(wanted)
    const { bytesRead } = await handle.read(chunk, 0, wanted, position)
    if (bytesRead === 0) break
    position += bytesRead
    const bytes = chunk.subarray(0, bytesRead)
    if (isBinary(bytes)) return false
    const end = position < size ? bytes.lastIndexOf(10) + 1 : bytes.length
    if (end > 0) {
      const whole = Buffer.concat([...rest, bytes.subarray(0, end)])
      if (!isUtf8(whole)) return false
      yield whole.toString()
      rest = []
      restBytes = 0
    }
    rest.push(bytes.subarray(end))
    restBytes += bytes.length - end
    if (restBytes > MAX_LINE_BYTES) return false
  }
  return true
}
