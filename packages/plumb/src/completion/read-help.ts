// Parses a help text: it is generated from the definition of the options, in the same format for all executables.

import { ERRORS, PROVIDER_NAMES } from '@plumb/wire'
import type { ArgumentKind, CommandInterface, OptionInterface } from './interface.js'

interface Help extends Omit<CommandInterface, 'name' | 'does'> {
  readonly commands: readonly Pick<CommandInterface, 'name' | 'does'>[]
}

export const readHelp = (text: string): Help => {
  const [, usage = ''] = /^Usage: (.*)$/m.exec(text) ?? []
  const terms = items(text)
  const options = terms.filter(([term]) => term.startsWith('-')).map(([term, does]) => readOption(term, does))
  const commands = terms
    .filter(([term]) => !term.startsWith('-'))
    .map(([term, does]) => ({ name: term.split(' ', 1)[0] ?? '', does: withoutNotes(does) }))
  const operands = usage.split(' ').flatMap((word) => /^[[<]?([a-z.]+?)(?:\.\.\.)?[\]>]?$/.exec(word)?.[1] ?? [])
  const named = operands.filter((name) => name !== 'options' && name !== 'command')
  const operand = named.at(-1) ?? (usage.endsWith('command...') ? 'command' : '')
  const [, leading] = / <([a-z.]+)> [[<]/.exec(usage) ?? []
  const first = leading === undefined ? undefined : argumentKindOf(leading, '')
  const read = { options, commands: commands.filter(({ name }) => name !== 'help'), operand: argumentKindOf(operand, '') }
  return first?.kind === 'names' ? { ...read, first } : read
}

/** `-o, --output <file>`. */
const readOption = (term: string, does: string): OptionInterface => {
  const [, short, long, placeholder] = /^(-\w)?(?:, )?(--[\w-]+)?(?: [<[](.*?)[>\]])?$/.exec(term) ?? []
  return {
    ...(short === undefined ? {} : { short }),
    ...(long === undefined ? {} : { long }),
    does: withoutNotes(does),
    ...(placeholder === undefined ? {} : { value: argumentKindOf(placeholder, does, long) }),
  }
}

// Options and commands are in groups, each below its heading. Each line begins with two spaces, has two between term and text, and continues
// with deeper indentation.
const items = (text: string): [term: string, does: string][] => {
  const groups = [...text.matchAll(/^([A-Z][\w ]*):\n((?: .*\n?)*)/gm)].filter(([, heading]) => heading !== 'Examples')
  const found: [string, string][] = []
  for (const line of groups.flatMap(([, , lines = '']) => lines.split('\n'))) {
    const [, term, does = ''] = /^ {2}(\S.*?)(?: {2,}(.*))?$/.exec(line) ?? []
    const last = found.at(-1)
    if (term !== undefined) found.push([term, does])
    else if (last) last[1] = `${last[1]} ${line.trim()}`.trim()
  }
  return found
}

// Without defaults and choices.
const withoutNotes = (does: string): string => does.replace(/ *\((default|choices): .*\)$/, '')

const words = (...list: string[]): ArgumentKind => ({ kind: 'words', words: list })

const EFFECTS = words('fs.read', 'fs.write', 'net', 'net.private', 'exec', 'model')

const OPTIONS: Readonly<Record<string, ArgumentKind>> = {
  '--provider': words(...PROVIDER_NAMES),
  '--grant': EFFECTS,
  '--binding': { kind: 'names' },
  '--agent': { kind: 'names' },
}

const PLACEHOLDERS: Readonly<Record<string, ArgumentKind>> = {
  file: { kind: 'files' },
  dir: { kind: 'directories' },
  program: { kind: 'programs' },
  command: { kind: 'programs' },
  binding: { kind: 'names' },
  code: words(...Object.keys(ERRORS)),
  shell: words('bash', 'zsh', 'fish'),
  spec: { kind: 'specs' },
  'spec.plumb': { kind: 'specs' },
  run: { kind: 'files' },
}

/**
 * The meaning of a placeholder in help texts of all executables. `long` is the option's name; `placeholder` such as `file`; `does` may list
 * its choices.
 */
const argumentKindOf = (placeholder: string, does: string, long = ''): ArgumentKind => {
  const choices = /\(choices: ([^;)]*)/.exec(does)?.[1]?.split(', ') ?? []
  if (choices.length > 0) return words(...choices)
  return OPTIONS[long] ?? PLACEHOLDERS[placeholder] ?? { kind: 'text' }
}
