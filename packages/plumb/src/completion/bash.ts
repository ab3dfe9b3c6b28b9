// For bash 4 and newer; needs no other completions.

import { type ArgumentKind, type CommandInterface, dashed, type ExecutableInterface } from './interface.js'

export const toBash = (executables: readonly ExecutableInterface[]): string => `# Completion for bash, written by 'plumb completion bash'.
# $1 a command such as 'plumb run': its options, its commands, and what else it takes.
_plumb_command () {
	case $1 in
${executables.flatMap((executable) => [commandCase(executable.name, executable, executable.commands), ...executable.commands.map((command) => commandCase(`${executable.name} ${command.name}`, command, []))]).join('\n')}
	*) return 1 ;;
	esac
}
# $1 a command, $2 an option of it: what its value is; fails where it has none.
_plumb_value () {
	case "$1 $2" in
${executables.flatMap((executable) => [...valueCases(executable.name, executable), ...executable.commands.flatMap((command) => valueCases(`${executable.name} ${command.name}`, command))]).join('\n')}
	*) return 1 ;;
	esac
}
_plumb_place () {
	local IFS=$'\\n'
	case $1 in
	files) COMPREPLY+=($(compgen -f -- "$2")); compopt -o filenames 2>/dev/null ;;
	directories) COMPREPLY+=($(compgen -d -- "$2")); compopt -o filenames 2>/dev/null ;;
	specs) COMPREPLY+=($(compgen -f -X '!*.plumb' -- "$2") $(compgen -d -- "$2")); compopt -o filenames 2>/dev/null ;;
	programs) COMPREPLY+=($(compgen -c -- "$2")) ;;
	names) COMPREPLY+=($(compgen -W "$(_plumb_names)" -- "$2")) ;;
	text) ;;
	*) COMPREPLY+=($(compgen -W "\${1// /$'\\n'}" -- "$2")) ;;
	esac
}
# The bindings of the specs that the command line names, else of those in this directory.
_plumb_names () {
	local word specs=()
	for word in "\${COMP_WORDS[@]}"; do
		[[ $word == *.plumb ]] && specs+=("$word")
	done
	((\${#specs[@]})) || specs=(*.plumb)
	for word in "\${specs[@]}"; do
		[[ -f $word ]] && plumb check --json -- "$word" 2>/dev/null | grep -o '"[^"]*":{"kind":"stream"' | cut -d '"' -f 2
	done
}
_plumb () {
	local options commands first operand value word cur=$2 prev=$3 i operands=0
	local executable=\${1##*/} command=\${1##*/} isOperand=
	COMPREPLY=()
	[[ $cur == = ]] && cur='' && prev== && COMP_WORDS+=('') && ((COMP_CWORD++))
	[[ $prev == = ]] && prev=\${COMP_WORDS[COMP_CWORD - 2]}
	for ((i = 1; i < COMP_CWORD; i++)); do
		word=\${COMP_WORDS[i]}
		if [[ $word == -- ]]; then
			isOperand=1
		elif _plumb_value "$command" "$word"; then
			((i++))
			[[ \${COMP_WORDS[i]} == = ]] && ((i++))
		elif [[ $word != -* && $command == "$executable" ]] && _plumb_command "$executable $word"; then
			command="$executable $word"
		elif [[ $word != -* ]]; then
			((operands++))
		fi
	done
	_plumb_command "$command" || return
	if [[ ! $isOperand ]] && _plumb_value "$command" "$prev"; then
		_plumb_place "$value" "$cur"
	elif [[ ! $isOperand && $cur == -* ]]; then
		_plumb_place "$options" "$cur"
	else
		[[ ! $isOperand && $commands ]] && _plumb_place "$commands" "$cur"
		[[ $first && $operands == 0 ]] && operand=$first
		_plumb_place "$operand" "$cur"
	fi
}
complete -F _plumb ${executables.map(({ name }) => name).join(' ')}
`

const commandCase = (name: string, { options, operand, first }: CommandInterface, commands: readonly CommandInterface[]): string => {
  const names = options.flatMap(dashed).join(' ')
  return `	'${name}') options='${names}' commands='${commands.map((c) => c.name).join(' ')}' first='${first ? kindText(first) : ''}' operand='${kindText(operand)}' ;;`
}

const valueCases = (name: string, { options }: CommandInterface): string[] =>
  options.flatMap((option) =>
    option.value
      ? [
          `	${dashed(option)
            .map((dash) => `'${name} ${dash}'`)
            .join(' | ')}) value='${kindText(option.value)}' ;;`,
        ]
      : [],
  )

// A single word is followed by a space, so that it is not taken for a kind.
const kindText = (it: ArgumentKind): string => (it.kind === 'words' ? `${it.words.join(' ')} ` : it.kind)
