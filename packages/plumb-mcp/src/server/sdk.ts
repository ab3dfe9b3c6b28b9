// Where types of ours meet those of the SDK, which states the fields of requests and answers by
// schema, and optional ones without `undefined`.

import type { Server } from '@modelcontextprotocol/sdk/server/index.js'
import type { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { Notification, Params, RequestContext } from './method.js'

export type ServerClass = typeof Server

/** Answers all requests but those that the SDK answers itself. */
export const answerRequests = (
  server: Server,
  answer: (method: string, params: Params, context: Omit<RequestContext, 'approve'>) => Promise<object>,
): void => {
  server.fallbackRequestHandler = (request, extra) =>
    answer(request.method, (request.params ?? {}) as Params, extra as unknown as Omit<RequestContext, 'approve'>) as Promise<never>
}

export const sendNotification = (server: Server, notification: Notification): Promise<void> => server.notification(notification as never)

export const asTransport = (transport: WebStandardStreamableHTTPServerTransport): Transport => transport as Transport

/** What elicitation gives back is an object without fields, so that nothing is left to check. */
export const NO_VALIDATION = {
  getValidator: () => (input: unknown) => ({ valid: true as const, data: input as never, errorMessage: undefined }),
}
