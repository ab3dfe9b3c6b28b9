// /tools: the tools that may be called.

import { type ListedTool, listTools } from '../program/list-tools.js'
import type { Command } from './context.js'

export const tools: Command = {
  name: 'tools',
  does: 'the tools that may be called, their types and effects',
  run: async (_argument, context) => {
    const listed = await listTools(context)
    if (!listed.ok) return listed.error
    context.screen.output(listed.value.length === 0 ? 'there are none' : listed.value.map(formatTool).join('\n'))
    return undefined
  },
}

const formatTool = ({ name, type, effects, description = '' }: ListedTool): string => {
  const which = effects.length === 0 ? '' : ` [${effects.join(', ')}]`
  const what = description === '' ? '' : `\n  ${description.split('\n', 1)[0]}`
  return `${name} : ${type}${which}${what}`
}
