// All commands, in the order in which /help lists them.

import { fault, nearest, preview } from '@plumb/wire'
import type { Command } from './context.js'
import { load, memory, save } from './memory.js'
import { effort, model, pause, resume, temp } from './settings.js'
import { tools } from './tools.js'

const help: Command = {
  name: 'help',
  does: 'these commands and keys',
  run: (_argument, { screen }) => {
    screen.output(HELP)
    return undefined
  },
}

const cost: Command = {
  name: 'cost',
  does: 'tokens so far and their cost, by agent and model',
  run: (_argument, { screen, usage }) => {
    screen.output(usage.lines().join('\n'))
    return undefined
  },
}

const quit: Command = {
  name: 'quit',
  does: 'leave; so does Ctrl-D',
  run: (_argument, { leave }) => {
    leave()
    return undefined
  },
}

const COMMANDS: readonly Command[] = [help, pause, resume, temp, model, effort, memory, save, load, tools, cost, quit]

const usageOf = ({ name, argument }: Command): string => `/${name}${argument === undefined ? '' : ` ${argument}`}`

const WIDTH = Math.max(...COMMANDS.map((command) => usageOf(command).length)) + 2

const HELP = [
  ...COMMANDS.map((command) => `${usageOf(command).padEnd(WIDTH)}${command.does}`),
  '',
  'Ctrl-C drops the answer that comes, or the line; twice it leaves. Enter sends;',
  'Alt-Enter, or a \\ at the end of a line, begins another line, and between two',
  '""" lines are sent unchanged. A message that begins with / is written with //.',
  'Ctrl-R looks for what was said before.',
].join('\n')

/** Possible completions of a typed line. */
export const completeCommand = (line: string): string[] =>
  /^\/[a-z]*$/.test(line)
    ? COMMANDS.map((command) => `/${command.name}${command.argument === undefined ? '' : ' '}`).filter((c) => c.startsWith(line))
    : []

/** Returns the command that a line such as `/temp 0.3` names, and its argument. */
export const readCommand = (line: string) => {
  const [, name = '', argument = ''] = /^\/(\S*)\s*(.*?)\s*$/s.exec(line) ?? []
  const command = COMMANDS.find((c) => c.name === name)
  if (command) return { command, argument }
  const near = nearest(
    name,
    COMMANDS.map((c) => c.name),
  )
  const help = near === undefined ? '/help lists those there are' : `did you mean '/${near}'?`
  return { error: fault('usage', `there is no command '/${preview(name)}'; ${help}`) }
}
