// Asks a person to approve calls: on the control channel if there is one, else at the terminal.

import { type Consent, settleConsent, whyText } from '@plumb/ledger'
import { terminalApproval } from '@plumb/policy'
import { type ApprovalOutcome, type Fault, fault, preview, type Result, succeed } from '@plumb/wire'
import type { Emit } from '../io/telemetry.js'
import { WrittenJson } from '../io/written-json.js'
import type { Questions } from './questions.js'

export interface ModelApprovalRequest {
  readonly id: string
  readonly tool: string
  /** One JSON value as text. */
  readonly input: string
  /** Why what the person put in the place of the input cannot be taken. */
  readonly wrong?: string | undefined
}

/** A call that a person may give another input. */
export interface EditableRequest extends Omit<ModelApprovalRequest, 'wrong'> {
  /** What the call would be made with, if it had this input; or why it cannot have it. */
  readonly check: (json: string) => Result<string>
}

/** Undefined: there is no person. */
export type AskPerson = (request: ModelApprovalRequest, signal: AbortSignal) => Promise<Consent | undefined>

/** A call that is allowed. `edited`: the input that a person put in the place of the model's. */
export interface Consented {
  readonly edited?: string
}

/** As it is asked on the control channel. */
export interface ApprovalQuestion {
  readonly kind: 'approval'
  readonly id: string
  readonly tool: string
  readonly input: WrittenJson
  readonly wrong?: string
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
  readonly #waiting = new Map<string, (decision: Consent | Fault) => void>()
  /** Those of one call in their order. */
  readonly #recorded = new Map<string, { readonly consent: Consent; readonly refuse: (error: Fault) => void }[]>()
  #recordedCount = 0

  constructor(parts: ApprovalParts) {
    this.#parts = parts
    this.#askTerminal = parts.askTerminal ?? terminalApproval()
  }

  /** `approval_required` if the call is denied or no answer comes. */
  async requestConsent(request: EditableRequest, signal: AbortSignal): Promise<Result<Consented>> {
    const { said, why, ...consented } = await this.#settle(request, signal)
    if (said === true) return succeed(consented)
    const error = said === false ? fault('approval_required', `the call of '${preview(request.tool)}' was denied${whyText(why)}`) : said
    return { ok: false, error }
  }

  /** The person's decision. Undefined: there is no person, or no answer came. */
  async decide(request: EditableRequest, signal: AbortSignal): Promise<Consent | undefined> {
    const { said, edited } = await this.#settle(request, signal)
    if (typeof said === 'object') return undefined
    return said && edited !== undefined ? { edited } : said
  }

  /** Applies a control message. `refuse`: no call with that id waits, or none has until the end, where it may precede the question. */
  settle(id: string, consent: Consent, refuse: (error: Fault) => void): void {
    const settle = this.#waiting.get(id)
    const isKept = !settle && this.#parts.isRecorded && this.#recordedCount < MAX_RECORDED
    if (isKept) {
      this.#recordedCount++
      this.#recorded.set(id, [...(this.#recorded.get(id) ?? []), { consent, refuse }])
    }
    settle?.(consent)
    if (!settle && !isKept) refuse(notAsked(id))
  }

  /** No more calls will be asked about. */
  refuseUnused(): void {
    for (const [id, kept] of this.#recorded) for (const { refuse } of kept) refuse(notAsked(id))
    this.#recorded.clear()
  }

  get questions(): Questions | undefined {
    return this.#parts.questions
  }

  /** No more answers can come. */
  end(): void {
    this.questions?.end()
    for (const settle of [...this.#waiting.values()]) settle(CONTROL_ENDED)
  }

  #settle({ id, tool, input, check }: EditableRequest, signal: AbortSignal) {
    // What is allowed is what was asked under that id: an answer to the question before allows nothing else.
    let asked = id
    const ask = (call: Pick<ModelApprovalRequest, 'input' | 'wrong'>, nth: number) => {
      if (nth > 1) asked = `${id}~${nth}`
      return this.#decide({ id: asked, tool, input: call.input, wrong: call.wrong }, signal)
    }
    const checked = (json: string): Result<string> => {
      const result = check(json)
      const edited = result.ok ? { input: new WrittenJson(result.value) } : {}
      this.#parts.emit({ kind: 'approval', id: asked, name: tool, outcome: 'edited', ...edited })
      return result
    }
    return settleConsent<Fault>({ tool, input }, ask, checked)
  }

  async #decide(request: ModelApprovalRequest, signal: AbortSignal): Promise<Consent | Fault> {
    const { announce, canBeAnswered, emit } = this.#parts
    const { id, tool, input, wrong } = request
    const recorded = this.#recorded.get(id)?.shift()?.consent
    const isAnnounced =
      (recorded !== undefined || canBeAnswered()) &&
      announce({ kind: 'approval', id, tool, input: new WrittenJson(input), ...(wrong === undefined ? {} : { wrong }) })
    const asksTerminal = !isAnnounced && recorded === undefined
    const decision = asksTerminal
      ? ((await this.#askTerminal(request, signal)) ?? NO_TERMINAL)
      : (recorded ?? (await this.#wait(id, signal)))
    if (!asksTerminal && !isEdited(decision)) emit({ kind: 'approval', id, name: tool, outcome: outcomeOf(decision) })
    return decision
  }

  #wait(id: string, signal: AbortSignal): Promise<Consent | Fault> {
    return new Promise((resolve) => {
      const settle = (decision: Consent | Fault): void => {
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

const notAsked = (id: string): Fault => fault('input_type_mismatch', `no call with the id '${preview(id)}' waits for approval`)

const isEdited = (decision: Consent | Fault): boolean => typeof decision === 'object' && 'edited' in decision

const outcomeOf = (decision: Consent | Fault): ApprovalOutcome => {
  if (typeof decision === 'boolean') return decision ? 'approved' : 'denied'
  if ('denied' in decision) return 'denied'
  return decision === TIMED_OUT ? 'timeout' : decision === DROPPED ? 'cancelled' : 'unheard'
}

const NO_TERMINAL = fault('approval_required', 'the call needs the consent of a person, and there is none to ask')
const CONTROL_ENDED = fault('approval_required', 'the control channel ended before the call was approved')
const TIMED_OUT = fault('approval_required', 'the call was not approved within an hour')
const DROPPED = fault('cancelled', 'the answer that asked for this call was dropped')
