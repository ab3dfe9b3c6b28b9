// The help of every executable and every command: it fits a screen, and shows how it is used.

import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import t from 'tap'
import { readHelp } from './help.js'

const LINES = 56
const COLUMNS = 80

const executables = readdirSync('packages').filter((name) => existsSync(`packages/${name}/bin/${name}`))

t.test('help fits a screen and shows examples', async (t) => {
  for (const name of executables) {
    const ask = (...command: string[]): string => {
      const { status, stdout, stderr } = spawnSync(`packages/${name}/bin/${name}`, [...command, '--help'], { encoding: 'utf8' })
      t.strictSame({ status, stderr }, { status: 0, stderr: '' }, `${name} ${command.join(' ')}`)
      return stdout
    }
    const whole = ask()
    const { options, commands } = readHelp(whole)
    // What is run without a command has the options of that one.
    const ofRun = commands.includes('run') ? readHelp(ask('run')).options : []
    for (const [command, text] of [['', whole], ...commands.map((command) => [command, ask(command)])] as const) {
      const title = `${name} ${command}`
      const lines = text.trimEnd().split('\n')
      t.match(lines[0], new RegExp(`^Usage: ${name}\\b`), title)
      t.ok(lines.length <= LINES, `${title}: ${lines.length} lines`)
      t.strictSame(
        lines.filter((line) => line.length > COLUMNS),
        [],
        `${title}: columns`,
      )
      const [, shown = ''] = text.split('\nExamples:\n')
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
