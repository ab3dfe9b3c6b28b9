// What a connection needs of the way to a server, whichever it is: messages both ways, a good end, and words about a bad one.

import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { RequestId } from '@modelcontextprotocol/sdk/types.js'
import type { Fault } from '@plumb/wire'
import type { StderrTail } from '../source/process/stderr-tail.js'

export interface Link {
  readonly transport: Transport
  /** Why it broke off, as far as is known, to stand behind a colon; undefined: nothing is known. */
  readonly lastWords: () => string | undefined
  /** One way for all messages, on which an answer may be waited for in vain; else each request is answered or refused. */
  readonly isStream: boolean
  /** All revisions that are spoken over it have sessions. */
  readonly hasSessions?: boolean
  /** Gives up the request of this id; undefined: a message to the server says so. */
  readonly cancel?: (id: RequestId) => void
  /** What a server that was started has said on its stderr. */
  readonly stderr?: StderrTail
  /** Of a server in a sandbox: the access that it lacked, by what it said. */
  readonly findMissingAccess?: ((said: string) => string | undefined) | undefined
  /** In good order: what was opened at the other side is closed there, what was started has ended. Never fails. */
  readonly end: () => Promise<void>
}

/** What the SDK is to pass on as it is: it hands back the very errors that a transport throws. */
export class LinkError extends Error {
  readonly fault: Fault
  constructor(fault: Fault) {
    super(fault.detail)
    this.fault = fault
  }
}
