// Combinations of tools for embedding programs: makes the checks on tools that lang makes on specs.

import { isWirable, type Json, join, printType, type Type } from '@plumb/lang'
import { fail, preview, type Result, succeed } from '@plumb/wire'
import type { Tool } from '../call/tool.js'
import { choiceOf } from './choice.js'
import { type EachToolOptions, eachTool } from './each.js'
import { DEFAULT_MAX, feedbackOf } from './feedback.js'
import { handoffOf } from './handoff.js'
import { type PoolOrder, poolOf } from './pool.js'
import { productOf } from './product.js'
import { sequenceOf } from './sequence.js'

/** The default parallelism of an each. */
const MAX_CALLS = 8

type Tools = readonly [Tool, ...Tool[]]

/** `f ; g`: g after f; an error stops the chain. `type_mismatch` if the output of one does not fit the input of the next. */
export const sequence = (tools: Tools): Result<Tool> => {
  for (const [i, tool] of tools.entries()) {
    const before = tools[i - 1]
    if (before && isWirable(before.output, tool.input) === 'no') return mismatch(before, 'gives', before.output, tool, 'takes', tool.input)
  }
  const last = tools.at(-1) as Tool
  return succeed({ name: infix(tools, ';'), input: tools[0].input, output: last.output, run: sequenceOf(tools) })
}

/** `f * g`: all at once on the same input, or each on its part of a tuple; a tuple out. One error cancels the others. */
export const product = (tools: Tools, { isOnParts = false } = {}): Result<Tool> => {
  const input = isOnParts ? succeed(tupleOf(tools.map((tool) => tool.input))) : sharedInput(tools)
  if (!input.ok) return input
  const output = tupleOf(tools.map((tool) => tool.output))
  return succeed({ name: infix(tools, '*'), input: input.value, output, run: productOf(tools, isOnParts) })
}

/** `f + g`: f; if it fails, g; the last error carries the earlier ones. */
export const choice = (tools: Tools): Result<Tool> => alternatives(tools, infix(tools, '+'), choiceOf(tools))

/** As `choice`, but only for errors of these categories or codes. */
export const handoff = (tools: Tools, on: readonly string[]): Result<Tool> =>
  alternatives(tools, `handoff(${names(tools)})`, handoffOf(tools, on))

/** Spreads calls over equal tools; a retryable failure goes to the next. */
export const pool = (tools: Tools, by: PoolOrder = 'round-robin'): Result<Tool> =>
  alternatives(tools, `pool(${names(tools)})`, poolOf(tools, by))

export interface TraceOptions {
  /** 100. */
  readonly max?: number
  /** Tests each output; if it throws, the trace fails. */
  readonly until?: (output: Json) => boolean
}

/** `trace(f)`: f on its own output until that is stable or `until` holds; `trace_limit` if it never is. */
export const trace = (tool: Tool, { max = DEFAULT_MAX, until }: TraceOptions = {}): Result<Tool> => {
  if (isWirable(tool.output, tool.input) === 'no') return mismatch(tool, 'gives', tool.output, tool, 'takes', tool.input)
  const condition = until && { until: (output: string) => attempt(() => until(JSON.parse(output) as Json)) }
  return succeed({ ...tool, name: `trace(${tool.name})`, run: feedbackOf(tool, { max, ...condition }) })
}

/** `each(f)`: f on every element of a list, `parallel` (8) at once; the first failure fails the list, or with `skips` is left out of it. */
export const each = (tool: Tool, { parallel = MAX_CALLS, skips = false }: Partial<EachToolOptions> = {}): Tool => ({
  name: `each(${tool.name})`,
  input: { kind: 'array', item: tool.input },
  output: { kind: 'array', item: tool.output },
  run: eachTool(tool, { parallel, skips }),
})

const alternatives = (tools: Tools, name: string, run: Tool['run']): Result<Tool> => {
  const input = sharedInput(tools)
  if (!input.ok) return input
  let output = tools[0].output
  for (const tool of tools) {
    const joined = join(output, tool.output)
    if (!joined) return mismatch(tools[0], 'gives', output, tool, 'gives', tool.output)
    output = joined
  }
  return succeed({ name, input: input.value, output, run })
}

/** The common input type. */
const sharedInput = (tools: Tools): Result<Type> => {
  const shared = tools.find((tool) => tools.every((other) => isWirable(tool.input, other.input) !== 'no'))
  if (shared) return succeed(shared.input)
  const [first] = tools
  const other = tools.find((tool) => isWirable(first.input, tool.input) === 'no') ?? first
  return mismatch(first, 'takes', first.input, other, 'takes', other.input)
}

const mismatch = (a: Tool, doesA: string, typeA: Type, b: Tool, doesB: string, typeB: Type) =>
  fail('type_mismatch', `'${a.name}' ${doesA} '${printType(typeA)}', '${b.name}' ${doesB} '${printType(typeB)}'`)

const attempt = (ask: () => boolean): Result<boolean> => {
  try {
    return succeed(ask())
  } catch (error) {
    return fail('evaluation_failed', `'until' of the trace failed: ${preview(error instanceof Error ? error.message : String(error))}`)
  }
}

const tupleOf = (items: readonly Type[]): Type => ({ kind: 'tuple', items })
const names = (tools: Tools): string => tools.map(({ name }) => name).join(', ')
const infix = (tools: Tools, operator: string): string =>
  tools.map(({ name }) => (name.includes(' ') ? `(${name})` : name)).join(` ${operator} `)
