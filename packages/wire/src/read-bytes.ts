// Reads the bytes of a stream, up to a limit.

/** Stops after the chunk that exceeds `maxBytes`: a longer result means that there was too much. Throws what the stream throws. */
export const readBytes = async (stream: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Buffer> => {
  const chunks: Uint8Array[] = []
  let total = 0
  for await (const chunk of stream) {
    chunks.push(chunk)
    total += chunk.length
    if (total > maxBytes) break
  }
  return Buffer.concat(chunks, total)
}
