// Names in generated Python.

import { freeNames, wordsOf } from './names.js'

const WORDS = wordsOf(`
  False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda
  nonlocal not or pass raise return try while with yield match case self cls
  abs aiter all anext any ascii bin bool breakpoint bytearray bytes callable chr classmethod compile complex copyright credits
  delattr dict dir divmod enumerate eval exec exit filter float format frozenset getattr globals hasattr hash help hex id input int
  isinstance issubclass iter len license list locals map max memoryview min next object oct open ord pow print property quit range
  repr reversed round set setattr slice sorted staticmethod str sum super tuple type vars zip
`)
const OWN = new Set(['Client', 'AsyncClient', '_t', '_plumb', '_models'])

export const isTakenInPython = (name: string): boolean => WORDS.has(name) || OWN.has(name)

/** What begins with two underscores has another name inside of a class. */
export const isAttribute = (name: string): boolean => /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && !name.startsWith('__') && !KEYWORDS.has(name)

const KEYWORDS = wordsOf(`
  False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda
  nonlocal not or pass raise return try while with yield
`)

export const methodNames = (names: readonly string[]): ReadonlyMap<string, string> =>
  freeNames(names, (name) => WORDS.has(name) || OWN.has(name) || name.startsWith('__'))

/** A string of Python, all of it ASCII. */
export const pythonText = (text: string): string =>
  // What JSON escapes, Python reads alike, but for halves of pairs: each code point is one escape.
  `"${[...text]
    .map((char) => {
      const code = char.codePointAt(0) ?? 0
      if (char === '"' || char === '\\') return `\\${char}`
      if (code >= 0x20 && code < 0x7f) return char
      return code > 0xffff ? `\\U${code.toString(16).padStart(8, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`
    })
    .join('')}"`
