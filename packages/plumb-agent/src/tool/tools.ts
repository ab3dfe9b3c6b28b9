// The tools of one agent: those that the model is offered now, and the result of each call in an answer.

import { createHash } from 'node:crypto'
import type { Json } from '@plumb/lang'
import {
  errorAnswer,
  type Fault,
  fail,
  fault,
  IdempotencyCache,
  mapLimit,
  nearest,
  nowMs,
  preview,
  RESULT_DROPPED,
  type Result,
  succeed,
  type ToolCaller,
} from '@plumb/wire'
import type { Approvals } from '../control/approvals.js'
import type { CallCount } from '../conversation/call-count.js'
import type { ToolResult, ToolUse } from '../conversation/turn.js'
import type { Emit } from '../io/telemetry.js'
import type { KeptCalls } from '../kept/kept-questions.js'
import type { ToolOffer } from '../provider/provider.js'
import type { CallableTool } from './callable.js'
import { CANCELLED } from './client.js'
import type { Composing } from './composing.js'
import { toModelContent } from './content.js'
import type { ToolPolicy } from './policy.js'
import type { OfferedTools } from './server-catalogue.js'

export interface Tools {
  readonly offers: () => readonly ToolOffer[]
  /** One result for each call, in their order. What is kept of them is not called. */
  readonly answer: (calls: readonly ToolUse[], signal: AbortSignal, emit: Emit, of?: OfInput) => Promise<readonly ToolResult[]>
}

export interface OfInput {
  readonly kept?: KeptCalls | undefined
  /** Calls within calls count too. */
  readonly count?: Pick<CallCount, 'takeInner'>
}

export interface ToolsParts {
  readonly declared: ReadonlyMap<string, CallableTool>
  /** What MCP servers offer now; a declared tool of the same name comes first. */
  readonly ofServers?: () => OfferedTools
  readonly gate: ToolPolicy
  readonly approvals: Pick<Approvals, 'ask'>
  readonly caller: ToolCaller
  readonly areParallel: boolean
  /** Chains of them, where the agent is offered those. */
  readonly composing?: Composing | undefined
  readonly warn?: (warning: Fault) => void
}

const MAX_PARALLEL = 8
/** The tool that runs chains of the others. */
const COMPOSE = 'compose'
/** Of the results that are kept for repeated calls. */
const MAX_CHARACTERS = 4 * 1024 * 1024

export const openTools = ({ declared, ofServers, gate, approvals, caller, areParallel, composing, warn = () => {} }: ToolsParts): Tools => {
  const results = new IdempotencyCache<ToolResult>({
    maxCharacters: MAX_CHARACTERS,
    lengthOf: ({ content }) => (typeof content === 'string' ? content.length : JSON.stringify(content).length),
    dropped: (id) => failure(id, RESULT_DROPPED),
  })
  let renamed = 0
  const known = () => (ofServers ? new Map([...ofServers(), ...declared]) : declared)
  const offered = () => [...known().values()].filter((tool) => gate.isOffered(tool))

  const composed = () => {
    const tools = offered()
    const tool = composing?.tool(tools)
    return tool && gate.isOffered(tool) ? tool : undefined
  }

  const answer = async (use: ToolUse, id: string, signal: AbortSignal, emit: Emit, count: OfInput['count']): Promise<ToolResult> => {
    const done = begin({ id: use.id, name: use.name, input: use.input }, emit)
    const chains = use.name === COMPOSE ? composed() : undefined
    if (chains) {
      const { content, is_error } = await composeCalls(use, chains, id, signal, emit, count)
      done(is_error, typeof content === 'string' ? content : JSON.stringify(content))
      return resultOf(use.id, content, is_error)
    }
    const tool = known().get(use.name)
    const asked = tool ? await ask(readInput(use.input, tool), tool, id, signal, emit) : unknown(use.name, offered())
    const { content, is_error } = asked.ok ? asked.value : errorAnswer(id, asked.error)
    done(is_error, content)
    return resultOf(use.id, toModelContent(content, is_error, tool?.isOfServer), is_error)
  }

  const composeCalls = async (use: ToolUse, chains: CallableTool, id: string, signal: AbortSignal, emit: Emit, count: OfInput['count']) => {
    const permitted = await permit(readInput(use.input, chains), chains, id, signal, emit)
    if (!permitted.ok) return { content: JSON.stringify(permitted.error), is_error: true }
    return (composing as Composing).run({
      input: permitted.value,
      // What may not be done now is refused at its call, as it would be alone.
      tools: [...known().values()],
      parallel: areParallel ? MAX_PARALLEL : 1,
      signal,
      refuse: () => count?.takeInner(),
      warn,
      call: async (tool, input, number, signal) => {
        const inner = { parent: use.id, depth: 1 }
        const done = begin({ id: `${use.id}/${number}`, name: tool.name, input: JSON.parse(input) }, emit, inner)
        const asked = await ask(tool.fit(input), tool, `${id}/${number}`, signal, emit, inner.depth)
        done(!asked.ok || asked.value.is_error, asked.ok ? asked.value.content : '')
        return asked
      },
    })
  }

  // The stages before the dispatcher gets a call, plumb-tools(7): validate, permission, approval. The dispatcher validates and permits again.
  const permit = async (read: ReturnType<CallableTool['fit']>, tool: CallableTool, id: string, signal: AbortSignal, emit: Emit) => {
    if (!read.ok) return read
    const { name } = tool
    const { json, repairs } = read.value
    if (repairs.length > 0) emit({ kind: 'mended', what: `input of ${name}: ${repairs.join(', ')}` })
    const permission = gate.decide(tool)
    if (permission.kind === 'deny') return { ok: false, error: permission.fault } as const
    if (permission.kind === 'ask') {
      const refused = await approvals.ask({ id, tool: name, input: json }, signal)
      if (refused) return { ok: false, error: refused } as const
    }
    return succeed(json)
  }

  const ask = async (
    read: ReturnType<CallableTool['fit']>,
    tool: CallableTool,
    id: string,
    signal: AbortSignal,
    emit: Emit,
    around = 0,
  ) => {
    const permitted = await permit(read, tool, id, signal, emit)
    if (!permitted.ok) return permitted
    const { name } = tool
    const input = tool.isWrapped ? `{"input":${permitted.value}}` : permitted.value
    const answer = await caller.call({ id, name, input, ...(around > 0 ? { depth: around } : {}) }, tool.timeoutMs, signal)
    if (answer.is_error || !tool.fitResult) return succeed(answer)
    const result = tool.fitResult(answer.content)
    if (!result.ok) return result
    return succeed(result.value.repairs.length === 0 ? answer : { ...answer, content: result.value.json })
  }

  return {
    offers: () => {
      const chains = composed()
      return [...offered(), ...(chains ? [chains] : [])].map(({ offer }) => offer)
    },
    answer: (calls, signal, emit, { kept, count } = {}) => {
      // In the order of the calls, not of their results.
      const known = new Map(calls.map((use) => [use, kept?.find(use)]))
      const firstWithId = new Map([...calls].reverse().map((use) => [use.id, use]))
      return mapLimit(calls, areParallel ? MAX_PARALLEL : 1, async (use) => {
        if (signal.aborted) return failure(use.id, CANCELLED)
        const found = known.get(use)
        if (found) return found
        if (firstWithId.get(use.id) !== use) return failure(use.id, repeatedId(use.id))
        // Some providers count ids from the beginning in each reply, so that one id stands for different calls. Each gets an id of its own.
        const run = (isReused: boolean) => answer(use, isReused || use.id === '' ? `${use.id}#${++renamed}` : use.id, signal, emit, count)
        const result = await results.get(use.id, run, fingerprint(use))
        if (!signal.aborted) kept?.keep(use, result)
        return result
      })
    },
  }
}

/** Tells of a call, and gives what tells of its end. */
const begin = (
  { id, name, input }: Pick<ToolUse, 'id' | 'name' | 'input'>,
  emit: Emit,
  inner: { parent?: string; depth?: number } = {},
) => {
  emit({ kind: 'tool_call', id, name, input, ...inner })
  const startMs = nowMs()
  return (is_error: boolean, content: string): void => {
    const ms = Math.round(nowMs() - startMs)
    emit({ kind: 'tool_result', id, name, is_error, ms, bytes: Buffer.byteLength(content), ...inner })
  }
}

/** For an agent without tools. */
export const NO_TOOLS: Tools = {
  offers: () => [],
  answer: async (calls) => calls.map(({ id, name }) => failure(id, noTool(name, []))),
}

const resultOf = (tool_use_id: string, content: Json, is_error: boolean): ToolResult => ({
  type: 'tool_result',
  tool_use_id,
  content,
  is_error,
})

const failure = (id: string, error: Fault): ToolResult => resultOf(id, JSON.stringify(error), true)

const fingerprint = ({ name, input }: ToolUse): string =>
  createHash('sha256')
    .update(JSON.stringify([name, input]))
    .digest('base64')

const readInput = (input: Json, { name, fit }: CallableTool): ReturnType<CallableTool['fit']> => {
  const text = textThatIsNoJson(input)
  if (text === undefined) return fit(JSON.stringify(input))
  return fail('invalid_json', `the input of '${name}' is no JSON: '${preview(text)}'`)
}

// As providers leave it: see Block.
const textThatIsNoJson = (input: Json): string | undefined => {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return undefined
  const [[key, text] = [], another] = Object.entries(input)
  return key === 'invalid_json' && typeof text === 'string' && !another ? text : undefined
}

const repeatedId = (id: string): Fault =>
  fault('input_type_mismatch', `two calls of this answer have the id '${preview(id)}'; only the first was made`)

const unknown = (name: string, offered: readonly CallableTool[]): Result<never> => ({
  ok: false,
  error: noTool(
    name,
    offered.map(({ offer }) => offer.name),
  ),
})

const noTool = (name: string, names: readonly string[]): Fault => {
  const near = nearest(name, names)
  const listed = names.length === 0 ? 'there are none' : `there are ${preview(names.join(', '), 200)}`
  return fault('unknown_tool', `no tool is named '${preview(name)}', ${near === undefined ? listed : `did you mean '${near}'?`}`)
}
