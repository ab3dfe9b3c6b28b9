// Reads a file of known size. Those that a system makes up as they are read, as in /proc, have none: they are read to their end first.

import type { FileHandle } from 'node:fs/promises'

export interface SizedReader {
  /** In bytes, when it was opened. */
  readonly size: number
  /** Resolves to the number of bytes read; 0 at the end. */
  read(target: Buffer, length: number, position: number): Promise<number>
}

const MAX_UNSIZED_BYTES = 16 * 1024 * 1024
const CHUNK_BYTES = 64 * 1024

/** Rejects with EFBIG if a file without a size has more than 16 MiB. */
export const sizedReader = async (handle: FileHandle): Promise<SizedReader> => {
  const { size } = await handle.stat()
  if (size > 0) return { size, read: async (target, length, position) => (await handle.read(target, 0, length, position)).bytesRead }
  const bytes = await readUnsized(handle, MAX_UNSIZED_BYTES)
  if (!bytes) throw Object.assign(new Error('EFBIG: file too large'), { code: 'EFBIG' })
  return { size: bytes.length, read: async (target, length, position) => bytes.copy(target, 0, position, position + length) }
}

/** To the end; undefined if there is more. */
export const readUnsized = async (handle: FileHandle, maxBytes: number): Promise<Buffer | undefined> => {
  const chunks: Buffer[] = []
  for (let position = 0; position <= maxBytes; ) {
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES)
    const { bytesRead } = await handle.read(chunk, 0, chunk.length, position)
    if (bytesRead === 0) return Buffer.concat(chunks)
    chunks.push(chunk.subarray(0, bytesRead))
    position += bytesRead
  }
  return undefined
}
