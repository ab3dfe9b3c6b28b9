// What becomes known of one child, and who wants to know: whoever watches, the parent of a nested plumb, the budget, and a run that is resumed.

import {
  currentBudget,
  type Exit,
  type Fault,
  fault,
  type LineReader,
  type LineWriter,
  MAX_CALL_TOKENS,
  parseJson,
  readUsage,
  totalTokens,
} from '@plumb/wire'
import type { ChildAllowance } from '../child/allowance.js'
import type { Origin } from '../graph/origin.js'
import type { Replay } from '../record/resume/replay.js'
import type { RunEmitter } from './emitter.js'
import type { AgentTelemetry, ProcessKind } from './run-event.js'

export interface ChildMonitorOptions {
  /** As at the ends of wires. */
  readonly place: string
  readonly runs: ProcessKind
  readonly pid: number
  readonly emitter: RunEmitter | undefined
  /** Where a parent hears what our children tell. */
  readonly parent: LineWriter | undefined
  /** Where it shares no budget with us. */
  readonly allowance: ChildAllowance | undefined
  /** What it answered in the run that is resumed. */
  readonly replay: Replay | undefined
  readonly warn: (warning: Fault) => void
}

export class ChildMonitor {
  readonly #o: ChildMonitorOptions
  #isFlawTold = false

  constructor(options: ChildMonitorOptions) {
    this.#o = options
    const { place, runs, pid, emitter } = options
    emitter?.emit({ kind: 'spawned', process: place, runs, pid })
  }

  /** It is to be sent no more by now; `inFlight`: what it has not answered. */
  isFull(inFlight: number): boolean {
    return this.#o.allowance?.isFull(inFlight) === true || this.#o.replay?.isFull === true
  }

  /** Why the message is not sent; `settled`: it was answered already, and that is passed on in its turn. */
  stops(origin: Origin, buf: Buffer, start: number, end: number): Fault | 'settled' | undefined {
    const { replay, allowance, emitter, place } = this.#o
    const sealed = replay?.take(origin, buf, start, end)
    if (sealed) {
      emitter?.emit({ kind: 'replayed', process: place, seq: origin.seq, isAnswer: sealed.fault === undefined })
      return 'settled'
    }
    return allowance?.send(end - start)
  }

  asked(n: number, seq: number, buf: Buffer, start: number, end: number): void {
    const { emitter, place, replay } = this.#o
    replay?.sent(n)
    emitter?.emit({ kind: 'asked', process: place, n, seq, buf, start, end })
  }

  answered(n: number, seq: number, buf: Buffer, start: number, end: number): void {
    const { emitter, place, allowance } = this.#o
    allowance?.answered(end - start)
    emitter?.emit({ kind: 'answered', process: place, n, seq, buf, start, end })
  }

  /** The answer to the n-th message was passed on. */
  passedOn(n: number): void {
    this.#o.replay?.settled(n)
  }

  refused(n: number, seq: number, error: Fault): void {
    const { emitter, place, replay } = this.#o
    emitter?.emit({ kind: 'refused', process: place, n, seq, fault: error })
    replay?.settled(n)
  }

  /** False: the line is for nobody else. */
  takeTelemetry({ buf, start, end }: LineReader): boolean {
    const { emitter, place, parent, allowance } = this.#o
    const told = emitter || allowance ? this.#read(buf, start, end) : undefined
    if (told?.kind === 'budget') {
      allowance?.ask(told.ask)
      return false
    }
    // Nobody has asked for it but whoever records.
    const isPrivate = told?.kind === 'remembered'
    if (!isPrivate) parent?.write(buf, start, end)
    if (!told) return true
    emitter?.emit({ kind: 'telemetry', process: place, telemetry: told })
    if (told.kind === 'usage') allowance?.used(totalTokens(told))
    return !isPrivate
  }

  // A count that is none would make nonsense of all sums that it goes into.
  #read(buf: Buffer, start: number, end: number): AgentTelemetry | undefined {
    const told = readTelemetry(buf, start, end)
    if (told?.kind !== 'usage') return told
    const { usage, flaws } = readUsage(told)
    // A nested plumb that counts has said so itself.
    const isTold = this.#isFlawTold || (this.#o.runs === 'plumb' && currentBudget() !== undefined)
    if (flaws.length > 0 && !isTold) this.#o.warn(unknownUsageFault(flaws))
    this.#isFlawTold ||= flaws.length > 0
    return usage
  }

  /** Its outputs are about to close. */
  ending(): void {
    this.#o.replay?.release()
  }

  exited({ status, signal }: Exit): void {
    this.#o.emitter?.emit({ kind: 'exited', process: this.#o.place, status, signal })
  }
}

const readTelemetry = (buf: Buffer, start: number, end: number): AgentTelemetry | undefined => {
  const parsed = parseJson(buf, start, end)
  const told = parsed.ok ? (parsed.value as AgentTelemetry | null) : null
  return typeof told?.kind === 'string' ? told : undefined
}

const unknownUsageFault = (flaws: readonly string[]): Fault =>
  fault(
    'usage_unknown',
    `its usage has no ${flaws.join(' and no ')} that can be counted, a whole number from 0 to ${MAX_CALL_TOKENS}: each counts as the most`,
  )
