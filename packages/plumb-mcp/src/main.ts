// argv in, exit status out. Without a word that names a command it is the server.

import { endWith, examples, HELP_STYLE, runProgram, usageFault, writeStdout } from '@plumb/wire'
import { Command, CommanderError } from 'commander'
import { version } from '../package.json'
import { addInspect } from './main-inspect.js'
import { addServe } from './main-serve.js'

const PROGRAM = 'plumb-mcp'

const main = async (argv: readonly string[]): Promise<number> => {
  let asked = ''
  const program = new Command(PROGRAM)
    .description('Serves what specs export to MCP clients, or looks at other servers.')
    .addHelpText(
      'after',
      examples('plumb-mcp a.plumb', 'plumb-mcp --http 8931 --grant fs.read a.plumb', 'plumb-mcp tools -- plumb-mcp a.plumb'),
    )
    .version(version)
    .configureHelp(HELP_STYLE)
    .exitOverride()
    .configureOutput({
      writeErr: () => {},
      writeOut: (text) => {
        asked += text
      },
    })
    .showSuggestionAfterError(false)
  let work = async (): Promise<number> => 0
  const run = (chosen: typeof work): void => {
    work = chosen
  }
  addServe(program, run)
  addInspect(program, argv, run)
  try {
    program.parse(argv, { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    const options = [program, ...program.commands].flatMap((command) => command.options)
    return endWith(PROGRAM, error.exitCode === 0 ? await writeStdout(asked) : usageFault(error, options))
  }
  return work()
}

runProgram(PROGRAM, () => main(process.argv.slice(2)))
