// One client: a server of the SDK on the transport of that client, with what all clients share and what is its own.

import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { scrub } from '@plumb/wire'
import { version } from '../../package.json'
import { openSubscriptions } from '../resources/subscriptions.js'
import { passes } from './level.js'
import type { Client } from './method.js'
import { METHODS } from './methods.js'
import { METHOD_NOT_FOUND, RpcError } from './rpc-error.js'
import { answerRequests, NO_VALIDATION, type ServerClass, sendNotification } from './sdk.js'
import type { ServerContext } from './server-context.js'

export const openClient = async (Class: ServerClass, transport: Transport, context: ServerContext): Promise<Client> => {
  const server = new Class(
    { name: 'plumb-mcp', title: 'plumb', version },
    { capabilities: capabilitiesOf(context), instructions: INSTRUCTIONS, jsonSchemaValidator: NO_VALIDATION },
  )
  const subscriptions = openSubscriptions((uri) => ignoreRejection(server.sendResourceUpdated({ uri })))
  const client: Client = {
    server,
    context,
    subscriptions,
    level: 'info',
    log: (level, data, send) => {
      if (!passes(level, client.level)) return
      const params = { level, logger: 'plumb-mcp', data: JSON.parse(scrub(JSON.stringify(data))) }
      const notification = { method: 'notifications/message', params }
      ignoreRejection(send ? send(notification) : sendNotification(server, notification))
    },
    listChanged: () => {
      ignoreRejection(server.sendToolListChanged())
      ignoreRejection(server.sendPromptListChanged())
    },
    close: () => server.close(),
  }
  server.onclose = () => subscriptions.close()
  // These errors are of a client that is gone, or that answers a request which was never sent.
  server.onerror = () => {}
  // Not among those of the constructor, which would then answer logging/setLevel itself.
  server.registerCapabilities({ logging: {} })
  answerRequests(server, async (name, params, request) => {
    const method = Object.hasOwn(METHODS, name) ? METHODS[name] : undefined
    if (!method) throw new RpcError(METHOD_NOT_FOUND, `there is no method '${name}'`)
    return method(client, params, request)
  })
  await server.connect(transport)
  return client
}

// The transport rejects once the client is gone, which is known by then.
const ignoreRejection = (sending: Promise<unknown>): void => void sending.catch(() => {})

const capabilitiesOf = ({ files }: ServerContext) => ({
  tools: { listChanged: true },
  prompts: { listChanged: true },
  completions: {},
  ...(files ? { resources: { subscribe: true } } : {}),
})

const INSTRUCTIONS =
  'Tools are typed programs. check and call take a spec in the plumb language; the other tools, and agents as {input}, are those of the specs ' +
  'and prompts that this server was started with.'
