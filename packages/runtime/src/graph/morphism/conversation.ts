// A conversation between two processes: what one side says comes to the other, if the protocol allows it now. What it does not allow ends
// the conversation: that is told once, and both sides see that nothing more comes.

import { type ConversationSide, ConversationWalk, type Protocol, type Side, Verdict } from '@plumb/lang'
import { type Fault, fault, isCode, isRecord } from '@plumb/wire'
import type { Worker } from '../cycle.js'
import type { RunContext } from '../run-context.js'
import { Morphism } from './morphism.js'

export interface ConversationOptions {
  readonly name: string
  readonly protocol: Protocol
  readonly sides: readonly [ConversationSide, ConversationSide]
  /** A message went no further. */
  readonly lost: (() => void) | undefined
}

export class Conversation extends Morphism implements Worker {
  readonly held = 0
  readonly gathered = 0
  readonly #o: ConversationOptions
  readonly #walk: ConversationWalk
  #hasEnded = false

  constructor(
    feeds: readonly number[],
    private readonly context: Pick<RunContext, 'sink' | 'report'>,
    options: ConversationOptions,
  ) {
    super(feeds, 2)
    this.#o = options
    this.#walk = new ConversationWalk(options.protocol)
  }

  /** A program of others is to say something: nothing else tells that it is at work. */
  get inFlight(): number {
    if (this.#hasEnded || !this.#walk.isOwed) return 0
    return this.#walk.expected.some(({ side }) => this.#o.sides[side].isForeign) ? 1 : 0
  }

  /** What a side says goes to the output of the same number. */
  receive(input: number, buf: Buffer, start: number, end: number): void {
    const { sides, lost } = this.#o
    const side = sideOf(input)
    if (this.#hasEnded) return lost?.()
    const { sink } = this.context
    const taken = this.#walk.take(side, { buf, start, end }, sink)
    if (taken.verdict === 'refused') {
      if (sides[side].hearsChoices || !this.#aside(input, buf, start, end)) this.#refuse(side, taken.came)
    } else if (taken.verdict === 'cut') this.#cut(otherOf(side))
    else {
      const isHeard = !taken.isChoice || sides[otherOf(side)].hearsChoices
      if (!isHeard) lost?.()
      else if (taken.verdict === Verdict.WROTE) this.outlets[input]?.send(sink.buf, sink.start, sink.end)
      else this.outlets[input]?.send(buf, start, end)
      if (this.#walk.isOver) this.#end()
      return
    }
    lost?.()
  }

  /** A line that is no JSON, and so is no message at all. */
  receiveWrong(input: number, line: string): void {
    if (!this.#hasEnded) this.#refuse(sideOf(input), line)
  }

  protected override inputClosed(input: number): void {
    const side = sideOf(input)
    const closing = this.#hasEnded ? 'over' : this.#walk.close(side)
    if (closing === 'cut') this.#cut(side)
    else if (closing === 'over') this.#end()
    super.inputClosed(input)
  }

  /** What a plumb-agent says apart from its replies: it cannot be asked here for consent, and what it refuses is an error of the run. */
  #aside(input: number, buf: Buffer, start: number, end: number): boolean {
    const { name, sides } = this.#o
    const said = parsed(buf, start, end)
    if (said?.kind === 'approval' && typeof said.id === 'string') {
      const denial = Buffer.from(`${JSON.stringify({ deny: said.id })}\n`)
      this.outlets[1 - input]?.send(denial, 0, denial.length - 1)
      return true
    }
    const { kind, error, detail } = said ?? {}
    if (kind !== 'error' || typeof error !== 'string' || !isCode(error) || typeof detail !== 'string') return false
    this.context.report(fault(error, detail, { process: sides[sideOf(input)].name, conversation: name }))
    return true
  }

  #refuse(side: Side, came: string): void {
    const { name, sides } = this.#o
    const expected = this.#expected()
    const detail = `'${sides[side].name}' says ${came} in the conversation '${name}', where ${expected} is expected, ${this.#soFar()}`
    this.#tell(fault('protocol_violation', detail, { ...this.#extras(), process: sides[side].name, came }))
  }

  #cut(side: Side): void {
    const { name, sides } = this.#o
    const detail = `'${sides[side].name}' ends the conversation '${name}' where ${this.#expected()} is expected, ${this.#soFar()}`
    this.#tell(fault('protocol_cut', detail, { ...this.#extras(), process: sides[side].name }))
  }

  #tell(told: Fault): void {
    this.#hasEnded = true
    this.context.report(told)
    this.#end()
  }

  #expected(): string {
    const { sides } = this.#o
    const ways = this.#walk.expected.map(({ side, label }) => `${label} of '${sides[side].name}'`)
    return ways.length === 0 ? 'nothing more' : ways.join(' or ')
  }

  #soFar(): string {
    const { labels } = this.#walk
    return labels.length === 0 ? 'as the first' : `after ${labels.join(', ')}`
  }

  #extras(): Readonly<Record<string, unknown>> {
    const { name, protocol } = this.#o
    const expected = this.#walk.expected.map(({ label }) => label)
    return { conversation: name, protocol: protocol.name, expected, labels: this.#walk.labels }
  }

  #end(): void {
    this.#hasEnded = true
    for (const outlet of this.outlets) outlet.close()
  }
}

const sideOf = (input: number): Side => (input === 0 ? 0 : 1)

const otherOf = (side: Side): Side => (side === 0 ? 1 : 0)

const parsed = (buf: Buffer, start: number, end: number): Readonly<Record<string, unknown>> | undefined => {
  try {
    const value: unknown = JSON.parse(buf.toString('utf8', start, end))
    return isRecord(value) ? value : undefined
  } catch {
    return undefined
  }
}
