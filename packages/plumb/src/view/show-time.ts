// Times of a run in short forms.

/** Of a length or a moment, from microseconds: `0`, `850 µs`, `3.2 ms`, `1.50 s`, `2 min 05 s`. */
export const showMicroseconds = (us: number): string => {
  if (us === 0) return '0'
  if (us < 1000) return `${Math.round(us)} µs`
  if (us < 1_000_000) return `${trimmed(us / 1000)} ms`
  if (us < 60_000_000) return `${trimmed(us / 1_000_000)} s`
  const seconds = Math.round(us / 1_000_000)
  return `${Math.floor(seconds / 60)} min ${String(seconds % 60).padStart(2, '0')} s`
}

const trimmed = (n: number): string => (n < 10 ? n.toFixed(2) : n < 100 ? n.toFixed(1) : n.toFixed(0)).replace(/\.0+$/, '')

/** Round times from 0 to `end`, roughly `about` of them. */
export const axisTicks = (end: number, about: number): number[] => {
  if (end <= 0) return [0]
  const rough = end / about
  const size = 10 ** Math.floor(Math.log10(rough))
  const step = [1, 2, 5, 10].map((n) => n * size).find((n) => n >= rough) ?? rough
  return Array.from({ length: Math.floor(end / step) + 1 }, (_, i) => i * step)
}
