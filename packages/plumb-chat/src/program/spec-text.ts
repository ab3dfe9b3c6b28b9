// The spec in place of one that was not given.

import type { Options } from '../options.js'

/** Talks to the provider that was asked for, else to ELIZA, who needs no network and no key. */
export const specText = ({ spec, provider }: Pick<Options, 'spec' | 'provider'>, environment: string | undefined): string => {
  if (spec.kind === 'text') return spec.text
  const asked = provider ?? (environment || 'eliza')
  return asked === 'eliza'
    ? 'let eliza : !string -> !string = agent { provider: "eliza", model: "doctor" }'
    : 'let assistant : !string -> !string = agent { }'
}
