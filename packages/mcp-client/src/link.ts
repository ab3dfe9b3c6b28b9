// The interface of a way to a server: messages in both directions, an orderly end, and reasons for any other.

import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { RequestId } from '@modelcontextprotocol/sdk/types.js'
import type { StderrTail } from '@plumb/sandbox'
import type { Fault } from '@plumb/wire'

export interface Link {
  readonly transport: Transport
  /** Why it broke, if known, to follow a colon. Undefined: unknown. */
  readonly closeReason: () => string | undefined
  /** Lines on its stdout that were not messages: their number, and the last. */
  readonly skipped?: () => { readonly count: number; readonly last: string }
  /** One stream for all messages, on which an answer may never come; else each request is answered or refused. */
  readonly isStream: boolean
  /** All revisions over it have sessions. */
  readonly hasSessions?: boolean
  /** Cancels the request of this id. Undefined: by a message to the server. */
  readonly cancel?: (id: RequestId) => void
  /** The stderr of a started server so far. */
  readonly stderr?: StderrTail
  /** For a sandboxed server: the access that it lacked, from its messages. */
  readonly findMissingAccess?: ((said: string) => string | undefined) | undefined
  /** Ends in good order: the session is deleted, a started server has ended. Never fails. */
  readonly end: () => Promise<void>
}

/** Errors that the SDK must pass on unchanged: it rethrows what a transport throws. */
export class LinkError extends Error {
  readonly fault: Fault
  constructor(fault: Fault) {
    super(fault.detail)
    this.fault = fault
  }
}
