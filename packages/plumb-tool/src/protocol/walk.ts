// Where the calls of one input, conversation or session are in a protocol: which may come next, and whether they may end here. Pure.

import type { ToolProtocol } from '@plumb/lang'
import { type Fault, fault, preview } from '@plumb/wire'
import { labelsOf } from '@plumb/wire/protocol'

/** A protocol that is ready to be walked. */
export class WalkedProtocol {
  readonly #states: readonly { readonly ends: boolean; readonly calls: ReadonlyMap<string, number> }[]
  readonly #labels: ReadonlySet<string>
  readonly #free: ReadonlySet<string> | undefined

  constructor(readonly protocol: ToolProtocol) {
    const { automaton } = protocol
    this.#states = automaton.states.map(({ mayEnd, edges }) => ({
      ends: mayEnd,
      calls: new Map(edges.map(({ label, to }) => [label, to])),
    }))
    this.#labels = new Set(labelsOf(automaton))
    this.#free = protocol.free && new Set(protocol.free)
  }

  get name(): string {
    return this.protocol.automaton.name
  }

  /** From its beginning, or from a state that an earlier walk has come to. */
  begin(at = this.protocol.automaton.start): Walk {
    return new Walk(this, at)
  }

  /** It may be called at any time, and leaves the walk where it is. */
  isFree(tool: string): boolean {
    return this.#free ? this.#free.has(tool) : !this.#labels.has(tool)
  }

  next(at: number, tool: string): number | undefined {
    return this.#states[at]?.calls.get(tool)
  }

  mayEnd(at: number): boolean {
    return this.#states[at]?.ends === true
  }

  allowedAt(at: number): readonly string[] {
    return [...(this.#states[at]?.calls.keys() ?? [])]
  }

  /** A shortest way to an end. */
  wayToEnd(at: number): readonly string[] {
    const ways = new Map<number, readonly string[]>([[at, []]])
    for (const [state, way] of ways) {
      if (this.mayEnd(state)) return way
      for (const [tool, to] of this.#states[state]?.calls ?? []) if (!ways.has(to)) ways.set(to, [...way, tool])
    }
    return []
  }

  /** Why a tool may not be called, for the model or client that has called it. */
  refusal(at: number, tool: string): Fault {
    const detail = `the protocol '${this.name}' does not allow '${preview(tool)}' now: ${this.#allowedInWords(at)}`
    return fault('protocol_violation', detail, { tool, protocol: this.name, allowed: this.allowedAt(at) })
  }

  /** Why a tool is not called that comes behind one that was refused. */
  refusalBehind(at: number, tool: string, before: string): Fault {
    const detail = `'${preview(tool)}' is not called, since '${preview(before)}' before it was refused: ${this.#allowedInWords(at)}`
    return fault('protocol_violation', detail, { tool, protocol: this.name, allowed: this.allowedAt(at) })
  }

  /** Why the walk may not end there. */
  unfinished(at: number): Fault {
    const way = this.wayToEnd(at).map(quoted)
    const left = way.length === 1 ? `a call of ${way[0]} is missing` : `calls are missing, in this order: ${way.join(', ')}`
    const allowed = this.allowedAt(at)
    const others = allowed.length > 1 ? `; allowed now: ${allowed.map(quoted).join(', ')}` : ''
    return fault('protocol_violation', `the protocol '${this.name}' has not ended: ${left}${others}`, { protocol: this.name, allowed })
  }

  #allowedInWords(at: number): string {
    const allowed = this.allowedAt(at).map(quoted)
    const now = allowed.length === 0 ? 'it has ended, and nothing may be called' : `allowed now: ${allowed.join(', ')}`
    const free = this.protocol.free ?? []
    return free.length === 0 ? now : `${now}; at any time: ${free.map(quoted).join(', ')}`
  }
}

export class Walk {
  constructor(
    readonly of: WalkedProtocol,
    /** The number of the state. */
    public at: number,
  ) {}

  /** Why the call is refused. Undefined: it may be made. */
  judge(tool: string): Fault | undefined {
    if (this.of.isFree(tool) || this.of.next(this.at, tool) !== undefined) return undefined
    return this.of.refusal(this.at, tool)
  }

  /** The call was made, and has not failed. */
  made(tool: string): void {
    if (!this.of.isFree(tool)) this.at = this.of.next(this.at, tool) ?? this.at
  }

  /** The tool is offered now. */
  isOffered(tool: string): boolean {
    return this.of.isFree(tool) || this.of.next(this.at, tool) !== undefined
  }

  /** Why it may not end now. Undefined: it may. */
  get unfinished(): Fault | undefined {
    return this.of.mayEnd(this.at) ? undefined : this.of.unfinished(this.at)
  }
}

const quoted = (tool: string): string => `'${preview(tool)}'`
