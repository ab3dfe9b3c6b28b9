// What becomes known of one child, and who wants to know: whoever watches, the parent of a nested plumb, the budget, and a run that is resumed.

import { type Budget, type Exit, type Fault, fault, type LineReader, type LineWriter, parseJson } from '@plumb/wire'
import type { Origin } from '../origin.js'
import type { AgentTelemetry, ProcessKind } from './event.js'
import type { Replay } from './resume/replay.js'
import type { Watch } from './watch.js'

export interface ChildObserverOptions {
  /** As at the ends of wires. */
  readonly place: string
  readonly runs: ProcessKind
  readonly pid: number
  readonly watch: Watch | undefined
  /** Where a parent hears what our children tell. */
  readonly parent: LineWriter | undefined
  /** It cannot count for itself what it spends: it runs elsewhere, or is no program of ours. */
  readonly budget: Budget | undefined
  /** What it answered in the run that is resumed. */
  readonly replay: Replay | undefined
}

/** Messages that may be with a child that does not count what it spends. */
const MOST_UNCOUNTED = 8

export class ChildObserver {
  readonly #o: ChildObserverOptions
  readonly #spends: boolean

  constructor(options: ChildObserverOptions) {
    this.#o = options
    const { place, runs, pid, watch, budget } = options
    this.#spends = budget !== undefined
    watch?.tell({ kind: 'spawned', process: place, runs, pid })
  }

  /** It is to be sent no more by now; `inFlight`: what it has not answered. */
  isFull(inFlight: number): boolean {
    return (this.#spends && inFlight >= MOST_UNCOUNTED) || this.#o.replay?.isFull === true
  }

  /** Why the message is not sent; `settled`: it was answered already, and that is passed on in its turn. */
  stops(origin: Origin, buf: Buffer, start: number, end: number): Fault | 'settled' | undefined {
    const { replay, budget, watch, place } = this.#o
    const sealed = replay?.take(origin, buf, start, end)
    if (sealed) {
      watch?.tell({ kind: 'replayed', process: place, seq: origin.seq, isAnswer: sealed.fault === undefined })
      return 'settled'
    }
    return budget?.spent.isOver ? fault('budget_spent', 'the budget of this run is spent') : undefined
  }

  asked(n: number, seq: number, buf: Buffer, start: number, end: number): void {
    const { watch, place, replay } = this.#o
    replay?.sent(n)
    watch?.tell({ kind: 'asked', process: place, n, seq, buf, start, end })
  }

  answered(n: number, seq: number, buf: Buffer, start: number, end: number): void {
    const { watch, place } = this.#o
    watch?.tell({ kind: 'answered', process: place, n, seq, buf, start, end })
  }

  /** The answer to the n-th message was passed on. */
  passedOn(n: number): void {
    this.#o.replay?.landed(n)
  }

  refused(n: number, seq: number, error: Fault): void {
    const { watch, place, replay } = this.#o
    watch?.tell({ kind: 'refused', process: place, n, seq, fault: error })
    replay?.landed(n)
  }

  /** False: the line is for nobody else. */
  heard({ buf, start, end }: LineReader): boolean {
    const { watch, place, parent, budget } = this.#o
    const told = watch || budget ? telemetryIn(buf, start, end) : undefined
    // Nobody has asked for it but whoever records.
    const isPrivate = told?.kind === 'remembered'
    if (!isPrivate) parent?.write(buf, start, end)
    if (!told) return true
    watch?.tell({ kind: 'telemetry', process: place, telemetry: told })
    if (told.kind === 'usage' && budget) {
      budget.take()
      budget.use(tokensOf(told))
    }
    return !isPrivate
  }

  /** Its outputs are about to close. */
  ending(): void {
    this.#o.replay?.release()
  }

  exited({ status, signal }: Exit): void {
    this.#o.watch?.tell({ kind: 'exited', process: this.#o.place, status, signal })
  }
}

const telemetryIn = (buf: Buffer, start: number, end: number): AgentTelemetry | undefined => {
  const parsed = parseJson(buf, start, end)
  const told = parsed.ok ? (parsed.value as AgentTelemetry | null) : null
  return typeof told?.kind === 'string' ? told : undefined
}

const tokensOf = (told: Extract<AgentTelemetry, { kind: 'usage' }>): number =>
  [told.input_tokens, told.output_tokens, told.cache_read_tokens, told.cache_creation_tokens].reduce(
    (sum, n) => sum + (Number.isFinite(n) ? n : 0),
    0,
  )
