// The front door: argv and stdio in, exit status out.

import { existsSync } from 'node:fs'
import { fault, nearest, openOutput, Reporter } from '@plumb/wire'
import { Command, CommanderError, Option } from 'commander'
import { version } from '../package.json'
import { check } from './check-command.js'
import { deps } from './deps-command.js'
import { explain } from './explain-command.js'
import { fmt } from './fmt-command.js'
import { withRunOptions } from './main-run.js'
import { FORMATS, type RenderOptions, render } from './render-command.js'
import { run } from './run.js'
import { writeWhole } from './write-whole.js'

/** Help, or the version. */
let asked = ''

const program = new Command('plumb')
  .description('compiles a spec of typed processes and runs it: JSON Lines in, JSON Lines out')
  .version(version)
  .exitOverride()
  .configureOutput({
    writeErr: () => {},
    writeOut: (text) => {
      asked += text
    },
  })
  .showSuggestionAfterError(false)

withRunOptions(
  program
    .command('run', { isDefault: true })
    .description('run main: stdin to stdout')
    .argument('[spec]', 'the spec, a .plumb file')
    .option('--binding <name>', 'run that binding', 'main'),
  ([spec], { binding = 'main' }, options) => run(spec, { ...options, binding }),
)
withRunOptions(
  program
    .command('stage')
    .description('run one process of a spec alone')
    .argument('<name>', 'the binding, as it stands in a body')
    .argument('[spec]', 'the spec, a .plumb file'),
  ([name = '', spec], _flags, options) => run(spec, { ...options, binding: name }),
)
program
  .command('check')
  .description('say ok, or what is wrong with specs')
  .argument('[spec...]', 'the specs')
  .option('--json', 'one object a line, on standard output')
  .option('-e, --eval <text>', 'take the spec from the command line')
  .action(async (specs: string[], o: { json?: boolean; eval?: string }) => {
    process.exitCode = await check(specs, { json: o.json === true, ...(o.eval === undefined ? {} : { eval: o.eval }) })
  })
program
  .command('fmt')
  .description('lay specs out as they all are, in place')
  .argument('[spec...]', "the specs; '-' is standard input, written to standard output")
  .option('--check', 'change nothing; say which are not so yet')
  .action(async (specs: string[], o: { check?: boolean }) => {
    process.exitCode = await fmt(specs, { isCheck: o.check === true })
  })
program
  .command('deps')
  .description('say which files a spec reads, as a make rule')
  .argument('<spec>', 'the spec')
  .action(async (spec: string) => {
    process.exitCode = await deps(spec)
  })
program
  .command('render')
  .description('draw the wiring of a spec')
  .argument('[spec]', 'the spec, a .plumb file')
  .addOption(new Option('--format <name>', 'what to draw it as (default: svg, or what FILE ends with)').choices(FORMATS))
  .option('--binding <name>', 'draw that binding', 'main')
  .option('-o, --output <file>', 'write to FILE, whole or not at all')
  .option('-e, --eval <text>', 'take the spec from the command line')
  .action(async (spec: string | undefined, options: RenderOptions) => {
    process.exitCode = await render(spec, options)
  })
program
  .command('lsp')
  .description('be a language server on standard input and output')
  .option('--stdio', 'what it does anyhow; editors like to say it')
  .action(async () => {
    const { lsp } = await import('./lsp.js')
    process.exitCode = await lsp()
  })
program
  .command('explain')
  .description('say what an error code means and how to mend it')
  .argument('<code>', 'a code, such as type_mismatch')
  .action(async (code: string) => {
    process.exitCode = await explain(code)
  })

const main = async (): Promise<void> => {
  try {
    await program.parseAsync()
  } catch (error) {
    process.exitCode = error instanceof CommanderError ? await answer(error) : await crash(error)
  }
}

// Whatever comes here is a bug.
const crash = async (error: unknown): Promise<number> => {
  const reporter = new Reporter('plumb', openOutput(2))
  reporter.report(fault('internal', error instanceof Error ? (error.stack ?? error.message) : String(error)))
  await reporter.end()
  return reporter.status
}

const answer = async ({ code, message, exitCode }: CommanderError): Promise<number> => {
  const reporter = new Reporter('plumb', openOutput(2))
  const said = message.replace(/^error: /, '').replace(/\.?(\n.*)?$/s, '')
  const refusal = () => fault(code === 'commander.unknownOption' ? 'unknown_option' : 'usage', inOurWords(code, said))
  const failure = exitCode === 0 ? await writeWhole(Buffer.from(asked), undefined) : refusal()
  if (failure) reporter.report(failure)
  await reporter.end()
  return reporter.status
}

const inOurWords = (code: string, said: string): string => {
  const [, , word = ''] = process.argv
  const command = nearest(
    word,
    program.commands.map((c) => c.name()),
  )
  // `plumb chek a.plumb` is a run of two specs to commander.
  if (code === 'commander.excessArguments' && command && !existsSync(word))
    return `there is no command '${word}'; did you mean '${command}'?`
  const option = /unknown option '(-[^']+)'/.exec(said)?.[1]
  const near =
    option &&
    nearest(
      option,
      [program, ...program.commands].flatMap((c) => c.options.map((o) => o.long ?? '')),
    )
  const text = said.replace(/\. ([A-Za-z])/g, (_, first: string) => `: ${first.toLowerCase()}`)
  return text + (near ? `; did you mean '${near}'?` : "; see 'plumb --help'")
}

void main()
