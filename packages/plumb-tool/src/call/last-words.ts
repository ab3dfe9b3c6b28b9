// The end of what a program wrote, for an error: there it says what went wrong.

import { preview } from '@plumb/wire'

const MAX_LINES = 5
const MAX_CHARACTERS = 400

/** The last lines, on one line; empty if there are none. */
export const lastWords = (output: string): string => {
  const lines = output.trimEnd().split('\n').slice(-MAX_LINES).join('\n')
  const characters = [...lines.slice(-2 * MAX_CHARACTERS)]
  const end = characters.slice(-MAX_CHARACTERS).join('')
  return end.length < lines.length ? `…${preview(end, 2 * MAX_CHARACTERS)}` : preview(end, 2 * MAX_CHARACTERS)
}
