// A command line without options, read without the reader of options, which takes time to load.

import type { Options } from './options.js'

/** Undefined: there may be options, or no command. */
export const plainOptions = ([first, ...rest]: readonly string[]): Options | undefined => {
  const command = first === '--' || first === undefined ? rest : [first, ...rest]
  return command.length === 0 || (first !== '--' && first?.startsWith('-')) ? undefined : { command, isUnwrapped: false }
}
