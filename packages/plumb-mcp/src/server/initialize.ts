// The first request of a session: negotiates the revision and the capabilities.

import { isRecord } from '@plumb/wire'
import { capabilitiesOf, INSTRUCTIONS, SERVER_INFO } from './identity.js'
import type { Params } from './method.js'
import { INVALID_PARAMS, RpcError } from './rpc-error.js'
import type { ServerContext } from './server-context.js'

/** The revisions with sessions, newest first: a client that asks for another one is offered the newest. */
const REVISIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05', '2024-10-07'] as const

export interface Initialized {
  readonly answer: object
  /** The client's. */
  readonly capabilities: Params
}

/** Throws an `RpcError` if something is missing. */
export const initialize = ({ protocolVersion: asked, capabilities, clientInfo }: Params, context: ServerContext): Initialized => {
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
