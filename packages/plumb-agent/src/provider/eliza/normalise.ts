// Reading what the user says: upper case, the punctuation that counts, words.

/** The words of an input; `,` and `.` are words of their own. */
export const readWords = (text: string): string[] => splitWords(normalise(text))

/** Sentence ends become `.`, other stops `,`, quotation marks spaces; the rest is upper case. */
export const normalise = (text: string): string => upperCase(text.replace(PUNCTUATION, (mark) => MARKS[mark] ?? ' '))

export const splitWords = (text: string): string[] => text.replace(LINE_SPACE, ' ').match(WORD) ?? []

/** Simple upper case, one character for one; only sharp s and the ligatures become more. */
export const upperCase = (text: string): string => (MAY_EXPAND.test(text) ? text.replace(EXPANDING_OR_RUN, upperPiece) : text.toUpperCase())

const PUNCTUATION = /[!?:;"`\u00a1\u00ab\u00bb\u00bf\u2013\u2014\u2018-\u201f\u2039\u203a]/g
const MARKS: Readonly<Record<string, string>> = {
  '!': '.',
  '?': '.',
  ':': ',',
  ';': ',',
  '\u2013': ',',
  '\u2014': ',',
  '\u2019': "'",
}
const LINE_SPACE = /[\t-\r]/g
const WORD = /[,.]|[^ ,.]+/g

// Every character of which full upper case, which is what JavaScript has, makes several; not those that should
const EXPANDING =
  '\\u0149\\u01f0\\u0390\\u03b0\\u0587\\u1e96-\\u1e9a\\u1f50-\\u1f56\\u1f80-\\u1faf\\u1fb2-\\u1fb7\\u1fbc\\u1fc2-\\u1fc7\\u1fcc\\u1fd2-\\u1fd7\\u1fe2-\\u1fe7\\u1ff2-\\u1ff7\\u1ffc'
const MAY_EXPAND = new RegExp(`[${EXPANDING}]`)
const EXPANDING_OR_RUN = new RegExp(`[${EXPANDING}]|[^${EXPANDING}]+`, 'g')

const upperPiece = (piece: string): string => {
  const upper = piece.toUpperCase()
  return piece.length === 1 && upper.length > 1 && MAY_EXPAND.test(piece) ? singleUpper(piece) : upper
}

// Greek with iota subscript has a single upper case beside the full one, all others have none
const singleUpper = (character: string): string => {
  const code = character.charCodeAt(0)
  if (code >= 0x1f80 && code <= 0x1faf) return String.fromCharCode(code | 8)
  return code === 0x1fb3 || code === 0x1fc3 || code === 0x1ff3 ? String.fromCharCode(code + 9) : character
}
