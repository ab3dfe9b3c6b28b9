// The tools of one agent: which of them the model is offered at this moment, and what each call of one answer comes to.

import type { Json } from '@plumb/lang'
import { type Fault, fail, fault, mapLimit, nearest, nowMs, preview, type Result, succeed } from '@plumb/wire'
import type { Approvals } from '../control/approvals.js'
import type { ToolResult, ToolUse } from '../conversation/turn.js'
import type { Tell } from '../io/telemetry.js'
import type { ToolOffer } from '../provider/provider.js'
import type { CallableTool } from './callable.js'
import { CANCELLED, toAnswer } from './client.js'
import { toModelContent } from './content.js'
import type { Dispatcher } from './dispatcher.js'
import { Once } from './once.js'
import type { Gate } from './policy.js'
import type { Catalogue } from './server-catalogue.js'

export interface Tools {
  readonly offers: () => readonly ToolOffer[]
  /** One result for each call, in their order. */
  readonly answer: (calls: readonly ToolUse[], signal: AbortSignal, tell: Tell) => Promise<readonly ToolResult[]>
}

export interface ToolsParts {
  readonly declared: ReadonlyMap<string, CallableTool>
  /** What servers offer at this moment; of equal names the declared one counts. */
  readonly ofServers?: () => Catalogue
  readonly gate: Gate
  readonly approvals: Pick<Approvals, 'ask'>
  readonly dispatcher: Dispatcher
  readonly areParallel: boolean
}

const MAX_PARALLEL = 8

export const openTools = ({ declared, ofServers, gate, approvals, dispatcher, areParallel }: ToolsParts): Tools => {
  const once = new Once()
  const known = () => (ofServers ? new Map([...ofServers(), ...declared]) : declared)
  const offered = () => [...known().values()].filter((tool) => gate.isOffered(tool))

  const answer = async (use: ToolUse, id: string, signal: AbortSignal, tell: Tell): Promise<ToolResult> => {
    tell({ kind: 'tool_call', id: use.id, name: use.name, input: use.input })
    const startMs = nowMs()
    const tool = known().get(use.name)
    const asked = await ask(use, tool, id, signal, tell)
    const { content, isError } = asked.ok ? asked.value : toAnswer(asked.error)
    const ms = Math.round(nowMs() - startMs)
    tell({ kind: 'tool_result', id: use.id, name: use.name, is_error: isError, ms, bytes: Buffer.byteLength(content) })
    return resultOf(use, toModelContent(content, isError, tool?.isOfServer), isError)
  }

  // The stages of plumb-tools(7) that come before whoever runs the tool has it: validate, permission, approval.
  const ask = async ({ name, input: written }: ToolUse, tool: CallableTool | undefined, id: string, signal: AbortSignal, tell: Tell) => {
    if (!tool) return unknown(name, offered())
    const read = readInput(written, tool)
    if (!read.ok) return read
    const { json, repairs } = read.value
    if (repairs.length > 0) tell({ kind: 'mended', what: `input of ${name}: ${repairs.join(', ')}` })
    const verdict = gate.judge(tool)
    if (verdict.kind === 'deny') return { ok: false, error: verdict.fault } as const
    if (verdict.kind === 'ask') {
      const refused = await approvals.ask({ id, tool: name, input: json }, signal)
      if (refused) return { ok: false, error: refused } as const
    }
    const input = tool.isWrapped ? `{"input":${json}}` : json
    const given = await dispatcher.ask({ id, name, input }, tool.timeoutMs, signal)
    if (given.isError || !tool.fitResult) return succeed(given)
    const result = tool.fitResult(given.content)
    if (!result.ok) return result
    const { json: mended, repairs: mends } = result.value
    return succeed(mends.length === 0 ? given : { content: mended, isError: false })
  }

  return {
    offers: () => offered().map(({ offer }) => offer),
    answer: (calls, signal, tell) => {
      // Of equal ids the first stays.
      const places = new Map([...calls.entries()].reverse().map(([place, { id }]) => [id, place]))
      return mapLimit(calls, areParallel ? MAX_PARALLEL : 1, (use, place) => {
        if (signal.aborted) return refused(use, CANCELLED)
        if (places.get(use.id) !== place) return refused(use, repeatedId(use.id))
        return once.do(use, (id) => answer(use, id, signal, tell))
      })
    },
  }
}

/** For an agent that declares none. */
export const NO_TOOLS: Tools = {
  offers: () => [],
  answer: async (calls) => calls.map((use) => resultOf(use, JSON.stringify(noTool(use.name, [])), true)),
}

const resultOf = ({ id }: ToolUse, content: Json, is_error: boolean): ToolResult => ({
  type: 'tool_result',
  tool_use_id: id,
  content,
  is_error,
})

const refused = async (use: ToolUse, error: Fault): Promise<ToolResult> => resultOf(use, JSON.stringify(error), true)

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
