// What a person is told when a conversation begins: with whom, by which model, with which tools, and what it may spend.

import { preview, wrapWords } from '@plumb/wire'
import type { ChatOptions } from './options.js'
import type { ChatProgram } from './program/program.js'

const MAX_TOOLS = 8
const WIDTH = 80

/** Lines. */
export const greeting = (program: ChatProgram, { spec, program: { provider, model } }: ChatOptions): string[] => {
  const { binding, models, tools, servers, maxCost } = program
  const isEliza = spec.kind === 'none' && binding === 'eliza' && !provider
  const asked = model ?? (models.length > 0 ? models.join(' and ') : process.env.PLUMB_MODEL || undefined)
  const known = [
    ...(asked === undefined || isEliza ? [] : [preview(asked)]),
    ...(tools.length === 0 ? [] : [`${tools.length === 1 ? 'tool' : 'tools'} ${listOf(tools)}`]),
    ...(servers.length === 0 ? [] : [`MCP ${servers.length === 1 ? 'server' : 'servers'} ${listOf(servers)}`]),
    ...(maxCost === undefined ? [] : [`at most $${maxCost}`]),
  ]
  const whom = isEliza ? 'ELIZA, since no spec is given' : `'${preview(binding)}'`
  const first = `talking to ${whom}${known.length === 0 ? '' : `: ${known.join('; ')}`}`
  const rest = '/help lists the commands, Ctrl-D leaves'
  const line = `${first}; ${rest}`
  return line.length <= WIDTH ? [line] : [...wrapWords(first, WIDTH), rest]
}

const listOf = (names: readonly string[]): string => {
  const shown = names.slice(0, MAX_TOOLS).map((name) => preview(name))
  const more = names.length - shown.length
  return more > 0 ? `${shown.join(', ')} and ${more} more` : shown.join(', ')
}
