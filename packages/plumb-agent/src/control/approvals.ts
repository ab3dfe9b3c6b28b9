// Calls that wait for a person's word: asked on the control channel where somebody listens there, else at the terminal.

import { type AskTerminal, terminalApproval } from '@plumb/policy'
import { type ApprovalOutcome, type Fault, fault, preview } from '@plumb/wire'
import type { Tell } from '../io/telemetry.js'
import type { Reply } from './message.js'

export interface ApprovalRequest {
  readonly id: string
  readonly tool: string
  /** One JSON value as text. */
  readonly input: string
}

export interface ApprovalParts {
  /** False: there is no control channel to ask on. */
  readonly announce: (reply: Reply) => boolean
  /** Messages may still come that approve or deny. */
  readonly isHeard: () => boolean
  /** They may stand there before they are asked for, as in a file. */
  readonly isRecorded: boolean
  readonly tell: Tell
  readonly askTerminal?: AskTerminal
}

// Longer than a person is away who means to come back.
const PATIENCE_MS = 60 * 60_000
const MAX_RECORDED = 1000

export class Approvals {
  readonly #parts: ApprovalParts
  readonly #askTerminal: AskTerminal
  readonly #waiting = new Map<string, (said: boolean | Fault) => void>()
  readonly #recorded = new Map<string, boolean>()

  constructor(parts: ApprovalParts) {
    this.#parts = parts
    this.#askTerminal = parts.askTerminal ?? terminalApproval()
  }

  /** `approval_required` where it is denied, or nobody says anything; undefined: the call may be made. */
  async ask(request: ApprovalRequest, signal: AbortSignal): Promise<Fault | undefined> {
    const said = await this.#hear(request, signal)
    if (typeof said === 'object') return said
    return said ? undefined : fault('approval_required', `the call of '${preview(request.tool)}' was denied`)
  }

  /** What a control message said; the fault says that no call waits by that id. */
  settle(id: string, isApproved: boolean): Fault | undefined {
    const settle = this.#waiting.get(id)
    const isKept = !settle && this.#parts.isRecorded && this.#recorded.size < MAX_RECORDED
    if (isKept) this.#recorded.set(id, isApproved)
    settle?.(isApproved)
    return settle || isKept ? undefined : fault('input_type_mismatch', `no call with the id '${preview(id)}' waits for approval`)
  }

  /** Nobody can say anything any more. */
  end(): void {
    for (const settle of [...this.#waiting.values()]) settle(UNHEARD)
  }

  async #hear(request: ApprovalRequest, signal: AbortSignal): Promise<boolean | Fault> {
    const { announce, isHeard } = this.#parts
    const { id, tool, input } = request
    const recorded = this.#recorded.get(id)
    const isAnnounced = (recorded !== undefined || isHeard()) && announce({ kind: 'approval', id, tool, input: JSON.parse(input) })
    if (!isAnnounced && recorded === undefined) return (await this.#askTerminal(request, signal)) ?? NOBODY
    const said = recorded ?? (await this.#wait(id, signal))
    this.#parts.tell({ kind: 'approval', id, name: tool, outcome: outcomeOf(said) })
    return said
  }

  #wait(id: string, signal: AbortSignal): Promise<boolean | Fault> {
    return new Promise((resolve) => {
      const settle = (said: boolean | Fault): void => {
        clearTimeout(timer)
        signal.removeEventListener('abort', abandon)
        this.#waiting.delete(id)
        resolve(said)
      }
      const abandon = () => settle(DROPPED)
      const timer = setTimeout(() => settle(LATE), PATIENCE_MS)
      signal.addEventListener('abort', abandon)
      this.#waiting.set(id, settle)
    })
  }
}

const outcomeOf = (said: boolean | Fault): ApprovalOutcome => {
  if (typeof said === 'boolean') return said ? 'approved' : 'denied'
  return said === LATE ? 'timeout' : said === DROPPED ? 'cancelled' : 'unheard'
}

const NOBODY = fault('approval_required', 'the call needs the consent of a person, and nobody is there to ask')
const UNHEARD = fault('approval_required', 'the control channel ended before anybody approved the call')
const LATE = fault('approval_required', 'nobody approved the call within an hour')
const DROPPED = fault('cancelled', 'the answer that asked for this call was dropped')
