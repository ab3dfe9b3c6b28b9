// How the mains use commander: it is given the rows of options, and prints nothing itself; its messages are returned. Only the parts of
// commander that are used are declared.

import { type Fault, fault } from '../error.js'
import { isTerminal } from '../fd/open.js'
import { nearest } from '../nearest.js'
import { preview } from '../preview.js'
import { type Result, succeed } from '../result.js'
import { hasStyles } from '../terminal/style.js'
import { HELP_STYLE, paintHelp, setExamples, setPage } from './help.js'
import { type GroupsOf, groupsOf, misusedOption, type OptionGroups, type OptionRow, type ParsedOptions, rowsOf } from './option.js'
import { type LineForm, type ParsedLine, parsePlainly } from './plain-options.js'
import { endWith } from './program.js'
import { type NamedOption, type UsageError, usageFault } from './usage.js'
import { writeStdout } from './write-stdout.js'

interface CommanderOption {
  hideHelp(isHidden: boolean): unknown
  argParser(read: (text: string, before: never) => unknown): unknown
  choices(choices: readonly string[]): unknown
  preset(value: string): unknown
  helpGroup(heading: string): unknown
}

/** A Command of commander. */
export interface CommandLine {
  readonly options: readonly NamedOption[]
  readonly commands: readonly { readonly options: readonly NamedOption[]; name(): string }[]
  readonly args: string[]
  opts(): ParsedOptions
  description(text: string): unknown
  usage(text: string): unknown
  argument(name: string, text?: string): unknown
  createOption(flags: string, text?: string): CommanderOption
  addOption(option: CommanderOption): unknown
  addHelpText(position: 'after', text: string): unknown
  version(text: string): unknown
  passThroughOptions(): unknown
  configureHelp(style: typeof HELP_STYLE): unknown
  exitOverride(): unknown
  configureOutput(output: { readonly writeOut: (text: string) => void; readonly writeErr: () => void }): unknown
  showSuggestionAfterError(shows: boolean): unknown
  parse(argv: readonly string[], from: { readonly from: 'user' }): unknown
}

/**
 * Returns the text of --help or --version, for what `fd` (1) is, nothing if there is work to do, or `usage` or `unknown_option`.
 */
export type CommandLineReader = (argv: readonly string[], fd?: number) => Result<string | undefined>

/**
 * Call it before options and commands are added: commands inherit the help format. `whenTooMany` says what to do with
 * a word too many.
 */
export const parseWith = (command: CommandLine, whenTooMany?: (error: UsageError) => string | undefined): CommandLineReader => {
  let asked = ''
  const writeOut = (text: string): void => {
    asked += text
  }
  command.configureHelp(HELP_STYLE)
  command.exitOverride()
  command.configureOutput({ writeOut, writeErr: () => {} })
  command.showSuggestionAfterError(false)
  return (argv, fd = 1) => {
    try {
      command.parse(argv, { from: 'user' })
      return succeed(undefined)
    } catch (error) {
      if (!isCommanders(error)) throw error
      if (error.exitCode === 0) return succeed(hasStyles(isTerminal(fd)) ? paintHelp(asked) : asked)
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
      return { ok: false, error: usageFault(error, options, whenTooMany?.(error)) }
    }
  }
}

/** The error of a word that is not a command, with the nearest that is. */
export const noCommand = (word: string, names: readonly string[]): Fault => {
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

/** What help says of a command, and what it takes. */
export interface CommandForm {
  readonly description: string
  /** In place of the one that commander makes. */
  readonly usage?: string
  /** From `[spec]` to what it is. */
  readonly operands?: Readonly<Record<string, string>>
  readonly rows: readonly OptionRow[]
  readonly examples: readonly string[]
  /** That has more, where it is not that of the executable. */
  readonly page?: string | undefined
}

export const describeCommand = (
  command: CommandLine,
  { description, usage, operands = {}, rows, examples: shown, page }: CommandForm,
): void => {
  command.description(description)
  if (usage !== undefined) command.usage(usage)
  for (const [name, text] of Object.entries(operands)) command.argument(name, text)
  for (const row of rows) {
    addOption(command, row)
    if (row.opposite) addOption(command, { heading: row.heading, ...row.opposite, byDefault: undefined })
  }
  setExamples(command, shown)
  if (page !== undefined) setPage(command, page)
}

const addOption = (command: CommandLine, { flags, text, read, byDefault, choices, preset, heading }: OptionRow): void => {
  const option = command.createOption(flags, text?.replace('%', String(byDefault)))
  option.hideHelp(text === undefined)
  if (heading !== undefined) option.helpGroup(heading)
  if (read) option.argParser(read)
  if (choices) option.choices(choices)
  if (preset !== undefined) option.preset(preset)
  command.addOption(option)
}

/** An executable without commands. */
export interface ProgramForm<Groups extends OptionGroups> extends Omit<CommandForm, 'rows'>, Omit<LineForm, 'rows'> {
  readonly name: string
  readonly version: string
  readonly groups: Groups
  /** Help between its options and its examples. */
  readonly more?: string
  /** What to do with a word too many. */
  readonly whenTooMany?: string
}

export interface ReadLine<Groups extends OptionGroups> {
  readonly values: GroupsOf<Groups>
  readonly operands: readonly string[]
}

type LoadCommander = () => Promise<new (name: string) => CommandLine>

/** What the command line says, or the text that --help or --version ask for. */
export const readCommandLine = async <Groups extends OptionGroups>(
  form: ProgramForm<Groups>,
  argv: readonly string[],
  load: LoadCommander,
): Promise<Result<ReadLine<Groups> | string>> => {
  const rows = rowsOf(form.groups)
  const plain = parsePlainly({ ...form, rows }, argv)
  const read = plain ? succeed(plain) : parseFully(form, argv, await load())
  if (!read.ok || typeof read.value === 'string') return read as Result<string>
  const { parsed, operands } = read.value
  const misused = misusedOption(rows, parsed)
  return misused ? { ok: false, error: misused } : succeed({ values: groupsOf(form.groups, parsed), operands })
}

/** The result of `parsePlainly` where that has one, else help, or the error. */
export const parseFully = <Groups extends OptionGroups>(
  form: ProgramForm<Groups>,
  argv: readonly string[],
  Command: Awaited<ReturnType<LoadCommander>>,
): Result<ParsedLine | string> => {
  const command = new Command(form.name)
  const read = parseWith(command, () => form.whenTooMany)
  if (form.more !== undefined) command.addHelpText('after', form.more)
  describeCommand(command, { ...form, rows: rowsOf(form.groups) })
  command.version(form.version)
  if (form.passesThrough) command.passThroughOptions()
  const asked = read(argv)
  return asked.ok ? succeed(asked.value ?? { parsed: command.opts(), operands: command.args }) : asked
}
