// Checks of a line's bytes before they are parsed as JSON.

export const isBlank = (buf: Buffer, start: number, end: number): boolean => {
  for (let i = start; i < end; i++) {
    const byte = buf[i]
    if (byte !== 0x20 && byte !== 0x09 && byte !== 0x0d) return false
  }
  return true
}

/** Whether everything except an unfinished character at the end is valid. */
export const endsInsideCharacter = (buf: Buffer, start: number, end: number): boolean => {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(buf.subarray(start, end), { stream: true })
    return true
  } catch {
    return false
  }
}
