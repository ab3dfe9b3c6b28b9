// argv in, exit status out. Without the name of a command it is the server.

import { describeCommand, endWith, parseWith, requireSandbox, runParsed, runProgram, valuesOf } from '@plumb/wire'
import { Command } from 'commander'
import { version } from '../package.json'
import { INSPECT_ROWS, INSPECT_VERBS, readAsked } from './inspect/arguments.js'
import { runServer } from './main-serve.js'
import { LIMIT_ROWS, SERVE_ROWS } from './options.js'

const PROGRAM = 'plumb-mcp'

const main = (argv: readonly string[]): Promise<number> => {
  const program = new Command(PROGRAM)
  const read = parseWith(program)
  let work = async (): Promise<number> => 0
  describeCommand(program, {
    description: 'Serves what specs export to MCP clients, or looks at other servers.',
    operands: { '[spec...]': 'specs, of which each tool and each agent is served' },
    rows: Object.values({ ...SERVE_ROWS, ...LIMIT_ROWS }),
    examples: ['plumb-mcp a.plumb', 'plumb-mcp --http 8931 --grant fs.read a.plumb', 'plumb-mcp tools -- plumb-mcp a.plumb'],
  })
  program
    .version(version)
    .enablePositionalOptions()
    .action(() => {
      work = () => serveSpecs(program)
    })
  for (const verb of INSPECT_VERBS) {
    const command = program.command(verb.name)
    describeCommand(command, {
      description: verb.says,
      usage: `[options] ${verb.words === '' ? '' : `${verb.words} `}URL | -- command...`,
      operands: { '[words...]': '' },
      rows: Object.values(INSPECT_ROWS),
      examples: [`plumb-mcp ${verb.example} -- ./server.sh`, `plumb-mcp ${verb.example} https://host/mcp`],
    })
    command.action(() => {
      work = async () => {
        const asked = readAsked(verb, command.args, behindDashes(argv), valuesOf(INSPECT_ROWS, command.opts()))
        if (!asked.ok) return endWith(PROGRAM, asked.error)
        const { inspect } = await import('./inspect/inspect.js')
        return inspect(asked.value, PROGRAM)
      }
    })
  }
  return runParsed(PROGRAM, read(argv), () => work())
}

const serveSpecs = async (program: Command): Promise<number> => {
  const given = program.opts()
  const values = valuesOf(SERVE_ROWS, given)
  const sandbox = requireSandbox(values.requireSandbox)
  if (!sandbox.ok) return endWith(PROGRAM, sandbox.error)
  return runServer(PROGRAM, { ...values, specs: program.args, limits: valuesOf(LIMIT_ROWS, given) })
}

/** commander drops the two dashes, which separate the command of a server from the words before it. */
const behindDashes = (argv: readonly string[]): readonly string[] | undefined => {
  const at = argv.indexOf('--')
  return at < 0 ? undefined : argv.slice(at + 1)
}

runProgram(PROGRAM, version, main)
