// One client: a server of the SDK on the transport of that client, with what all clients share and what is its own.

import type { Server } from '@modelcontextprotocol/sdk/server/index.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { openSubscriptions } from '../resources/subscriptions.js'
import { APPROVAL_TIMEOUT_MS, CONSENT } from './consent.js'
import { capabilitiesOf, INSTRUCTIONS, SERVER_INFO } from './identity.js'
import { logMessage, passes } from './level.js'
import type { Client } from './method.js'
import { SESSION_METHODS } from './methods.js'
import { noMethod } from './rpc-error.js'
import { answerRequests, NO_VALIDATION, type ServerClass, sendNotification } from './sdk.js'
import type { ServerContext } from './server-context.js'

export const openClient = async (Class: ServerClass, transport: Transport, context: ServerContext): Promise<Client> => {
  const server = new Class(SERVER_INFO, {
    capabilities: capabilitiesOf(context),
    instructions: INSTRUCTIONS,
    jsonSchemaValidator: NO_VALIDATION,
  })
  const subscriptions = openSubscriptions((uri) => ignoreRejection(server.sendResourceUpdated({ uri })))
  const client: Client = {
    context,
    isStateless: false,
    subscriptions,
    level: 'info',
    log: (level, data, send) => {
      if (!passes(level, client.level)) return
      const notification = logMessage(level, data)
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
    const method = Object.hasOwn(SESSION_METHODS, name) ? SESSION_METHODS[name] : undefined
    if (!method) throw noMethod(name)
    return method(client, params, { ...request, approve: (message, signal) => ask(server, message, signal) })
  })
  await server.connect(transport)
  return client
}

// The transport rejects once the client is gone, which is known by then.
const ignoreRejection = (sending: Promise<unknown>): void => void sending.catch(() => {})

/** Of the person at the client, where it has a way to ask. */
const ask = async (server: Server, message: string, signal: AbortSignal): Promise<boolean> => {
  if (!server.getClientCapabilities()?.elicitation) return false
  try {
    const { action } = await server.elicitInput({ message, requestedSchema: CONSENT }, { signal, timeout: APPROVAL_TIMEOUT_MS })
    return action === 'accept'
  } catch {
    return false
  }
}
