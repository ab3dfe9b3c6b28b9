// The command that gives the key of an agent: of the spec, of the environment, or of its provider.

import { dirname } from 'node:path'
import type { CheckedAgent } from '@plumb/lang'
import type { KeyCommandWords } from '../provider/key-words.js'
import { PROVIDERS } from '../provider/table.js'

/** Undefined: its key is in a variable, or it needs none. */
export const keyCommandFor = (
  provider: string,
  { config, specPath }: Pick<CheckedAgent, 'config' | 'specPath'>,
  env: Readonly<Record<string, string | undefined>>,
): KeyCommandWords | undefined => {
  if (provider === 'eliza') return undefined
  const names = wordsIn(config.env) ?? []
  const ofSpec = wordsIn(config.key_command)
  if (ofSpec) return { words: ofSpec, directory: dirname(specPath), env: names }
  const said = env.PLUMB_KEY_COMMAND?.trim() ?? ''
  const words = said === '' ? PROVIDERS.get(provider)?.keyCommand : said.split(/\s+/)
  return words && { words, directory: '.', env: names }
}

const wordsIn = (value: unknown): readonly string[] | undefined =>
  Array.isArray(value) && value.length > 0 ? value.filter((word) => typeof word === 'string') : undefined
