// Names in generated code: those of the spec, but for words of the language and what the file itself has, which get `_` behind them.

/** Each name of the spec as it is written; all that need no change keep theirs. */
export const freeNames = (names: readonly string[], isTaken: (name: string) => boolean): ReadonlyMap<string, string> => {
  const kept = new Set(names.filter((name) => !isTaken(name)))
  return new Map(
    names.map((name) => {
      if (kept.has(name)) return [name, name]
      let free = `${name}_`
      while (kept.has(free) || isTaken(free)) free += '_'
      kept.add(free)
      return [name, free]
    }),
  )
}

export const wordsOf = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/))

export const isIdentifier = (name: string): boolean => /^[A-Za-z_][A-Za-z0-9_]*$/.test(name)

/** A text of the spec on lines of a comment: nothing in it ends the comment, or turns the direction of text. */
export const commentLines = (text: string): readonly string[] =>
  text
    .trim()
    .split(/\r\n|[\n\r\u2028\u2029\f\v\x85]/)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
    .map((line) => line.replace(/[\x00-\x08\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '').trimEnd())
