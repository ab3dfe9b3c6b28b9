// Numbers in the short forms that people read at a glance.

/** `950`, `1.2k`, `12k`, `3.4M`. */
export const showCount = (count: number): string => {
  if (count < 1000) return String(Math.round(count))
  const [size, letter] = count < 999_500 ? [1000, 'k'] : count < 999_500_000 ? [1_000_000, 'M'] : [1_000_000_000, 'G']
  const scaled = count / size
  return `${scaled < 9.95 ? scaled.toFixed(1) : Math.round(scaled)}${letter}`
}

/** `7 s`, `1:05`, `2:03:09`. */
export const showTime = (ms: number): string => {
  const seconds = Math.max(0, Math.round(ms / 1000))
  if (seconds < 60) return `${seconds} s`
  const two = (n: number) => String(n).padStart(2, '0')
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60]
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`
}

/** Dollars, with two significant figures: `$0.0031`, `$1.50`, `$230.00`; with a plus where a part has no price. */
export const showCost = ({ known, unpriced }: { readonly known: number; readonly unpriced: readonly string[] }): string => {
  const digits = known === 0 || known >= 1 ? 2 : Math.min(6, 1 - Math.floor(Math.log10(known)))
  return `$${known.toFixed(Math.max(2, digits))}${unpriced.length > 0 ? '+' : ''}`
}

/** `12/s`, `3.1/s`, `4.0/min`; empty before the first. */
export const showRate = (count: number, ms: number): string => {
  if (count === 0 || ms <= 0) return ''
  const perSecond = (count * 1000) / ms
  if (perSecond >= 9.95) return `${showCount(perSecond)}/s`
  return perSecond >= 1 ? `${perSecond.toFixed(1)}/s` : `${(perSecond * 60).toFixed(1)}/min`
}
