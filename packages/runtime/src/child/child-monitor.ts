// Passes on the events of one child: to the listeners of the run, the parent of a nested plumb, the budget, and the replay of a resumed
// run.

import { currentBudget } from '@plumb/ledger'
import { type Exit, type Fault, fault, MAX_CALL_TOKENS, parseJson, readUsage, type StateFile, type TelemetryLines } from '@plumb/wire'
import type { RunEmitter } from '../event/emitter.js'
import { InputNumbers } from '../event/input-numbers.js'
import type { AgentTelemetry, ProcessKind } from '../event/run-event.js'
import type { Secrets } from '../event/secrets.js'
import type { Origin } from '../graph/origin.js'
import type { Replay } from '../record/resume/replay.js'
import type { ChildAllowance } from './allowance.js'

export interface ChildMonitorOptions {
  /** As at the ends of wires. */
  readonly place: string
  readonly runs: ProcessKind
  /** It is a foreign program that numbers its lines. */
  readonly isNumbered?: boolean
  readonly pid: number
  readonly emitter: RunEmitter | undefined
  /** For the telemetry of our children, if a parent asked for it. */
  readonly parent: TelemetryLines | undefined
  /** For a child that does not share our budget itself. */
  readonly allowance: ChildAllowance | undefined
  /** Its answers in the resumed run. */
  readonly replay: Replay | undefined
  /** Where its memory is kept. */
  readonly state: StateFile | undefined
  /** It has had secrets, which are not shown. */
  readonly secrets?: Secrets | undefined
  readonly warn: (warning: Fault) => void
}

export class ChildMonitor {
  readonly #o: ChildMonitorOptions
  /** For what a parent is told. */
  readonly #inputs = new InputNumbers()
  #hasWarned = false

  constructor(options: ChildMonitorOptions) {
    this.#o = options
    const { place, runs, pid, emitter, isNumbered } = options
    emitter?.emit({ kind: 'spawned', process: place, runs, pid, ...(isNumbered ? { isNumbered } : {}) })
  }

  /** Whether it may be sent no more messages now; `inFlight`: messages that it has not answered. */
  isFull(inFlight: number): boolean {
    return this.#o.allowance?.isFull(inFlight) === true || this.#o.replay?.isFull === true
  }

  /** Why the message is not sent; `settled`: its recorded answer is passed on in order. */
  stops(origin: Origin, buf: Buffer, start: number, end: number): Fault | 'settled' | undefined {
    const { replay, allowance, emitter, place } = this.#o
    const recorded = replay?.take(origin, buf, start, end)
    if (recorded) {
      emitter?.emit({ kind: 'replayed', process: place, seq: origin.seq, isAnswer: recorded.fault === undefined })
      return 'settled'
    }
    return allowance?.send(end - start)
  }

  asked(n: number, seq: number, buf: Buffer, start: number, end: number): void {
    const { emitter, place, parent, replay } = this.#o
    if (parent) this.#inputs.note(n, seq)
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

  /** Nothing more comes of the n-th message. */
  whole(n: number): void {
    const { emitter, place, replay, isNumbered } = this.#o
    if (isNumbered) emitter?.emit({ kind: 'whole', process: place, n })
    replay?.settled(n)
  }

  /** Takes a line of telemetry. False: it is not passed on. `seqOf`: the input of the run from which the n-th message that it was sent comes. */
  takeTelemetry(buf: Buffer, start: number, end: number, seqOf: (n: number) => number): boolean {
    const { emitter, place, parent, allowance, state, secrets } = this.#o
    const telemetry = emitter || allowance || state || secrets ? this.#read(buf, start, end) : undefined
    if (telemetry?.kind === 'budget') {
      allowance?.handle(telemetry)
      return false
    }
    // Only the recorder, a state file, or spans asked for it.
    const isMemory = telemetry?.kind === 'remembered'
    const isPrivate = isMemory || telemetry?.kind === 'prompt' || telemetry?.kind === 'exchange'
    if (isMemory) {
      const { messages, conversation, seq = 0 } = telemetry
      state?.append({ place, seq: seqOf(seq), messages, ...(conversation === undefined ? {} : { conversation }) })
    }
    if (parent && !isPrivate && (!secrets || telemetry)) {
      const told = secrets ? Buffer.from(JSON.stringify(secrets.telemetry(telemetry as AgentTelemetry))) : buf.subarray(start, end)
      const line = this.#inputs.renumber(told)
      parent.write(line, 0, line.length)
    }
    if (!telemetry) return true
    emitter?.emit({ kind: 'telemetry', process: place, telemetry })
    if (telemetry.kind === 'usage' && telemetry.kept === undefined) allowance?.used(telemetry)
    return !isPrivate && telemetry.kind !== 'tool_span'
  }

  // A wrong count would spoil all sums that contain it.
  #read(buf: Buffer, start: number, end: number): AgentTelemetry | undefined {
    const telemetry = readTelemetry(buf, start, end)
    if (telemetry?.kind !== 'usage') return telemetry
    const { usage, flaws } = readUsage(telemetry)
    // A nested plumb with the budget has already warned.
    const hasWarned = this.#hasWarned || (this.#o.runs === 'plumb' && currentBudget() !== undefined)
    if (flaws.length > 0 && !hasWarned) this.#o.warn(unknownUsageFault(flaws))
    this.#hasWarned ||= flaws.length > 0
    return usage
  }

  /** Its outputs are about to close. */
  ending(): void {
    this.#o.replay?.release()
  }

  exited({ status, signal }: Exit): void {
    this.#o.allowance?.end()
    this.#o.emitter?.emit({ kind: 'exited', process: this.#o.place, status, signal })
  }
}

const readTelemetry = (buf: Buffer, start: number, end: number): AgentTelemetry | undefined => {
  const parsed = parseJson(buf, start, end)
  const telemetry = parsed.ok ? (parsed.value as AgentTelemetry | null) : null
  return typeof telemetry?.kind === 'string' ? telemetry : undefined
}

const unknownUsageFault = (flaws: readonly string[]): Fault =>
  fault(
    'usage_unknown',
    `its usage has no ${flaws.join(' and no ')} that can be counted, a whole number from 0 to ${MAX_CALL_TOKENS}: each counts as the most`,
  )
