// For zsh, as a file _plumb on its fpath.

import type { ArgumentKind, CommandInterface, ExecutableInterface, OptionInterface } from './interface.js'

export const toZsh = (executables: readonly ExecutableInterface[]): string => `#compdef ${executables.map(({ name }) => name).join(' ')}
# Completion for zsh, written by 'plumb completion zsh'.
_plumb_names () {
	local -a names
	local word
	local -a specs=(\${(M)words:#*.plumb})
	(($#specs)) || specs=(*.plumb(N))
	for word in $specs; do
		names+=(\${(f)"$(plumb check --json -- $word 2>/dev/null | grep -o '"[^"]*":{"kind":"stream"' | cut -d '"' -f 2)"})
	done
	compadd -a names
}
_plumb () {
	local state
	local -A opt_args
	case $service in
${executables.map(executableCase).join('\n')}
	esac
}
_plumb "$@"
`

const executableCase = (executable: ExecutableInterface): string => {
  const { name, commands, operand } = executable
  if (commands.length === 0) return `	${name})\n${argumentsOf(executable, '\t\t')} ;;`
  const listed = commands.map((command) => `${command.name}\\:${quoteText(command.does)}`).join(' ')
  return `	${name})
		_arguments -C -s -S \\
${specs(executable, '\t\t\t')} \\
			'1: :->first' '*:: :->rest' && return
		case $state in
		first)
			_alternative ${quote(`commands:command:((${listed}))`)} ${quote(`operands:${name}:${action(operand) || ' '}`)} ;;
		rest)
			case $words[1] in
${commands.map((command) => `			${command.name})\n${argumentsOf(command, '\t\t\t\t')} ;;`).join('\n')}
			*) ${action(operand) || '_default'} ;;
			esac ;;
		esac ;;`
}

const argumentsOf = (command: CommandInterface, indent: string): string =>
  `${indent}_arguments -s -S \\\n${[specs(command, `${indent}\t`), firstSpec(command, `${indent}\t`), `${indent}\t${quote(`*:${command.name}:${action(command.operand) || ' '}`)}`].filter((part) => part !== '').join(' \\\n')}`

const firstSpec = ({ name, first }: CommandInterface, indent: string): string => (first ? indent + quote(`1:${name}:${action(first)}`) : '')

const specs = ({ options }: CommandInterface, indent: string): string => options.map((option) => indent + optionSpec(option)).join(' \\\n')

const optionSpec = ({ short, long, does, value }: OptionInterface): string => {
  const text = `[${does.replace(/[[\]\\]/g, '\\$&')}]${value ? `:${(long ?? short ?? '').replace(/^-+/, '')}:${action(value) || ' '}` : ''}`
  if (short === undefined || long === undefined) return quote(`${long ?? short}${value && long ? '=' : ''}${text}`)
  return `'(${short} ${long})'{${short},${long}${value ? '=' : ''}}${quote(text)}`
}

const action = (place: ArgumentKind): string => {
  switch (place.kind) {
    case 'files':
      return '_files'
    case 'directories':
      return '_files -/'
    case 'specs':
      return '_files -g "*.plumb"'
    case 'programs':
      return '_command_names'
    case 'names':
      return '_plumb_names'
    case 'words':
      return `(${place.words.join(' ')})`
    default:
      return ''
  }
}

const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

// Within ((word\:"text")).
const quoteText = (text: string): string => `"${text.replace(/["\\$`]/g, '\\$&').replaceAll(':', '\\:')}"`
