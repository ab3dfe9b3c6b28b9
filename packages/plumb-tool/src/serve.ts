// The dispatcher: calls that agents ask for, each answered once, in any order (plumb-wire(5), Tools). Of lines and descriptors it knows nothing.

import { type Fault, fault, nearest, preview, Semaphore } from '@plumb/wire'
import type { Session } from './call/call.js'
import { perform } from './call/perform.js'
import type { JsonText } from './json-text.js'
import type { Registry } from './registry/registry.js'
import { FirstAnswers } from './serve-answers.js'
import { whyRefused } from './source/builtin/table.js'
import type { AgentServers } from './source/mcp/agent-servers.js'

export interface ToolRequest {
  /** The model's own tool-use id. */
  readonly id: string
  readonly name: string
  readonly input: JsonText
}

export interface ToolAnswer {
  readonly id: string
  /** JSON text: of the result, or of the error object. */
  readonly content: string
  readonly is_error: boolean
}

export interface Dispatcher {
  /** Never fails. A repeated id gets the first answer again and runs nothing. */
  answer(request: ToolRequest): Promise<ToolAnswer>
  /** Stops what runs: it is answered as `cancelled`, and so is what is asked from now on. Resolves when all has really stopped. */
  close(): Promise<void>
}

/** Calls that run at once; others wait their turn. */
const MAX_PARALLEL = 8

export interface DispatcherOptions {
  readonly registry: Registry
  readonly session: Session
  /** Those of the agent that is served; closed with the dispatcher, as all that its tools have opened. */
  readonly servers?: AgentServers | undefined
  /** Who sends requests has asked a person where that is needed, as agents do; only what a tool calls in its turn is asked for here. */
  readonly isAskedBefore?: boolean
}

export const openDispatcher = ({ registry, session: given, servers, isAskedBefore = false }: DispatcherOptions): Dispatcher => {
  const first = new FirstAnswers()
  const permits = new Semaphore(MAX_PARALLEL)
  const stop = new AbortController()
  const requested = new Set<string>()
  const session: Session = isAskedBefore
    ? { ...given, approve: async (request, signal) => requested.has(request.id) || given.approve(request, signal) }
    : given

  const run = async ({ id, name, input }: ToolRequest): Promise<ToolAnswer> => {
    if (!permits.tryAcquire()) await permits.acquire()
    requested.add(id)
    try {
      const found = registry.get(name)?.tool ?? (await servers?.find(name))
      if (!found) return refuse(id, unknownTool(name, registry, servers))
      if (stop.signal.aborted) return refuse(id, CANCELLED)
      const { result } = await perform(found, input, { session, signal: stop.signal, id })
      return result.ok ? { id, content: result.value, is_error: false } : refuse(id, result.error)
    } catch (error) {
      return refuse(id, bug(error))
    } finally {
      requested.delete(id)
      permits.release()
    }
  }

  return {
    answer: (request) => first.get(request.id, () => run(request)),
    close: async () => {
      stop.abort()
      await permits.idle()
      await given.servers.close()
    },
  }
}

/** Names it, and the one that may be meant. */
export const unknownTool = (name: string, registry: Registry, servers?: AgentServers): Fault => {
  if (registry.isInternal(name)) return fault('unknown_tool', `'${name}' is internal to the spec: write '@tool true' above it to offer it`)
  const refused = whyRefused(name)
  if (refused !== undefined) return fault('unknown_tool', refused)
  const names = [...registry.list().map(({ plan }) => plan.name), ...(servers?.offers() ?? []).map((offer) => offer.name)]
  const near = nearest(name, names)
  const hint =
    near === undefined
      ? `; ${names.length === 0 ? 'there are none' : `there are ${preview(names.join(', '), 200)}`}`
      : `, did you mean '${near}'?`
  return fault('unknown_tool', `no tool is named '${preview(name)}'${hint}`)
}

const CANCELLED = fault('cancelled', 'the dispatcher is stopping')

// What a tool throws is caught nearer to it.
const bug = (error: unknown): Fault => fault('internal', error instanceof Error ? (error.stack ?? error.message) : String(error))

// What a server said of its failure is passed through.
const refuse = (id: string, error: Fault): ToolAnswer => ({ id, content: JSON.stringify(error.content ?? error), is_error: true })
