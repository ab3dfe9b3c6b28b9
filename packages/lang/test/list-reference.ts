// A second meaning of expressions, for tests: random ones over lists, each with its source and, beside it, what it gives, computed on plain
// values without any of the product's code. Numbers that are only moved keep their text.

import { between, pick, type Random, randomOf } from '../src/random/seeded.js'

export type Kind = 'int' | 'num' | 'str' | 'bool' | 'ints' | 'strs' | 'rows'

/** A number as its text. */
export class Num {
  constructor(readonly text: string) {}
}
export type Value = string | boolean | Num | readonly Value[] | ReadonlyMap<string, Value>
type Row = ReadonlyMap<string, Value>
type Scope = ReadonlyMap<string, Value>

/** There is no value for this message. */
export class NoValue extends Error {}

const refuse = (why: string): never => {
  throw new NoValue(why)
}

/** An expression of a kind: as it is written, and what it gives where names stand for these values. */
interface Expr<T extends Value = Value> {
  readonly kind: Kind
  readonly source: string
  readonly give: (scope: Scope) => T
}

const LIMIT = 2n ** 53n
const isWhole = (text: string) => /^-?[0-9]+$/.test(text)
const exact = ({ text }: Num): bigint | number =>
  isWhole(text) ? BigInt(text) : Number.isInteger(Number(text)) ? BigInt(Number(text)) : Number(text)
const ofNumber = (n: number): Num => new Num(JSON.stringify(n === 0 ? 0 : n))
const compare = (a: Num, b: Num): number => (exact(a) < exact(b) ? -1 : exact(a) > exact(b) ? 1 : 0)
const points = (s: string) => Array.from(s)
const compareText = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b))

/** To compute with. */
const intOf = (n: Num): bigint => {
  const i = BigInt(exact(n))
  return i > LIMIT || i < -LIMIT ? refuse('large') : i
}
const ofInt = (i: bigint): Num => (i > LIMIT || i < -LIMIT ? refuse('large') : new Num(String(i)))
const doubleOf = (e: Expr<Num>, scope: Scope): number => {
  const n = e.give(scope)
  return Number(operand(n))
}
/** What is whole is computed exactly, or not at all. */
const operand = (n: Num): bigint | number => {
  const value = exact(n)
  return typeof value === 'bigint' ? intOf(n) : value
}
const finite = (n: number, isWhole: boolean): Num =>
  Number.isFinite(n) && !(isWhole && Math.abs(n) > 2 ** 53) ? ofNumber(n) : refuse('infinite')

/** Numerator and denominator. */
const ratio = (n: number): readonly [bigint, bigint] => {
  const [mantissa = '', exponent = '0'] = String(n).split('e')
  const [before = '', after = ''] = mantissa.split('.')
  const scale = Number(exponent) - after.length
  return scale < 0 ? [BigInt(before + after), 10n ** BigInt(-scale)] : [BigInt(before + after) * 10n ** BigInt(scale), 1n]
}
const isWholeQuotient = (a: number, b: number): boolean => {
  const [[n, d], [m, e]] = [ratio(a), ratio(b)]
  return (n * e) % (d * m) === 0n
}
const isWholeSum = (a: number, b: number): boolean => {
  const [[n, d], [m, e]] = [ratio(a), ratio(b)]
  return (n * e + m * d) % (d * e) === 0n
}

/** The same text for equal values. */
const identity = (v: Value): string => {
  if (v instanceof Num) return `n${exact(v)}`
  if (typeof v === 'string') return JSON.stringify(v)
  if (typeof v === 'boolean') return String(v)
  if (v instanceof Map)
    return `{${[...(v as Row)]
      .map(([k, x]) => `${JSON.stringify(k)}:${identity(x)}`)
      .sort()
      .join()}}`
  return `[${(v as readonly Value[]).map(identity).join()}]`
}

export const jsonOf = (v: Value): string => {
  if (v instanceof Num) return v.text
  if (v instanceof Map) return `{${[...(v as Row)].map(([k, x]) => `${JSON.stringify(k)}:${jsonOf(x)}`).join()}}`
  return Array.isArray(v) ? `[${v.map(jsonOf).join()}]` : JSON.stringify(v)
}
const textOf = (v: Value): string => (typeof v === 'string' ? v : jsonOf(v))

export const MESSAGE =
  '{ i: int, n: number, s: string, b: bool, xs: [int], ss: [string], rs: [{ k: string, n: number, ns: [int], o?: int }], __proto__: int, constructor: [string] }'
const FIELDS: readonly (readonly [string, Kind])[] = [
  ['i', 'int'],
  ['n', 'num'],
  ['s', 'str'],
  ['b', 'bool'],
  ['xs', 'ints'],
  ['ss', 'strs'],
  ['rs', 'rows'],
  ['__proto__', 'int'],
  ['constructor', 'strs'],
]
const NAMES = ['x', 'y', 'i', 'xs', 'toString', '__proto__', 'constructor', 'hasOwnProperty', 'value']

/** The pieces of random programs and messages, from a seed. */
export class Dice {
  readonly #random: Random
  constructor(seed: number) {
    this.#random = randomOf(seed)
  }
  below(n: number): number {
    return between(0, n - 1, this.#random)
  }
  one<T>(all: readonly T[]): T {
    return pick(all, this.#random)
  }
}

const INTS = ['0', '1', '-1', '2', '3', '5', '-7', '12', '9007199254740991', '12345678901234567890', '12345678901234567891']
const NUMS = [...INTS, '1.50', '-0.5', '2.0', '0.1', '3.25e1', '1e300']
const STRS = ['', 'a', 'b', 'ab', 'é', '😀z', 'a,b', 'one two\nthree', 'x1y22', '__proto__', 'constructor', '2026-11-21']

export const randomMessage = (dice: Dice): ReadonlyMap<string, Value> => {
  const list = <T>(make: () => T) => Array.from({ length: dice.below(5) }, make)
  const int = () => new Num(dice.one(INTS))
  const str = () => dice.one(STRS)
  const row = () => {
    const fields: [string, Value][] = [
      ['k', str()],
      ['n', new Num(dice.one(NUMS))],
      ['ns', list(int)],
    ]
    if (dice.below(2) === 0) fields.push(['o', int()])
    return new Map(dice.below(2) === 0 ? fields : fields.reverse())
  }
  return new Map<string, Value>([
    ['i', int()],
    ['n', new Num(dice.one(NUMS))],
    ['s', str()],
    ['b', dice.below(2) === 0],
    ['xs', list(int)],
    ['ss', list(str)],
    ['rs', list(row)],
    ['__proto__', int()],
    ['constructor', list(str)],
  ])
}

type Names = ReadonlyMap<string, Kind | 'row'>

const bound = (at: number, count: number) => Math.min(Math.max(at < 0 ? at + count : at, 0), count)

export class Expressions {
  constructor(private readonly dice: Dice) {}

  any(): Expr {
    const names: Names = new Map(FIELDS)
    return this.#of(this.dice.one(['int', 'num', 'str', 'bool', 'ints', 'strs', 'rows', 'ints', 'rows'] as const), names, 4)
  }

  #named(kind: Kind | 'row', names: Names): string[] {
    return [...names].flatMap(([name, of]) => (of === kind ? [name] : []))
  }

  #of(kind: Kind, names: Names, depth: number): Expr {
    const known = this.#named(kind, names)
    if (known.length > 0 && (depth <= 0 || this.dice.below(4) === 0)) return this.#name(kind, this.dice.one(known))
    if (depth <= 0) return this.#literal(kind, names)
    switch (kind) {
      case 'int':
        return this.#int(names, depth - 1)
      case 'num':
        return this.#num(names, depth - 1)
      case 'str':
        return this.#str(names, depth - 1)
      case 'bool':
        return this.#bool(names, depth - 1)
      case 'ints':
      case 'strs':
      case 'rows':
        return this.#list(kind, names, depth - 1)
    }
  }

  #name(kind: Kind, name: string): Expr {
    return { kind, source: name, give: (scope) => scope.get(name) as Value }
  }

  #literal(kind: Kind, names: Names): Expr {
    const text = this.dice.one(kind === 'num' ? NUMS : INTS)
    switch (kind) {
      case 'int':
      case 'num': {
        const isInt = Number.isInteger(Number(text)) && (isWhole(text) || Math.abs(Number(text)) <= 2 ** 53)
        return { kind: isInt ? 'int' : 'num', source: `(${text})`, give: () => new Num(text) }
      }
      case 'str': {
        const value = this.dice.one(STRS)
        return { kind, source: JSON.stringify(value), give: () => value }
      }
      case 'bool':
        return { kind, source: 'true', give: () => true }
      case 'ints':
        return { kind, source: '(xs)[:0]'.replace('xs', this.#named('ints', names)[0] ?? 'range(0)'), give: () => [] }
      case 'strs':
        return { kind, source: 'words("")', give: () => [] }
      case 'rows':
        return { kind, source: `${this.#named('rows', names)[0] ?? '[]'}[:0]`, give: () => [] }
    }
  }

  #int(names: Names, depth: number): Expr<Num> {
    const int = () => this.#of('int', names, depth) as Expr<Num>
    const ints = () => this.#of('ints', names, depth) as Expr<readonly Num[]>
    const of = (source: string, give: (scope: Scope) => Num): Expr<Num> => ({ kind: 'int', source, give })
    switch (this.dice.below(11)) {
      case 0:
      case 1: {
        const [a, b] = [int(), int()]
        const operator = this.dice.one(['+', '-', '*'])
        return of(`(${a.source} ${operator} ${b.source})`, (scope) => {
          const [x, y] = [a.give(scope), b.give(scope)].map(intOf) as [bigint, bigint]
          return ofInt(operator === '+' ? x + y : operator === '-' ? x - y : x * y)
        })
      }
      case 2: {
        const list = this.#of(this.dice.one(['ints', 'strs', 'rows', 'str']), names, depth)
        return of(`length(${list.source})`, (scope) => {
          const value = list.give(scope)
          return ofNumber(typeof value === 'string' ? points(value).length : (value as readonly Value[]).length)
        })
      }
      case 3: {
        const list = ints()
        return of(`sum(${list.source})`, (scope) => ofInt(list.give(scope).reduce((sum, n) => intOf(ofInt(sum + intOf(n))), 0n)))
      }
      case 4: {
        const list = ints()
        const isMin = this.dice.below(2) === 0
        return of(`${isMin ? 'min' : 'max'}(${list.source})`, (scope) => this.#extreme(list.give(scope), (n) => n, isMin))
      }
      case 5: {
        const list = ints()
        const isFirst = this.dice.below(2) === 0
        return of(
          `${isFirst ? 'first' : 'last'}(${list.source})`,
          (scope) => (isFirst ? list.give(scope)[0] : list.give(scope).at(-1)) ?? refuse('empty'),
        )
      }
      case 6: {
        const [list, item] = [ints(), int()]
        return of(`index(${list.source}, ${item.source})`, (scope) => {
          const [items, wanted] = [list.give(scope), identity(item.give(scope))]
          return ofNumber(items.findIndex((n) => identity(n) === wanted))
        })
      }
      case 7: {
        const [list, at] = [ints(), this.dice.below(3)]
        return of(`(${list.source})[${at}]`, (scope) => list.give(scope)[at] ?? refuse('no item'))
      }
      case 8: {
        const [c, a, b] = [this.#of('bool', names, depth) as Expr<boolean>, int(), int()]
        return of(`(if ${c.source} then ${a.source} else ${b.source})`, (scope) => (c.give(scope) ? a : b).give(scope))
      }
      case 9: {
        const row = this.#named('row', names)[0]
        const other = int()
        if (row === undefined) return other
        return of(`(${row}.o ?? ${other.source})`, (scope) => ((scope.get(row) as Row).get('o') as Num | undefined) ?? other.give(scope))
      }
      default: {
        const list = this.#of('rows', names, depth) as Expr<readonly Row[]>
        const [name, inner] = this.#local(names, 'row')
        const key = this.#of('int', inner, depth - 1) as Expr<Num>
        return of(`sum([${key.source} for ${name} in ${list.source}])`, (scope) => {
          let sum = 0n
          for (const row of list.give(scope)) sum = intOf(ofInt(sum + intOf(key.give(new Map([...scope, [name, row]])))))
          return ofInt(sum)
        })
      }
    }
  }

  #extreme<T>(items: readonly T[], key: (item: T) => Value, isMin: boolean): T {
    let best: { item: T; key: Value } | undefined
    for (const item of items) {
      const rank = key(item)
      const order = best ? this.#order(rank, best.key) : 0
      if (!best || (isMin ? order < 0 : order > 0)) best = { item, key: rank }
    }
    return (best ?? refuse('empty')).item
  }

  #order(a: Value, b: Value): number {
    return typeof a === 'string' ? compareText(a, b as string) : compare(a as Num, b as Num)
  }

  #num(names: Names, depth: number): Expr<Num> {
    const num = () => this.#of(this.dice.one(['num', 'int']), names, depth) as Expr<Num>
    const of = (source: string, give: (scope: Scope) => Num): Expr<Num> => ({ kind: 'num', source, give })
    const row = this.#named('row', names)[0]
    switch (this.dice.below(4)) {
      case 0: {
        const [a, b] = [num(), num()]
        return of(`(${a.source} / ${b.source})`, (scope) => {
          const [x, y] = [doubleOf(a, scope), doubleOf(b, scope)]
          return y === 0 ? refuse('zero') : finite(x / y, isWholeQuotient(x, y))
        })
      }
      case 1: {
        if (row === undefined) return num()
        return of(`${row}.n`, (scope) => (scope.get(row) as Row).get('n') as Num)
      }
      case 2: {
        const list = this.#of('rows', names, depth) as Expr<readonly Row[]>
        const [name] = this.#local(names, 'row')
        const isMin = this.dice.below(2) === 0
        return of(
          `${isMin ? 'min' : 'max'}(${list.source}, ${name} -> ${name}.n).n`,
          (scope) => this.#extreme(list.give(scope), (r) => r.get('n') as Value, isMin).get('n') as Num,
        )
      }
      default: {
        const list = this.#of('rows', names, depth) as Expr<readonly Row[]>
        const [name, inner] = this.#local(names, 'row')
        const condition = this.#of('bool', inner, depth - 1) as Expr<boolean>
        return of(`sum([${name}.n for ${name} in ${list.source} if ${condition.source}])`, (scope) => {
          let sum = ofNumber(0)
          for (const item of list.give(scope)) {
            if (condition.give(new Map([...scope, [name, item]]))) {
              const [x, y] = [Number(sum.text), Number(operand(item.get('n') as Num))]
              // Two ints beyond 2^53 may have a sum that a double rounds to it.
              sum =
                isWholeSum(x, y) && Number.isInteger(x) && Number.isInteger(y)
                  ? ofInt(BigInt(x) + BigInt(y))
                  : finite(x + y, isWholeSum(x, y))
            }
          }
          return sum
        })
      }
    }
  }

  #str(names: Names, depth: number): Expr<string> {
    const str = () => this.#of('str', names, depth) as Expr<string>
    const of = (source: string, give: (scope: Scope) => string): Expr<string> => ({ kind: 'str', source, give })
    const row = this.#named('row', names)[0]
    switch (this.dice.below(9)) {
      case 0: {
        const [a, b] = [str(), str()]
        return of(`(${a.source} + ${b.source})`, (scope) => a.give(scope) + b.give(scope))
      }
      case 1:
      case 2: {
        const parts = Array.from({ length: 1 + this.dice.below(3) }, () =>
          this.#of(this.dice.one(['int', 'num', 'str', 'bool', 'ints', 'rows']), names, depth),
        )
        const texts = parts.map(() => this.dice.one(['', ' ', 'a{b}', '"', 'é\n', '\\']))
        const literal = texts
          .map((text, i) => `${JSON.stringify(text).slice(1, -1).replace(/[{}]/g, '$&$&')}{${parts[i]?.source}}`)
          .join('')
        return of(`$"${literal}"`, (scope) => parts.map((part, i) => texts[i] + textOf(part.give(scope))).join(''))
      }
      case 3: {
        const [s, a, b] = [str(), this.dice.below(6) - 3, this.dice.below(6) - 3]
        return of(`(${s.source})[${a}:${b}]`, (scope) => {
          const all = points(s.give(scope))
          return all.slice(bound(a, all.length), Math.max(bound(b, all.length), bound(a, all.length))).join('')
        })
      }
      case 4: {
        const [list, by] = [this.#of('strs', names, depth) as Expr<readonly string[]>, str()]
        return of(`join(${list.source}, ${by.source})`, (scope) => {
          const items = list.give(scope)
          return items.join(by.give(scope))
        })
      }
      case 5: {
        const [s, width] = [str(), this.dice.below(12) - 6]
        return of(`pad(${s.source}, ${width})`, (scope) => {
          const text = s.give(scope)
          const spaces = ' '.repeat(Math.max(Math.abs(width) - points(text).length, 0))
          return width < 0 ? spaces + text : text + spaces
        })
      }
      case 6: {
        const [s, by] = [str(), str()]
        return of(`replace_all(${s.source}, "[a-b]+|[0-9]", ${by.source})`, (scope) => {
          const text = s.give(scope)
          const other = by.give(scope)
          return text.replace(/[a-b]+|[0-9]/g, () => other)
        })
      }
      case 7: {
        if (row === undefined) return str()
        return of(`${row}.k`, (scope) => (scope.get(row) as Row).get('k') as string)
      }
      default: {
        const s = str()
        return of(`upper(${s.source})`, (scope) => s.give(scope).toUpperCase())
      }
    }
  }

  #bool(names: Names, depth: number): Expr<boolean> {
    const bool = () => this.#of('bool', names, depth) as Expr<boolean>
    const of = (source: string, give: (scope: Scope) => boolean): Expr<boolean> => ({ kind: 'bool', source, give })
    const row = this.#named('row', names)[0]
    switch (this.dice.below(8)) {
      case 0: {
        const [a, b] = [this.#of('int', names, depth), this.#of('num', names, depth)] as [Expr<Num>, Expr<Num>]
        return of(`(${a.source} < ${b.source})`, (scope) => {
          const x = a.give(scope)
          return compare(x, b.give(scope)) < 0
        })
      }
      case 1: {
        const kind = this.dice.one(['int', 'str', 'ints', 'strs', 'rows'] as const)
        const [a, b] = [this.#of(kind, names, depth), this.#of(kind, names, depth)]
        return of(`(${a.source} = ${b.source})`, (scope) => {
          const x = identity(a.give(scope))
          return x === identity(b.give(scope))
        })
      }
      case 2: {
        const [a, b] = [bool(), bool()]
        return of(`(${a.source} and ${b.source})`, (scope) => a.give(scope) && b.give(scope))
      }
      case 3: {
        const a = bool()
        return of(`(not ${a.source})`, (scope) => !a.give(scope))
      }
      case 4: {
        const kind = this.dice.one(['ints', 'strs'] as const)
        const list = this.#of(kind, names, depth) as Expr<readonly Value[]>
        const [name, inner] = this.#local(names, kind === 'ints' ? 'int' : 'str')
        const item = this.#of('bool', inner, depth - 1) as Expr<boolean>
        const isAny = this.dice.below(2) === 0
        return of(`${isAny ? 'any' : 'all'}([${item.source} for ${name} in ${list.source}])`, (scope) => {
          const found = list.give(scope).map((value) => item.give(new Map([...scope, [name, value]])))
          return isAny ? found.includes(true) : !found.includes(false)
        })
      }
      case 5: {
        const [list, item] = [this.#of('strs', names, depth) as Expr<readonly string[]>, this.#of('str', names, depth) as Expr<string>]
        return of(`contains(${list.source}, ${item.source})`, (scope) => {
          const items = list.give(scope)
          return items.includes(item.give(scope))
        })
      }
      case 6: {
        if (row === undefined) return bool()
        return of(`has(${row}.o)`, (scope) => (scope.get(row) as Row).has('o'))
      }
      default: {
        const s = this.#of('str', names, depth) as Expr<string>
        return of(`matches(${s.source}, "^[a-z]+[0-9]?")`, (scope) => /^[a-z]+[0-9]?/.test(s.give(scope)))
      }
    }
  }

  #local(names: Names, kind: Kind | 'row'): [string, Names] {
    const name = this.dice.one(NAMES)
    return [name, new Map([...names, [name, kind]])]
  }

  #list(kind: 'ints' | 'strs' | 'rows', names: Names, depth: number): Expr<readonly Value[]> {
    const list = () => this.#of(kind, names, depth) as Expr<readonly Value[]>
    const of = (source: string, give: (scope: Scope) => readonly Value[]): Expr<readonly Value[]> => ({ kind, source, give })
    const itemKind = kind === 'ints' ? 'int' : kind === 'strs' ? 'str' : 'row'
    switch (this.dice.below(kind === 'rows' ? 8 : 10)) {
      case 0: {
        const [xs, a, b] = [list(), this.dice.below(6) - 3, this.dice.below(6) - 3]
        return of(`(${xs.source})[${a}:${b}]`, (scope) => {
          const items = xs.give(scope)
          return items.slice(bound(a, items.length), Math.max(bound(b, items.length), bound(a, items.length)))
        })
      }
      case 1: {
        const xs = list()
        return of(`reverse(${xs.source})`, (scope) => [...xs.give(scope)].reverse())
      }
      case 2: {
        const [xs, ys] = [list(), list()]
        return of(`(${xs.source} + ${ys.source})`, (scope) => {
          const items = xs.give(scope)
          return [...items, ...ys.give(scope)]
        })
      }
      case 3: {
        const xs = list()
        const [name, inner] = this.#local(names, itemKind)
        const key = this.#of(this.dice.one(['int', 'str', 'ints'] as const), inner, depth - 1)
        return of(`unique(${xs.source}, ${name} -> ${key.source})`, (scope) => {
          const seen = new Set<string>()
          return xs.give(scope).filter((item) => {
            const id = identity(key.give(new Map([...scope, [name, item]])))
            return !seen.has(id) && seen.add(id)
          })
        })
      }
      case 4: {
        const xs = list()
        const [name, inner] = this.#local(names, itemKind)
        const key = this.#of(this.dice.one(['int', 'str', 'num'] as const), inner, depth - 1)
        return of(`sort(${xs.source}, ${name} -> ${key.source})`, (scope) => {
          const ranked = xs.give(scope).map((item) => ({ item, rank: key.give(new Map([...scope, [name, item]])) }))
          return ranked.sort((a, b) => this.#order(a.rank, b.rank)).map(({ item }) => item)
        })
      }
      case 5:
      case 6: {
        const xs = list()
        const [name, inner] = this.#local(names, itemKind)
        const condition = this.#of('bool', inner, depth - 1) as Expr<boolean>
        return of(`[${name} for ${name} in ${xs.source} if ${condition.source}]`, (scope) =>
          xs.give(scope).filter((item) => condition.give(new Map([...scope, [name, item]]))),
        )
      }
      case 7: {
        const rows = this.#of('rows', names, depth) as Expr<readonly Row[]>
        const [name, inner] = this.#local(names, 'row')
        if (kind === 'rows') {
          const key = this.#of('str', inner, depth - 1) as Expr<string>
          return of(`flatten([reverse(g.items) for g in group(${rows.source}, ${name} -> ${key.source})])`, (scope) => {
            const groups = new Map<string, Value[]>()
            for (const row of rows.give(scope)) {
              const id = key.give(new Map([...scope, [name, row]]))
              groups.set(id, [row, ...(groups.get(id) ?? [])])
            }
            return [...groups.values()].flat()
          })
        }
        const item = this.#of(kind === 'ints' ? 'int' : 'str', inner, depth - 1)
        if (kind === 'strs') {
          return of(`[${item.source} for ${name} in ${rows.source}]`, (scope) =>
            rows.give(scope).map((row) => item.give(new Map([...scope, [name, row]]))),
          )
        }
        const second = this.dice.one(NAMES.filter((other) => other !== name))
        return of(`[${second} for ${name} in ${rows.source} for ${second} in ${name}.ns + [${item.source}]]`, (scope) =>
          rows.give(scope).flatMap((row) => [...((row.get('ns') as readonly Value[]) ?? []), item.give(new Map([...scope, [name, row]]))]),
        )
      }
      case 8: {
        if (kind === 'ints') {
          const count = this.dice.below(4)
          return of(`range(${count})`, () => Array.from({ length: count }, (_, i) => ofNumber(i)))
        }
        const s = this.#of('str', names, depth) as Expr<string>
        return of(`words(${s.source})`, (scope) => s.give(scope).split(/\s+/).filter(Boolean))
      }
      default: {
        if (kind === 'ints') {
          const pairs = this.#of('ints', names, depth) as Expr<readonly Num[]>
          const [name] = this.#local(names, 'int')
          return of(`[${name}[1] for ${name} in zip(range(3), ${pairs.source})]`, (scope) => pairs.give(scope).slice(0, 3))
        }
        const s = this.#of('str', names, depth) as Expr<string>
        return of(`[m.text for m in find(${s.source}, "[a-z]+|[0-9]")]`, (scope) => s.give(scope).match(/[a-z]+|[0-9]/g) ?? [])
      }
    }
  }
}
