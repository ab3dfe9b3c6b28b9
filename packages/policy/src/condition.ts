// `when` of a policy rule: what must hold in the context of the moment.

import type { Authority } from './authority.js'

/** `unknown`: the context does not say. */
export type Truth = 'yes' | 'no' | 'unknown'

export const allOf = (truths: Iterable<Truth>): Truth => {
  let all: Truth = 'yes'
  for (const truth of truths) {
    if (truth === 'no') return 'no'
    if (truth === 'unknown') all = truth
  }
  return all
}

/** `now` in ms since 1970; hours are those of the local wall clock. */
export const matchesContext = (key: string, wanted: string | boolean, context: Authority['context'], now: number): Truth => {
  if (key === 'hours') return isWithin(String(wanted), now) ? 'yes' : 'no'
  if (!Object.hasOwn(context, key)) return 'unknown'
  return context[key] === String(wanted) ? 'yes' : 'no'
}

const HOURS = /^(\d{1,2})(?::(\d\d))?-(\d{1,2})(?::(\d\d))?$/

/** Minutes of the day, from the first up to but not including the last: `9-17`, `8:30-12`, `22-6` over midnight. */
export const parseHours = (text: string): readonly [from: number, to: number] | undefined => {
  const found = HOURS.exec(text)
  if (!found) return undefined
  const [from, to] = [minutes(found[1], found[2]), minutes(found[3], found[4])]
  return from !== undefined && to !== undefined && from !== to ? [from, to] : undefined
}

const DAY = 24 * 60

const minutes = (hour = '', minute = '0'): number | undefined => {
  const total = Number(hour) * 60 + Number(minute)
  return Number(minute) < 60 && total <= DAY ? total : undefined
}

const isWithin = (text: string, now: number): boolean => {
  const hours = parseHours(text)
  if (!hours) return false
  const date = new Date(now)
  const minute = date.getHours() * 60 + date.getMinutes()
  const [from, to] = hours
  return from < to ? minute >= from && minute < to : minute >= from || minute < to
}
