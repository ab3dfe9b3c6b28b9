// SLIP's HASH of a 36-bit machine word, and the 7094's way to put a word of text into one.

import { once } from '@plumb/wire/once'

/** HASH(d, n) for n in 0..15: the middle bits of the square of the magnitude. The products have 70 bits. */
export const hash = (cell: bigint, bits: number): number => {
  const magnitude = cell & ((1n << 35n) - 1n)
  const square = magnitude * magnitude
  return Number((square >> BigInt(35 - (bits >> 1))) & ((1n << BigInt(bits)) - 1n))
}

/** The last 6-character cell of a word: 6 bits a character in BCD, left-justified, filled with spaces. */
export const lastCell = (word: string): bigint => {
  const bytes = Buffer.from(word, 'utf8')
  const start = bytes.length === 0 ? 0 : Math.floor((bytes.length - 1) / 6) * 6
  let cell = 0n
  for (let i = start; i < start + 6; i++) cell = (cell << 6n) | BigInt(bcd(bytes[i]))
  return cell
}

// The 7094's printable characters, each run with its first code.
const RUNS: readonly (readonly [string, number])[] = [
  ['0123456789', 0o00],
  ["='", 0o13],
  ['+ABCDEFGHI', 0o20],
  ['.)', 0o33],
  ['-JKLMNOPQR', 0o40],
  ['$*', 0o53],
  [' /STUVWXYZ', 0o60],
  [',(', 0o73],
]
const codes = once(() => new Map(RUNS.flatMap(([characters, first]) => [...characters].map((c, i) => [c, first + i] as const))))

const SPACE = 0o60

const bcd = (byte: number | undefined): number => (byte === undefined ? SPACE : (codes().get(String.fromCharCode(byte)) ?? byte & 0x3f))
