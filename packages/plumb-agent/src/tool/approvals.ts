// Asks a person to approve calls: on the control channel if there is one, else at the terminal.

import { terminalApproval } from '@plumb/policy'
import { type ApprovalOutcome, type Fault, fault, preview } from '@plumb/wire'
import type { Emit } from '../io/telemetry.js'
import { WrittenJson } from '../io/written-json.js'
import type { Questions } from './questions.js'

export interface ModelApprovalRequest {
  readonly id: string
  readonly tool: string
  /** One JSON value as text. */
  readonly input: string
}

/** Undefined: there is no person. */
export type AskPerson = (request: ModelApprovalRequest, signal: AbortSignal) => Promise<boolean | undefined>

/** As it is asked on the control channel. */
export interface ApprovalQuestion {
  readonly kind: 'approval'
  readonly id: string
  readonly tool: string
  readonly input: WrittenJson
}

export interface ApprovalParts {
  /** False: there is no control channel. */
  readonly announce: (question: ApprovalQuestion) => boolean
  /** Approvals or denials may still come. */
  readonly canBeAnswered: () => boolean
  /** They may precede the questions, as in a file. */
  readonly isRecorded: boolean
  readonly emit: Emit
  /** What its answers are asked of a person with. Undefined: they are a model's. */
  readonly questions?: Questions | undefined
  /** Undefined: the terminal of this process. */
  readonly askTerminal?: AskPerson | undefined
}

/** Long enough for a person who is away for a meal. */
export const APPROVAL_TIMEOUT_MS = 60 * 60_000
const MAX_RECORDED = 1000

export class Approvals {
  readonly #parts: ApprovalParts
  readonly #askTerminal: AskPerson
  readonly #waiting = new Map<string, (decision: boolean | Fault) => void>()
  readonly #recorded = new Map<string, boolean>()

  constructor(parts: ApprovalParts) {
    this.#parts = parts
    this.#askTerminal = parts.askTerminal ?? terminalApproval()
  }

  /** `approval_required` if the call is denied or no answer comes. Undefined: it may be made. */
  async requestConsent(request: ModelApprovalRequest, signal: AbortSignal): Promise<Fault | undefined> {
    const decision = await this.#decide(request, signal)
    if (typeof decision === 'object') return decision
    return decision ? undefined : fault('approval_required', `the call of '${preview(request.tool)}' was denied`)
  }

  /** The person's decision. Undefined: there is no person, or no answer came. */
  async decide(request: ModelApprovalRequest, signal: AbortSignal): Promise<boolean | undefined> {
    const decision = await this.#decide(request, signal)
    return typeof decision === 'object' ? undefined : decision
  }

  /** Applies a control message; a fault: no call with that id waits. */
  settle(id: string, isApproved: boolean): Fault | undefined {
    const settle = this.#waiting.get(id)
    const isKept = !settle && this.#parts.isRecorded && this.#recorded.size < MAX_RECORDED
    if (isKept) this.#recorded.set(id, isApproved)
    settle?.(isApproved)
    return settle || isKept ? undefined : fault('input_type_mismatch', `no call with the id '${preview(id)}' waits for approval`)
  }

  get questions(): Questions | undefined {
    return this.#parts.questions
  }

  /** No more answers can come. */
  end(): void {
    this.questions?.end()
    for (const settle of [...this.#waiting.values()]) settle(CONTROL_ENDED)
  }

  async #decide(request: ModelApprovalRequest, signal: AbortSignal): Promise<boolean | Fault> {
    const { announce, canBeAnswered } = this.#parts
    const { id, tool, input } = request
    const recorded = this.#recorded.get(id)
    const isAnnounced =
      (recorded !== undefined || canBeAnswered()) && announce({ kind: 'approval', id, tool, input: new WrittenJson(input) })
    if (!isAnnounced && recorded === undefined) return (await this.#askTerminal(request, signal)) ?? NO_TERMINAL
    const decision = recorded ?? (await this.#wait(id, signal))
    this.#parts.emit({ kind: 'approval', id, name: tool, outcome: outcomeOf(decision) })
    return decision
  }

  #wait(id: string, signal: AbortSignal): Promise<boolean | Fault> {
    return new Promise((resolve) => {
      const settle = (decision: boolean | Fault): void => {
        clearTimeout(timer)
        signal.removeEventListener('abort', cancel)
        this.#waiting.delete(id)
        resolve(decision)
      }
      const cancel = () => settle(DROPPED)
      const timer = setTimeout(() => settle(TIMED_OUT), APPROVAL_TIMEOUT_MS)
      signal.addEventListener('abort', cancel)
      this.#waiting.set(id, settle)
    })
  }
}

const outcomeOf = (decision: boolean | Fault): ApprovalOutcome => {
  if (typeof decision === 'boolean') return decision ? 'approved' : 'denied'
  return decision === TIMED_OUT ? 'timeout' : decision === DROPPED ? 'cancelled' : 'unheard'
}

const NO_TERMINAL = fault('approval_required', 'the call needs the consent of a person, and there is none to ask')
const CONTROL_ENDED = fault('approval_required', 'the control channel ended before the call was approved')
const TIMED_OUT = fault('approval_required', 'the call was not approved within an hour')
const DROPPED = fault('cancelled', 'the answer that asked for this call was dropped')
