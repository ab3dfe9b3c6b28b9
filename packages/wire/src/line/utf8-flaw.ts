// Describes bytes that are not UTF-8: where the first of them is, and the most likely remedy.

import { isUtf8 } from 'node:buffer'

/** `at` counts bytes. Undefined: the bytes are UTF-8. */
const findForeignByte = (bytes: Uint8Array): number | undefined => {
  for (let at = 0; at < bytes.length; ) {
    const lead = bytes[at] as number
    const size = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4
    if (size > 1 && !isUtf8(bytes.subarray(at, at + size))) return at
    at += size
  }
  return undefined
}

/** `what`: `line 3`, `it`. With `byLine` the position is given in lines. */
export const describeForeignByte = (bytes: Uint8Array, what: string, byLine = false): string => {
  const at = findForeignByte(bytes)
  if (at === undefined) return `${what} is not UTF-8`
  const before = bytes.subarray(0, at)
  const start = byLine ? before.lastIndexOf(LF) + 1 : 0
  const line = byLine ? ` in line ${before.reduce((lines, byte) => lines + (byte === LF ? 1 : 0), 1)}` : ''
  const byte = (bytes[at] as number).toString(16).toUpperCase().padStart(2, '0')
  return `${what} is not UTF-8: byte ${at - start + 1}${line} is 0x${byte}; if it is Latin-1, 'iconv -f latin1 -t utf8' converts it`
}

const LF = 10
