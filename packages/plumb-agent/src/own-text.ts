// What one agent of a text is made of: a text of many agents is handed to each of them, and to read all of it each time would cost the square.

/**
 * The text with nothing left of declarations that cannot matter to the binding of that name; lines keep their numbers. For a text that
 * compiles: where it is laid out in another way than is expected here, what is left has errors, and the whole has to be compiled. Undefined:
 * no such binding is seen, or what looks like a declaration may stand in a comment or a string.
 */
export const textFor = (name: string, text: string): string | undefined => {
  const pieces = text.split(DECLARATION)
  if (!pieces.every(isWhole)) return undefined
  const names = namesOf(pieces)
  if (!names.includes(name)) return undefined
  const wanted = new Set([name])
  // A set that grows while it is gone through gives what is added too.
  for (const one of wanted) {
    for (let at = names.indexOf(one); at >= 0; at = names.indexOf(one, at + 1)) {
      for (const word of pieces[at]?.match(WORD) ?? []) wanted.add(word)
    }
  }
  return pieces.map((piece, at) => (wanted.has(names[at] ?? name) ? piece : piece.replace(/[^\n]+/g, ''))).join('')
}

const DECLARATION = /^(?=let\b|type\b|use\b|@)/m
const NAME = /^(?:type|(?:@.*\s)?let)\s+([A-Za-z_][A-Za-z0-9_]*)/
const WORD = /[A-Za-z_][A-Za-z0-9_]*/g

const isWhole = (piece: string): boolean => count(piece, '(*') === count(piece, '*)') && count(piece, '"""') % 2 === 0

const count = (text: string, what: string): number => (text.includes(what) ? text.split(what).length - 1 : 0)

// Undefined: it stays, such as `use`. Annotations on lines of their own belong to what comes after them.
const namesOf = (pieces: readonly string[]): (string | undefined)[] => {
  const names = pieces.map((piece) => NAME.exec(piece)?.[1])
  for (let at = pieces.length - 2; at > 0; at--) if (pieces[at]?.startsWith('@')) names[at] ??= names[at + 1]
  return names
}
