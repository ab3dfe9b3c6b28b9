// The format of every executable's help: usage, description, examples, a line for each option and command in groups, the page to read on.
// Only the mains import commander; the parts that are used are declared here.

import { paint } from '../terminal/style.js'

interface HelpCommand {
  readonly parent: { name(): string } | null
  name(): string
}

interface HelpOption extends Grouped {
  readonly long?: string | undefined
  readonly description: string
  readonly argChoices?: readonly string[] | undefined
  readonly defaultValue?: unknown
  readonly defaultValueDescription?: string | undefined
}

/** The heading of its group; empty: none of its own. */
interface Grouped {
  helpGroupHeading?: string | undefined
}

interface Helper {
  readonly helpWidth?: number | undefined
  commandUsage(command: HelpCommand): string
  commandDescription(command: HelpCommand): string
  visibleOptions(command: HelpCommand): HelpOption[]
  optionTerm(option: HelpOption): string
  optionDescription(option: HelpOption): string
  visibleCommands(command: HelpCommand): ({ name(): string } & GroupedCommand)[]
  subcommandTerm(command: { name(): string }): string
  subcommandDescription(command: object): string
  padWidth(command: HelpCommand, helper: Helper): number
  boxWrap(text: string, width: number): string
  formatItem(term: string, width: number, description: string, helper: Helper): string
}

interface GroupedCommand {
  helpGroup?(): string
}

const WIDTH = 80

/** Of each command, command lines as they are typed. */
const EXAMPLES = new WeakMap<object, readonly string[]>()

export const setExamples = (command: object, lines: readonly string[]): void => {
  EXAMPLES.set(command, lines)
}

/** The page to read on, of commands that have one of their own. */
const PAGES = new WeakMap<object, string>()

export const setPage = (command: object, page: string): void => {
  PAGES.set(command, page)
}

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
    const commands = helper.visibleCommands(command).filter((one) => one.name() !== 'help')
    const optionLine = (option: HelpOption) => helper.formatItem(helper.optionTerm(option), width, helper.optionDescription(option), helper)
    const commandLine = (one: (typeof commands)[number]) =>
      helper.formatItem(helper.subcommandTerm(one), width, helper.subcommandDescription(one), helper)
    return [
      `Usage: ${helper.commandUsage(command)}\n`,
      `${helper.boxWrap(helper.commandDescription(command), helper.helpWidth ?? WIDTH)}\n`,
      list(
        'Examples',
        (EXAMPLES.get(command) ?? []).map((line) => `  ${line}`),
      ),
      ...groupsOf(commands, (one) => one.helpGroup?.() || 'Commands').map(([heading, group]) => list(heading, group.map(commandLine))),
      ...groupsOf(options, (option) => option.helpGroupHeading || 'Options').map(([heading, group]) =>
        list(heading, group.map(optionLine)),
      ),
      `\nRead on: man ${PAGES.get(command) ?? (command.parent ?? command).name()}\n`,
    ].join('')
  },
}

/** With bold headings. */
export const paintHelp = (text: string): string => text.replaceAll(/^(Usage:|[A-Z][\w ]*:$)/gm, (heading) => paint('bold', heading))

// In the order in which the groups begin.
const groupsOf = <Item>(items: readonly Item[], headingOf: (item: Item) => string): readonly (readonly [string, readonly Item[]])[] =>
  [...new Set(items.map(headingOf))].map((heading) => [heading, items.filter((item) => headingOf(item) === heading)] as const)
