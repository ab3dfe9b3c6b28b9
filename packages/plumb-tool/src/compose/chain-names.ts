// What tools of servers are called in chains, where names are words with a dot at most: `server.tool`.

import { RESERVED } from '@plumb/lang'

/**
 * The names of members in their order, no two alike: what a word cannot hold is `_`, and where two would be one, the later has a number behind
 * it. Those that are words already keep themselves, so that a name does not depend on what else there is unless it has to.
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
