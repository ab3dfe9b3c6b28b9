// The keys of an object, found in place.

/** Returns the offset after the string at `at`; -1 where it has an escape. */
export const skipPlainString = (buf: Uint8Array, at: number): number => {
  let i = at + 1
  let c = buf[i] as number
  while (c > 31 && c !== 34 && c !== 92) c = buf[++i] as number
  return c === 34 ? i + 1 : -1
}

/** Up to so many are compared one by one. */
const FEW = 12

/** Of strings, by starts and ends in turns. */
export const areDistinct = (buf: Buffer, keys: readonly number[]): boolean => {
  let arePlain = true
  for (let k = 0; k < keys.length; k += 2) if (skipPlainString(buf, keys[k] as number) !== keys[k + 1]) arePlain = false
  if (!arePlain || keys.length > 2 * FEW) {
    const seen = new Set<string>()
    for (let k = 0; k < keys.length; k += 2)
      seen.add(arePlain ? buf.toString('latin1', keys[k], keys[k + 1]) : JSON.parse(buf.toString('utf8', keys[k], keys[k + 1])))
    return 2 * seen.size === keys.length
  }
  for (let k = 2; k < keys.length; k += 2) {
    for (let j = 0; j < k; j += 2)
      if (isSame(buf, keys[j] as number, keys[j + 1] as number, keys[k] as number, keys[k + 1] as number)) return false
  }
  return true
}

const isSame = (buf: Buffer, from: number, to: number, start: number, end: number): boolean => {
  if (to - from !== end - start) return false
  for (let i = 0; i < to - from; i++) if (buf[from + i] !== buf[start + i]) return false
  return true
}
