// The calls of agents and tools in a test, in order, and those that had no answer.

import type { Bound, Span } from '@plumb/lang'
import type { Telemetry } from '@plumb/wire'
import type { Automaton } from '@plumb/wire/protocol'
import { positionIn } from './place.js'
import type { SpecPosition } from './report/result.js'

export interface Unanswered {
  readonly code: 'model' | 'not_doubled'
  readonly message: string
  /** The script without an answer. */
  readonly place?: SpecPosition
}

/** A tool that was not called, because the script's input does not have its type. */
export interface RefusedCall {
  readonly name: string
  readonly detail: string
}

export class CallLog {
  readonly #inputs = new Map<Bound, string[]>()
  /** The states of protocols that walks have come to. */
  readonly states = new Map<Automaton, Set<number>>()
  readonly unanswered: Unanswered[] = []
  readonly refused: RefusedCall[] = []
  /** Why a live agent that has not answered since asked its model again, by process. */
  readonly #retried = new Map<string, string>()
  /** What was not run, and why: the test is skipped. */
  skipped: string | undefined

  note(of: Bound, input: string): void {
    const inputs = this.#inputs.get(of)
    if (inputs) inputs.push(input)
    else this.#inputs.set(of, [input])
  }

  noteTelemetry(process: string, telemetry: Telemetry): void {
    if (telemetry.kind === 'retry') this.#retried.set(process, telemetry.reason)
    else if (telemetry.kind === 'usage') this.#retried.delete(process)
  }

  /** For the end of `had not ended after 10 s`. */
  get whyRetried(): string {
    const [reason] = this.#retried.values()
    return reason === undefined ? '' : `, asked again since ${reason}`
  }

  noteState(of: Automaton, state: number): void {
    const states = this.states.get(of)
    if (states) states.add(state)
    else this.states.set(of, new Set([state]))
  }

  of(bound: Bound): readonly string[] {
    return this.#inputs.get(bound) ?? []
  }

  get bounds(): Iterable<Bound> {
    return this.#inputs.keys()
  }

  addUnanswered(code: Unanswered['code'], message: string, at?: Span): void {
    if (this.unanswered.some((other) => other.message === message)) return
    this.unanswered.push({ code, message, ...(at ? { place: positionIn(at) } : {}) })
  }
}
