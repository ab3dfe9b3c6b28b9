// The built-in prompts: used if no directory of PLUMB_RESOURCES has a file of that name.

import grammar from './grammar.peg'
import system from './system.md'

export const INSTALLED: Readonly<Record<string, string>> = {
  /** The contract that an agent works under. */
  'system.md': system,
  /** The grammar of .plumb files as a parsing expression grammar, for agents that write programs. */
  'grammar.peg': grammar,
}
