// Tokenizes text for search: lower case, identifiers whole and in parts, bigrams for scripts without spaces, and words without what is written
// on to them.

/** Longer terms are digests and data. */
const MAX_TERM = 64

const WORD = /[\p{L}\p{N}\p{M}_$]+/gu
// Scripts without spaces between words.
const RUN =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\u30fc]\p{M}*/gu
// readFile, XMLHttpRequest, utf8Text, snake_case.
const PART = /\p{Lu}+(?!\p{Ll})|\p{Lu}?[\p{Ll}\p{Lo}\p{Lm}\p{Lt}\p{M}]+|\p{N}+/gu

/** In text order, with repetitions. */
export const termsOf = (text: string): string[] => {
  const terms: string[] = []
  for (const [word] of plain(text).matchAll(WORD)) addWord(terms, word)
  return terms
}

// Compatibility forms are unified and accents removed from Latin, Greek and Cyrillic letters; marks of other scripts are kept. Letters whose
// capital is that of others become these.
const plain = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .normalize('NFC')
    .replace(/[\u00df\u1e9e]/g, 'ss')
    .replace(/\u0131/g, 'i')
    .replace(/\u03c2/g, '\u03c3')

const addWord = (terms: string[], word: string): void => {
  const characters = word.match(RUN)
  if (characters) return addRun(terms, word, characters)
  const parts = (word.match(PART) ?? []).map((part) => part.toLowerCase().replace(/\u03c2/g, '\u03c3'))
  const whole = parts.join('')
  add(terms, whole)
  if (parts.length > 1) for (const part of parts) add(terms, part)
  for (const [script, formsOf] of FORMS) if (script.test(whole)) for (const form of formsOf(whole)) add(terms, form)
}

// Particles stand behind a Korean word: its first syllable, and pairs of syllables as for scripts without spaces.
const koreanForms = (word: string): string[] =>
  (word.match(/\p{Script=Hangul}+/gu) ?? []).flatMap((run) => {
    const syllables = [...run]
    const pairs = syllables.slice(1).map((syllable, i) => `${syllables[i]}${syllable}`)
    return [...syllables.slice(0, 1), ...pairs].filter((form) => form !== word)
  })

// The article and the prepositions before an Arabic or a Hebrew word.
const withoutPrefix =
  (...prefixes: readonly RegExp[]) =>
  (word: string): string[] =>
    prefixes.map((prefix) => word.replace(prefix, '')).filter((form) => form !== word)

const FORMS: readonly (readonly [RegExp, (word: string) => string[]])[] = [
  [/\p{Script=Hangul}/u, koreanForms],
  [
    /\p{Script=Arabic}/u,
    withoutPrefix(/^[\u0648\u0641]?(?:[\u0628\u0643]?\u0627\u0644|\u0644\u0644)(?=.{2})/u, /^[\u0648\u0641\u0628\u0643\u0644](?=.{3})/u),
  ],
  [
    /\p{Script=Hebrew}/u,
    withoutPrefix(
      /^[\u05d4\u05d5\u05d1\u05dc\u05de\u05e9\u05db](?=.{2})/u,
      /^(?:\u05d5[\u05d4\u05d1\u05dc\u05de\u05e9\u05db]|\u05e9[\u05d4\u05d1\u05dc\u05de]|\u05db\u05e9|\u05de\u05d4)(?=.{2})/u,
    ),
  ],
]

const addRun = (terms: string[], word: string, characters: readonly string[]): void => {
  for (const [i, character] of characters.entries()) {
    add(terms, character)
    const next = characters[i + 1]
    if (next !== undefined) add(terms, character + next)
  }
  for (const [rest] of word.replace(RUN, ' ').matchAll(WORD)) addWord(terms, rest)
}

const add = (terms: string[], term: string): void => {
  if (term !== '' && term.length <= MAX_TERM) terms.push(term)
}

const COMMON = new Set(
  (
    'a an the this that these those there here it its i you he she we they me my your our their them us one ' +
    'is are was were be been being am do does did done has have had having can could may might must shall should will would ' +
    'and or but not no nor so if than then as of at by for from in into on onto over to up with without about between ' +
    'what which who whom whose when where why how please want need use used using get gets getting make happen happens work works'
  ).split(' '),
)

/** The terms that are not stop words, nor single syllables of Korean; all terms if none is left. */
export const significantTerms = (terms: readonly string[]): readonly string[] => {
  const specific = terms.filter((term) => !COMMON.has(term) && !/^\p{Script=Hangul}$/u.test(term))
  return specific.length > 0 ? specific : terms
}
