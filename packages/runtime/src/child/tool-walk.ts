// Holds an agent that is another program, or runs elsewhere, to the protocol of its tools: from the message that it is sent to its answer.
// It is sent one message at a time, so that each call belongs to one.

import { type AgentPlan, conversationKey, type Identity, identityOfJson, type KeyReader, type ToolProtocol } from '@plumb/lang'
import { type Walk, WalkedCalls, WalkedProtocol, walkedDispatcher, withoutCall } from '@plumb/tool/internal'
import { type Dispatcher, type Fault, fault, type InitialMemory, preview } from '@plumb/wire'

export class ToolWalk {
  readonly #protocol: WalkedProtocol
  readonly #key: KeyReader | undefined
  /** Where conversations are; one that remembers has one, under no key. */
  readonly #at = new Map<Identity | undefined, number>()
  /** The conversations of messages that it was sent, and has not begun. */
  readonly #sent: (Identity | undefined)[] = []
  #calls: WalkedCalls | undefined
  #conversation: Identity | undefined
  #hasFailed = false

  /** `remembered`: what it was given of an earlier run. */
  constructor(protocol: ToolProtocol, plan: AgentPlan, remembered: readonly InitialMemory[] = []) {
    // It runs chains itself, and sends the calls in them.
    const automaton = withoutCall(protocol.automaton, 'compose')
    this.#protocol = new WalkedProtocol({ ...protocol, automaton })
    this.#key = protocol.isPerConversation ? conversationKey(plan.bound) : undefined
    if (!protocol.isPerConversation) return
    for (const { messages, conversation } of remembered) {
      const walk = this.#protocol.begin()
      walk.throughMemory(messages)
      this.#at.set(conversation === undefined ? undefined : identityOfJson(conversation), walk.at)
    }
  }

  /** It is sent a message. What comes several at once waits in its input: it is at work on the first. */
  begin(buf: Buffer, start: number, end: number): void {
    this.#sent.push(this.#key?.read(buf, start, end))
    if (!this.#calls) this.#next()
  }

  /** Why its answer does not count. Undefined: it does. */
  get unfinished(): Fault | undefined {
    return this.#calls?.walk.unfinished
  }

  /** The message has failed: its conversation is as if it had not been asked. */
  fail(): void {
    this.#hasFailed = true
  }

  /** Nothing more comes of the message. */
  end(): void {
    if (this.#calls && this.#protocol.protocol.isPerConversation && !this.#hasFailed) this.#keep(this.#calls.walk)
    this.#calls = undefined
    this.#next()
  }

  /** Calls are judged before they reach the dispatcher. */
  around(dispatcher: Dispatcher): Dispatcher {
    const free = new WalkedCalls(this.#protocol.begin())
    return walkedDispatcher(dispatcher, (tool) => {
      if (this.#protocol.isFree(tool)) return free
      return this.#calls ?? this.#outOfTurn(tool)
    })
  }

  #next(): void {
    if (this.#sent.length === 0) return
    this.#conversation = this.#sent.shift()
    this.#calls = new WalkedCalls(this.#protocol.begin(this.#at.get(this.#conversation)))
    this.#hasFailed = false
  }

  #keep({ at }: Walk): void {
    this.#at.delete(this.#conversation)
    this.#at.set(this.#conversation, at)
    const [oldest] = this.#at.keys()
    if (this.#at.size > MAX_CONVERSATIONS) this.#at.delete(oldest)
  }

  #outOfTurn(tool: string): Fault {
    const { name } = this.#protocol
    const detail = `'${preview(tool)}' is called while no message is in hand: the protocol '${name}' counts from a message to its answer`
    return fault('protocol_violation', detail, { tool, protocol: name, allowed: [] })
  }
}

/** Those that have rested for longest begin again, as an agent forgets them. */
const MAX_CONVERSATIONS = 100_000
