// The key `command` as an argument list: split at white space, and no shell looks at it.

/** `%20` is a space within a word. */
export const splitWords = (command: string): readonly string[] =>
  command
    .split(/\s+/)
    .filter((word) => word !== '')
    .map((word) => word.replaceAll('%20', ' '))
