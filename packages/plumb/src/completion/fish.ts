// For fish 3 and newer.

import type { ArgumentKind, CommandInterface, ExecutableInterface, OptionInterface } from './interface.js'

export const toFish = (executables: readonly ExecutableInterface[]): string => `# Completion for fish, written by 'plumb completion fish'.
function __plumb_names
    set -l specs (string match -- '*.plumb' (commandline -o))
    test -n "$specs"; or set specs *.plumb
    for word in $specs
        plumb check --json -- $word 2>/dev/null | string match -ar '"([^"]*)":\\{"kind":"stream"' | string match -v '*:*'
    end
end
# A command and nothing but options come before the cursor.
function __plumb_first
    test (count (string match -v -- '-*' (commandline -opc))) -le 2
end
${executables.flatMap(linesOf).join('\n')}
`

const linesOf = ({ name, options, operand, commands }: ExecutableInterface): string[] => {
  const start = `complete -c ${name}`
  const names = commands.map((command) => command.name).join(' ')
  const isFirst = commands.length === 0 ? '' : ` -n ${quote(`not __fish_seen_subcommand_from ${names}`)}`
  return [
    `${start} -f`,
    ...commands.map((command) => `${start}${isFirst} -a ${command.name} -d ${quote(command.does)}`),
    ...options.map((option) => `${start}${isFirst}${optionWords(option)}`),
    ...operandLine(`${start}${isFirst}`, operand),
    ...commands.flatMap((command) => commandLines(start, command)),
  ]
}

const commandLines = (start: string, { name, options, operand, first }: CommandInterface): string[] => {
  const when = (more: string) => `${start} -n ${quote(`__fish_seen_subcommand_from ${name}${more}`)}`
  const operands = first
    ? [...operandLine(when('; and __plumb_first'), first), ...operandLine(when('; and not __plumb_first'), operand)]
    : operandLine(when(''), operand)
  return [...options.map((option) => `${when('')}${optionWords(option)}`), ...operands]
}

const operandLine = (start: string, operand: ArgumentKind): string[] => {
  const words = valueWords(operand)
  return words === ' -x' ? [] : [`${start}${words.replace(/^ -[rx]/, '')}`]
}

const optionWords = ({ short, long, does, value }: OptionInterface): string =>
  [
    short === undefined ? '' : ` -s ${short.slice(1)}`,
    long === undefined ? '' : ` -l ${long.slice(2)}`,
    value ? valueWords(value) : '',
    ` -d ${quote(does)}`,
  ].join('')

const valueWords = (place: ArgumentKind): string => {
  switch (place.kind) {
    case 'files':
      return ' -r -F'
    case 'directories':
      return " -x -a '(__fish_complete_directories)'"
    case 'specs':
      return " -x -a '(__fish_complete_suffix .plumb)'"
    case 'programs':
      return " -x -a '(__fish_complete_command)'"
    case 'names':
      return " -x -a '(__plumb_names)'"
    case 'words':
      return ` -x -a ${quote(place.words.join(' '))}`
    default:
      return ' -x'
  }
}

const quote = (text: string): string => `'${text.replace(/[\\']/g, '\\$&')}'`
