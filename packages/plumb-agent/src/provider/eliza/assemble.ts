// Builds a reply, or a new text, from the parts of a decomposed one.
import type { Template } from './rule.js'

/** Bounds as `match` gives them. A number beyond the parts gives HMMM, as in the original. */
export const assemble = (template: Template, words: readonly string[], bounds: readonly number[]): string[] => {
  const assembled: string[] = []
  for (const piece of template) {
    if (typeof piece === 'string') assembled.push(piece)
    else {
      const start = bounds[piece - 1]
      const end = bounds[piece]
      if (start === undefined || end === undefined) return ['HMMM']
      for (let i = start; i < end; i++) assembled.push(words[i] as string)
    }
  }
  return assembled
}

/** How many words that will be, to know before they are made. */
export const assembledLength = (template: Template, bounds: readonly number[]): number => {
  let length = 0
  for (const piece of template) length += typeof piece === 'string' ? 1 : (bounds[piece] ?? 0) - (bounds[piece - 1] ?? 0)
  return length
}
