// What a placeholder of a help text stands for: said once, for all executables.

import { ERRORS, PROVIDER_NAMES } from '@plumb/wire'
import type { Place } from './interface.js'

const words = (...list: string[]): Place => ({ kind: 'words', words: list })

const EFFECTS = words('fs.read', 'fs.write', 'net', 'net.private', 'exec', 'model')

const OPTIONS: Readonly<Record<string, Place>> = {
  '--provider': words(...PROVIDER_NAMES),
  '--grant': EFFECTS,
  '--binding': { kind: 'names' },
  '--agent': { kind: 'names' },
}

const PLACEHOLDERS: Readonly<Record<string, Place>> = {
  file: { kind: 'files' },
  dir: { kind: 'folders' },
  program: { kind: 'programs' },
  command: { kind: 'programs' },
  binding: { kind: 'names' },
  code: words(...Object.keys(ERRORS)),
  shell: words('bash', 'zsh', 'fish'),
  spec: { kind: 'specs' },
  'spec.plumb': { kind: 'specs' },
  run: { kind: 'files' },
}

/** `long` is the option's name; `placeholder` such as `file`; `does` may list its choices. */
export const placeOf = (placeholder: string, does: string, long = ''): Place => {
  const choices = /\(choices: ([^;)]*)/.exec(does)?.[1]?.split(', ') ?? []
  if (choices.length > 0) return words(...choices)
  return OPTIONS[long] ?? PLACEHOLDERS[placeholder] ?? { kind: 'text' }
}
