// find, schema and compose: any number of tools behind three (plumb-mcp(1), A gateway).

import { type Diagnostic, type Program, printType, type Type, toSchema, typeOf } from '@plumb/lang'
import { COMPOSE_INPUT, findByTypes, findByWords, findChain, NOTATION, writeChain } from '@plumb/tool/internal'
import { type Fault, fail, fault, isRecord, nearest, preview, type Result, succeed } from '@plumb/wire'
import { type McpToolResult, toError } from '../tools/answer.js'
import { type CallContext, hintsOf, type ServedTool } from '../tools/served-tool.js'
import type { GatewayCatalogue, GatewayTool } from './catalogue.js'
import { type ChainOptions, composeTools } from './compose-tools.js'

export interface GatewayOptions extends ChainOptions {
  /** The program in which names in types are resolved. */
  readonly program: Program
}

export const gatewayTools = (options: GatewayOptions): readonly ServedTool[] => [
  findTool(options),
  schemaTool(options),
  composeTool(options),
]

/** How long a search waits for servers that are starting (ms). */
const START_MS = 2000
/** Maximum number of tools in an answer of find. */
const MAX_FOUND = 20
/** Maximum characters of a type, and of a description, in such an answer. */
const MAX_TYPE = 400
const MAX_DESCRIPTION = 160
/** Maximum number of tools in an answer of schema. */
const MAX_SCHEMAS = 20

const findTool = ({ catalogue, program }: GatewayOptions): ServedTool => ({
  name: 'find',
  description:
    'Find tools, by words or by what they take and give: one line each, NAME : INPUT -> OUTPUT, as compose takes them. Without anything: the servers there are.',
  inputSchema: {
    type: 'object',
    properties: {
      words: { type: 'string', description: 'what it is to do' },
      from: { type: 'string', description: 'a type that it takes, as { path: string }' },
      to: { type: 'string', description: 'a type that it gives' },
    },
    additionalProperties: false,
  },
  annotations: hintsOf([]),
  effects: [],
  call: async (input, { signal }) => {
    const read = readFields(input, { words: 'text', from: 'text', to: 'text' })
    if (!read.ok) return toError(read.error)
    const [from, to] = [readType('from', read.value.from, program), readType('to', read.value.to, program)]
    if (!from.ok) return toError(from.error)
    if (!to.ok) return toError(to.error)
    const words = read.value.words?.split(/\s+/).filter((word) => word !== '') ?? []
    await startUp(catalogue, signal)
    if (words.length === 0 && !from.value && !to.value) return textResult(overview(catalogue))
    const search = (): readonly string[] => found(catalogue.tools(), words, from.value, to.value)
    let lines = search()
    while (lines.length === 0 && catalogue.waiting().length > 0 && !signal.aborted) {
      await catalogue.next(signal)
      lines = search()
    }
    return textResult([
      ...(lines.length === 0 ? ['no tool is like that; find without words says which servers there are'] : lines),
      ...missing(catalogue),
    ])
  },
})

// Waits for the tools of all servers, up to a limit.
const startUp = async (catalogue: GatewayCatalogue, signal: AbortSignal): Promise<void> => {
  if (catalogue.waiting().length === 0) return
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(), START_MS)
  const onAbort = (): void => late.abort()
  signal.addEventListener('abort', onAbort, { once: true })
  await catalogue.ready(catalogue.waiting(), late.signal)
  signal.removeEventListener('abort', onAbort)
  clearTimeout(timer)
}

const found = (
  tools: readonly GatewayTool[],
  words: readonly string[],
  from: Type | undefined,
  to: Type | undefined,
): readonly string[] => {
  const fitting = findByTypes(words.length === 0 ? tools : findByWords(tools, words), from, to)
  const chain = words.length === 0 && fitting.length === 0 && from && to ? findChain(tools, from, to) : undefined
  const more = fitting.length - MAX_FOUND
  return [
    ...(chain ? [`a chain does it: ${writeChain(chain)}`] : []),
    ...fitting.slice(0, MAX_FOUND).map(lineOf),
    ...(more > 0 ? [`and ${more} more: say other words`] : []),
  ]
}

const lineOf = ({ name, input, output, description }: GatewayTool): string => {
  const what = description.trim().split('\n', 1)[0] ?? ''
  return `${name} : ${printType(input, MAX_TYPE)} -> ${printType(output, MAX_TYPE)}${what === '' ? '' : `  ${preview(what, MAX_DESCRIPTION)}`}`
}

const overview = (catalogue: GatewayCatalogue): readonly string[] => {
  const counts = new Map<string, number>()
  for (const { name } of catalogue.tools()) {
    const [home, member] = name.split('.', 2)
    const key = member === undefined ? 'tools of its own' : (home as string)
    counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  return [...[...counts].map(([server, count]) => `${server}: ${count} ${count === 1 ? 'tool' : 'tools'}`), ...missing(catalogue)]
}

const missing = (catalogue: GatewayCatalogue): readonly string[] => {
  const waiting = catalogue.waiting()
  return [
    ...(waiting.length === 0 ? [] : [`still being started: ${waiting.join(', ')}`]),
    ...[...catalogue.absent()].map(([name, { detail }]) => `not there: ${name}: ${detail}`),
  ]
}

const schemaTool = ({ catalogue }: GatewayOptions): ServedTool => ({
  name: 'schema',
  description: 'What tools take and give, in full: for each name its description, type and JSON Schemas, one JSON object a line.',
  inputSchema: {
    type: 'object',
    properties: { names: { type: 'array', items: { type: 'string' }, description: `as find prints them, at most ${MAX_SCHEMAS}` } },
    required: ['names'],
    additionalProperties: false,
  },
  annotations: hintsOf([]),
  effects: [],
  call: async (input, { signal }) => {
    const { names: given, ...rest } = JSON.parse(input) as Readonly<Record<string, unknown>>
    const names: unknown = typeof given === 'string' ? [given] : given
    const isList = Array.isArray(names) && names.every((name) => typeof name === 'string')
    const [stray] = Object.keys(rest)
    if (stray !== undefined || !isList || names.length === 0 || names.length > MAX_SCHEMAS)
      return toError(fault('input_type_mismatch', `'schema' takes names, a list of 1 to ${MAX_SCHEMAS} of them`, { path: '/names' }))
    await catalogue.ready(mentioned(names.join(' '), catalogue), signal)
    const tools = new Map(catalogue.tools().map((tool) => [tool.name, tool]))
    const unknown = (names as readonly string[]).filter((name) => !tools.has(name))
    if (unknown.length > 0) return toError(noTools(unknown, catalogue))
    return textResult((names as readonly string[]).map((name) => JSON.stringify(describe(tools.get(name) as GatewayTool))))
  },
})

const describe = ({ name, description, input, output, inputSchema, outputSchema }: GatewayTool) => ({
  name,
  description,
  type: `${printType(input)} -> ${printType(output)}`,
  input_schema: inputSchema,
  ...(outputSchema === undefined ? {} : { output_schema: outputSchema }),
})

const noTools = (names: readonly string[], catalogue: GatewayCatalogue): Fault => {
  const known = catalogue.tools().map(({ name }) => name)
  const each = names.map((name) => {
    const absence = catalogue.absent().get(name.split('.', 1)[0] ?? '')
    const near = nearest(name, known)
    return `no tool is named '${preview(name)}'${absence ? `, since ${absence.detail}` : near === undefined ? '' : `, did you mean '${near}'?`}`
  })
  return fault('unknown_tool', each.join('; '))
}

const composeTool = (options: GatewayOptions): ServedTool => ({
  name: 'compose',
  description: `${NOTATION}\nNames and types of tools: find and schema.`,
  inputSchema: toSchema(COMPOSE_INPUT),
  annotations: hintsOf(['exec', 'net']),
  // Each call in a chain is checked by its own effects.
  effects: [],
  call: async (input, context: CallContext) => {
    const { chain, input: given, ...rest } = JSON.parse(input) as Readonly<Record<string, unknown>>
    const [stray] = Object.keys(rest)
    if (typeof chain !== 'string' || stray !== undefined)
      return toError(fault('input_type_mismatch', "'compose' takes { chain, input }, the chain as a text"))
    const { catalogue } = options
    await catalogue.ready(mentioned(chain, catalogue), context.signal)
    const answer = await composeTools(chain, given === undefined ? undefined : JSON.stringify(given), options, context)
    if (answer.kind === 'answer') return answer.result
    const lost = [...catalogue.absent()].filter(([name]) => isMentioned(name, chain)).map(([name, { detail }]) => `${name}: ${detail}`)
    return { ...textResult([answer.text, ...lost]), isError: true }
  },
})

const mentioned = (text: string, catalogue: GatewayCatalogue): readonly string[] =>
  catalogue.waiting().filter((name) => isMentioned(name, text))

// Names are split into words.
const isMentioned = (name: string, text: string): boolean => new RegExp(`(?<![\\w.])${name}\\.`).test(text)

const textResult = (lines: readonly string[]): McpToolResult => ({ content: [{ type: 'text', text: lines.join('\n') }] })

const readFields = <K extends string>(input: string, fields: Readonly<Record<K, 'text'>>): Result<Partial<Record<K, string>>> => {
  const given: unknown = JSON.parse(input)
  const known = Object.keys(fields)
  const wrong = isRecord(given) ? Object.entries(given).find(([key, value]) => !known.includes(key) || typeof value !== 'string') : ['', '']
  if (wrong) return fail('input_type_mismatch', `'find' takes ${known.join(', ')}, each a text`, { path: `/${preview(String(wrong[0]))}` })
  return succeed(given as Partial<Record<K, string>>)
}

const readType = (field: string, text: string | undefined, program: Program): Result<Type | undefined> => {
  if (text === undefined || text.trim() === '') return succeed(undefined)
  const diagnostics: Diagnostic[] = []
  const type = typeOf(text, program, (diagnostic) => diagnostics.push(diagnostic))
  if (type && diagnostics.length === 0) return succeed(type)
  const [first] = diagnostics
  return fail('input_type_mismatch', `'${field}' takes a type, as [string] or { path: string }: ${first?.message ?? preview(text)}`, {
    path: `/${field}`,
  })
}
