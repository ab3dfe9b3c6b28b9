// Lists: JSON text whose items are only moved. Code that reads items goes through takeSteps; code that writes a list is limited to the size
// of a result.

import { eachItem } from '@plumb/wire/json'
import { exactOf, expectBool, expectList, expectNumber, intOf, kindOfValue } from './coerce.js'
import { equal, identityOf } from './equal.js'
import { EvaluationFailure, failEvaluation, type Site } from './failure.js'
import { add, addInts, exactAt } from './number.js'
import { MAX_RESULT } from './sink.js'
import { boundOf, describe, type RuntimeValue, Slice, stringAt } from './slice.js'
import { takeSteps } from './steps.js'
import { compareStrings } from './text.js'
import { listFrom, listOf, type Put, writeRecord } from './write.js'

type Visit = (item: Slice, at: number) => void

export const eachOf = ({ buf, start }: Slice, visit: Visit): void => {
  takeSteps(eachItem(buf, start, (from, to, at) => visit(new Slice(buf, from, to), at)))
}

const itemsOf = (list: Slice): Slice[] => {
  const items: Slice[] = []
  eachOf(list, (item) => items.push(item))
  return items
}

export const first = (list: Slice, site: Site): Slice => itemsOf(list)[0] ?? failEvaluation(site, 'the list is empty')
export const last = (list: Slice, site: Site): Slice => itemsOf(list).at(-1) ?? failEvaluation(site, 'the list is empty')
export const reverse = (list: Slice): Slice => listOf(itemsOf(list).reverse())

export const flatten = (list: Slice, site: Site): Slice => listFrom((put) => eachOf(list, (item) => eachOf(expectList(item, site), put)))

export const concat = (a: Slice, b: Slice): Slice =>
  listFrom((put) => {
    eachOf(a, put)
    eachOf(b, put)
  })

export const sliceList = (list: Slice, from: number | undefined, to: number | undefined): Slice => {
  const items = itemsOf(list)
  return listOf(items.slice(boundOf(from ?? 0, items.length), boundOf(to ?? items.length, items.length)))
}

export const zip = (a: Slice, b: Slice): Slice => {
  const others = itemsOf(b)
  return listFrom((put) => {
    eachOf(a, (item, at) => {
      const other = others[at]
      if (other) put(listOf([item, other]))
    })
  })
}

/** From 0 on. An item takes at least two bytes. */
export const range = (count: number): Slice => {
  if (2 * count > MAX_RESULT)
    throw new EvaluationFailure(`a list of ${count} items is larger than ${MAX_RESULT.toLocaleString('en')} bytes`, 'too_large')
  return listFrom((put) => {
    for (let i = 0; i < count; i++) put(i)
    takeSteps(Math.max(count, 0))
  })
}

export const indexIn = (list: Slice, value: RuntimeValue): number => {
  let found = -1
  eachOf(list, (item, at) => {
    if (found < 0 && equal(item, value)) found = at
  })
  return found
}

type Step<T> = (result: T, item: RuntimeValue, site: Site) => T

const reduced =
  <T>(start: T, step: Step<T>) =>
  (list: Slice, site: Site): T => {
    let result = start
    eachOf(list, (item) => {
      result = step(result, item, site)
    })
    return result
  }

export const addInt: Step<number> = (sum, item, site) => addInts(sum, intOf(item, site), site)
export const addNumber: Step<number> = (sum, item, site) => add(sum, expectNumber(item, site), site)
// All are read: one that is not a bool fails wherever it is.
export const isEither: Step<boolean> = (result, item, site) => expectBool(item, site) || result
export const areBoth: Step<boolean> = (result, item, site) => expectBool(item, site) && result

export const sumInts = reduced(0, addInt)
export const sumNumbers = reduced(0, addNumber)
export const any = reduced(false, isEither)
export const all = reduced(true, areBoth)

/** `x -> e` */
export type ItemKey = (item: Slice) => RuntimeValue

const itself: ItemKey = (item) => item

type Rank = string | number | bigint

const rankOf = (value: RuntimeValue, site: Site): Rank => {
  if (typeof value === 'string' || typeof value === 'number') return value
  const kind = kindOfValue(value)
  if (kind !== 'string' && kind !== 'number') return failEvaluation(site, `${describe(value)} is neither a number nor a string`)
  const { buf, start, end } = value as Slice
  return kind === 'string' ? stringAt(buf, start + 1, end - 1) : exactAt(buf, start, end)
}

const compareRanks = (a: Rank, b: Rank, site: Site): number => {
  if (typeof a === 'string' && typeof b === 'string') return compareStrings(a, b)
  if (typeof a === 'string' || typeof b === 'string') return failEvaluation(site, 'numbers and strings have no common order')
  return a < b ? -1 : a > b ? 1 : 0
}

/** Stable, by numbers or by strings. */
export const sort = (list: Slice, key: ItemKey = itself, site: Site): Slice => listOf(sorted(list, key, site))

/** A slice of the sorted list, without the list. */
export const sliceSorted = (list: Slice, key: ItemKey = itself, site: Site, from: number | undefined, to: number | undefined): Slice => {
  const items = sorted(list, key, site)
  takeSteps(items.length)
  return listOf(items.slice(boundOf(from ?? 0, items.length), boundOf(to ?? items.length, items.length)))
}

/** Up to so many numbers are put in their places one by one: a call for each comparison would take longer. */
const FEW = 24

const sorted = (list: Slice, key: ItemKey, site: Site): readonly Slice[] => {
  const items = itemsOf(list)
  const ranks: Rank[] = []
  let areNumbers = true
  for (const item of items) {
    const rank = rankOf(key(item), site)
    ranks.push(rank)
    if (typeof rank !== 'number') areNumbers = false
  }
  if (areNumbers && items.length <= FEW) {
    insertInOrder(items, ranks as number[])
    return items
  }
  const ranked = items.map((item, i) => ({ item, rank: ranks[i] as Rank }))
  ranked.sort(areNumbers ? (a, b) => (a.rank as number) - (b.rank as number) : (a, b) => compareRanks(a.rank, b.rank, site))
  return ranked.map(({ item }) => item)
}

const insertInOrder = (items: Slice[], ranks: number[]): void => {
  for (let i = 1; i < items.length; i++) {
    const item = items[i] as Slice
    const rank = ranks[i] as number
    let at = i
    for (; at > 0 && (ranks[at - 1] as number) > rank; at--) {
      items[at] = items[at - 1] as Slice
      ranks[at] = ranks[at - 1] as number
    }
    items[at] = item
    ranks[at] = rank
  }
}

/** The first of equal ones. */
const extreme =
  (sign: 1 | -1) =>
  (list: Slice, key: ItemKey = itself, site: Site): Slice => {
    let best: { readonly item: Slice; readonly rank: Rank } | undefined
    eachOf(list, (item) => {
      const rank = rankOf(key(item), site)
      if (!best || sign * compareRanks(rank, best.rank, site) < 0) best = { item, rank }
    })
    return (best ?? failEvaluation(site, 'the list is empty')).item
  }

export const least = extreme(1)
export const greatest = extreme(-1)

/** The first of two equal numbers. */
export const lesser = (a: RuntimeValue, b: RuntimeValue): RuntimeValue => (exactOf(b) < exactOf(a) ? b : a)
export const greater = (a: RuntimeValue, b: RuntimeValue): RuntimeValue => (exactOf(b) > exactOf(a) ? b : a)

/** The first of equal ones. */
export const unique = (list: Slice, key: ItemKey = itself): Slice => {
  const seen = new Set<string | number>()
  return listFrom((put) =>
    eachOf(list, (item) => {
      const identity = identityOf(key(item))
      if (seen.has(identity)) return
      seen.add(identity)
      put(item)
    }),
  )
}

/** `{ key, items }` in the order in which the keys first appear. */
export const groupItems = (list: Slice, keyOf: ItemKey): Slice => {
  const groups = new Map<string | number, { readonly key: RuntimeValue; readonly items: Slice[] }>()
  eachOf(list, (item) => {
    const key = keyOf(item)
    const identity = identityOf(key)
    const known = groups.get(identity)
    if (known) known.items.push(item)
    else groups.set(identity, { key, items: [item] })
  })
  return listFrom((put: Put) => {
    for (const { key, items } of groups.values())
      put(
        writeRecord(
          new Map([
            ['key', key],
            ['items', listOf(items)],
          ]),
        ),
      )
  })
}
