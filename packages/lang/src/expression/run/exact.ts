// Whether the exact result of an operation is whole, by the shortest digits of its operands. Asked only beyond ±2^53, where a double
// cannot say.

interface Decimal {
  /** The value is digits / 10^places. */
  readonly digits: bigint
  readonly places: number
}

const decimalOf = (n: number): Decimal => {
  const [mantissa = '', exponent = '0'] = String(n).split('e')
  const [whole = '', fraction = ''] = mantissa.split('.')
  const places = fraction.length - Number(exponent)
  const digits = BigInt(whole + fraction)
  return places >= 0 ? { digits, places } : { digits: digits * 10n ** BigInt(-places), places: 0 }
}

const isMultiple = (digits: bigint, of: bigint): boolean => digits % of === 0n

export const isWholeSum = (a: number, b: number): boolean => {
  const [x, y] = [decimalOf(a), decimalOf(b)]
  const places = Math.max(x.places, y.places)
  const scaled = ({ digits, places: own }: Decimal) => digits * 10n ** BigInt(places - own)
  return isMultiple(scaled(x) + scaled(y), 10n ** BigInt(places))
}

export const isWholeProduct = (a: number, b: number): boolean => {
  const [x, y] = [decimalOf(a), decimalOf(b)]
  return isMultiple(x.digits * y.digits, 10n ** BigInt(x.places + y.places))
}

export const isWholeQuotient = (a: number, b: number): boolean => {
  const [x, y] = [decimalOf(a), decimalOf(b)]
  return isMultiple(x.digits * 10n ** BigInt(y.places), y.digits * 10n ** BigInt(x.places))
}

/** Of a power beyond ±2^53, whose exponent is not 0. */
export const isWholePower = (base: number, exponent: number): boolean => {
  if (Number.isInteger(exponent)) return exponent > 0 ? Number.isInteger(base) : isWholeReciprocal(base)
  // A root of a power of two: 16 ** 1.5.
  const root = 2 ** fractionBits(exponent)
  const whole = Math.round(base ** (1 / root))
  return root <= 64 && whole ** root === base
}

// 1 / 0.25 is whole: no factor is left but those of ten, and no digit after the point.
const isWholeReciprocal = (n: number): boolean => {
  const { digits, places } = decimalOf(n)
  return digits !== 0n && isMultiple(10n ** BigInt(places), digits < 0n ? -digits : digits)
}

const fractionBits = (n: number): number => {
  let bits = 0
  for (let rest = n; !Number.isInteger(rest) && bits < 60; rest *= 2) bits++
  return bits
}
