// The front door: argv and stdio in, exit status out.

import { existsSync } from 'node:fs'
import { examples, type Fault, fault, nearest, obey, preview, quietly, runProgram, type UsageError } from '@plumb/wire'
import { Command, Option } from 'commander'
import { version } from '../package.json'
import { withRunOptions } from './main-run.js'
import { withSummaryForm } from './main-watch.js'
import { FORMATS, type RenderOptions } from './render-options.js'
import { run } from './run.js'
import type { ViewOptions } from './view/view-command.js'

// `plumb chek a.plumb` is a run of two specs to commander.
const meantCommand = ({ code }: UsageError, program: Command): Fault | undefined => {
  const [, , word = ''] = process.argv
  if (code !== 'commander.excessArguments' || existsSync(word)) return undefined
  const near = nearest(
    word,
    program.commands.map((command) => command.name()),
  )
  return near === undefined ? undefined : fault('usage', `there is no command '${preview(word)}'; did you mean '${near}'?`)
}

let work = async (): Promise<number> => 0
const choose = (chosen: typeof work): void => {
  work = chosen
}

const openReader = (...describe: readonly ((program: Command) => unknown)[]): ReturnType<typeof quietly> => {
  const program = new Command('plumb')
  const read = quietly(program, (error) => meantCommand(error, program))
  program
    .description('compiles a spec of typed processes and runs it: JSON Lines in, JSON Lines out')
    .addHelpText('after', examples('plumb spec.plumb <in.jsonl', 'plumb check spec.plumb', 'plumb run --help'))
    .version(version)
  for (const one of describe) one(program)
  return read
}

// Each command that is described costs the start. The name of one is small letters: where no word is, it can be none but run.
const read = (argv: readonly string[]): ReturnType<ReturnType<typeof quietly>> => {
  if (!argv.some((word) => /^[a-z]+$/.test(word))) {
    const plain = openReader(describeRun)(argv)
    // Help, and what is said of mistakes, is about all commands.
    if (plain.ok && (plain.value === undefined || plain.value === `${version}\n`)) return plain
  }
  return openReader(describeRun, describeOthers)(argv)
}

const describeRun = (program: Command) =>
  withRunOptions(
    program
      .command('run', { isDefault: true })
      .description('run main: stdin to stdout')
      .addHelpText('after', examples("plumb -Rr -e 'let main : !string -> !string = map(upper(value))'"))
      .argument('[spec]', 'the spec, a .plumb file')
      .option('--binding <name>', 'run that binding', 'main'),
    ([spec], { binding = 'main' }, options) => choose(() => run(spec, { ...options, binding })),
  )

const describeOthers = (program: Command): void => {
  withRunOptions(
    program
      .command('stage')
      .description('run one process of a spec alone')
      .addHelpText('after', examples('plumb stage critic spec.plumb <rec/03-checker-critic.jsonl'))
      .argument('<name>', 'the binding, as it stands in a body')
      .argument('[spec]', 'the spec, a .plumb file'),
    ([name = '', spec], _flags, options) => choose(() => run(spec, { ...options, binding: name })),
  )
  program
    .command('check')
    .description('say ok, or what is wrong with specs')
    .addHelpText('after', examples('plumb check spec.plumb', 'plumb check --json *.plumb'))
    .argument('[spec...]', 'the specs')
    .option('--json', 'one object a line, on standard output')
    .option('-e, --eval <text>', 'take the spec from the command line')
    .action((specs: string[], o: { json?: boolean; eval?: string }) =>
      choose(async () => {
        const { check } = await import('./check-command.js')
        return check(specs, { json: o.json === true, ...(o.eval === undefined ? {} : { eval: o.eval }) })
      }),
    )
  program
    .command('fmt')
    .description("lay specs out as they all are, in place; '-': stdin to stdout")
    .addHelpText('after', examples('plumb fmt spec.plumb', 'plumb fmt --check *.plumb', 'plumb fmt - <spec.plumb'))
    .argument('[spec...]', "the specs; '-' is standard input, written to standard output")
    .option('--check', 'change nothing; say which are not so yet')
    .action((specs: string[], o: { check?: boolean }) =>
      choose(async () => {
        const { fmt } = await import('./fmt-command.js')
        return fmt(specs, { isCheck: o.check === true })
      }),
    )
  program
    .command('deps')
    .description('say which files a spec reads, as a make rule')
    .addHelpText('after', examples('plumb deps spec.plumb >spec.d'))
    .argument('<spec>', 'the spec')
    .action((spec: string) =>
      choose(async () => {
        const { deps } = await import('./deps-command.js')
        return deps(spec)
      }),
    )
  program
    .command('render')
    .description('draw the wiring of a spec')
    .addHelpText('after', examples('plumb render -o spec.svg spec.plumb', 'plumb render --format mermaid --binding review spec.plumb'))
    .argument('[spec]', 'the spec, a .plumb file')
    .addOption(new Option('--format <name>', 'what to draw it as').choices(FORMATS))
    .option('--binding <name>', 'draw that binding', 'main')
    .option('-o, --output <file>', 'write to FILE, whole or not at all')
    .option('-e, --eval <text>', 'take the spec from the command line')
    .action((spec: string | undefined, options: RenderOptions) =>
      choose(async () => {
        const { render } = await import('./render-command.js')
        return render(spec, options)
      }),
    )
  program
    .command('view')
    .description('write a page that shows a recorded run, or a trace of one')
    .addHelpText('after', examples('plumb view -o run.html rec', 'plumb view trace.json >run.html'))
    .argument('<run>', 'the folder or run.json of a record, or the file of a trace')
    .option('-o, --output <file>', 'write to FILE, whole or not at all')
    .action((path: string, options: ViewOptions) =>
      choose(async () => {
        const { view } = await import('./view/view-command.js')
        return view(path, options)
      }),
    )
  program
    .command('lsp')
    .description('be a language server on standard input and output')
    .addHelpText('after', examples('plumb lsp'))
    .option('--stdio', 'what it does anyhow; editors like to say it')
    .action(() =>
      choose(async () => {
        const { lsp } = await import('./lsp.js')
        return lsp()
      }),
    )
  program
    .command('completion')
    .description('write what a shell reads to complete command lines')
    .addHelpText('after', examples('. <(plumb completion bash)', 'plumb completion fish >~/.config/fish/completions/plumb.fish'))
    .argument('<shell>', 'bash, zsh or fish')
    .action((shell: string) =>
      choose(async () => {
        const { completion } = await import('./completion-command.js')
        return completion(shell)
      }),
    )
  program
    .command('explain')
    .description('say what an error code means and how to mend it')
    .addHelpText('after', examples('plumb explain type_mismatch'))
    .argument('<code>', 'a code, such as type_mismatch')
    .action((code: string) =>
      choose(async () => {
        const { explain } = await import('./explain-command.js')
        return explain(code)
      }),
    )
}

runProgram('plumb', () => obey('plumb', read(withSummaryForm(process.argv.slice(2))), () => work()))
