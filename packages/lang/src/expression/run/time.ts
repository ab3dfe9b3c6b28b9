// Times: RFC 3339 and plain dates, as seconds since 1970 in UTC. No clock is read.

import { preview } from '@plumb/wire/preview'
import { failEvaluation, type Site } from './failure.js'

const DATE = String.raw`(\d{4})-(\d\d)-(\d\d)`
const TIME = new RegExp(String.raw`^${DATE}(?:[Tt](\d\d):(\d\d):(\d\d)(\.\d+)?(?:[Zz]|([+-])(\d\d):(\d\d)))?$`)

/** A date is its midnight in UTC; a leap second, which only the end of a month can have, is the one after it. */
export const readTime = (text: string, site: Site): number => {
  const found = TIME.exec(text)
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = (found ?? []).slice(1, 7).map((digits) => Number(digits ?? 0))
  const [offsetHours, offsetMinutes] = [Number(found?.[9] ?? 0), Number(found?.[10] ?? 0)]
  const offset = (found?.[8] === '-' ? -60 : 60) * (60 * offsetHours + offsetMinutes)
  const midnight = new Date(0).setUTCFullYear(year, month - 1, day)
  const isDate = new Date(midnight).getUTCMonth() === month - 1 && day > 0
  if (
    !found ||
    !isDate ||
    hour > 23 ||
    minute > 59 ||
    second > 60 ||
    (second === 60 && !isLeap(midnight / 1000 + 3600 * hour + 60 * minute - offset)) ||
    offsetHours > 23 ||
    offsetMinutes > 59
  ) {
    return failEvaluation(site, `'${preview(text, 40)}' is neither a time of RFC 3339 nor a date`)
  }
  return midnight / 1000 + 3600 * hour + 60 * minute + second - offset + Number(found[7] ?? 0)
}

// A leap second follows 23:59:59 UTC on the last day of a month.
const isLeap = (minute: number): boolean => {
  const next = new Date((minute + 60) * 1000)
  return next.getUTCDate() === 1 && next.getUTCHours() === 0 && next.getUTCMinutes() === 0
}

const MIN = -62_167_219_200
const MAX = 253_402_300_800

/** In UTC, to the microsecond. */
export const writeTime = (time: number, site: Site): string => {
  const micros = Math.round((time - Math.floor(time)) * 1e6)
  const seconds = Math.floor(time) + (micros === 1e6 ? 1 : 0)
  if (!(seconds >= MIN && seconds < MAX)) return failEvaluation(site, `${time} is outside of the years 0 to 9999`)
  const whole = new Date(seconds * 1000).toISOString().slice(0, 19)
  const fraction = micros % 1e6 === 0 ? '' : `.${String(micros).padStart(6, '0').replace(/0+$/, '')}`
  return `${whole}${fraction}Z`
}
