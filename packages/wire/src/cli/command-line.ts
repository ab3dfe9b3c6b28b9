// How the mains use commander: it prints nothing itself; its messages are returned. Only the parts of commander that are used are declared.

import { type Fault, fault } from '../error.js'
import { nearest } from '../nearest.js'
import { preview } from '../preview.js'
import { type Result, succeed } from '../result.js'
import { HELP_STYLE } from './help.js'
import { endWith } from './program.js'
import { type NamedOption, type UsageError, usageFault } from './usage.js'
import { writeStdout } from './write-stdout.js'

interface CommandLine {
  readonly options: readonly NamedOption[]
  readonly commands: readonly { readonly options: readonly NamedOption[]; name(): string }[]
  configureHelp(style: typeof HELP_STYLE): unknown
  exitOverride(): unknown
  configureOutput(output: { readonly writeOut: (text: string) => void; readonly writeErr: () => void }): unknown
  showSuggestionAfterError(shows: boolean): unknown
  parse(argv: readonly string[], from: { readonly from: 'user' }): unknown
}

/** Returns the text of --help or --version, nothing if there is work to do, or `usage` or `unknown_option`. */
export type CommandLineReader = (argv: readonly string[]) => Result<string | undefined>

/**
 * Call it before options and commands are added: commands inherit the help format. `better` may give a more precise message than
 * commander's own.
 */
export const parseWith = (command: CommandLine, better: (error: UsageError) => Fault | undefined = () => undefined): CommandLineReader => {
  let asked = ''
  const writeOut = (text: string): void => {
    asked += text
  }
  command.configureHelp(HELP_STYLE)
  command.exitOverride()
  command.configureOutput({ writeOut, writeErr: () => {} })
  command.showSuggestionAfterError(false)
  return (argv) => {
    try {
      command.parse(argv, { from: 'user' })
      return succeed(undefined)
    } catch (error) {
      if (!isCommanders(error)) throw error
      if (error.exitCode === 0) return succeed(asked)
      // `help` with an unknown command.
      if (error.code === 'commander.help')
        return {
          ok: false,
          error: noCommand(
            argv[1] ?? '',
            command.commands.map((one) => one.name()),
          ),
        }
      const options = [command, ...command.commands].flatMap(({ options }) => options)
      return { ok: false, error: better(error) ?? usageFault(error, options) }
    }
  }
}

const noCommand = (word: string, names: readonly string[]): Fault => {
  const near = nearest(word, names)
  return fault('usage', `there is no command '${preview(word)}'; ${near === undefined ? 'see --help' : `did you mean '${near}'?`}`)
}

const isCommanders = (error: unknown): error is UsageError & { readonly exitCode: number } =>
  error instanceof Error && 'exitCode' in error && 'code' in error && String(error.code).startsWith('commander.')

/** Prints the requested text or reports the error, else works; resolves to the exit status. */
export const runParsed = async (program: string, read: ReturnType<CommandLineReader>, work: () => Promise<number>): Promise<number> => {
  if (!read.ok) return endWith(program, read.error)
  return read.value === undefined ? work() : endWith(program, await writeStdout(read.value))
}
