// Calls that wait for a person's word: asked about one after the other.

import type { Reply } from './session.js'
import { approvalWords } from './words.js'

export interface ApprovalParts {
  /** Undefined: the person wants to do something else. */
  readonly ask: (question: string) => Promise<boolean | undefined>
  readonly control: (message: Readonly<Record<string, string>>) => void
}

export class Approvals {
  readonly #parts: ApprovalParts
  #before: Promise<unknown> = Promise.resolve()

  constructor(parts: ApprovalParts) {
    this.#parts = parts
  }

  add(reply: Reply): void {
    this.#before = this.#before.then(() => this.#settle(reply))
  }

  async #settle({ id, tool, input }: Reply): Promise<void> {
    if (typeof id !== 'string') return
    const said = await this.#parts.ask(approvalWords(String(tool), input))
    this.#parts.control(said === true ? { approve: id } : { deny: id })
  }
}
