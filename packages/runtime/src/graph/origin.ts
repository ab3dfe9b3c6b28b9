// The origins of messages. A message stems from one input of main, and from one message at each place on its way where the branches of a
// barrier split: its origin, by which barriers join and errors name their input. An origin lasts as long as messages that stem from it are
// in flight.

import type { GraphNode, GraphPosition } from '@plumb/lang'

/** A barrier in which messages of the origin wait. */
export interface OriginListener {
  /** Lower for an earlier barrier: what it drops is missing in later ones. */
  readonly rank: number
  /** Nothing more can stem from the origin: messages without a partner get none. */
  originEnded(origin: Origin): void
}

/** At most so many inputs are listed for one message. */
const MAX_PARTS = 64

/** Shared: most origins have no listener. */
const NONE: OriginListener[] = []

export class Origin {
  /** References: messages in flight, and one for its creator, until that calls `release`. */
  #live = 1
  #listeners: OriginListener[] = NONE
  /** Places where something that stems from it was dropped, or failed and was reported. */
  #lost: Set<GraphNode> | undefined
  /** A copy of the message that entered at `place`, if needed. */
  message: { readonly buf: Buffer; readonly start: number; readonly end: number } | undefined

  private constructor(
    /** The number of the input, from 1; 0: unknown, or several. */
    readonly seq: number,
    readonly port: string,
    readonly line: number,
    /** Its parent: the origin that was current at `place`. Undefined: it is an input of main. */
    readonly above: Origin | undefined,
    readonly place: GraphPosition | undefined,
    /** A message that was joined from inputs without a common origin stems from each of them. */
    readonly parts: readonly Origin[],
    private readonly settled: ((origin: Origin) => void) | undefined,
  ) {}

  static ofInput({ seq, port, line }: Pick<Origin, 'seq' | 'port' | 'line'>, settled: (origin: Origin) => void): Origin {
    return new Origin(seq, port, line, undefined, undefined, [], settled)
  }

  /** An unknown origin. */
  static unknown(): Origin {
    return new Origin(0, '', 0, undefined, undefined, [], undefined)
  }

  /** The one that all of them are or stem from; else a new one, of all their inputs. The caller releases it. */
  static ofAll(origins: readonly Origin[]): Origin {
    const common = commonOf(origins)
    if (common) {
      common.retain()
      return common
    }
    const parts = rootsOf(origins)
    return new Origin(0, '', 0, undefined, undefined, parts.slice(0, MAX_PARTS), holdAll(parts))
  }

  /** Of a message that stems from `own`, and was joined with others whose inputs are to be named too. The caller releases it. */
  static ofJoined(own: Origin, others: readonly Origin[]): Origin {
    own.retain()
    const parts = rootsOf([own, ...others])
    if (parts.length === 1) return own
    return new Origin(own.seq, own.port, own.line, own, undefined, parts.slice(0, MAX_PARTS), holdAll(parts))
  }

  /** The origin of a message that passes a place where branches split. The caller releases it. */
  at(place: GraphPosition): Origin {
    // Places that a loop has passed since are irrelevant from here on.
    let above: Origin = this
    while (above.above && above.place !== place.above) above = above.above
    above.retain()
    return new Origin(above.seq, above.port, above.line, above, place, [], undefined)
  }

  /** The input of main. */
  get root(): Origin {
    let origin: Origin = this
    while (origin.above) origin = origin.above
    return origin
  }

  /** The last message at the place that this one stems from. */
  passed(place: GraphPosition): Origin | undefined {
    if (place.node.work.kind === 'input') return this.root
    for (let origin: Origin | undefined = this; origin; origin = origin.above) if (origin.place === place) return origin
    return undefined
  }

  /** The numbers of the inputs, if there are several. */
  get seqs(): readonly number[] {
    const seqs = partsOf(this)
      .map(({ seq }) => seq)
      .filter((seq) => seq > 0)
    return [...new Set(seqs)].sort((a, b) => a - b)
  }

  get listeners(): readonly OriginListener[] {
    return this.#listeners
  }

  /** Whether a listener waits for other messages of this origin. */
  addListener(listener: OriginListener): void {
    if (this.#listeners === NONE) this.#listeners = [listener]
    else this.#listeners.push(listener)
  }

  retain(): void {
    this.#live++
  }

  release(): void {
    if (--this.#live > 0) return
    const listeners = this.#listeners
    if (listeners.length > 1) listeners.sort((a, b) => a.rank - b.rank)
    for (const listener of listeners) listener.originEnded(this)
    this.above?.release()
    this.settled?.(this)
  }

  /** `kept`: the origin that replaces it. Their common ancestors lose nothing. */
  lose(node: GraphNode, kept?: Origin): void {
    for (let origin: Origin | undefined = this; origin; origin = origin.above) {
      if (origin.#lost?.has(node) || (kept && stemsFrom(kept, origin))) return
      origin.#lost ??= new Set()
      origin.#lost.add(node)
    }
  }

  get hasLost(): boolean {
    return this.#lost !== undefined
  }

  /** Something that stems from it was lost at one of these places. */
  wasLostIn(nodes: ReadonlySet<GraphNode>): boolean {
    if (this.#lost) for (const node of this.#lost) if (nodes.has(node)) return true
    return false
  }
}

/** Retains them; what it returns releases them, the last input first: whoever settles inputs in their order settles these at once. */
const holdAll = (parts: readonly Origin[]): (() => void) => {
  for (const part of parts) part.retain()
  return () => {
    for (const part of [...parts].sort((a, b) => b.seq - a.seq)) part.release()
  }
}

const partsOf = (origin: Origin): readonly Origin[] => {
  for (let o: Origin | undefined = origin; o; o = o.above) if (o.parts.length > 0) return o.parts
  return []
}

const rootsOf = (origins: readonly Origin[]): readonly Origin[] => [
  ...new Set(
    origins.flatMap((origin) => {
      const parts = partsOf(origin)
      return parts.length > 0 ? parts : [origin.root]
    }),
  ),
]

const commonOf = ([first, ...others]: readonly Origin[]): Origin | undefined => {
  for (let origin = first; origin; origin = origin.above) {
    const shared = origin
    if (others.every((other) => stemsFrom(other, shared))) return shared
  }
  return undefined
}

const stemsFrom = (origin: Origin, ancestor: Origin): boolean => {
  for (let o: Origin | undefined = origin; o; o = o.above) if (o === ancestor) return true
  return false
}
