// plumb-tool find: finds tools by words, or by their input and output types.

import { isatty } from 'node:tty'
import { type Diagnostic, MAX_WRITTEN, type Program, printType, type Type, typeOf } from '@plumb/lang'
import { fail, fault, preview, type Result, succeed } from '@plumb/wire'
import { type FoundChain, findByTypes, findByWords, findChain, writeChain } from '../registry/find.js'
import type { Registered } from '../registry/registry.js'
import type { RunCommand } from './command.js'
import { writeTable } from './list.js'
import { writeLines } from './write-lines.js'

export const find: RunCommand = async ({ program, registry }, { words, options, reporter }) => {
  const from = readType('--from', options.verb.from, program)
  const to = readType('--to', options.verb.to, program)
  for (const side of [from, to]) if (!side.ok) reporter.report(side.error)
  if (!from.ok || !to.ok) return undefined
  if (words.length === 0 && !from.value && !to.value) {
    reporter.report(fault('usage', "find takes words, --from or --to, as in 'find --from string --to int'"))
    return undefined
  }
  const tools = registry.list().map(findable)
  const chains = chainsFor(tools, words, from.value, to.value)
  if (chains.length === 0) reporter.report(fault('unknown_tool', nothing(words, from.value, to.value, tools)))
  else if (options.verb.wantsJson)
    await writeLines(
      chains.map((chain) => JSON.stringify(asJson(chain, from.value))),
      reporter,
    )
  else if (words.length > 0 && isatty(1))
    await writeTable(
      chains.flat().map(({ tool }) => tool),
      reporter,
    )
  else await writeLines(chains.map(writeChain), reporter)
  return undefined
}

interface FoundTool {
  readonly name: string
  readonly description: string
  readonly input: Type
  readonly output: Type
  readonly effects: readonly string[]
  readonly tool: Registered
}

const findable = (tool: Registered): FoundTool => {
  const { name, description = '', input, output } = tool.plan
  return { name, description, input, output, effects: tool.effects, tool }
}

// Matching tools, else the shortest chain; with words only tools that match them.
const chainsFor = (
  tools: readonly FoundTool[],
  words: readonly string[],
  from: Type | undefined,
  to: Type | undefined,
): FoundChain<FoundTool>[] => {
  const fitting = findByTypes(words.length === 0 ? tools : findByWords(tools, words), from, to)
  const found = fitting.map((tool) => [tool])
  if (words.length > 0 || !from || !to) return found
  const chain = findChain(tools, from, to)
  // The empty chain is shorter than any tool, if it fits.
  return chain && (found.length === 0 || chain.length === 0) ? [chain, ...found] : found
}

const readType = (option: string, text: string | undefined, program: Program): Result<Type | undefined> => {
  if (text === undefined) return succeed(undefined)
  const diagnostics: Diagnostic[] = []
  const type = typeOf(text, program, (diagnostic) => diagnostics.push(diagnostic))
  if (type && diagnostics.length === 0) return succeed(type)
  const [first] = diagnostics
  const help = first?.help === undefined ? '' : `; ${first.help}`
  return fail(
    first?.code ?? 'syntax_error',
    `${option} takes a type of the spec, and in '${preview(text)}' ${first?.message ?? 'is not one'}${help}`,
  )
}

const nothing = (words: readonly string[], from: Type | undefined, to: Type | undefined, tools: readonly FoundTool[]): string => {
  const about = words.length === 0 ? '' : ` speaks of '${preview(words.join(' '))}'`
  const sides = [from && `takes '${printType(from)}'`, to && `gives '${printType(to)}'`].filter((side) => side !== undefined)
  const types = sides.length === 0 ? '' : `${about === '' ? ' ' : ' and '}${sides.join(' and ')}`
  const names = tools.map(({ name }) => name).join(', ')
  const what = names === '' ? '; there are none' : `; there are ${preview(names, MAX_NAMES)}`
  return `no tool${about}${types}${words.length === 0 && from && to ? ', and no chain of tools does' : ''}${words.length > 0 ? what : ''}`
}

const MAX_NAMES = 1000

const asJson = (chain: FoundChain<FoundTool>, from: Type | undefined) => {
  const [input, output] = [chain[0]?.input ?? from, chain.at(-1)?.output ?? from]
  const description = chain.length === 1 ? chain[0]?.description : undefined
  return {
    chain: writeChain(chain),
    tools: chain.map(({ name }) => name),
    type: `${input ? printType(input, MAX_WRITTEN) : 'json'} -> ${output ? printType(output, MAX_WRITTEN) : 'json'}`,
    ...(description === undefined || description === '' ? {} : { description }),
  }
}
