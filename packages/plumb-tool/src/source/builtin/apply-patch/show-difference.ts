// Shows two texts around the first character in which they differ, for an error.

import { preview } from '@plumb/wire'

const LEAD = 20
const PLAIN = /^[ -~]$/

/** The two without white space around them, and which character it is where the eye may not see it. */
export const showDifference = (a: string, b: string): { readonly a: string; readonly b: string; readonly which: string } => {
  const [one, two] = [[...a.trim()], [...b.trim()]]
  let at = 0
  while (at < one.length && at < two.length && one[at] === two[at]) at++
  const shown = (characters: readonly string[]): string => {
    const from = at <= 2 * LEAD ? 0 : at - LEAD
    return `${from > 0 ? '…' : ''}${preview(characters.slice(from).join(''))}`
  }
  const [first, second] = [one[at], two[at]]
  const isOdd = [first, second].some((character) => character !== undefined && !PLAIN.test(character))
  const which = isOdd ? ` (${codeOf(first)}, not ${codeOf(second)})` : ''
  return { a: shown(one), b: shown(two), which }
}

const codeOf = (character: string | undefined): string =>
  character === undefined ? 'the end' : `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`
