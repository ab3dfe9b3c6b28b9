// One pass over the words of an input: collects the keys, makes the substitutions and keeps one clause.
import type { Script } from './rule.js'

interface Scanned {
  /** The clause that is answered, substitutions made. */
  readonly words: string[]
  /** The key stack: the next to try is the last. */
  readonly keys: string[]
}

export const scan = (input: readonly string[], { rules }: Script): Scanned => {
  let words: string[] = []
  const front: string[] = []
  const back: string[] = []
  let top = 0
  for (const word of input) {
    if (isDelimiter(word)) {
      if (front.length + back.length > 0) break
      words = []
      continue
    }
    const rule = rules.get(word)
    if (rule?.canReply) {
      // Not a sort: only what outranks everything so far goes to the front
      if (rule.precedence > top) {
        front.push(word)
        top = rule.precedence
      } else back.push(word)
    }
    words.push(rule?.substitute ?? word)
  }
  return { words, keys: back.reverse().concat(front) }
}

// The article names only the comma and the period; BUT is in the recovered source, and the published turn 11 needs it
const isDelimiter = (word: string): boolean => word === ',' || word === '.' || word === 'BUT'
