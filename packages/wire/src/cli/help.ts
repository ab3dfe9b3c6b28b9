// The format of every executable's help: usage, description, a line for each option and command, examples. It fits a screen. Only the mains
// import commander; the parts that are used are declared here.

interface HelpCommand {
  readonly parent: unknown
}

interface HelpOption {
  readonly long?: string | undefined
  readonly description: string
  readonly argChoices?: readonly string[] | undefined
  readonly defaultValue?: unknown
  readonly defaultValueDescription?: string | undefined
}

interface Helper {
  readonly helpWidth?: number | undefined
  commandUsage(command: HelpCommand): string
  commandDescription(command: HelpCommand): string
  visibleOptions(command: HelpCommand): HelpOption[]
  optionTerm(option: HelpOption): string
  optionDescription(option: HelpOption): string
  visibleCommands(command: HelpCommand): { name(): string }[]
  subcommandTerm(command: { name(): string }): string
  subcommandDescription(command: object): string
  padWidth(command: HelpCommand, helper: Helper): number
  boxWrap(text: string, width: number): string
  formatItem(term: string, width: number, description: string, helper: Helper): string
}

const WIDTH = 80

/** For `configureHelp`, before commands are added, which inherit it. */
export const HELP_STYLE = {
  // The usage shows the arguments; the help of a command shows what it takes.
  visibleArguments: () => [],
  subcommandTerm: (command: { name(): string }): string => command.name(),
  optionDescription: ({ description, argChoices, defaultValue, defaultValueDescription }: HelpOption): string => {
    const notes = [
      ...(argChoices ? [`choices: ${argChoices.join(', ')}`] : []),
      ...(defaultValue === undefined || typeof defaultValue === 'boolean'
        ? []
        : [`default: ${defaultValueDescription ?? String(defaultValue)}`]),
    ]
    return notes.length === 0 ? description : `${description} (${notes.join('; ')})`
  },
  formatHelp: (command: HelpCommand, helper: Helper): string => {
    const width = helper.padWidth(command, helper)
    const list = (heading: string, items: readonly string[]) => (items.length === 0 ? '' : `\n${heading}:\n${items.join('\n')}\n`)
    // A command has the same --help as its executable.
    const options = helper.visibleOptions(command).filter(({ long }) => command.parent === null || long !== '--help')
    const commands = helper.visibleCommands(command)
    return [
      `Usage: ${helper.commandUsage(command)}\n`,
      `${helper.boxWrap(helper.commandDescription(command), helper.helpWidth ?? WIDTH)}\n`,
      list(
        'Options',
        options.map((option) => helper.formatItem(helper.optionTerm(option), width, helper.optionDescription(option), helper)),
      ),
      list(
        'Commands',
        commands.map((one) => helper.formatItem(helper.subcommandTerm(one), width, helper.subcommandDescription(one), helper)),
      ),
    ].join('')
  },
}

/** For `addHelpText('after', …)`: command lines as they are typed. */
export const examples = (...lines: readonly string[]): string => `\nExamples:\n${lines.map((line) => `  ${line}`).join('\n')}`
