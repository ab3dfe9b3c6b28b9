// The commands of plumb as commander has them: each with its rows of options, and the work of the one that is called.

import {
  describeCommand,
  endWith,
  misusedOption,
  type OptionRow,
  type OptionRows,
  type ParsedOptions,
  type ValuesOf,
  valuesOf,
} from '@plumb/wire'
import type { Command } from 'commander'

interface Description {
  readonly text: string
  readonly operands: Readonly<Record<string, string>>
  readonly examples: readonly string[]
  readonly page?: string
}

/** Headings of the groups of commands in the help. */
type CommandGroup = 'Run' | 'Write' | 'Look and decide' | 'Run by workers' | 'Others'

type Act<Values> = (operands: readonly string[], values: Values) => Promise<number>

export class CommandTable {
  readonly #program: Command
  #work = async (): Promise<number> => 0
  #group: CommandGroup = 'Run'

  constructor(program: Command) {
    this.#program = program
  }

  /** Those that are added from now on are of this group. */
  begin(group: CommandGroup): void {
    this.#group = group
  }

  add<Rows extends OptionRows>(name: string, rows: Rows, description: Description, act: Act<ValuesOf<Rows>>): void {
    this.addParsed(name, Object.values(rows), description, (operands, parsed) => act(operands, valuesOf(rows, parsed)))
  }

  addParsed(name: string, rows: readonly OptionRow[], { text, ...others }: Description, act: Act<ParsedOptions>): void {
    const command = this.#program.command(name, { isDefault: name === 'run' })
    command.helpGroup(this.#group)
    const page = this.#group === 'Run by workers' ? 'plumb-work' : undefined
    describeCommand(command, { page, ...others, description: text, rows })
    command.action(() => {
      const misused = misusedOption(rows, command.opts())
      this.#work = async () => (misused ? endWith('plumb', misused) : act(command.args, command.opts()))
    })
  }

  work(): Promise<number> {
    return this.#work()
  }
}
