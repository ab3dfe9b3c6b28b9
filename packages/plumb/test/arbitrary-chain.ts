// Random chains of maps that fail, filters, copies, lists, calls, fall-backs and barriers within barriers, each beside what it makes of a
// message by the rule.

import fc from 'fast-check'

/** What becomes of one message in a process. */
export interface Made {
  readonly outs: readonly number[]
  /** Something was dropped or failed on the way. */
  readonly isLost: boolean
}

/** What all inputs together have come to, beside the outputs. */
export interface Books {
  seq: number
  readonly failed: number[]
  /** Inputs of which an element was left out of its list. */
  readonly skipped: number[]
  /** By barrier: messages without a partner, by branch, and their inputs. */
  readonly left: Map<Chain, { counts: number[]; seqs: Set<number> }>
  /** Of these, how many are of lists that failed, and of elements that were left out. */
  readonly leftInLists: { sum: number }
}

/** From int to int. */
export interface Chain {
  readonly source: string
  readonly make: (value: number, books: Books) => Made
}

export const whole = (outs: readonly number[]): Made => ({ outs, isLost: false })
export const NOTHING: Made = { outs: [], isLost: true }
export const small = fc.integer({ min: 2, max: 6 })
/** One message in so many is dropped or fails. */
export const rarity = fc.integer({ min: 3, max: 12 })

/** What the chains call. */
export const PRELUDE = `let scale : int -> int = map((value * 3 + 1) % 61)
let twice : int -> int = scale ; map(scale(value) + 1)
let risky : int -> int = map(value + 0 % (value % 5))
`
const scale = (v: number): number => (v * 3 + 1) % 61

const called: fc.Arbitrary<Chain> = fc.constantFrom<Chain>(
  { source: 'map(scale)', make: (v) => whole([scale(v)]) },
  { source: 'map(twice(value) - scale(value))', make: (v) => whole([scale(scale(v)) + 1 - scale(v)]) },
  {
    source: 'map(length($"n{value} of {[scale(value), value]} {{}}") + value)',
    make: (v) => whole([`n${v} of [${scale(v)},${v}] {}`.length + v]),
  },
  { source: 'map(sum([risky(x) for x in [value, value + 1] if x % 2 = 0]))', make: (v, books) => risky(v % 2 === 0 ? v : v + 1, books) },
  { source: 'map(risky)', make: (v, books) => risky(v, books) },
)

const risky = (v: number, books: Books): Made => {
  if (v % 5 !== 0) return whole([v])
  books.failed.push(books.seq)
  return NOTHING
}

/** None to three of each message. */
const apart = small.map((k) => ({
  source: `map([(value + x) % 59 for x in range(value % 5) if x != ${k - 2}]) ; flatten`,
  make: (v: number) => whole([0, 1, 2, 3, 4].filter((x) => x < v % 5 && x !== k - 2).map((x) => (v + x) % 59)),
}))

export const simple: fc.Arbitrary<Chain> = fc.oneof(
  fc.constant({ source: 'id', make: (v: number) => whole([v]) }),
  small.map((k) => ({ source: `map((value * ${k} + 1) % 97)`, make: (v: number) => whole([(v * k + 1) % 97]) })),
  rarity.map((k) => ({ source: `filter(value % ${k} != 0)`, make: (v: number) => (v % k === 0 ? NOTHING : whole([v])) })),
  rarity.map((k) => ({
    source: `map(value + 0 % (value % ${k}))`,
    make: (v: number, books: Books) => {
      if (v % k !== 0) return whole([v])
      books.failed.push(books.seq)
      return NOTHING
    },
  })),
  called,
)

export const inSequence = (parts: readonly Chain[]): Chain => ({
  source: parts.map(({ source }) => source).join(' ; '),
  make: (value, books) => {
    const [first, ...rest] = parts
    if (!first) return whole([value])
    const made = first.make(value, books)
    const behind = made.outs.map((out) => inSequence(rest).make(out, books))
    return { outs: behind.flatMap(({ outs }) => outs), isLost: made.isLost || behind.some(({ isLost }) => isLost) }
  },
})

const merged = (branches: readonly Chain[]): Chain => ({
  source: `(${branches.map(({ source }) => `(${source})`).join(' * ')}) ; merge`,
  make: (value, books) => {
    const made = branches.map((branch) => branch.make(value, books))
    return { outs: made.flatMap(({ outs }) => outs), isLost: made.some(({ isLost }) => isLost) }
  },
})

export const joined = (branches: readonly Chain[]): Chain => {
  const sum = branches.map((_, i) => `value[${i}] * ${i + 2}`).join(' + ')
  const chain: Chain = {
    source: `((${branches.map(({ source }) => `(${source})`).join(' * ')}) ; barrier ; map((${sum}) % 89))`,
    make: (value, books) => {
      const made = branches.map((branch) => branch.make(value, books))
      const tuples = Math.min(...made.map(({ outs }) => outs.length))
      const left = made.map(({ outs }) => outs.length - tuples)
      const isKnown = made.some(({ isLost }, i) => left[i] === 0 && isLost)
      if (left.some((n) => n > 0) && !isKnown) {
        const entry = books.left.get(chain) ?? { counts: left.map(() => 0), seqs: new Set() }
        books.left.set(chain, entry)
        entry.counts = entry.counts.map((n, i) => n + (left[i] as number))
        entry.seqs.add(books.seq)
      }
      const outs = Array.from({ length: tuples }, (_, k) => made.reduce((n, { outs }, i) => n + (outs[k] as number) * (i + 2), 0) % 89)
      return { outs, isLost: made.some(({ isLost }) => isLost) || left.some((n) => n > 0) }
    },
  }
  return chain
}

/** A list of three is made of the value, and a value of what each(p) makes of that. */
export const onList = (inner: Chain, skips: boolean): Chain => ({
  source: `map([value, (value * 3 + 1) % 61, value % 5]) ; each(${inner.source}${skips ? ', on_error: "skip"' : ''}) ; ${FROM_LIST}`,
  make: (value, books) => {
    const all: number[] = []
    const [left, leftInLists] = [sumOfLeft(books), books.leftInLists.sum]
    let isFailed = false
    for (const element of [value, (value * 3 + 1) % 61, value % 5]) {
      const own: Books = { ...books, failed: [] }
      const leftBefore = sumOfLeft(books)
      const { outs } = inner.make(element, own)
      if (own.failed.length === 0) all.push(...outs)
      else if (skips) {
        books.skipped.push(books.seq)
        books.leftInLists.sum += sumOfLeft(books) - leftBefore
      } else isFailed = true
    }
    if (!isFailed) return whole([fromList(all)])
    books.leftInLists.sum = leftInLists + sumOfLeft(books) - left
    books.failed.push(books.seq)
    return NOTHING
  },
})

export const sumOfLeft = ({ left }: Books): number => [...left.values()].flatMap(({ counts }) => counts).reduce((sum, n) => sum + n, 0)

/** Reports how many there are, in what order, and whether one is written otherwise. */
export const FROM_LIST =
  'map((length(text(value)) * 3 + (if length(value) > 0 then value[0] * 5 + value[length(value) - 1] * 7 else 0)) % 89)'
export const fromList = (list: readonly number[]): number => {
  const [first, last] = [list[0], list.at(-1)]
  return (JSON.stringify(list).length * 3 + (first === undefined || last === undefined ? 0 : first * 5 + last * 7)) % 89
}

/** What the first of them fails on goes to the next. */
const fallingBack = (parts: readonly Chain[]): Chain => ({
  source: `(${parts.map(({ source }) => `(${source})`).join(' + ')})`,
  make: (value, books) => {
    for (const part of parts) {
      const failed: number[] = []
      const made = part.make(value, { ...books, failed })
      if (failed.length === 0) return made
    }
    books.failed.push(books.seq)
    return NOTHING
  },
})

const branchesOf = (chain: fc.Arbitrary<Chain>) => fc.array(chain, { minLength: 2, maxLength: 3 })
export const { chain } = fc.letrec<{ chain: Chain; part: Chain }>((tie) => ({
  part: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    simple,
    branchesOf(tie('chain')).map(merged),
    branchesOf(tie('chain')).map(joined),
    branchesOf(tie('chain')).map(fallingBack),
    apart,
    fc.tuple(tie('chain'), fc.boolean()).map(([inner, skips]) => onList(inner, skips)),
  ),
  chain: fc.array(tie('part'), { minLength: 1, maxLength: 3 }).map(inSequence),
}))
