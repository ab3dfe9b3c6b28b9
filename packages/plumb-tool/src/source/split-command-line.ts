// Splits the key `command` into an argument list at white space, without a shell.

/** `%20` stands for a space inside a word. */
export const splitCommandLine = (command: string): readonly string[] =>
  command
    .split(/\s+/)
    .filter((word) => word !== '')
    .map((word) => word.replaceAll('%20', ' '))
