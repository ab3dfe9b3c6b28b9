// Names of servers' tools in chains, which are words with at most one dot: `server.tool`.

import { RESERVED } from '@plumb/lang'

/**
 * Unique names of the members, in their order: characters that a word cannot have become `_`, and duplicates get a number. Names that are
 * words already stay, so that a name depends on others only where it must.
 */
export const wordsFor = (names: readonly string[]): readonly string[] => {
  const taken = new Set(names.filter(isWord))
  const seen = new Set<string>()
  return names.map((name) => {
    const isFirst = !seen.has(name)
    seen.add(name)
    if (isWord(name) && isFirst) return name
    const base = asWord(name)
    let word = base
    for (let n = 2; taken.has(word); n++) word = `${base}_${n}`
    taken.add(word)
    return word
  })
}

const isWord = (name: string): boolean => /^[A-Za-z_]\w*$/.test(name) && !RESERVED.has(name)

const asWord = (name: string): string => {
  const word = name.replaceAll(/\W/g, '_')
  return /^[A-Za-z_]/.test(word) && !RESERVED.has(word) ? word : `_${word}`
}
