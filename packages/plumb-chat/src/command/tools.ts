// /tools: the tools that may be called, as plumb-tool lists them.

import { fault, isFault } from '@plumb/wire'
import { paramWords } from '../options.js'
import { runSibling } from '../program/run-sibling.js'
import type { Command } from './context.js'

export const tools: Command = {
  name: 'tools',
  does: 'the tools that may be called, their types and effects',
  run: async (_argument, { program, options, specText, screen }) => {
    const { spec } = options
    const source = spec.kind === 'file' ? [spec.path] : ['-e', specText]
    const agent = program.runs === 'plumb-agent' ? ['--agent', program.binding] : []
    const result = await runSibling('plumb-tool', [...agent, ...paramWords(options), '--json', ...source, 'list'])
    if (!result.ok) return result.error
    if (result.value.status !== 0) return firstFault(result.value.stderr)
    const lines = result.value.stdout.split('\n').filter((line) => line !== '')
    screen.output(lines.length === 0 ? 'there are none' : lines.map(formatTool).join('\n'))
    return undefined
  },
}

const formatTool = (line: string): string => {
  const { name, type, effects, description = '' } = JSON.parse(line) as ListedTool
  const which = effects.length === 0 ? '' : ` [${effects.join(', ')}]`
  const what = description === '' ? '' : `\n  ${description.split('\n', 1)[0]}`
  return `${name} : ${type}${which}${what}`
}

/** As plumb-tool lists it; plumb-tool(1). */
interface ListedTool {
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
    // The line is text already.
  }
  return fault('child_failed', `plumb-tool said: ${line}`)
}
