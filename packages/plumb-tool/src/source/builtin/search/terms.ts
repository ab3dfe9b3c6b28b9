// Tokenizes text for search: lower case, identifiers whole and in parts, and bigrams for scripts without spaces.

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

// Compatibility forms are unified and accents removed from Latin, Greek and Cyrillic letters; marks of other scripts are kept.
const plain = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .normalize('NFC')

const addWord = (terms: string[], word: string): void => {
  const characters = word.match(RUN)
  if (characters) return addRun(terms, word, characters)
  const parts = (word.match(PART) ?? []).map((part) => part.toLowerCase())
  const whole = parts.join('')
  add(terms, whole)
  if (parts.length > 1) for (const part of parts) add(terms, part)
}

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

/** The terms that are not stop words; all terms if none is left. */
export const significantTerms = (terms: readonly string[]): readonly string[] => {
  const specific = terms.filter((term) => !COMMON.has(term))
  return specific.length > 0 ? specific : terms
}
