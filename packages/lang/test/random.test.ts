// Random values and smaller ones are of their type, for every type; the unusual ones come first; and making small comes to an end, at the smallest that
// fails.

import { parseTree } from '@plumb/wire/json'
import fc from 'fast-check'
import t from 'tap'
import { holds, runs } from '../../wire/test/property.js'
import { typeOf } from '../src/program/type-text.js'
import { randomValues, shrinkValue } from '../src/random/index.js'
import { between, randomOf } from '../src/random/seeded.js'
import type { Type } from '../src/types/type.js'
import { checkTree, describeMismatch } from '../src/validate/check-tree.js'
import { arbitraryType } from './arbitrary-type.js'
import { refuse, type } from './parsed.js'
import { compileText } from './reports.js'

const TIMES = Number(process.env.PLUMB_TIMES ?? 1)

const whyNot = (type: Type, text: string): string | undefined => {
  const buf = Buffer.from(text)
  const tree = parseTree(buf, 0, buf.length)
  if (tree.kind === 'fault') return `${tree.detail}: ${text}`
  const mismatch = checkTree(type, buf, tree)
  return mismatch && `${describeMismatch(mismatch)}: ${text}`
}

const valuesOf = (type: Type, count: number, seed = 1): string[] => [...randomValues(type, { seed, count })]

/** T as a spec declares it, with its annotations and names. */
const declaredType = (text: string): Type => {
  const { program, diagnostics } = compileText(`${text}\nlet main : !T -> !T = id`)
  const found = typeOf('T', program, refuse)
  if (!found || diagnostics.length > 0) throw new Error(JSON.stringify(diagnostics))
  return found
}

/** Goes on to the first smaller value that fails too, until there is none. */
const smallestFailing = (type: Type, value: string, fails: (text: string) => boolean, most = 20_000): string => {
  let tries = 0
  let smallest = value
  for (let next: string | undefined = value; next !== undefined; ) {
    smallest = next
    next = undefined
    for (const smaller of shrinkValue(type, smallest)) {
      if (++tries > most) throw new Error(`no end: ${smallest}`)
      if (!fails(smaller)) continue
      next = smaller
      break
    }
  }
  return smallest
}

const anyType = fc.oneof(arbitraryType({ withDefaults: true }), arbitraryType({ withDefaults: true, withLimits: true }))

t.test('each value is of its type, and the same seed gives the same', async (t) => {
  let values = 0
  fc.assert(
    fc.property(anyType, fc.nat(), (type, seed) => {
      const texts = valuesOf(type, 60, seed)
      values += texts.length
      for (const text of texts) {
        const wrong = whyNot(type, text)
        if (wrong) throw new Error(wrong)
      }
      if (texts[0] !== undefined && [...shrinkValue(type, texts[0])].length > 0) throw new Error(`smaller than ${texts[0]}`)
      return texts.every((text, i) => text === valuesOf(type, 60, seed)[i]) && (texts.length === 60 || texts.length === 0)
    }),
    { numRuns: runs(80 * TIMES) },
  )
  t.ok(values > runs(1000))
})

t.test('the smallest value first, then each unusual one', async (t) => {
  const first = (text: string, count = 300) => valuesOf(type(text), count)
  t.strictSame(first('bool', 2), ['false', 'true'])
  t.strictSame(first('"low" | "mid" | "high"', 3).sort(), ['"high"', '"low"', '"mid"'])
  for (const [text, wanted] of [
    ['int', ['0', '-1', '9007199254740993', '12345678901234567890']],
    ['number', ['0', '9007199254740993', '1e308', '5e-324', '0.10000000000000000555', '-0']],
    ['string', ['""', '"\\u0000"', '"\\ud800"', '"é"', '"é"', '"__proto__"', `"${'x'.repeat(5000)}"`]],
    ['[bool]', ['[]', '[false]', '[true]', '[false,true]', `[${Array(100).fill(false)}]`]],
    ['{ [string]: bool }', ['{}', '{"__proto__":true}', '{"":false}']],
    ['json', ['null', '[]', '{}', '{"__proto__":{"a":1}}', '9007199254740993']],
    ['{ a?: bool, b: int }', ['{"b":0}', '{"a":false,"b":0}', '{"a":false,"b":1}', '{"a":false,"b":-1}']],
    ['int | string | unit', ['0', '""', 'null', '"null"']],
    ['(bool, bool)', ['[false,false]', '[true,false]', '[false,true]']],
  ] as const) {
    const values = first(text)
    t.equal(values[0], wanted[0], text)
    t.strictSame(
      wanted.filter((value) => !values.includes(value)),
      [],
      text,
    )
  }
})

t.test('limits are kept, and their ends are among the first', async (t) => {
  const limited = declaredType(`type T = {
    @min 3
    @max 5
    name: string,
    @min -2
    @max 7
    n: int,
    @min 0.25
    @max 0.75
    share: number,
    @min 2
    @max 4
    tags: [string]
  }`)
  const values = valuesOf(limited, 400).map((text) => JSON.parse(text) as { name: string; n: number; share: number; tags: string[] })
  t.strictSame(values[0], { name: 'aaa', n: 0, share: 0.25, tags: ['', ''] })
  const seen = (f: (value: (typeof values)[number]) => number) => new Set(values.map(f))
  t.strictSame([...seen(({ name }) => [...name].length)].sort(), [3, 4, 5])
  t.strictSame(
    [...seen(({ n }) => n)].sort((a, b) => a - b),
    [-2, -1, 0, 1, 2, 3, 4, 5, 6, 7],
  )
  t.ok(seen(({ share }) => share).has(0.75))
  t.strictSame([...seen(({ tags }) => tags.length)].sort(), [2, 3, 4])
})

t.test('a type without values has none, and one that holds itself has some', async (t) => {
  t.strictSame(valuesOf(declaredType('type T = { @min 1.2 @max 1.8 n: int }'), 5), [])
  t.strictSame(valuesOf(declaredType('type T = { @min 1 of: [T] }'), 5), [])
  t.strictSame(valuesOf(declaredType('type T = { @min 2000000 text: string }'), 5), [])
  const tree = declaredType('type T = { left: T | unit, right: T | unit, @min 1 tags: [int] }')
  const values = valuesOf(tree, 200)
  t.equal(values[0], '{"left":null,"right":null,"tags":[0]}')
  t.ok(values.some((value) => value.split('left').length > 4))
})

t.test('smaller values are of the type, and there is an end', async (t) => {
  await holds(
    t,
    fc.property(anyType, fc.nat(), fc.integer({ min: 1, max: 9 }), (type, seed, share) => {
      const random = randomOf(seed)
      for (const value of valuesOf(type, 60, seed).slice(-6)) {
        for (const smaller of shrinkValue(type, value)) {
          const wrong = smaller === value ? 'the same' : whyNot(type, smaller)
          if (wrong) throw new Error(`${value} to ${smaller}: ${wrong}`)
        }
        smallestFailing(type, value, () => random() * 10 < share)
      }
    }),
    { numRuns: runs(30 * TIMES) },
  )
})

t.test('what fails is made as small as it can be', async (t) => {
  for (const [text, value, fails, smallest] of [
    ['int', '123456789012345678901', (n: number) => n > 1000, '1001'],
    ['int', '-77', (n: number) => n !== 0, '1'],
    ['number', '1e308', (n: number) => n > 1e6, '1000001'],
    ['number', '-1234.5678', (n: number) => n % 1 !== 0, '0.5'],
    ['number', '0.10000000000000000555', (n: number) => n % 1 !== 0, '0.1'],
    ['string', JSON.stringify(`${'xyz '.repeat(400)}#${'xyz '.repeat(800)}`), (s: string) => s.includes('#'), '"#"'],
    ['string', '"abcdef"', (s: string) => s.length >= 3, '"aaa"'],
    ['[int]', JSON.stringify(Array.from({ length: 400 }, (_, i) => i)), (l: number[]) => l.length > 1 && l.includes(137), '[137,0]'],
    ['"a" | "b" | "c"', '"c"', () => true, '"a"'],
    ['{ a?: int, b: string }', '{"b":"long","a":5}', (r: { b: string }) => r.b !== '', '{"b":"a"}'],
    ['{ [string]: int }', '{"x":1,"yy":2,"z":3}', (m: object) => 'yy' in m, '{"yy":0}'],
    ['json', '[{"a":[1,"deep",{"b":true}]}]', (j: unknown) => JSON.stringify(j).includes('true'), 'true'],
    ['(int, [bool])', '[9,[true,true]]', (l: [number, boolean[]]) => l[1].includes(true), '[0,[true]]'],
  ] as const) {
    const holds = fails as (value: unknown) => boolean
    t.equal(
      smallestFailing(type(text), value, (text) => holds(JSON.parse(text))),
      smallest,
      `${text}: ${value.slice(0, 60)}`,
    )
  }
  const tree = declaredType('type T = { n: int, of: [T] }')
  const deep = '{"n":1,"of":[{"n":2,"of":[{"n":3,"of":[]},{"n":47,"of":[{"n":5,"of":[]}]}]}]}'
  t.equal(
    smallestFailing(tree, deep, (text) => text.includes('47')),
    '{"n":47,"of":[]}',
  )
  const limited = declaredType('type T = { @min 2 @max 9 name: string, @min 3 n: int }')
  t.equal(
    smallestFailing(limited, '{"name":"zebra","n":99}', () => true),
    '{"name":"aa","n":3}',
  )
  const [first] = shrinkValue(limited, '{"name":"zebra","n":99}')
  t.equal(first, '{"name":"aa","n":3}', 'the smallest first')
  t.strictSame([...shrinkValue(limited, '{"name":"aa","n":3}')], [])
  t.strictSame([...shrinkValue(type('int'), '"no int"'), ...shrinkValue(type('int'), '{')], [])
})

t.test('a large value is made small in bounded steps', async (t) => {
  const large = `[${Array.from({ length: 20_000 }, (_, i) => `"${i}"`)}]`
  let tries = 0
  const fails = (text: string) => {
    tries++
    return text.includes('"12345"')
  }
  t.equal(smallestFailing(type('[string]'), large, fails), '["12345"]')
  t.ok(tries < 500, `${tries}`)
  t.ok([...shrinkValue(type('[string]'), large)].length <= 500)
  t.equal(
    Array.from({ length: 1000 }, () => between(3, 4, randomOf(3))).every((n) => n === 3 || n === 4),
    true,
  )
})
