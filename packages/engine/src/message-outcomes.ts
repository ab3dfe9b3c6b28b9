// The outcomes of messages that the process of a part has finished: outputs, a letter, or another delivery.

import { type Fault, fault } from '@plumb/wire'
import type { DeadLetter, KeptCall, NewMessage, TakenMessage } from './engine.js'
import type { PartEvent } from './part-events.js'
import type { FinishedMessage, Ready } from './part-process.js'
import type { PlannedPart } from './run-plan.js'

export interface Outcomes {
  readonly done: readonly TakenMessage[]
  readonly outputs: readonly NewMessage[]
  readonly letters: readonly DeadLetter[]
  /** Delivered again, later and alone. */
  readonly again: readonly TakenMessage[]
  /** Returned until a limit of the run is raised. */
  readonly back?: readonly TakenMessage[]
  /** Wait for a person's decision. */
  readonly parked?: readonly TakenMessage[]
  readonly calls?: readonly KeptCall[]
  readonly memory?: readonly string[]
  readonly events?: readonly PartEvent[]
  readonly dropped?: number
}

/** Deliveries of a message before it becomes a letter. */
export const MAX_TRIES = 5

/** A limit of the run, not of one agent. */
const isOverLimit = ({ error, limit }: Fault): boolean => error === 'budget_spent' && limit === undefined

/** One of its calls needs approval, or a person has to check whether it was made. */
const isOfPerson = ({ error }: Fault): boolean => error === 'parked' || error === 'in_doubt'

const isDeath = ({ error }: Fault): boolean => error === 'child_failed'

/** `over`: a limit of the run is reached. `mustRestart`: the process can no longer be trusted with messages, and is replaced. */
export const outcomesOf = (
  part: PlannedPart,
  { finished, memory, events }: Ready,
): Outcomes & { readonly over: Fault | undefined; readonly mustRestart: boolean } => {
  // A part with effects may have begun one, so its messages are not repeated.
  const isHeld = ({ faults }: FinishedMessage) => !part.hasEffects && faults.some(isOverLimit)
  const isTriedAgain = ({ message, faults }: FinishedMessage) =>
    message.tries < MAX_TRIES && faults.some((one) => one.category === 'unavailable' || isDeath(one)) && !part.hasEffects
  const isParked = ({ faults }: FinishedMessage) => part.parks && faults.some(isOfPerson)
  const isAgain = (one: FinishedMessage) => isHeld(one) || isParked(one) || isTriedAgain(one)
  // Where the order matters, all messages after one that is repeated are repeated too.
  const first = part.kind === 'owned' ? finished.findIndex(isAgain) : -1
  const decided = first < 0 ? finished.filter((one) => !isAgain(one)) : finished.slice(0, first)
  const left = first < 0 ? finished.filter(isAgain) : finished.slice(first, first + 1)
  const parked = left.filter(isParked)
  // Messages after one that waits for a person wait for it.
  const waiting = parked.filter(({ faults }) => faults.every(({ approval }) => approval === undefined))
  const held = [...left.filter((one) => isHeld(one) && !isParked(one)), ...waiting]
  const settled = new Set(decided.map(({ seq }) => seq))
  return {
    done: decided.map(messageOf),
    outputs: decided.flatMap((one) => outputsOf(part, one)),
    letters: decided.flatMap(({ message, faults: [error] }): DeadLetter[] => (error ? [{ message, fault: error }] : [])),
    again: left.filter((one) => !isHeld(one) && !isParked(one)).map(messageOf),
    back: held.map(messageOf),
    parked: parked.filter((one) => !waiting.includes(one)).map(messageOf),
    calls: [...decided, ...parked].flatMap(({ message, calls }) =>
      calls.map((call): KeptCall => ({ id: call.id, ord: message.ord, call })),
    ),
    memory: memory.filter(({ seq }) => first < 0 || seq < (finished[first]?.seq ?? 0)).map(({ line }) => line),
    events: events.filter(({ seq }) => seq === 0 || settled.has(seq)),
    dropped: decided.filter(({ outputs, faults }) => outputs.length === 0 && faults.length === 0).length,
    over: finished.flatMap(({ faults }) => faults).find(isOverLimit),
    // A child process that failed cannot handle later messages.
    mustRestart: first >= 0 || finished.some(({ faults }) => faults.some(isDeath)),
  }
}

/** `retrySeconds`: the delay before a second try; each next time it is five times as long. */
export const settlementOf = (
  { done, outputs, letters, again, back = [], parked = [], calls = [], dropped = 0 }: Outcomes,
  retrySeconds: number,
) => ({
  done: done.map(({ id }) => id),
  ords: done.map(({ ord }) => ord),
  outputs,
  letters,
  again: again.map(({ id, tries }) => ({ id, afterSeconds: retrySeconds * 5 ** (tries - 1) })),
  back: back.map(({ id }) => id),
  parked: parked.map(({ id }) => id),
  calls,
  tally: { taken: done.length, outputs: outputs.length, dropped, failed: letters.length },
})

const messageOf = ({ message }: FinishedMessage): TakenMessage => message

const outputsOf = (part: PlannedPart, { message, outputs }: FinishedMessage): NewMessage[] => {
  const { ord, origin } = message
  return outputs.flatMap(({ port, value }, i) => {
    const place = outputs.length === 1 ? ord : `${ord.slice(0, -1)},${i + 1}}`
    const targets = part.outputs[port]?.targets ?? []
    return targets.map((target): NewMessage => ({ ...target, ord: place, origin, value }))
  })
}

/** Why a message that was delivered before is not run again. Undefined: it may run. */
export const whyNotRetried = ({ tries }: TakenMessage, { name, hasEffects }: PlannedPart): Fault | undefined => {
  if (tries > 1 && hasEffects)
    return fault('in_doubt', `what '${name}' does with this message may have been done when a worker ended, and is not done again`)
  if (tries > MAX_TRIES) return fault('child_failed', `'${name}' or its worker has ended ${MAX_TRIES} times with this message`)
  return undefined
}
