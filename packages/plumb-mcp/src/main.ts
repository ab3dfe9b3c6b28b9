// argv in, exit status out. Without the name of a command it is the server.

import { examples, parseWith, runParsed, runProgram } from '@plumb/wire'
import { Command } from 'commander'
import { version } from '../package.json'
import { addInspect } from './main-inspect.js'
import { addServe } from './main-serve.js'

const PROGRAM = 'plumb-mcp'

const main = (argv: readonly string[]): Promise<number> => {
  const program = new Command(PROGRAM)
  const read = parseWith(program)
  program
    .description('Serves what specs export to MCP clients, or looks at other servers.')
    .addHelpText(
      'after',
      examples('plumb-mcp a.plumb', 'plumb-mcp --http 8931 --grant fs.read a.plumb', 'plumb-mcp tools -- plumb-mcp a.plumb'),
    )
    .version(version)
  let work = async (): Promise<number> => 0
  const run = (chosen: typeof work): void => {
    work = chosen
  }
  addServe(program, run)
  addInspect(program, argv, run)
  return runParsed(PROGRAM, read(argv), () => work())
}

runProgram(PROGRAM, version, main)
