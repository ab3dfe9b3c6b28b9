// What can be said of a line's bytes before they are read as JSON.

export const isBlank = (buf: Buffer, start: number, end: number): boolean => {
  for (let i = start; i < end; i++) {
    const byte = buf[i]
    if (byte !== 0x20 && byte !== 0x09 && byte !== 0x0d) return false
  }
  return true
}

/** Whether all would be well without an unfinished character at the end. */
export const endsInsideCharacter = (buf: Buffer, start: number, end: number): boolean => {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(buf.subarray(start, end), { stream: true })
    return true
  } catch {
    return false
  }
}
