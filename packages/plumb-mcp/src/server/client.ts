// One client: a server of the SDK's on its transport, with what all clients share and what is this one's alone.

import type { Server } from '@modelcontextprotocol/sdk/server/index.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { scrub } from '@plumb/wire'
import { version } from '../../package.json'
import { openSubscriptions, type Subscriptions } from '../resources/subscriptions.js'
import { type Level, passes } from './level.js'
import { METHODS, type Params } from './methods.js'
import { METHOD_NOT_FOUND, RpcError } from './rpc-error.js'
import type { Shared } from './shared.js'

export interface Client {
  readonly server: Server
  readonly shared: Shared
  readonly subscriptions: Subscriptions
  /** The least that it is told of. */
  level: Level
  /** Tells it, where it wants to hear of that; of a request while that is answered. */
  log(level: Level, data: unknown, send?: Extra['sendNotification']): void
  /** Tools and prompts have come, gone or changed. */
  listChanged(): void
  close(): Promise<void>
}

/** What the SDK gives along with a request. */
export interface Extra {
  readonly signal: AbortSignal
  readonly requestId: string | number
  readonly _meta?: { readonly progressToken?: string | number } | undefined
  readonly sendNotification: (notification: { readonly method: string; readonly params: Record<string, unknown> }) => Promise<void>
}

export type ServerClass = typeof Server

export const openClient = async (Class: ServerClass, transport: Transport, shared: Shared): Promise<Client> => {
  const server = new Class(
    { name: 'plumb-mcp', title: 'plumb', version },
    { capabilities: capabilitiesOf(shared), instructions: INSTRUCTIONS, jsonSchemaValidator: UNUSED },
  )
  // Its transport fails when the client is gone, and whatever is said then says nothing new.
  const quietly = (sending: Promise<unknown>): void => void sending.catch(() => {})
  const subscriptions = openSubscriptions((uri) => quietly(server.sendResourceUpdated({ uri })))
  const client: Client = {
    server,
    shared,
    subscriptions,
    level: 'info',
    log: (level, data, send) => {
      if (!passes(level, client.level)) return
      const params = { level, logger: 'plumb-mcp', data: JSON.parse(scrub(JSON.stringify(data))) }
      quietly((send ?? ((notification) => server.notification(notification as never)))({ method: 'notifications/message', params }))
    },
    listChanged: () => {
      quietly(server.sendToolListChanged())
      quietly(server.sendPromptListChanged())
    },
    close: () => server.close(),
  }
  server.onclose = () => subscriptions.close()
  // What it tells of is a client that is gone, or that answers what nobody asked.
  server.onerror = () => {}
  // Not among those of the constructor, which would then answer logging/setLevel itself.
  server.registerCapabilities({ logging: {} })
  server.fallbackRequestHandler = async (request, extra) => {
    const method = Object.hasOwn(METHODS, request.method) ? METHODS[request.method] : undefined
    if (!method) throw new RpcError(METHOD_NOT_FOUND, `there is no method '${request.method}'`)
    return method(client, (request.params ?? {}) as Params, extra as unknown as Extra) as never
  }
  await server.connect(transport)
  return client
}

const capabilitiesOf = ({ files }: Shared) => ({
  tools: { listChanged: true },
  prompts: { listChanged: true },
  completions: {},
  ...(files ? { resources: { subscribe: true } } : {}),
})

const INSTRUCTIONS =
  'Tools are typed programs. check and call take a spec in the plumb language; the other tools, and agents as {input}, are those of the specs ' +
  'and prompts that this server was started with.'

// What elicitation gives back is an object without fields.
const UNUSED = { getValidator: () => (input: unknown) => ({ valid: true as const, data: input as never, errorMessage: undefined }) }
