// What an executable says of itself: the options and commands that --help lists, with those of its commands.

import { spawnSync } from 'node:child_process'
import { scaled } from '../packages/wire/test/patience.js'

export interface Help {
  readonly options: ReadonlySet<string>
  readonly commands: readonly string[]
}

/** Asks the executable and each of its commands. */
export const askHelp = (executable: string): Help => {
  const whole = readHelp(ask(executable, []))
  const parts = whole.commands.map((command) => readHelp(ask(executable, [command])))
  return { options: new Set([whole, ...parts].flatMap(({ options }) => [...options])), commands: whole.commands }
}

export const readHelp = (text: string): Help => {
  const options = [...text.matchAll(/^ {2,}(-\w)?(?:, )?(--[\w-]+)?.*$/gm)].flatMap(([, short, long]) => [short, long])
  const commands = /^Commands:\n((?: .*\n?)*)/m.exec(text)?.[1] ?? ''
  return {
    options: new Set(options.filter((option) => option !== undefined)),
    commands: [...commands.matchAll(/^ {2}([a-z][\w-]*)/gm)].map(([, name = '']) => name).filter((name) => name !== 'help'),
  }
}

const ask = (executable: string, command: readonly string[]): string => {
  const { status, stdout } = spawnSync(executable, [...command, '--help'], { encoding: 'utf8', timeout: scaled(30_000) })
  if (status !== 0) throw new Error(`'${[executable, ...command, '--help'].join(' ')}' ends with status ${status}`)
  return stdout
}
