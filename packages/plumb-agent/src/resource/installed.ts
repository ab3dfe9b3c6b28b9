// The prompts that need no file: what `prompts` finds by these names when no directory of PLUMB_RESOURCES has them.

import grammar from './grammar.peg'
import system from './system.md'

export const INSTALLED: Readonly<Record<string, string>> = {
  /** The contract that an agent works under. */
  'system.md': system,
  /** The language of .plumb files as a parsing expression grammar, for agents that write programs. */
  'grammar.peg': grammar,
}
