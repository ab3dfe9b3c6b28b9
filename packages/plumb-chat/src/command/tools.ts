// /tools: what may be called, as plumb-tool lists it.

import { fault } from '@plumb/wire'
import { ask } from '../program/ask.js'
import { isFault } from '../words.js'
import type { Command } from './command.js'

export const tools: Command = {
  name: 'tools',
  does: 'the tools that may be called, their types and effects',
  run: async (_argument, { program, options, specText, screen }) => {
    const { spec } = options
    const source = spec.kind === 'file' ? [spec.path] : ['-e', specText]
    const agent = program.runs === 'plumb-agent' ? ['--agent', program.binding] : []
    const said = await ask('plumb-tool', [...agent, '--json', ...source, 'list'])
    if (!said.ok) return said.error
    if (said.value.status !== 0) return firstFault(said.value.stderr)
    const lines = said.value.stdout.split('\n').filter((line) => line !== '')
    screen.output(lines.length === 0 ? 'there are none' : lines.map(lineOf).join('\n'))
    return undefined
  },
}

const lineOf = (line: string): string => {
  const { name, type, effects, description = '' } = JSON.parse(line) as Listed
  const which = effects.length === 0 ? '' : ` [${effects.join(', ')}]`
  const what = description === '' ? '' : `\n  ${description.split('\n', 1)[0]}`
  return `${name} : ${type}${which}${what}`
}

/** As plumb-tool lists it; plumb-tool(1). */
interface Listed {
  readonly name: string
  readonly type: string
  readonly effects: readonly string[]
  readonly description?: string
}

const firstFault = (stderr: string) => {
  const [line = ''] = stderr.split('\n', 1)
  try {
    const value: unknown = JSON.parse(line)
    if (isFault(value)) return value
  } catch {
    // It is in words already.
  }
  return fault('child_failed', `plumb-tool said: ${line}`)
}
