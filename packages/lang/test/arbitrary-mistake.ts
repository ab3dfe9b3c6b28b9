// Mistakes as people and models make them, one in the text of a program that is right: names, operators of other languages, brackets,
// separators and words.

import fc from 'fast-check'
import { RESERVED } from '../src/parse/cursor.js'
import { MORPHISMS } from '../src/parse/morphism.js'

export interface Mistake {
  readonly kind: string
  readonly text: string
}

/** Text of the program that is not a string and no comment, as [start, end) of each piece. */
const codeIn = (text: string): readonly (readonly [number, number])[] => {
  const pieces: [number, number][] = []
  let start = 0
  for (const { 0: other, index } of text.matchAll(/\(\*[\s\S]*?\*\)|\$?"(?:[^"\\]|\\.)*"|^#!.*$/gm)) {
    if (index > start) pieces.push([start, index])
    start = index + other.length
  }
  return start < text.length ? [...pieces, [start, text.length]] : pieces
}

interface Place {
  readonly start: number
  readonly word: string
}

const placesOf = (text: string, pattern: RegExp): readonly Place[] =>
  codeIn(text).flatMap(([start, end]) =>
    [...text.slice(start, end).matchAll(pattern)].map(({ 0: word, index }) => ({ start: start + index, word })),
  )

const at = (text: string, { start, word }: Place, put: string): string => text.slice(0, start) + put + text.slice(start + word.length)

/** Those of three letters and more: of shorter ones a misspelling is another word. */
const KEYWORDS = [...new Set([...RESERVED, ...MORPHISMS, 'param', 'test'])].filter((word) => word.length > 2)

/** A letter left out, doubled, or changed for its neighbour. */
const misspelt = (word: string, way: number, i: number): string => {
  const at = 1 + (i % (word.length - 1))
  if (way === 0) return word.slice(0, at) + word.slice(at + 1)
  if (way === 1) return word.slice(0, at) + word[at] + word.slice(at)
  const swapped = word.slice(0, at - 1) + word[at] + word[at - 1] + word.slice(at + 1)
  return swapped === word ? word + word.at(-1) : swapped
}

interface Kind {
  readonly pattern: RegExp
  readonly put: (word: string, way: number, i: number) => string
}

const KINDS: Readonly<Record<string, Kind>> = {
  'a name misspelt': { pattern: /[A-Za-z_]\w{3,}/g, put: misspelt },
  'a word of the language misspelt': { pattern: new RegExp(`\\b(?:${KEYWORDS.join('|')})\\b`, 'g'), put: misspelt },
  '== for =': { pattern: /(?<=\w |\] |\) )=(?= [^\n{]*\))/g, put: () => '==' },
  '&& and || for and and or': { pattern: /\b(?:and|or)\b/g, put: (word) => (word === 'and' ? '&&' : '||') },
  '=> for ->': { pattern: /->/g, put: () => '=>' },
  'a bracket not closed': { pattern: /[)\]}]/g, put: () => '' },
  'a separator left out': { pattern: /[,:;](?= )/g, put: () => '' },
  'a separator of other languages': { pattern: /(?<=\w)(?:: |, )(?=[\w"])/g, put: (word) => (word === ': ' ? ' = ' : '; ') },
  'a stray separator': { pattern: /,(?= )/g, put: () => ',,' },
}

/** One mistake in the text, of any kind for which there is a place; `way` and `i` say which. */
const mistakeIn = (text: string, { kind, way, i }: { readonly kind: number; readonly way: number; readonly i: number }): Mistake => {
  const kinds = Object.entries(KINDS).flatMap(([name, { pattern, put }]) => {
    const places = placesOf(text, pattern)
    return places.length === 0 ? [] : [{ name, places, put }]
  })
  const { name, places, put } = kinds[kind % kinds.length] as (typeof kinds)[number]
  const place = places[i % places.length] as Place
  return { kind: name, text: at(text, place, put(place.word, way, i)) }
}

export const arbitraryMistakeIn = (texts: readonly string[]): fc.Arbitrary<Mistake & { readonly right: string }> =>
  fc
    .record({ text: fc.constantFrom(...texts), kind: fc.nat(1000), way: fc.nat(2), i: fc.nat(100_000) })
    .map(({ text, ...choice }) => ({ ...mistakeIn(text, choice), right: text }))
