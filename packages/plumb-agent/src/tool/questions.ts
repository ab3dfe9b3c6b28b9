// Asks a person whose answer is the agent's: on the control channel if there is one, else at the terminal.

import { randomUUID } from 'node:crypto'
import { skippedFault } from '@plumb/ledger/approval'
import { type AnswerQuestion, type AskAnswer, terminalQuestions } from '@plumb/policy'
import { type Fault, fault, preview, type Result, succeed } from '@plumb/wire'
import { WrittenJson } from '../io/written-json.js'

/** As it is asked on the control channel. */
export interface AskedQuestion {
  readonly kind: 'question'
  readonly id: string
  readonly agent: string
  /** What was wrong with the answer before. */
  readonly wrong?: string
  readonly prompt: string
  readonly input: WrittenJson
  readonly schema: unknown
}

export interface QuestionParts {
  /** False: there is no control channel. */
  readonly announce: (question: AskedQuestion) => boolean
  /** Answers may still come. */
  readonly canBeAnswered: () => boolean
  readonly askTerminal?: AskAnswer | undefined
}

/** What a control message says of a question: the answer as JSON text, or that it is skipped. */
export type GivenAnswer = { readonly json: string } | { readonly why: string }

interface Waiting {
  readonly question: AnswerQuestion
  readonly settle: (answer: Result<string>) => void
}

export class Questions {
  readonly #parts: QuestionParts
  readonly #waiting = new Map<string, Waiting>()
  readonly #askTerminal: AskAnswer

  constructor(parts: QuestionParts) {
    this.#parts = parts
    this.#askTerminal = parts.askTerminal ?? terminalQuestions().answer
  }

  /** Resolves to the answer as JSON text. */
  async ask(question: AnswerQuestion, signal: AbortSignal): Promise<Result<string>> {
    const id = randomUUID()
    if (!this.#parts.canBeAnswered() || !this.#announce(id, question))
      return (await this.#askTerminal(question, signal)) ?? nobody(question)
    return new Promise((resolve) => {
      const settle = (answer: Result<string>): void => {
        signal.removeEventListener('abort', drop)
        this.#waiting.delete(id)
        resolve(answer)
      }
      const drop = (): void => settle({ ok: false, error: DROPPED })
      this.#waiting.set(id, { question, settle })
      signal.addEventListener('abort', drop, { once: true })
    })
  }

  /** Applies a control message. An answer that does not fit is a fault, and the question is asked again. */
  settle(id: string, given: GivenAnswer): Fault | undefined {
    const waiting = this.#waiting.get(id)
    if (!waiting) return fault('input_type_mismatch', `no question with the id '${preview(id)}' waits for an answer`)
    const { question, settle } = waiting
    if ('why' in given) return void settle({ ok: false, error: skippedFault(given.why) })
    const wrong = question.check(given.json)
    if (!wrong) return void settle(succeed(given.json))
    this.#announce(id, question, wrong)
    return wrong
  }

  /** No more answers can come. */
  end(): void {
    for (const { settle, question } of [...this.#waiting.values()]) settle(nobody(question))
  }

  #announce(id: string, { agent, prompt, input, schema }: AnswerQuestion, wrong?: Fault): boolean {
    const told = wrong ? { wrong: wrong.detail } : {}
    return this.#parts.announce({ kind: 'question', id, agent, ...told, prompt, input: new WrittenJson(input), schema })
  }
}

const nobody = ({ agent }: AnswerQuestion): Result<string> => ({
  ok: false,
  error: fault(
    'approval_required',
    `'${agent}' asks a person, and there is none at a terminal: serve the spec with plumb-serve, or park it`,
  ),
})

const DROPPED = fault('cancelled', 'the question was dropped')
