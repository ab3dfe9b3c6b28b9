// Where a scripted agent is in the protocol of its tools: for each input, or for each conversation.

import type { Identity, ToolProtocol } from '@plumb/lang'
import { type Walk, WalkedProtocol } from '@plumb/tool/internal'

export class ScriptedWalks {
  readonly #protocol: WalkedProtocol
  readonly #isPerConversation: boolean
  readonly #at = new Map<Identity | undefined, number>()

  /** `reached`: called with each state that a walk comes to. */
  constructor(
    protocol: ToolProtocol,
    private readonly reached: (state: number) => void,
  ) {
    this.#protocol = new WalkedProtocol(protocol)
    this.#isPerConversation = protocol.isPerConversation
  }

  begin(conversation: Identity | undefined): Walk {
    return this.#protocol.begin(this.#isPerConversation ? this.#at.get(conversation) : undefined, this.reached)
  }

  /** Its input is answered. */
  keep(conversation: Identity | undefined, walk: Walk | undefined): void {
    if (walk && this.#isPerConversation) this.#at.set(conversation, walk.at)
  }

  /** Another conversation begins. */
  forget(conversation: Identity | undefined): void {
    this.#at.delete(conversation)
  }
}
