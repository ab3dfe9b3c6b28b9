// Tool calls that wait for approval: the person is asked about one after the other, and only as long as the call waits.

import { type AskedCall, type Consent, consentQuestion } from '@plumb/ledger'
import { type ApprovalOutcome, escapeControls, preview, type Result } from '@plumb/wire'
import type { ControlEvent } from './program/events.js'
import type { Question, QuestionAnswer } from './terminal/terminal.js'

export interface ApprovalPromptParts {
  readonly ask: (question: Question) => Promise<QuestionAnswer>
  readonly reword: (question: Question) => void
  readonly withdraw: (why: string) => void
  readonly notice: (text: string) => void
  readonly decide: (id: string, consent: Consent) => void
  /** Has the person change an input. Undefined: it was left as it was. */
  readonly edit: (input: string) => Promise<Result<string | undefined>>
  /** Of the terminal. */
  readonly columns: () => number | undefined
  /** It shows colour and weight. */
  readonly isStyled: boolean
  /** What the tool is, as far as that is known. Never rejects. */
  readonly describe: (tool: string) => Promise<Pick<AskedCall, 'description' | 'effects'>>
}

/** `ended`: no outcome was reported, and the agent has nothing more to do. */
type Outcome = ApprovalOutcome | 'ended'

interface Call {
  readonly id: string
  readonly tool: string
  /** JSON as it was written. */
  readonly input: string
  /** Its place among those that wait together, from 1. */
  readonly number: number
  about: Pick<AskedCall, 'description' | 'effects'>
  /** Why another input was not taken. */
  wrong: string | undefined
  /** `gone`: it was withdrawn before it was asked about, or while its input was edited. */
  state: 'new' | 'asked' | 'edited' | 'gone'
}

const CHOICES = '[y once, a always in this session, N no, e edit]'
const MAX_INPUT = 200

const WITHDRAWN: Readonly<Record<Outcome, string>> = {
  approved: 'it was approved elsewhere',
  denied: 'it was denied elsewhere',
  edited: 'its input was changed elsewhere',
  timeout: 'its time is up',
  cancelled: 'the answer that it was for was dropped',
  unheard: 'its agent takes no more control messages',
  ended: 'its agent has ended without it',
}

/** Calls whose outcome came before their announcement: telemetry and control replies come on different pipes. */
const MAX_SETTLED = 1000

export class ApprovalPrompts {
  readonly #parts: ApprovalPromptParts
  /** The question about the first is open. */
  #waiting: Call[] = []
  #count = 0
  /** Answered here, and not yet confirmed by the agent. */
  readonly #answered = new Set<string>()
  readonly #settled = new Set<string>()
  /** Tools whose calls are all allowed. */
  readonly #always = new Set<string>()

  constructor(parts: ApprovalPromptParts) {
    this.#parts = parts
  }

  add({ id, tool, input, inputText = JSON.stringify(input) ?? '', wrong }: ControlEvent): void {
    if (typeof id !== 'string' || this.#settled.delete(id)) return
    if (this.#waiting.length === 0) this.#count = 0
    const why = typeof wrong === 'string' ? wrong : undefined
    this.#waiting.push({ id, tool: String(tool), input: inputText, number: ++this.#count, about: {}, wrong: why, state: 'new' })
    const [first] = this.#waiting as [Call]
    if (this.#waiting.length === 1) void this.#ask(first)
    else if (first.state === 'asked') this.#parts.reword(this.#question(first))
  }

  /** The agent reports the outcome of each call that it asked about. */
  settle(id: string, outcome: ApprovalOutcome): void {
    if (this.#answered.delete(id)) return
    const place = this.#waiting.findIndex((call) => call.id === id)
    if (place >= 0) return this.#withdraw(place, outcome)
    this.#settled.add(id)
    for (const oldest of this.#settled) if (this.#settled.size > MAX_SETTLED) this.#settled.delete(oldest)
  }

  /** No call waits any more. */
  end(): void {
    for (let place = this.#waiting.length - 1; place >= 0; place--) this.#withdraw(place, 'ended')
    this.#answered.clear()
    this.#settled.clear()
  }

  #withdraw(place: number, outcome: Outcome): void {
    const why = `withdrawn, ${WITHDRAWN[outcome]}`
    const call = this.#waiting[place]
    if (call?.state === 'asked') return this.#parts.withdraw(why)
    if (!call || call.state === 'gone') return
    call.state = 'gone'
    // The first is still being looked up, or edited, and leaves by itself.
    if (place > 0) this.#waiting.splice(place, 1)
    this.#parts.notice(`${this.#question(call).line}${why}`)
  }

  #question({ tool, input, number, about, wrong }: Call): Question {
    const shown = consentQuestion(
      { tool, input, wrong, ...about },
      {
        ...{ number: this.#count > 1 ? `(${number} of ${this.#count}) ` : '', choices: CHOICES },
        ...{ columns: this.#parts.columns(), isStyled: this.#parts.isStyled },
      },
    )
    return { ...shown, always: `always allow '${escapeControls(tool)}' in this session? [y/N] ` }
  }

  async #ask(call: Call): Promise<void> {
    const { decide } = this.#parts
    const answer = await this.#answerTo(call)
    const { id, tool } = call
    this.#waiting.shift()
    if (answer !== 'withdrawn') this.#answered.add(id)
    if (answer === 'always') this.#always.add(tool)
    // 'leave' sends nothing: leaving cancels the message that the call belongs to.
    if (typeof answer === 'object') decide(id, answer)
    else if (answer === 'yes' || answer === 'always') decide(id, true)
    else if (answer === 'no') decide(id, false)
    const [next] = this.#waiting
    if (next) void this.#ask(next)
  }

  async #answerTo(call: Call): Promise<Exclude<QuestionAnswer, 'edit'> | Exclude<Consent, boolean>> {
    const { ask, describe, edit, notice } = this.#parts
    const { tool, input } = call
    // One whose other input was not taken is not what was meant.
    if (this.#always.has(tool) && call.wrong === undefined) {
      notice(`${preview(tool)} ${preview(input, MAX_INPUT)} is allowed, as always in this session`)
      return 'yes'
    }
    call.about = await describe(tool)
    for (;;) {
      if (isGone(call)) return 'withdrawn'
      call.state = 'asked'
      const answer = await ask(this.#question(call))
      if (answer !== 'edit') return answer
      call.state = 'edited'
      const edited = await edit(input)
      if (!isGone(call) && edited.ok && edited.value !== undefined) return { edited: edited.value }
      call.wrong = edited.ok ? undefined : edited.error.detail
    }
  }
}

const isGone = ({ state }: Call): boolean => state === 'gone'
