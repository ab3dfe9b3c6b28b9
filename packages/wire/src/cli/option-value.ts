// Parses the values of options. What is thrown for others says what is expected, without the option.

import { PROVIDER_NAMES, type ProviderLane } from '../accounts.js'
import { readRate } from '../claim.js'
import { MAX_NANO, toNano } from '../money.js'

/** The longest delay of a timer. */
const MAX_SECONDS = 2_147_483

/** Commander takes it for its InvalidArgumentError, by its code. */
class InvalidArgument extends Error {
  readonly code = 'commander.invalidArgument'
  readonly exitCode = 1
}

/** Throws where the value is wrong. */
export const demand = (isRight: boolean, wanted: string): void => {
  if (!isRight) throw new InvalidArgument(wanted)
}

/** Digits only, from `from` to 2^53 - 1. */
export const whole =
  (from: number) =>
  (text: string): number => {
    const value = Number(text)
    demand(/^\d+$/.test(text) && Number.isSafeInteger(value) && value >= from, `it takes a whole number from ${from}`)
    return value
  }

/** A port to listen on; 0: a free one. */
export const port = (text: string): number => {
  const number = whole(0)(text)
  demand(number <= 65535, 'a port is at most 65535')
  return number
}

/** `N`, or `N-M` with M from N on: whole numbers from 1. */
export const range = (text: string): readonly [number, number] => {
  const [first = '', last = first] = text.split(/-(.*)/s, 2)
  const [from, to] = [Number(first), Number(last)]
  const isRight = /^\d+(-\d+)?$/.test(text) && from >= 1 && to >= from && Number.isSafeInteger(to)
  demand(isRight, 'it takes a number from 1, or two of them such as 3-7')
  return [from, to]
}

/** A decimal number over 0. */
export const seconds = (text: string): number => {
  const value = Number(text)
  demand(/^\d+(\.\d+)?$/.test(text) && value > 0 && value <= MAX_SECONDS, 'it takes a number of seconds')
  return value
}

/** A decimal number from 0 to 1. */
export const share = (text: string): number => {
  const value = Number(text)
  demand(/^\d+(\.\d+)?$/.test(text) && value <= 1, 'it takes a share from 0 to 1, such as 0.02')
  return value
}

/** A decimal number over 0. */
export const ratio = (text: string): number => {
  const value = Number(text)
  demand(/^\d+(\.\d+)?$/.test(text) && value > 0 && Number.isFinite(value), 'it takes a number over 0, such as 1.2')
  return value
}

/** A decimal number over 0, at least a nanodollar; returned as nanodollars. */
export const dollars = (text: string): number => {
  const nano = toNano(Number(text))
  demand(/^\d+(\.\d{1,9})?$/.test(text) && nano > 0 && nano <= MAX_NANO, 'it takes a number of dollars, such as 0.50')
  return nano
}

/** A provider's rate a minute; repeatable. */
export const rates = (text: string, before: readonly string[] = []): readonly string[] => {
  const rate = readRate(text)
  demand(rate !== undefined && PROVIDER_NAMES.includes(rate.provider), 'it takes PROVIDER=REQUESTS/TOKENS, such as openai=50/40000')
  return [...before, text]
}

/** How requests are sent to providers. */
export const lanes = (text: string): ProviderLane => {
  demand(text === 'now' || text === 'batch', "it takes 'now' or 'batch'")
  return text as ProviderLane
}

/** A repeatable option: all its texts, in order. */
export const again = (text: string, before: readonly string[] = []): readonly string[] => [...before, text]
