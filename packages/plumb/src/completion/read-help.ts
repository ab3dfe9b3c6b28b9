// A help text, read back: it is made from the one description of the options, and the same for all executables.

import type { CommandInterface, OptionInterface } from './interface.js'
import { placeOf } from './place.js'

interface Help extends Omit<CommandInterface, 'name' | 'does'> {
  readonly commands: readonly Pick<CommandInterface, 'name' | 'does'>[]
}

export const readHelp = (text: string): Help => {
  const [, usage = ''] = /^Usage: (.*)$/m.exec(text) ?? []
  const options = items(text, 'Options').map(([term, does]) => readOption(term, does))
  const commands = items(text, 'Commands').map(([term, does]) => ({ name: term.split(' ', 1)[0] ?? '', does: withoutNotes(does) }))
  const operands = usage.split(' ').flatMap((word) => /^[[<]?([a-z.]+?)(?:\.\.\.)?[\]>]?$/.exec(word)?.[1] ?? [])
  const named = operands.filter((name) => name !== 'options' && name !== 'command')
  const operand = named.at(-1) ?? (usage.endsWith('command...') ? 'command' : '')
  const [, leading] = / <([a-z.]+)> [[<]/.exec(usage) ?? []
  const first = leading === undefined ? undefined : placeOf(leading, '')
  const read = { options, commands: commands.filter(({ name }) => name !== 'help'), operand: placeOf(operand, '') }
  return first?.kind === 'names' ? { ...read, first } : read
}

/** `-o, --output <file>`. */
const readOption = (term: string, does: string): OptionInterface => {
  const [, short, long, placeholder] = /^(-\w)?(?:, )?(--[\w-]+)?(?: [<[](.*?)[>\]])?$/.exec(term) ?? []
  return {
    ...(short === undefined ? {} : { short }),
    ...(long === undefined ? {} : { long }),
    does: withoutNotes(does),
    ...(placeholder === undefined ? {} : { value: placeOf(placeholder, does, long) }),
  }
}

// Each begins with two spaces, has two between term and text, and goes on in deeper lines.
const items = (text: string, heading: string): [term: string, does: string][] => {
  const [, block = ''] = new RegExp(`^${heading}:\\n((?: .*\\n?)*)`, 'm').exec(text) ?? []
  const found: [string, string][] = []
  for (const line of block.split('\n')) {
    const [, term, does = ''] = /^ {2}(\S.*?)(?: {2,}(.*))?$/.exec(line) ?? []
    const last = found.at(-1)
    if (term !== undefined) found.push([term, does])
    else if (last) last[1] = `${last[1]} ${line.trim()}`.trim()
  }
  return found
}

// Without defaults and choices.
const withoutNotes = (does: string): string => does.replace(/ *\((default|choices): .*\)$/, '')
