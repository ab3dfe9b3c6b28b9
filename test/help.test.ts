// The help of every executable and every command: it fits a screen, shows how it is used, and has the options of its page.

import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import t from 'tap'
import { scaled } from '../packages/wire/test/patience.js'
import { ask, askHelp, readHelp } from './help.js'
import { documentedCommands, documentedOptions, exitStatuses } from './man-page.js'
import { Pty } from './pty.js'

const LINES = 72
const COLUMNS = 80

const executables = readdirSync('packages').filter((name) => existsSync(`packages/${name}/bin/${name}`))

t.test('help fits a screen and shows examples', async (t) => {
  for (const name of executables) {
    const executable = `packages/${name}/bin/${name}`
    const whole = ask(executable)
    const { options, commands } = readHelp(whole)
    // What is run without a command has the options of that one.
    const ofRun = commands.includes('run') ? readHelp(ask(executable, 'run')).options : []
    for (const [command, text] of [['', whole], ...commands.map((command) => [command, ask(executable, command)])] as const) {
      const title = `${name} ${command}`
      const lines = text.trimEnd().split('\n')
      t.match(lines[0], new RegExp(`^Usage: ${name}\\b`), title)
      t.ok(lines.length <= LINES, `${title}: ${lines.length} lines`)
      t.strictSame(
        lines.filter((line) => line.length > COLUMNS),
        [],
        `${title}: columns`,
      )
      const [, shown = ''] = /\nExamples:\n((?: .*\n)*)/.exec(text) ?? []
      t.match(shown, new RegExp(`\\b${name}\\b`), `${title}: examples`)
      const known = new Set([...options, ...readHelp(text).options, ...ofRun])
      const used = shown.match(/(?<= )--\w[\w-]+/g) ?? []
      t.strictSame(
        used.filter((option) => !known.has(option)),
        [],
        `${title}: options of its examples`,
      )
    }
  }
})

t.test('on a terminal its headings are bold, unless NO_COLOR is set', async (t) => {
  for (const command of [...executables.map((name) => `packages/${name}/bin/${name} --help`), 'packages/plumb/bin/plumb >/dev/null']) {
    for (const env of [{}, { NO_COLOR: '1' }]) {
      const pty = new Pty({ command: ['bash', '-c', command], env, rows: LINES })
      await pty.exited
      const bold = /^␛\[1mUsage:␛\[0m plumb[\s\S]*␛\[1mExamples:␛\[0m/
      t.match(pty.output.replaceAll('\x1b', '␛'), 'NO_COLOR' in env ? /^Usage: plumb/ : bold, command)
      await pty.close()
    }
  }
})

t.test('an option and its opposite are in one group', async (t) => {
  const [, group] = /\nWhat is shown and kept:\n((?: .*\n)*)/.exec(ask('packages/plumb/bin/plumb', 'run')) ?? []
  t.match(group, /--progress [\s\S]*--no-progress /)
})

t.test('each executable has a page, with its options, its commands and its exit statuses', async (t) => {
  for (const name of executables) {
    const page = readFileSync(`man/${name}.1`, 'utf8')
    const help = askHelp(`packages/${name}/bin/${name}`)
    // A command may have a page of its own, as plumb-test(1).
    const own = help.commands
      .map((command) => `man/${name}-${command}.1`)
      .filter((file) => existsSync(file) && !executables.some((other) => file === `man/${other}.1`))
    const all = [page, ...own.map((file) => readFileSync(file, 'utf8'))].map((text) => [...documentedOptions(text)])
    t.strictSame([...new Set(all.flat())].sort(), [...help.options].sort(), `${name}: options`)
    const commands = documentedCommands(page)
    t.strictSame(
      help.commands.filter((command) => !commands.has(command)),
      [],
      `${name}: commands that the page lacks`,
    )
    t.strictSame(exitStatuses(page), ['0', '1', '2'], `${name}: exit statuses`)
  }
})

t.test('plumb-work(7) names each role that plumb engine --print makes', async (t) => {
  const { stdout } = spawnSync(resolve('packages/plumb/bin/plumb'), ['engine', '--print'], { encoding: 'utf8', timeout: scaled(30_000) })
  const roles = [...stdout.matchAll(/^CREATE ROLE (\w+);$/gm)].map(([, name = '']) => name)
  t.ok(roles.length > 0)
  const page = readFileSync('man/plumb-work.7', 'utf8')
  t.strictSame(
    roles.filter((name) => !page.includes(`\\fB${name}\\fP`)),
    [],
  )
})

t.test('plumb-work(7) names each command that takes PLUMB_ON, and no other says so', async (t) => {
  const [, named = ''] = /^\.It Ev PLUMB_ON\n(.+)$/m.exec(readFileSync('man/plumb-work.7', 'utf8')) ?? []
  const plumb = resolve('packages/plumb/bin/plumb')
  const saying = askHelp(plumb).commands.filter((command) => ask(plumb, command).includes('PLUMB_ON'))
  t.strictSame(saying.sort(), [...named.matchAll(/\\fB(\w+)/g)].map(([, command]) => command).sort())
})

t.test('help', async (t) => {
  const { options, commands } = readHelp(`Usage: x [options] spec

Options:
  -R, --raw-input    each line is a string,
                     as it stands
  --max <n>          so many
  -V                 short
  -h, --help         display help

Commands:
  check [options]    says ok
  help [command]     display help
`)
  t.strictSame([...options], ['-R', '--raw-input', '--max', '-V', '-h', '--help'])
  t.strictSame(commands, ['check'])
})
