// Calls that wait for a person's word: asked about one after the other, with their number where several wait, and no longer than they wait.

import type { ApprovalOutcome } from '@plumb/wire'
import type { Reply } from './session.js'
import type { Question, Said } from './terminal/terminal.js'
import { approvalQuestion } from './words.js'

export interface ApprovalParts {
  readonly ask: (question: Question) => Promise<Said>
  readonly reword: (question: Question) => void
  readonly withdraw: (why: string) => void
  readonly notice: (text: string) => void
  readonly control: (message: Readonly<Record<string, string>>) => void
}

/** `ended`: there was no word of it, and the agent has nothing more to do. */
type Outcome = ApprovalOutcome | 'ended'

interface Call {
  readonly id: string
  readonly tool: string
  readonly input: unknown
  /** Of those that wait together. */
  readonly number: number
}

const WITHDRAWN: Readonly<Record<Outcome, string>> = {
  approved: 'it was approved elsewhere',
  denied: 'it was denied elsewhere',
  timeout: 'its time is up',
  cancelled: 'the answer that it was for was dropped',
  unheard: 'its agent takes no more control messages',
  ended: 'its agent has ended without it',
}

/** So many that were settled before they were announced are remembered: telemetry and control come on pipes of their own. */
const MAX_SETTLED = 1000

export class Approvals {
  readonly #parts: ApprovalParts
  /** The first is asked about. */
  #waiting: Call[] = []
  #count = 0
  /** Answered here, and not confirmed yet. */
  readonly #answered = new Set<string>()
  readonly #settled = new Set<string>()

  constructor(parts: ApprovalParts) {
    this.#parts = parts
  }

  add({ id, tool, input }: Reply): void {
    if (typeof id !== 'string' || this.#settled.delete(id)) return
    if (this.#waiting.length === 0) this.#count = 0
    this.#waiting.push({ id, tool: String(tool), input, number: ++this.#count })
    const [first] = this.#waiting as [Call]
    if (this.#waiting.length > 1) this.#parts.reword(this.#question(first))
    else void this.#ask(first)
  }

  /** The agent says so; it does of each call that was asked about. */
  settle(id: string, outcome: ApprovalOutcome): void {
    if (this.#answered.delete(id)) return
    const place = this.#waiting.findIndex((call) => call.id === id)
    if (place >= 0) return this.#withdraw(place, outcome)
    this.#settled.add(id)
    for (const oldest of this.#settled) if (this.#settled.size > MAX_SETTLED) this.#settled.delete(oldest)
  }

  /** Nothing waits any more. */
  end(): void {
    for (let place = this.#waiting.length - 1; place >= 0; place--) this.#withdraw(place, 'ended')
    this.#answered.clear()
    this.#settled.clear()
  }

  #withdraw(place: number, outcome: Outcome): void {
    const why = `withdrawn, ${WITHDRAWN[outcome]}`
    if (place === 0) return this.#parts.withdraw(why)
    const [call] = this.#waiting.splice(place, 1)
    if (call) this.#parts.notice(`${this.#question(call).line}${why}`)
  }

  #question({ tool, input, number }: Call): Question {
    return approvalQuestion(tool, input, this.#count > 1 ? `(${number} of ${this.#count}) ` : '')
  }

  async #ask(call: Call): Promise<void> {
    const { ask, control } = this.#parts
    const said = await ask(this.#question(call))
    const { id } = call
    this.#waiting.shift()
    if (said !== 'withdrawn') this.#answered.add(id)
    // To leave drops the answer that the call is for.
    if (said === 'yes') control({ approve: id })
    else if (said === 'no') control({ deny: id })
    const [next] = this.#waiting
    if (next) void this.#ask(next)
  }
}
