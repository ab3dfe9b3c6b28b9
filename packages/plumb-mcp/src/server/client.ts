// One client of a revision with sessions: handles the requests on its transport, with the server's shared context and its own.

import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { WalkedCalls } from '@plumb/tool/internal'
import { isRecord } from '@plumb/wire'
import { openSubscriptions } from '../resources/subscriptions.js'
import { APPROVAL_TIMEOUT_MS, enteredIn, hasForms } from './consent.js'
import { capabilitiesOf, INSTRUCTIONS, SERVER_INFO } from './identity.js'
import { openJsonRpc } from './json-rpc.js'
import { logMessage, passes } from './level.js'
import type { Client, Method, Params, RequestContext } from './method.js'
import { SESSION_METHODS } from './methods.js'
import { INVALID_PARAMS, noMethod, RpcError } from './rpc-error.js'
import type { ServerContext } from './server-context.js'

/** `calls`: its session's, where that is known before. */
export const openClient = async (transport: Transport, context: ServerContext, calls = openCalls(context)): Promise<Client> => {
  let canAsk = false
  let revision: string | undefined
  const begin: Method = async (_, params) => {
    const { answer, capabilities } = initialize(params, context)
    canAsk = hasForms(capabilities.elicitation)
    revision = answer.protocolVersion
    return answer
  }
  const subscriptions = openSubscriptions((uri) => void rpc.notify({ method: 'notifications/resources/updated', params: { uri } }))
  const rpc = openJsonRpc(
    transport,
    async (name, params, { header, ...request }) => {
      const method = name === 'initialize' ? begin : Object.hasOwn(SESSION_METHODS, name) ? SESSION_METHODS[name] : undefined
      if (!method) throw noMethod(name)
      /** Asks the person at the client, if it supports that. */
      const ask: RequestContext['ask'] = async (question, signal) => {
        if (!canAsk) return undefined
        const options = { signal, timeoutMs: APPROVAL_TIMEOUT_MS, relatedTo: request.requestId }
        const reply = await rpc.ask('elicitation/create', { mode: 'form', ...question }, options).catch(() => undefined)
        return isRecord(reply) ? enteredIn(reply) : undefined
      }
      const answer = (traceparent?: string) => method(client, params, { ...request, ask, traceparent })
      const { spans, catalogue } = context
      if (!spans) return answer()
      return spans.around({ id: request.requestId, method: name, params, header, protocol: () => revision, catalogue }, answer)
    },
    () => subscriptions.close(),
  )
  const client: Client = {
    context,
    isStateless: false,
    calls,
    subscriptions,
    level: 'info',
    log: (level, data, send) => {
      if (passes(level, client.level)) void (send ?? rpc.notify)(logMessage(level, data))
    },
    listChanged: () => {
      void rpc.notify({ method: 'notifications/tools/list_changed' })
      void rpc.notify({ method: 'notifications/prompts/list_changed' })
    },
    close: () => rpc.close(),
  }
  calls?.onMove(() => void rpc.notify({ method: 'notifications/tools/list_changed' }))
  await rpc.start()
  return client
}

/** The calls of a session that begins. Undefined: they keep to no protocol. */
export const openCalls = ({ protocol }: ServerContext): WalkedCalls | undefined => protocol && new WalkedCalls(protocol.begin())

/** The revisions with sessions, newest first: a client that asks for another one is offered the newest. */
const REVISIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05', '2024-10-07'] as const

interface Initialized {
  readonly answer: { readonly protocolVersion: string }
  /** The client's. */
  readonly capabilities: Params
}

/** Throws an `RpcError` if something is missing. */
const initialize = ({ protocolVersion: asked, capabilities, clientInfo }: Params, context: ServerContext): Initialized => {
  if (typeof asked !== 'string') throw new RpcError(INVALID_PARAMS, "'protocolVersion' takes a revision of the protocol")
  if (!isRecord(capabilities)) throw new RpcError(INVALID_PARAMS, "'capabilities' takes an object")
  if (!isRecord(clientInfo) || typeof clientInfo.name !== 'string' || typeof clientInfo.version !== 'string') {
    throw new RpcError(INVALID_PARAMS, "'clientInfo' takes an object with 'name' and 'version'")
  }
  const answer = {
    protocolVersion: REVISIONS.find((revision) => revision === asked) ?? REVISIONS[0],
    capabilities: { ...capabilitiesOf(context), logging: {} },
    serverInfo: SERVER_INFO,
    instructions: INSTRUCTIONS,
  }
  return { answer, capabilities }
}
