// What an executable says of itself: the options and commands that --help lists, with those of its commands.

import { spawnSync } from 'node:child_process'
import { scaled } from '../packages/wire/test/patience.js'

export interface Help {
  readonly options: ReadonlySet<string>
  readonly commands: readonly string[]
}

/** Asks the executable and each of its commands. */
export const askHelp = (executable: string): Help => {
  const whole = readHelp(ask(executable))
  const parts = whole.commands.map((command) => readHelp(ask(executable, command)))
  return { options: new Set([whole, ...parts].flatMap(({ options }) => [...options])), commands: whole.commands }
}

export const readHelp = (text: string): Help => {
  const options = [...text.matchAll(/^ {2,}(-\w)?(?:, )?(--[\w-]+)?.*$/gm)].flatMap(([, short, long]) => [short, long])
  // Groups of commands have headings of their own.
  const groups = [...text.matchAll(/^([A-Z][\w ]*):\n((?: .*\n?)*)/gm)].filter(([, heading]) => heading !== 'Examples')
  const commands = groups.map(([, , lines]) => lines).join('')
  return {
    options: new Set(options.filter((option) => option !== undefined)),
    commands: [...commands.matchAll(/^ {2}([a-z][\w-]*)/gm)].map(([, name = '']) => name).filter((name) => name !== 'help'),
  }
}

const asked = new Map<string, string>()

/** The help of an executable, or of one of its commands: each is asked for once. Throws where it fails, or says something on stderr. */
export const ask = (executable: string, ...command: readonly string[]): string => {
  const line = [executable, ...command, '--help']
  const known = asked.get(line.join(' '))
  if (known !== undefined) return known
  const { status, stdout, stderr } = spawnSync(executable, line.slice(1), { encoding: 'utf8', timeout: scaled(30_000) })
  if (status !== 0 || stderr !== '') throw new Error(`'${line.join(' ')}' ends with status ${status}: ${stderr}`)
  asked.set(line.join(' '), stdout)
  return stdout
}
