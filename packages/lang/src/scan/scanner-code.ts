// Writes the source of a scanner. No text of a user is in it: names, literals and keys appear as numbers of bytes.
//
// In the generated code `i` is the place, `c` the byte there (before a value) and `d` how many containers are open. A record is a
// loop over a switch: the case of the field that followed this one last time is tried first, so that any steady order of keys
// runs without a look-up.

import { MAX_JSON_DEPTH, skipNumberRest, skipSpace, skipStringRest, skipValue } from '@plumb/wire/json'
import { limitsOf, type ValueLimits } from '../types/limits.js'
import { hasDefaults, isRequired } from '../types/required-fields.js'
import { type Field, JSON_TYPE, type MapType, type RecordType, resolve, type Type } from '../types/type.js'
import { type Variant, variantsOf } from '../types/variants.js'
import { bytesMatch, keyBytes, literals, lookUp } from './byte-match.js'
import { skipIntegerRest } from './integer.js'
import { areDistinct, skipPlainString } from './keys.js'
import { type Projection, projectionOf, slotsOf } from './projection.js'
import type { Path, Scanner } from './scanner.js'
import { within } from './within.js'

/** The same for the same type and paths. */
export const makeScanner = (type: Type, paths: readonly Path[]): Scanner => {
  const key = JSON.stringify(paths)
  const known = cache.get(type) ?? new Map<string, Scanner>()
  cache.set(type, known)
  const scanner = known.get(key) ?? generateScanner(type, paths)
  known.set(key, scanner)
  return scanner
}

const cache = new WeakMap<Type, Map<string, Scanner>>()

const generateScanner = (type: Type, paths: readonly Path[]): Scanner => {
  const wanted = projectionOf(paths)
  const absent = 2 * paths.length
  const isFilled = hasDefaults(type)
  const code = new ScannerCode(absent, isFilled)
  const body = code.value(type, wanted, '0')
  const resets = slotsOf(wanted).map((k) => `captures[${2 * k}] = -1`)
  if (isFilled) resets.push(`captures[${absent}] = 0`)
  const scan = code.compile(`(buf, i, end, captures) => {
waste = 0; far = i; most = 16 * (end - i) + 256
${resets.join('; ')}
let c = buf[i]
if (c <= 32) { i = skipSpace(buf, i); c = buf[i] }
${body}
if (i !== end) i = skipSpace(buf, i)
return i === end ? i : -1
}`) as Scanner['scan']
  return { scan, absent, size: absent + (isFilled ? 1 + 2 * MAX_ABSENT : 0), insertions: code.insertions }
}

/** Returns the end of an item of the type, or -1 (scan/scanner.ts); it may lack no default. */
export interface ItemScanner {
  readonly scan: (buf: Uint8Array, at: number, captures: Int32Array) => number
  readonly size: number
}

export const makeItemScanner = (type: Type, paths: readonly Path[]): ItemScanner => {
  const wanted = projectionOf(paths)
  const absent = 2 * paths.length
  const isFilled = hasDefaults(type)
  const code = new ScannerCode(absent, isFilled)
  const body = code.value(type, wanted, '0')
  const resets = slotsOf(wanted).map((k) => `captures[${2 * k}] = -1`)
  if (isFilled) resets.push(`captures[${absent}] = 0`)
  const scan = code.compile(`(buf, i, captures) => {
waste = 0; far = i; most = 16 * (buf.length - i) + 256
${resets.join('; ')}
let c = buf[i]
${body}
return ${isFilled ? `captures[${absent}] === 0 ? i : -1` : 'i'}
}`) as ItemScanner['scan']
  return { scan, size: absent + (isFilled ? 1 + 2 * MAX_ABSENT : 0) }
}

/** A message that lacks more defaults than this is left to the tree. */
const MAX_ABSENT = 64

/** Functions that generated code calls. */
const CALLED = { skipSpace, skipStringRest, skipNumberRest, skipIntegerRest, skipValue, skipPlainString, within, areDistinct }

export class ScannerCode {
  private readonly functions: string[] = []
  private readonly waiting: (() => void)[] = []
  private readonly names = new Map<Type, Map<Projection | undefined, string>>()
  private variables = 0
  private hasAttempts = false
  readonly insertions: Buffer[] = []

  /** `absent` is the slot of the number of absent defaults, if the type has any. */
  constructor(
    private readonly absent: number,
    private readonly hasDefaults: boolean,
  ) {}

  /** Makes a function of its text, which may contain the statements emitted here. */
  compile(text: string): unknown {
    for (let next = this.waiting.pop(); next; next = this.waiting.pop()) next()
    const { absent } = this
    const source = `'use strict'
const { ${Object.keys(CALLED)} } = called
let waste = 0, far = 0, most = 0
const insert = (captures, at, number) => {
const count = captures[${absent}]
if (count === ${MAX_ABSENT}) return false
captures[${absent}] = count + 1
captures[${absent + 1} + 2 * count] = at
captures[${absent + 2} + 2 * count] = number
return true
}
${this.functions.join('\n').replaceAll(FAR, this.hasAttempts ? 'far = i' : '')}
return ${text}`
    return new Function('called', source)(CALLED)
  }

  /** Statements: with `i` at the value and `c` its first byte they move `i` past it, or return -1. `depth` is an expression. */
  value(type: Type, wanted: Projection | undefined, depth: string): string {
    const code = this.bare(resolve(type), wanted, depth)
    if (!wanted || wanted.slots.length === 0) return code
    const start = this.variable()
    const notes = wanted.slots.map((k) => `captures[${2 * k}] = ${start}; captures[${2 * k + 1}] = i`)
    return `const ${start} = i\n${code}\n${notes.join('; ')}`
  }

  /** As `value`, within the limits of the field. */
  field(field: Field, wanted: Projection | undefined, depth: string): string {
    const limits = limitsOf(field)
    const code = this.value(field.type, wanted, depth)
    if (!limits) return code
    const start = this.variable()
    return `const ${start} = i\n${code}\n${refuseExcess(start, limits)}`
  }

  private bare(type: Exclude<Type, { kind: 'named' }>, wanted: Projection | undefined, depth: string): string {
    switch (type.kind) {
      case 'string':
        return STRING_CODE
      case 'int':
        return this.digits(`i = skipIntegerRest(buf, i)`)
      case 'number':
        return this.digits(`i = skipNumberRest(buf, i, $start)`)
      case 'bool':
        return BOOL_CODE
      case 'unit':
        return UNIT_CODE
      case 'json':
        return `i = skipValue(buf, i, ${depth}); if (i < 0) return -1`
      case 'literal':
        return literals([type.value])
      case 'sum':
        return this.sum(variantsOf(type), wanted, depth)
      case 'record':
      case 'array':
      case 'tuple':
      case 'map':
        return `if (c !== ${type.kind === 'record' || type.kind === 'map' ? 123 : 91}) return -1\ni = ${this.call(type, wanted, depth)}; if (i < 0) return -1`
    }
  }

  private digits(rest: string): string {
    const start = this.variable()
    const first = this.variable()
    // Signs and zeros are rare: with branches of their own, the first of them would make V8 deoptimise the rest.
    return `const ${start} = i
i += c === 45 ? 1 : 0
const ${first} = i
c = buf[i]
while (c > 47 && c < 58) c = buf[++i]
if (i === ${first} || (i - ${first} > 1 && buf[${first}] === 48) || i - ${start} > 300) return -1
if (c === 46 || c === 101 || c === 69) { ${rest.replace('$start', start)}; if (i < 0) return -1 }`
  }

  /** One branch for each first byte; if several variants may begin with it, they are tried in turn. */
  private sum(all: readonly Variant[], wanted: Projection | undefined, depth: string): string {
    if (all.some((t) => t.kind === 'json')) return this.bare({ kind: 'json' }, wanted, depth)
    const branches: string[] = []
    const of = (...kinds: Type['kind'][]) => all.filter((t) => kinds.includes(t.kind))
    const strings = of('string', 'literal')
    const texts = strings.flatMap((t) => (t.kind === 'literal' ? [t.value] : []))
    if (strings.length > 0) branches.push(`if (c === 34) {\n${strings.length > texts.length ? STRING_CODE : literals(texts)}\n}`)
    const records = of('record', 'map')
    if (records.length > 0) branches.push(`if (c === 123) {\n${this.attempts(records, wanted, depth)}\n}`)
    const lists = of('array', 'tuple')
    if (lists.length > 0) branches.push(`if (c === 91) {\n${this.attempts(lists, wanted, depth)}\n}`)
    if (of('bool').length > 0) branches.push(`if (c === 116 || c === 102) {\n${BOOL_CODE}\n}`)
    if (of('unit').length > 0) branches.push(`if (c === 110) {\n${UNIT_CODE}\n}`)
    const numbers = of('number')[0] ?? of('int')[0]
    branches.push(numbers ? `{\n${this.bare(numbers, undefined, depth)}\n}` : 'return -1')
    return branches.join(' else ')
  }

  // A failed attempt costs what it has read. Nested sums could make that exponential, so beyond a few times the length the scan stops.
  private attempts(types: readonly Type[], wanted: Projection | undefined, depth: string): string {
    const calls = types.map((t) => this.call(t, wanted, depth))
    if (calls.length === 1) return `i = ${calls[0]}; if (i < 0) return -1`
    this.hasAttempts = true
    const at = this.variable()
    const count = this.variable()
    const note = this.hasDefaults ? `const ${count} = captures[${this.absent}]\n` : ''
    // Captures of the attempt need no reset: the next one reads the same bytes.
    const reset = this.hasDefaults ? `captures[${this.absent}] = ${count}; ` : ''
    const first = `${note}let ${at} = ${calls[0]}`
    const others = calls
      .slice(1)
      .map((call) => `if (${at} < 0) { waste += far > i ? far - i : 1; if (waste > most) return -1; ${reset}${at} = ${call} }`)
    return [first, ...others, `if (${at} < 0) return -1`, `i = ${at}`].join('\n')
  }

  private call(type: Type, wanted: Projection | undefined, depth: string): string {
    const below = wanted && wanted.below.size > 0 ? wanted : undefined
    const byWanted = this.names.get(type) ?? new Map<Projection | undefined, string>()
    this.names.set(type, byWanted)
    let name = byWanted.get(below)
    if (name === undefined) {
      name = `f${this.functions.length}`
      byWanted.set(below, name)
      const index = this.functions.push('') - 1
      // Deferred: types may be nested a thousand deep.
      this.waiting.push(() => {
        this.functions[index] =
          `function ${name}(buf, i, captures, d) {\nif (d > ${MAX_JSON_DEPTH}) return -1\n${this.container(type, below)}\n}`
      })
    }
    return `${name}(buf, i + 1, captures, ${depth} + 1)`
  }

  private container(type: Type, wanted: Projection | undefined): string {
    if (type.kind === 'record') return this.record(type, wanted)
    if (type.kind === 'array')
      return `let c = buf[i]
${SPACE}
if (c === 93) return i + 1
for (;;) {
${this.value(type.item, undefined, 'd')}
${FAR}
c = buf[i]
${SPACE}
i++
if (c === 93) return i
if (c !== 44) return -1
c = buf[i]
${SPACE}
}`
    if (type.kind === 'map') return this.map(type)
    if (type.kind !== 'tuple') throw new TypeError(`no container: ${type.kind}`)
    const items = type.items.map(
      (item, k) =>
        `${k > 0 ? `${FAR}\nc = buf[i]\n${SPACE}\nif (c !== 44) return -1\nc = buf[++i]\n${SPACE}\n` : ''}{\n${this.value(item, wanted?.below.get(k), 'd')}\n}`,
    )
    return `let c = buf[i]\n${SPACE}\n${items.join('\n')}\n${items.length > 0 ? `c = buf[i]\n${SPACE}\n` : ''}return c === 93 ? i + 1 : -1`
  }

  // Any keys, so none is looked up. Where one may be repeated the tree decides.
  private map({ item }: MapType): string {
    return `let c = buf[i], keys
const first = i
let end = 0
${SPACE}
if (c === 125) return i + 1
for (let at = i; ; at = i) {
${STRING_CODE}
if (end === 0) end = i
else if (keys === undefined) keys = [skipSpace(buf, first), end, at, i]
else keys.push(at, i)
if (buf[i] === 58) i++
else { i = skipSpace(buf, i); if (buf[i] !== 58) return -1; i++ }
c = buf[i]
${SPACE}
{
${this.value(item, undefined, 'd')}
}
${FAR}
c = buf[i]
${SPACE}
i++
if (c === 125) return keys === undefined || areDistinct(buf, keys) ? i : -1
if (c !== 44) return -1
c = buf[i]
${SPACE}
}`
  }

  private record(type: RecordType, wanted: Projection | undefined): string {
    const fields = type.isOpen ? [...type.fields, ...undeclared(type, wanted)] : type.fields
    const words = Array.from({ length: Math.ceil(fields.length / 31) }, (_, w) => w)
    const needed = (w: number) => fields.slice(31 * w, 31 * w + 31).reduce((bits, f, k) => (isRequired(f) ? bits | (1 << k) : bits), 0)
    const checks = words.filter((w) => needed(w) !== 0).map((w) => `(seen${w} & ${needed(w)}) === ${needed(w)}`)
    const check = checks.join(' && ') || 'true'
    const complete = (behind: string) => `{\nif (!(${check})) return -1\n${this.absentDefaults(fields, type.isOpen)}return ${behind}\n}`
    const next = `n${this.variable()}`
    const order = `const ${next} = new Uint16Array([${[...fields.map((_, k) => k), 0].join()}])`
    const find = `q${this.variable()}`
    this.functions.push(order, lookUp(find, fields))
    const cases = fields.map((field, k) => {
      const key = keyBytes(field.name)
      const bit = `seen${Math.floor(k / 31)}`
      return `case ${k}:
if (!(${bytesMatch(key)})) break
i += ${key.length}
if (${bit} & ${1 << (k % 31)}) return -1
${bit} |= ${1 << (k % 31)}
if (buf[i] === 58) i++
else { i = skipSpace(buf, i); if (buf[i] !== 58) return -1; i++ }
c = buf[i]
${SPACE}
{
${this.field(field, wanted?.below.get(field.name), 'd')}
}
break key`
    })
    return `const first = i
let c = buf[i], f = 0, last = 0, e = i
${words.map((w) => `let seen${w} = 0`).join('; ')}
${SPACE}
if (c === 125) ${complete('i + 1')}
for (;;) {
f = ${next}[last]
key: for (;;) {
switch (f) {
${cases.join('\n')}
}
f = ${find}(buf, i)
${type.isOpen ? `if (f < 0) {\n${this.skipMember()}\nbreak key\n}` : 'if (f < 0) return -1'}
${next}[last] = f
}
${FAR}
${fields.some((f) => f.default !== undefined) ? 'e = i' : ''}
c = buf[i]
${SPACE}
i++
if (c === 44) {
last = f + 1
c = buf[i]
${SPACE}
} else if (c === 125) ${complete('i')}
else return -1
}`
  }

  // One that the type does not declare, as its key and value. A key with escapes may be one that it declares: the tree decides.
  private skipMember(): string {
    const start = this.variable()
    return `if (buf[i] !== 34) return -1
const ${start} = i
i = skipPlainString(buf, i); if (i < 0) return -1
if (buf[i] === 58) i++
else { i = skipSpace(buf, i); if (buf[i] !== 58) return -1; i++ }
i = skipValue(buf, skipSpace(buf, i), d); if (i < 0) return -1
f = last - 1`
  }

  // They are inserted after the last field (`e`), in the order of declaration. A comma precedes each, except the first of an empty object.
  private absentDefaults(fields: readonly Field[], isOpen = false): string {
    const seen = isOpen ? 'e !== first' : Array.from({ length: Math.ceil(fields.length / 31) }, (_, w) => `seen${w} !== 0`).join(' || ')
    const tests = fields.flatMap((field, k) => {
      if (field.default === undefined) return []
      const text = `${JSON.stringify(field.name)}:${field.default}`
      const number = this.insertions.push(Buffer.from(text), Buffer.from(`,${text}`)) - 2
      return [`if (!(seen${Math.floor(k / 31)} & ${1 << (k % 31)})) { if (!insert(captures, e, ${number} + m)) return -1; m = 1 }`]
    })
    return tests.length > 0 ? `let m = ${seen} ? 1 : 0\n${tests.join('\n')}\n` : ''
  }

  private variable(): string {
    return `v${this.variables++}`
  }
}

/** Statements: the value from `start` to `i` is within the limits, or they return -1. */
export const refuseExcess = (start: string, { min, max, kinds }: ValueLimits): string =>
  `if (!within(buf, ${start}, i, ${min}, ${max}, ${kinds})) return -1`

// Kept only if attempts are counted.
const FAR = '/* far */'
const SPACE = 'if (c <= 32) { i = skipSpace(buf, i); c = buf[i] }'
const STRING_CODE = `if (c !== 34) return -1
do c = buf[++i]; while (c > 31 && c !== 34 && c !== 92)
if (c === 34) i++
else { i = skipStringRest(buf, i); if (i < 0) return -1 }`
const BOOL_CODE = `if (c === 116) { if (buf[i + 1] !== 114 || buf[i + 2] !== 117 || buf[i + 3] !== 101) return -1; i += 4 }
else { if (c !== 102 || buf[i + 1] !== 97 || buf[i + 2] !== 108 || buf[i + 3] !== 115 || buf[i + 4] !== 101) return -1; i += 5 }`
const UNIT_CODE = 'if (c !== 110 || buf[i + 1] !== 117 || buf[i + 2] !== 108 || buf[i + 3] !== 108) return -1\ni += 4'

/** Wanted parts of an open record that its type does not declare. */
const undeclared = ({ fields }: RecordType, wanted: Projection | undefined): readonly Field[] =>
  [...(wanted?.below.keys() ?? [])].flatMap((name) =>
    typeof name === 'string' && fields.every((field) => field.name !== name) ? [{ name, type: JSON_TYPE, isOptional: true }] : [],
  )
