// The tools of one agent: those that the model is offered now, and the results of the calls in an answer.

import { type Json, toSchema } from '@plumb/lang'
import type { Walk } from '@plumb/tool/protocol/walk'
import {
  errorAnswer,
  type Fault,
  fail,
  IdempotencyCache,
  isHeld,
  mapLimit,
  nowMs,
  preview,
  RESULT_DROPPED,
  type Result,
  sha256Of,
  succeed,
  type ToolCaller,
} from '@plumb/wire'
import type { Emit } from '../io/telemetry.js'
import { inputText } from '../provider/call-input.js'
import type { ToolOffer, ToolResult, ToolUse } from '../provider/provider.js'
import type { Approvals, Consented, EditableRequest } from './approvals.js'
import { type Asking, beginCall } from './begin-call.js'
import type { CallableTool } from './callable.js'
import { CANCELLED } from './client.js'
import type { Composing, CompositionResult } from './composing.js'
import { toModelContent } from './content.js'
import type { KeptCalls, MadeCall } from './kept-calls.js'
import type { ToolPolicy } from './policy.js'
import { failure, noSuchTool, toolResult, withEdited } from './result.js'
import type { OfferedTools } from './server-catalogue.js'
import { answerTurn, COMPOSE } from './walked-turn.js'

export interface Tools {
  /** The model is asked, and may call them: their dispatcher is started meanwhile. */
  readonly prepare?: () => void
  /** Under a protocol, those that it allows where the walk is. */
  readonly offers: (walk?: Walk) => readonly ToolOffer[]
  /**
   * One result for each call, in their order. Kept results are reused without a call. A call that waits for approval is the fault `isHeld`.
   */
  readonly answer: (
    calls: readonly ToolUse[],
    signal: AbortSignal,
    emit: Emit,
    of?: AnsweredInput,
  ) => Promise<Result<readonly ToolResult[]>>
}

export interface AnsweredInput {
  readonly kept?: KeptCalls | undefined
  /** Includes calls within calls. */
  readonly count?: { readonly takeInner: () => Fault | undefined } | undefined
  /** The message of a run by workers. */
  readonly delivery?: string | undefined
  /** Its calls keep to a protocol, and the walk goes on with them. */
  readonly walk?: Walk | undefined
}

export interface ToolsParts {
  readonly declared: ReadonlyMap<string, CallableTool>
  /** The current tools of MCP servers; a declared tool of the same name takes precedence. */
  readonly ofServers?: () => OfferedTools
  readonly gate: ToolPolicy
  readonly approvals: Pick<Approvals, 'requestConsent' | 'decide'>
  readonly caller: ToolCaller
  readonly areParallel: boolean
  /** Chains of them, if the agent is offered those. */
  readonly composing?: Composing | undefined
  readonly warn?: (warning: Fault) => void
}

const MAX_PARALLEL = 8
/** The limit of results that are kept for repeated calls. */
const MAX_CHARACTERS = 4 * 1024 * 1024

export const openTools = (parts: ToolsParts): Tools => new ModelTools(parts)

class ModelTools implements Tools {
  readonly #parts: ToolsParts
  // An error belongs to a call that waits for approval.
  readonly #results = new IdempotencyCache<Result<ToolResult>>({
    maxCharacters: MAX_CHARACTERS,
    lengthOf: (result) => (result.ok && typeof result.value.content === 'string' ? result.value.content : JSON.stringify(result)).length,
    dropped: (id) => succeed(failure(id, RESULT_DROPPED)),
  })
  #renamed = 0
  #turns = 0

  constructor(parts: ToolsParts) {
    this.#parts = parts
  }

  offers(walk?: Walk): readonly ToolOffer[] {
    const chains = this.#composed()
    const all = [...this.#offered(), ...(chains ? [chains] : [])]
    return all.filter(({ name }) => walk?.isOffered(name) ?? true).map(({ offer }) => offer)
  }

  async answer(
    calls: readonly ToolUse[],
    signal: AbortSignal,
    emit: Emit,
    { kept, count, delivery, walk }: AnsweredInput = {},
  ): Promise<Result<readonly ToolResult[]>> {
    // In the order of the calls, not of their results.
    const known = new Map(calls.map((use) => [use, kept?.find(use)]))
    const parallel = this.#parts.areParallel ? MAX_PARALLEL : 1
    // A step of a walk is a call of its own, also where a provider counts ids from the beginning in each reply.
    const turn = walk ? ` ${++this.#turns}` : ''
    const call = async (use: ToolUse): Promise<Result<ToolResult>> => {
      if (signal.aborted) return succeed(failure(use.id, CANCELLED))
      const found = known.get(use)
      if (found) return succeed(found)
      // Some providers count ids from the beginning in each reply, so that one id stands for different calls. Each gets an id of its own.
      const run = (isReused: boolean) =>
        this.#answerOne(use, isReused || use.id === '' ? `${use.id}#${++this.#renamed}` : use.id, {
          ...{ signal, emit, kept, count, delivery, walk },
          asking: { ms: 0 },
        })
      const result = await this.#results.get(use.id, run, `${fingerprint(use)}${turn}`)
      if (!signal.aborted && result.ok) kept?.keep(use, result.value)
      return result
    }
    const refuse = (use: ToolUse, why: Fault) => this.#refuse(use, why, emit)
    const resultOf = (one: Result<ToolResult>) => (one.ok ? one.value : undefined)
    const answered = walk ? await answerTurn(calls, walk, { parallel, call, refuse, resultOf }) : await mapLimit(calls, parallel, call)
    const held = answered.find((one) => !one.ok)
    return held?.ok === false ? held : succeed(answered.flatMap((one) => (one.ok ? [one.value] : [])))
  }

  #known(): ReadonlyMap<string, CallableTool> {
    return this.#parts.ofServers ? new Map([...this.#parts.ofServers(), ...this.#parts.declared]) : this.#parts.declared
  }

  #offered(): readonly CallableTool[] {
    return [...this.#known().values()].filter((tool) => this.#parts.gate.isOffered(tool))
  }

  #composed(): CallableTool | undefined {
    const tools = this.#offered()
    const tool = this.#parts.composing?.tool(tools)
    return tool && this.#parts.gate.isOffered(tool) ? tool : undefined
  }

  /** Nothing is run, and nothing is kept of it: the same walk refuses it again. */
  #refuse(use: ToolUse, why: Fault, emit: Emit): Result<ToolResult> {
    const known = this.#known().has(use.name) || use.name === COMPOSE
    const error = known ? why : noSuchTool(use.name, why.allowed as readonly string[])
    const content = JSON.stringify(error)
    beginCall({ id: use.id, name: use.name, json: inputText(use) }, emit, { ms: 0 })(true, content)
    return succeed(toolResult(use.id, content, true))
  }

  async #answerOne(use: ToolUse, id: string, around: Around): Promise<Result<ToolResult>> {
    const { emit, kept } = around
    const done = beginCall({ id: use.id, name: use.name, json: inputText(use) }, emit, around.asking)
    const chains = use.name === COMPOSE ? this.#composed() : undefined
    if (chains) {
      const { content, is_error, calls = [] } = await this.#composeCalls(use, chains, id, around)
      done(is_error, typeof content === 'string' ? content : JSON.stringify(content))
      return succeed({ ...toolResult(use.id, content, is_error), ...(calls.length > 0 ? { calls } : {}) })
    }
    const tool = this.#known().get(use.name)
    const hold = (json: string) => kept?.held(use, json, () => toSchema((tool as CallableTool).signature.input))
    const asked = tool ? await this.#ask(readInput(use, tool), tool, id, around, { hold }) : unknown(use.name, this.#offered())
    const { content, is_error, edited }: MadeCall = asked.ok ? asked.value : errorAnswer(id, asked.error)
    done(is_error, content)
    if (!asked.ok && isHeld(asked.error)) return asked
    const shown = toModelContent(content, is_error, tool?.isOfServer)
    return succeed(toolResult(use.id, withEdited(shown, [{ tool: use.name, edited }]), is_error))
  }

  // A chain, and its calls, are refused if no person can be asked: a call in it is never parked.
  async #composeCalls(
    use: ToolUse,
    chains: CallableTool,
    id: string,
    around: Around,
  ): Promise<CompositionResult & Pick<ToolResult, 'calls'>> {
    const { signal, emit, count, kept, delivery, walk: outer } = around
    const permitted = this.#permit(readInput(use, chains), chains, emit)
    if (!permitted.ok) return { content: JSON.stringify(permitted.error), is_error: true }
    const { json, needsConsent } = permitted.value
    const request = this.#editable(id, chains, json, emit)
    const allow = () => this.#parts.approvals.requestConsent(request, signal)
    const consented: Result<Consented> = needsConsent ? await asks(around.asking, allow) : succeed({})
    if (!consented.ok) return { content: JSON.stringify(consented.error), is_error: true }
    const { edited } = consented.value
    const edits = [{ tool: chains.name, edited }]
    const inChain = kept?.inChain(use)
    const walk = outer?.of.begin(outer.at)
    walk?.made(COMPOSE)
    const calls: string[] = []
    const result = await (this.#parts.composing as Composing).run({
      input: edited ?? json,
      walk: walk?.of.begin(walk.at),
      // A call that is not permitted now is refused when it is made, as it would be alone.
      tools: [...this.#known().values()],
      parallel: this.#parts.areParallel ? MAX_PARALLEL : 1,
      signal,
      refuse: () => count?.takeInner(),
      warn: this.#parts.warn ?? (() => {}),
      call: async (tool, input, number, signal) => {
        const refused = walk?.judge(tool.name)
        if (refused) return { ok: false, error: refused }
        const one = inChain?.({ name: tool.name, input })
        const isMade = (is_error: boolean): void => {
          if (!walk || is_error || walk.of.isFree(tool.name)) return
          walk.made(tool.name)
          calls.push(tool.name)
        }
        if (one?.found) {
          isMade(one.found.is_error)
          edits.push({ tool: tool.name, edited: one.found.edited })
          return succeed({ id: `${id}/${number}`, ...one.found })
        }
        const inner = { parent: use.id, depth: 1 }
        const asking = { ms: 0 }
        const done = beginCall({ id: `${use.id}/${number}`, name: tool.name, json: input }, emit, asking, inner)
        const asked = await this.#ask(tool.fit(input), tool, `${id}/${number}`, { signal, emit, delivery, asking }, { depth: inner.depth })
        done(!asked.ok || asked.value.is_error, asked.ok ? asked.value.content : JSON.stringify(asked.error))
        isMade(!asked.ok || asked.value.is_error)
        if (asked.ok) edits.push({ tool: tool.name, edited: asked.value.edited })
        if (!signal.aborted) one?.keep(asked.ok ? asked.value : errorAnswer(id, asked.error))
        return asked
      },
    })
    return { ...result, content: withEdited(result.content, edits), calls }
  }

  // The stages before the dispatcher gets a call, plumb-tools(7): validate, permission, approval. The dispatcher validates and permits again.
  #permit(read: ReturnType<CallableTool['fit']>, tool: CallableTool, emit: Emit): Result<Permitted> {
    if (!read.ok) return read
    const { name } = tool
    const { json, repairs } = read.value
    if (repairs.length > 0) emit({ kind: 'mended', what: `input of ${name}: ${repairs.join(', ')}` })
    const permission = this.#parts.gate.decide(tool)
    if (permission.kind === 'deny') return { ok: false, error: permission.fault }
    return succeed({ json, needsConsent: permission.kind === 'ask' })
  }

  /** What a person puts in the place of the input goes through the same stages. */
  #editable(id: string, tool: CallableTool, input: string, emit: Emit): EditableRequest {
    const check = (json: string): Result<string> => {
      const permitted = this.#permit(tool.fit(tool.isWrapped ? `{"input":${json}}` : json), tool, emit)
      return permitted.ok ? succeed(permitted.value.json) : permitted
    }
    return { id, tool: tool.name, input, check }
  }

  async #ask(
    read: ReturnType<CallableTool['fit']>,
    tool: CallableTool,
    id: string,
    { signal, emit, delivery, asking }: Around,
    { hold, depth = 0 }: { readonly hold?: (json: string) => ReturnType<KeptCalls['held']>; readonly depth?: number },
  ): Promise<Result<MadeCall>> {
    const permitted = this.#permit(read, tool, emit)
    if (!permitted.ok) return permitted
    const { json, needsConsent } = permitted.value
    const call = async (edited?: string): Promise<MadeCall> => {
      const given = edited ?? json
      const input = tool.isWrapped ? `{"input":${given}}` : given
      const around = { ...(depth > 0 ? { depth } : {}), ...(delivery === undefined ? {} : { delivery }) }
      const answer = await this.#parts.caller.call({ id, name: tool.name, input, ...around }, tool.timeoutMs, signal)
      return edited === undefined ? answer : { ...answer, edited }
    }
    if (!needsConsent) return fitted(await call(), tool)
    const request = this.#editable(id, tool, json, emit)
    const held = hold?.(json)
    if (!held) {
      const consented = await asks(asking, () => this.#parts.approvals.requestConsent(request, signal))
      return consented.ok ? fitted(await call(consented.value.edited), tool) : consented
    }
    const decide = async () => {
      const decision = await asks(asking, () => this.#parts.approvals.decide(request, signal))
      return signal.aborted ? false : decision
    }
    const made = await held({ ask: decide, run: call })
    return made.ok ? fitted(made.value, tool) : made
  }
}

const fitted = (answer: MadeCall, { fitResult }: CallableTool): Result<MadeCall> => {
  if (answer.is_error || !fitResult) return succeed(answer)
  const result = fitResult(answer.content)
  if (!result.ok) return result
  return succeed(result.value.repairs.length === 0 ? answer : { ...answer, content: result.value.json })
}

interface Around extends AnsweredInput {
  readonly signal: AbortSignal
  readonly emit: Emit
  readonly asking: Asking
}

const asks = async <T>(asking: Asking, ask: () => Promise<T>): Promise<T> => {
  const startMs = nowMs()
  try {
    return await ask()
  } finally {
    asking.ms += nowMs() - startMs
  }
}

/** A valid input, as JSON. */
interface Permitted {
  readonly json: string
  /** It needs approval. */
  readonly needsConsent: boolean
}

/** So many characters of a call are kept as they are: node:crypto takes 2 to 3 ms to load, and the model waits for the first call. */
const SHORT_CALL = 256

const fingerprint = (use: ToolUse): string => {
  const text = JSON.stringify([use.name, inputText(use)])
  return text.length <= SHORT_CALL ? text : sha256Of(text)
}

const readInput = (use: ToolUse, { name, fit }: CallableTool): ReturnType<CallableTool['fit']> => {
  const text = textThatIsNoJson(use.input)
  if (text === undefined) return fit(inputText(use))
  return fail('invalid_json', `the input of '${name}' is not JSON: '${preview(text)}'`)
}

// In the provider's own form: see Block.
const textThatIsNoJson = (input: Json): string | undefined => {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return undefined
  const [[key, text] = [], another] = Object.entries(input)
  return key === 'invalid_json' && typeof text === 'string' && !another ? text : undefined
}

const unknown = (name: string, offered: readonly CallableTool[]): Result<never> => ({
  ok: false,
  error: noSuchTool(
    name,
    offered.map(({ offer }) => offer.name),
  ),
})
