// Faults for a command line that cannot be parsed.

import { type Fault, fault } from '../error.js'
import { nearest } from '../nearest.js'
import { escapeControls } from '../preview.js'

/** An error of commander: only the mains import commander, here it is only reported. */
export interface UsageError {
  /** Such as `commander.unknownOption`. */
  readonly code: string
  readonly message: string
}

/** An option of commander's. Hidden ones are never suggested. */
export interface NamedOption {
  readonly long?: string | null | undefined
  readonly hidden?: boolean
}

/**
 * `unknown_option`, with the option that was likely meant, or `usage`. `options` are all that the program has, those of its commands
 * too: `usageFault(error, command.options)`.
 * `whenTooMany` is what to do with a word too many.
 */
export const usageFault = ({ code, message }: UsageError, options: Iterable<NamedOption>, whenTooMany?: string): Fault => {
  const said = escapeControls(inOneSentence(message))
  if (code === 'commander.invalidArgument') return fault('usage', said)
  const more = code === 'commander.excessArguments' && whenTooMany !== undefined ? `; ${whenTooMany}` : ''
  if (code !== 'commander.unknownOption') return fault('usage', `${said}; see --help${more}`)
  const names = [...options].flatMap(({ long, hidden }) => (hidden || long == null ? [] : [long]))
  const near = nearest(/'(.*)'/s.exec(said)?.[1] ?? '', names)
  return fault('unknown_option', near === undefined ? `${said}; see --help` : `${said}; did you mean '${near}'?`)
}

// Without commander's own suggestion, which is on a line of its own.
const inOneSentence = (message: string): string =>
  message
    .replace(/^error: /, '')
    .replace(/\n\(Did you mean .*\)$/s, '')
    .replace(/\.$/, '')
    .replace(/( is invalid|^too many arguments[^.]*)\. (\w)/, (_, what: string, first: string) => `${what}: ${first.toLowerCase()}`)
