// Skips one JSON value in bytes and checks its grammar, without building anything. Every function takes the offset of its piece and returns
// the offset after it, or -1 if the bytes are not that piece. All of them stop at the end of the buffer, because a read past it is
// `undefined`, which fails every comparison.

/** The maximum nesting of a message. */
export const MAX_JSON_DEPTH = 512

/** The `depth` of a value that needs no check, because it is part of a checked message, or was computed from one. */
export const UNCHECKED_DEPTH = -1000

/** A number with fewer digits is finite. */
const LONG_NUMBER = 300

/** White space. A line never contains 0x0A, so a scan that meets one has left its message. */
export const skipSpace = (buf: Uint8Array, at: number): number => {
  let i = at
  let c = buf[i] as number
  while (c === 32 || c === 9 || c === 13) c = buf[++i] as number
  return i
}

/** `at` is inside a string: after its opening quote or later. */
export const skipStringRest = (buf: Uint8Array, at: number): number => {
  let i = at
  for (;;) {
    const c = buf[i] as number
    if (c === 34) return i + 1
    if (c === 92) {
      const e = buf[i + 1] as number
      if (e === 117) {
        if (!(isHex(buf[i + 2]) && isHex(buf[i + 3]) && isHex(buf[i + 4]) && isHex(buf[i + 5]))) return -1
        i += 6
      } else if (e === 34 || e === 92 || e === 47 || e === 98 || e === 102 || e === 110 || e === 114 || e === 116) i += 2
      else return -1
    } else if (c > 31) i++
    else return -1
  }
}

const isHex = (c: number | undefined): boolean => c !== undefined && ((c >= 48 && c <= 57) || (c >= 97 && c <= 102) || (c >= 65 && c <= 70))

export const skipNumber = (buf: Uint8Array, at: number): number => {
  let i = at
  let c = buf[i] as number
  if (c === 45) c = buf[++i] as number
  if (c === 48) c = buf[++i] as number
  else if (c > 48 && c < 58) {
    do c = buf[++i] as number
    while (c > 47 && c < 58)
  } else return -1
  if (i - at > LONG_NUMBER && !Number.isFinite(Number(asciiText(buf, at, i)))) return -1
  return c === 46 || c === 101 || c === 69 ? skipNumberRest(buf, i, at) : i
}

/** At the `.`, `e` or `E` of a number that began at `start`. */
export const skipNumberRest = (buf: Uint8Array, at: number, start: number): number => {
  let i = at
  let c = buf[i] as number
  if (c === 46) {
    c = buf[++i] as number
    if (!(c > 47 && c < 58)) return -1
    do c = buf[++i] as number
    while (c > 47 && c < 58)
  }
  if (c !== 101 && c !== 69) return i
  c = buf[++i] as number
  if (c === 43 || c === 45) c = buf[++i] as number
  if (!(c > 47 && c < 58)) return -1
  do c = buf[++i] as number
  while (c > 47 && c < 58)
  return Number.isFinite(Number(asciiText(buf, start, i))) ? i : -1
}

/** Any value, without leading space; `depth` containers are open around it. */
export const skipValue = (buf: Uint8Array, at: number, depth: number): number => {
  const c = buf[at] as number
  if (c === 34) return skipStringRest(buf, at + 1)
  if (c === 123) return skipMembers(buf, at + 1, depth + 1)
  if (c === 91) return skipElements(buf, at + 1, depth + 1)
  if (c === 116) return skipWord(buf, at, 114, 117, 101)
  if (c === 110) return skipWord(buf, at, 117, 108, 108)
  if (c === 102) return buf[at + 4] === 101 ? skipWord(buf, at, 97, 108, 115, 5) : -1
  return skipNumber(buf, at)
}

const skipWord = (buf: Uint8Array, at: number, b: number, c: number, d: number, length = 4): number =>
  buf[at + 1] === b && buf[at + 2] === c && buf[at + 3] === d ? at + length : -1

const skipMembers = (buf: Uint8Array, at: number, depth: number): number => {
  if (depth > MAX_JSON_DEPTH) return -1
  let i = skipSpace(buf, at)
  if (buf[i] === 125) return i + 1
  for (;;) {
    if (buf[i] !== 34) return -1
    i = skipStringRest(buf, i + 1)
    if (i < 0) return -1
    if (buf[i] !== 58) {
      i = skipSpace(buf, i)
      if (buf[i] !== 58) return -1
    }
    i++
    if ((buf[i] as number) <= 32) i = skipSpace(buf, i)
    i = skipValue(buf, i, depth)
    if (i < 0) return -1
    let c = buf[i] as number
    if (c <= 32) {
      i = skipSpace(buf, i)
      c = buf[i] as number
    }
    i++
    if (c === 125) return i
    if (c !== 44) return -1
    if ((buf[i] as number) <= 32) i = skipSpace(buf, i)
  }
}

const skipElements = (buf: Uint8Array, at: number, depth: number): number => {
  if (depth > MAX_JSON_DEPTH) return -1
  let i = skipSpace(buf, at)
  if (buf[i] === 93) return i + 1
  for (;;) {
    i = skipValue(buf, i, depth)
    if (i < 0) return -1
    let c = buf[i] as number
    if (c <= 32) {
      i = skipSpace(buf, i)
      c = buf[i] as number
    }
    i++
    if (c === 93) return i
    if (c !== 44) return -1
    if ((buf[i] as number) <= 32) i = skipSpace(buf, i)
  }
}

/** The bytes of a piece that is known to be ASCII. */
export const asciiText = (buf: Uint8Array, start: number, end: number): string => {
  let text = ''
  for (let i = start; i < end; i++) text += String.fromCharCode(buf[i] as number)
  return text
}

/**
 * Whether a value would be nested more than 512 deep with the `around` that it is put into. `buf[start..end)` is JSON, and at least one
 * byte follows.
 */
export const isTooDeep = (buf: Buffer, start: number, end: number, around = 0): boolean =>
  // Each level takes two bytes.
  end - start > 2 * (MAX_JSON_DEPTH - around) && skipValue(buf, start, around) < 0
