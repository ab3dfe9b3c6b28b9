// The dispatcher: makes the calls that agents request, and answers each once, in any order (plumb-wire(5)). It does not know about lines
// and descriptors.

import {
  type Dispatcher,
  errorAnswer,
  type Fault,
  fault,
  IdempotencyCache,
  nearest,
  preview,
  RESULT_DROPPED,
  Semaphore,
  type ToolAnswer,
  type ToolRequest,
} from '@plumb/wire'
import type { Session } from '../call/call.js'
import { perform } from '../call/perform.js'
import type { Registry } from '../registry/registry.js'
import { whyRefused } from '../source/builtin/table.js'
import type { AgentServers } from '../source/mcp/agent-servers.js'

/** Calls that run at once; others wait their turn. */
const MAX_PARALLEL = 8
/** The limit of answers that are kept for repeated requests. */
const MAX_CHARACTERS = 64 * 1024 * 1024

export interface DispatcherOptions {
  readonly registry: Registry
  readonly session: Session
  /** The MCP servers of the served agent. */
  readonly servers?: AgentServers | undefined
  /** The agent asked for approval before it sent the request, so only calls within tools are asked about here. */
  readonly wasApproved?: boolean
}

export const openDispatcher = ({ registry, session: given, servers, wasApproved = false }: DispatcherOptions): Dispatcher => {
  const answers = new IdempotencyCache<ToolAnswer>({
    maxCharacters: MAX_CHARACTERS,
    lengthOf: ({ content }) => content.length,
    dropped: (id) => errorAnswer(id, RESULT_DROPPED),
  })
  const permits = new Semaphore(MAX_PARALLEL)
  let stop = new AbortController()
  let isClosing = false
  const requested = new Set<string>()
  const session: Session = wasApproved
    ? { ...given, approve: async (request, signal) => requested.has(request.id) || given.approve(request, signal) }
    : given

  const run = async ({ id, name, input, depth = 0, delivery }: ToolRequest): Promise<ToolAnswer> => {
    const { signal } = stop
    if (!permits.tryAcquire()) await permits.acquire()
    requested.add(id)
    try {
      const found = registry.get(name)?.tool ?? (await servers?.find(name, depth > 0 ? 'value' : 'content'))
      if (!found) return errorAnswer(id, unknownTool(name, registry, servers))
      if (signal.aborted) return errorAnswer(id, isClosing ? STOPPING : CANCELLED)
      const of = depth > 0 ? deeper(session, depth) : session
      const { result } = await perform(found, input, { session: of, signal, id, delivery })
      // A server's message about its failure is passed on.
      return result.ok ? { id, content: result.value, is_error: false } : errorAnswer(id, result.error.content ?? result.error)
    } catch (error) {
      return errorAnswer(id, bug(error))
    } finally {
      requested.delete(id)
      permits.release()
    }
  }

  return {
    answer: (request) => answers.get(request.id, () => run(request)),
    cancel: () => {
      stop.abort()
      stop = new AbortController()
    },
    close: async () => {
      isClosing = true
      stop.abort()
      await permits.idle()
      await given.servers.close()
    },
  }
}

/** The trace shows the depth of inner calls within everything around them. */
const deeper = (session: Session, around: number): Session => ({
  ...session,
  onCall:
    session.onCall && ((call, context) => session.onCall?.(call.depth === 0 ? call : { ...call, depth: call.depth + around }, context)),
})

/** Names the unknown tool, and the likely one. */
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

const STOPPING = fault('cancelled', 'the dispatcher is stopping')
const CANCELLED = fault('cancelled', 'the answer that asked for this call was dropped')

// The call has already caught what a tool throws.
const bug = (error: unknown): Fault => fault('internal', error instanceof Error ? (error.stack ?? error.message) : String(error))
