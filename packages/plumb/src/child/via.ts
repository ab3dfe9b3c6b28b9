// The command line of an agent that runs elsewhere (plumb(1), Agents elsewhere).

import { basename } from 'node:path'

const PLAIN = /^[A-Za-z0-9_@%+:,./-][A-Za-z0-9_@%+:,./=-]*$/

/**
 * Words that no shell would touch stay as they are, so that they arrive through `docker exec` too, which has no shell; others are quoted for one.
 * Behind a `-c` all of them are one word.
 */
export const viaCommand = (via: readonly string[], command: readonly string[]): string[] => {
  const words = command.map(quoted)
  return isShell(via) ? [...via, words.join(' ')] : [...via, ...words]
}

/** For a shell. */
export const quoted = (word: string): string => (PLAIN.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)

const isShell = (via: readonly string[]): boolean => {
  const [shell = '', option = ''] = via.slice(-2)
  return /^-[a-z]*c$/.test(option) && /^(ba|da|k|z|a|mk)?sh$/.test(basename(shell))
}
