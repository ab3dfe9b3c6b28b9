// Revision 2026-07-28: each request stands alone, and is answered by the same methods as in sessions.

import { isRecord } from '@plumb/wire'
import { openCalls } from '../server/client.js'
import { capabilitiesOf, INSTRUCTIONS, SERVER_INFO } from '../server/identity.js'
import { logMessage, passes } from '../server/level.js'
import type { Caller, Method, Notification, Params, RequestContext } from '../server/method.js'
import { METHODS } from '../server/methods.js'
import { MISSING_CAPABILITY, noMethod, RpcError, toRpcError } from '../server/rpc-error.js'
import type { ServerContext } from '../server/server-context.js'
import { REVISION, type RequestEnvelope, readEnvelope, SERVER_INFO_KEY, TASKS } from './envelope.js'
import { openListeners } from './listen.js'
import { openServerRounds } from './rounds.js'
import { lacksTasks, openTasks } from './tasks.js'

export interface StatelessRequest {
  readonly id: string | number
  readonly method: string
  readonly params?: Params
}

/** A response of JSON-RPC. `isRefused`: the request was not begun. */
export interface StatelessAnswer {
  readonly message: object
  readonly code?: number
  readonly isRefused?: true
}

export interface StatelessServer {
  /** Never rejects. Undefined: the client has cancelled it, and gets no answer. */
  answer(request: StatelessRequest, asker: Asker): Promise<StatelessAnswer | undefined>
  /** Ends the streams of all listeners. */
  endListeners(): void
}

export interface Asker {
  /** Fires when the client no longer waits. */
  readonly signal: AbortSignal
  readonly send: (notification: Notification) => Promise<void>
  /** `traceparent` of its HTTP request. */
  readonly header?: string | undefined
}

/** How long lists may be cached (ms) unless a notification says otherwise; contents of files may change at once. */
const TTL_MS: Readonly<Record<string, number>> = {
  'server/discover': 60_000,
  'tools/list': 60_000,
  'prompts/list': 60_000,
  'resources/list': 0,
  'resources/templates/list': 60_000,
  'resources/read': 0,
}

/** `calls`: of all requests, which have no session of their own. */
export const openStateless = (context: ServerContext, taskAfterMs?: number, calls = openCalls(context)): StatelessServer => {
  calls?.onMove(() => context.changes.emit('walked'))
  const rounds = openServerRounds(taskAfterMs)
  const tasks = openTasks()
  const listeners = openListeners(context)

  const discover: Method = async () => ({
    supportedVersions: [REVISION],
    capabilities: { ...capabilitiesOf(context), logging: {}, extensions: { [TASKS]: {} } },
    instructions: INSTRUCTIONS,
  })

  const perform = async (
    request: StatelessRequest,
    envelope: RequestEnvelope,
    { signal, send }: Asker,
    traceparent?: string,
  ): Promise<object | undefined> => {
    const { id, method: name, params = {} } = request
    const method = name === 'server/discover' ? discover : Object.hasOwn(METHODS, name) ? METHODS[name] : undefined
    const shared = { requestId: id, traceparent, _meta: { progressToken: envelope.progressToken } as RequestContext['_meta'] }
    const { hasTasks } = envelope
    if (name === 'subscriptions/listen')
      return listeners.listen(params, { ...shared, signal, sendNotification: send, watch: hasTasks ? tasks.watch : undefined })
    const ofTask = Object.hasOwn(tasks.methods, name) ? tasks.methods[name] : undefined
    if (ofTask && !hasTasks) throw lacksTasks()
    if (ofTask) return ofTask(params)
    if (!method) throw noMethod(name)
    const caller: Caller = {
      context,
      isStateless: true,
      calls,
      // A call may go on when its request has been answered.
      log: (level, data, sendOfCall = send) => {
        if (envelope.level && passes(level, envelope.level)) void sendOfCall(logMessage(level, data)).catch(() => {})
      },
    }
    if (name !== 'tools/call') return method(caller, params, { ...shared, signal, sendNotification: send, ask: async () => undefined })
    const waiting = { signal, send, toTask: hasTasks ? tasks.create : undefined }
    if (params.requestState !== undefined) return rounds.goOn(params.requestState, params, waiting)
    return rounds.begin(params, waiting, async (round) => {
      let isLacking = false
      const deny = async (): Promise<undefined> => {
        isLacking = true
      }
      const result = await method(caller, params, { ...shared, ...round, ask: envelope.canAsk ? round.ask : deny })
      if (isLacking && (result as { isError?: true }).isError) throw lacksElicitation()
      return result
    })
  }

  const { spans, catalogue } = context
  const watched: typeof perform = async (request, envelope, asker) => {
    const { id, method, params = {} } = request
    // A stream of notifications has no end of its own.
    const isSpanned = spans && method !== 'subscriptions/listen' && (method === 'server/discover' || Object.hasOwn(METHODS, method))
    if (!isSpanned) return perform(request, envelope, asker)
    const of = { id, method, params, header: asker.header, protocol: () => envelope.revision, catalogue }
    return spans.around(of, (traceparent) => perform(request, envelope, asker, traceparent))
  }

  return {
    answer: async (request, asker) => {
      const { id, method } = request
      let envelope: RequestEnvelope | undefined
      try {
        envelope = readEnvelope(request.params ?? {})
        const result = await watched(request, envelope, asker)
        if (asker.signal.aborted || !result) return undefined
        return { message: { jsonrpc: '2.0', id, result: complete(method, result, calls !== undefined) } }
      } catch (error) {
        if (asker.signal.aborted) return undefined
        const refusal = toRpcError(error)
        return { code: refusal.code, message: { jsonrpc: '2.0', id, error: refusal }, ...(envelope ? {} : { isRefused: true }) }
      }
    },
    endListeners: () => listeners.close(),
  }
}

const complete = (method: string, result: object, isWalked: boolean): object => {
  const given = { resultType: 'complete', ...result }
  // Each call may change which tools come next.
  const ttlMs = isWalked && method === 'tools/list' ? 0 : TTL_MS[method]
  const hints = ttlMs === undefined ? {} : { ttlMs, cacheScope: 'private' }
  const meta = '_meta' in result && isRecord(result._meta) ? result._meta : {}
  return { ...given, ...hints, _meta: { ...meta, [SERVER_INFO_KEY]: SERVER_INFO } }
}

const lacksElicitation = (): RpcError =>
  new RpcError(MISSING_CAPABILITY, 'the call asks a person, and the client has no elicitation', {
    requiredCapabilities: { elicitation: {} },
  })
