// Where the calls of one input, conversation or session are in a protocol: which may come next, and whether they may end here. Pure.

import type { ToolProtocol } from '@plumb/lang'
import { type Fault, fault, isRecord, preview } from '@plumb/wire'
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

  /** From its beginning, or from a state that an earlier walk has come to. `reached`: called with each state. */
  begin(at = this.protocol.automaton.start, reached?: (state: number) => void): Walk {
    return new Walk(this, at, reached)
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
    const detail = `'${preview(tool)}' may not be called now: ${this.allowedInWords(at)}`
    return fault('protocol_violation', detail, { tool, protocol: this.name, allowed: this.allowedAt(at) })
  }

  /** Why a tool is not called that comes behind one that was refused. */
  refusalBehind(at: number, tool: string, before: string): Fault {
    const detail = `'${preview(tool)}' is not called, since '${preview(before)}' before it was refused; ${this.allowedInWords(at)}`
    return fault('protocol_violation', detail, { tool, protocol: this.name, allowed: this.allowedAt(at) })
  }

  /** Why the walk may not end there. */
  unfinished(at: number): Fault {
    const way = this.wayToEnd(at).map(quoted)
    const left = way.length === 1 ? `a call of ${way[0]} is missing` : `calls are missing, in this order: ${way.join(', ')}`
    const allowed = this.allowedAt(at)
    const others = allowed.length > 1 ? `; it allows ${allowed.map(quoted).join(', ')} now` : ''
    return fault('protocol_violation', `the protocol '${this.name}' is not at its end: ${left}${others}`, { protocol: this.name, allowed })
  }

  allowedInWords(at: number): string {
    const allowed = this.allowedAt(at).map(quoted)
    const now = allowed.length === 0 ? 'is at its end and allows no call' : `allows ${allowed.join(', ')}`
    const free = (this.protocol.free ?? []).map(quoted)
    return `the protocol '${this.name}' ${now}${free.length === 0 ? '' : `, and ${free.join(', ')} at any time`}`
  }
}

/** So many calls in a row that are refused: who is told that often what may come does not hear it, and each time costs an answer. */
const MAX_REFUSED = 20

export class Walk {
  #refused = 0

  constructor(
    readonly of: WalkedProtocol,
    /** The number of the state. */
    public at: number,
    private readonly reached?: (state: number) => void,
  ) {
    reached?.(at)
  }

  /** Why the call is refused. Undefined: it may be made. */
  judge(tool: string): Fault | undefined {
    if (this.isOffered(tool)) {
      this.#refused = 0
      return undefined
    }
    this.#refused++
    return this.of.refusal(this.at, tool)
  }

  /** Why no further answer is asked for, where nothing but refused calls came for long. Undefined: that is not so. */
  get stuck(): Fault | undefined {
    if (this.#refused < MAX_REFUSED) return undefined
    const { name } = this.of
    const detail = `${MAX_REFUSED} calls in a row were refused: ${this.of.allowedInWords(this.at)}`
    return fault('protocol_violation', detail, { protocol: name, allowed: this.of.allowedAt(this.at) })
  }

  /** The call was made, and has not failed. */
  made(tool: string): void {
    if (this.of.isFree(tool)) return
    this.at = this.of.next(this.at, tool) ?? this.at
    this.reached?.(this.at)
  }

  /** The call has this result. A chain has made the calls that its result names, also where it has failed in the end. */
  after(tool: string, { is_error, calls = [] }: CallResult): void {
    if (!is_error || calls.length > 0) this.made(tool)
    for (const call of calls) this.made(call)
  }

  /** Walks the calls of a memory, as another process or an earlier run has left it. */
  throughMemory(messages: readonly unknown[]): void {
    const names = new Map<unknown, string>()
    for (const block of messages.flatMap(blocksOf)) {
      if (block.type === 'tool_use' && typeof block.name === 'string') names.set(block.id, block.name)
      const name = block.type === 'tool_result' ? names.get(block.tool_use_id) : undefined
      if (name === undefined) continue
      names.delete(block.tool_use_id)
      const calls = Array.isArray(block.calls) ? block.calls.filter((call) => typeof call === 'string') : []
      this.after(name, { is_error: block.is_error === true, calls })
    }
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

export interface CallResult {
  readonly is_error: boolean
  /** Of a chain: the tools that it has called, those that are free left out. */
  readonly calls?: readonly string[] | undefined
}

const blocksOf = (message: unknown): readonly Record<string, unknown>[] =>
  isRecord(message) && Array.isArray(message.content) ? message.content.filter(isRecord) : []

const quoted = (tool: string): string => `'${preview(tool)}'`
