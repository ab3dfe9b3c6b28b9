// The command lines of all executables of this project, from their own help.

import { childEnv, fail, type PlumbProgram, preview, type Result, siblingProgram, spawnChild, succeed } from '@plumb/wire'
import type { CommandInterface, ExecutableInterface } from './interface.js'
import { readHelp } from './read-help.js'

const EXECUTABLES: readonly PlumbProgram[] = [
  ...(['plumb', 'plumb-agent', 'plumb-mux', 'plumb-tool', 'plumb-mcp', 'plumb-chat', 'plumb-serve'] as const),
]

/** Asks each installed executable, and each of its commands, for its help. */
export const describeExecutables = async (): Promise<Result<ExecutableInterface[]>> => {
  const found: ExecutableInterface[] = []
  for (const name of EXECUTABLES) {
    const text = await askHelp([siblingProgram(name)])
    if (!text.ok && text.error.error === 'file_not_found') continue
    if (!text.ok) return text
    const help = readHelp(text.value)
    const commands: CommandInterface[] = []
    for (const { name: command, does } of help.commands) {
      const part = await askHelp([siblingProgram(name), command])
      if (!part.ok) return part
      const { options, operand, first } = readHelp(part.value)
      commands.push({ name: command, does, options, operand, ...(first ? { first } : {}) })
    }
    // Without a command, the options of the default command apply.
    const run = commands.find((command) => command.name === 'run')
    const options = run
      ? [...run.options, ...help.options.filter(({ long }) => !run.options.some((other) => other.long === long))]
      : help.options
    found.push({ name, does: '', options, operand: run?.operand ?? help.operand, commands })
  }
  return succeed(found)
}

const DEADLINE_MS = 60_000
const MAX_BYTES = 1024 * 1024

const askHelp = async (command: readonly string[]): Promise<Result<string>> => {
  const child = spawnChild({ command: [...command, '--help'], env: childEnv('foreign'), isForeign: false })
  if (!child.ok) return child
  const { stdin, stdout, stderr, exited, kill } = child.value
  stdin.end()
  stderr.resume()
  let text = ''
  stdout.setEncoding('utf8').on('data', (piece: string) => {
    text += piece
    if (text.length > MAX_BYTES) kill('SIGKILL')
  })
  const timer = setTimeout(() => kill('SIGKILL'), DEADLINE_MS)
  const { status } = await exited
  clearTimeout(timer)
  return status === 0 ? succeed(text) : fail('child_failed', `'${preview(command.join(' '))} --help' does not say how it is called`)
}
