// Questions that wait for a person: of agents whose model is one, and of calls of tools that need consent.

import { randomUUID } from 'node:crypto'
import { consentJson } from '@plumb/ledger'
import { skippedFault } from '@plumb/ledger/approval'
import { canonicalJson, type Fault, fault, type Result, sha256Of, succeed } from '@plumb/wire'

export interface Asked {
  readonly kind: 'person' | 'approval'
  readonly run: string
  readonly binding: string
  /** The token whose request it belongs to. */
  readonly owner: string
  readonly agent: string
  readonly prompt: string
  /** JSON as it was written. */
  readonly input: string
  readonly schema: unknown
  /** Why what was put in the place of the input of the call cannot be taken. */
  readonly wrong?: string | undefined
  /** What is wrong with an answer, as JSON text. */
  readonly check: (json: string) => Fault | undefined
}

/** As GET /pending has it, but for its input. */
export type Question = Omit<Asked, 'owner' | 'check'> & { readonly id: string; readonly digest: string; readonly since: string }

interface Waiting {
  readonly asked: Asked
  readonly shown: Question
  readonly settle: (answer: Result<string>) => void
}

/** Who may answer. */
export interface Answering {
  readonly name: string
  /** It sees and answers the questions of all. */
  readonly answers: boolean
}

export class Questions {
  readonly #waiting = new Map<string, Waiting>()

  get count(): number {
    return this.#waiting.size
  }

  /** Resolves to the answer as JSON text; a fault: it was skipped, or nobody waits for it any more. */
  ask(asked: Asked, signal: AbortSignal): Promise<Result<string>> {
    return new Promise((resolve) => {
      const id = randomUUID()
      const settle = (answer: Result<string>): void => {
        signal.removeEventListener('abort', drop)
        this.#waiting.delete(id)
        resolve(answer)
      }
      const drop = (): void => settle({ ok: false, error: fault('cancelled', 'the run that asked has ended') })
      const { kind, run, binding, agent, prompt, input, schema, wrong } = asked
      const digest = sha256Of(canonicalJson(withInput({ kind, agent, prompt }, input)))
      const told = wrong === undefined ? {} : { wrong }
      const shown = { id, kind, run, binding, agent, prompt, input, schema, digest, since: new Date().toISOString(), ...told }
      this.#waiting.set(id, { asked, shown, settle })
      if (signal.aborted) drop()
      else signal.addEventListener('abort', drop, { once: true })
    })
  }

  /** The oldest first. */
  list(by: Answering): readonly Question[] {
    return [...this.#waiting.values()].filter(({ asked }) => maySee(asked, by)).map(({ shown }) => shown)
  }

  /**
   * `json`: a text; `why`: of a call that is denied. Undefined: there is no such question, or it is another's. A fault: the answer does not
   * fit, and it waits on.
   */
  answer(id: string, by: Answering, json: string, why?: string): Result<void> | undefined {
    const waiting = this.#waiting.get(id)
    if (!waiting || !maySee(waiting.asked, by)) return undefined
    const wrong = waiting.asked.check(json)
    if (wrong) return { ok: false, error: wrong }
    const isDenied = waiting.asked.kind === 'approval' && json === 'false' && why !== undefined
    waiting.settle(succeed(isDenied ? consentJson({ denied: why }) : json))
    return succeed(undefined)
  }

  /** A call is asked about again with this input, as JSON text. Undefined: as for an answer. A fault: it is no call. */
  edit(id: string, by: Answering, input: string): Result<void> | undefined {
    const waiting = this.#waiting.get(id)
    if (!waiting || !maySee(waiting.asked, by)) return undefined
    if (waiting.asked.kind !== 'approval') return { ok: false, error: fault('usage', 'this is a question, and not a call: answer it') }
    waiting.settle(succeed(consentJson({ edited: input })))
    return succeed(undefined)
  }

  skip(id: string, by: Answering, why: string): boolean {
    const waiting = this.#waiting.get(id)
    if (!waiting || !maySee(waiting.asked, by)) return false
    waiting.settle({ ok: false, error: skippedFault(why) })
    return true
  }
}

/** As one object of JSON, in which numbers have all their digits. */
export const questionJson = ({ input, ...others }: Question): string => withInput(others, input)

const withInput = (others: object, input: string): string => `${JSON.stringify(others).slice(0, -1)},"input":${input}}`

/** Calls are decided on by those who answer for all; an agent's question also by whom it was asked for. */
const maySee = ({ kind, owner }: Asked, { name, answers }: Answering): boolean => answers || (kind === 'person' && owner === name)
