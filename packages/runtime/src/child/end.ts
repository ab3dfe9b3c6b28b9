// How a child ended, and the outcome of the messages that it had been sent: reported once, with the inputs they came from.

import { type Exit, type Fault, fault, type SentMessages } from '@plumb/wire'
import { addTo, rangesOf } from '../graph/input-context.js'
import type { Origin } from '../graph/origin.js'

interface Unanswered {
  readonly count: number
  /** The number of messages that it was sent. */
  readonly of: number
  /** The inputs that they came from. */
  readonly seqs: readonly [number, number][]
}

export const unansweredOf = (messages: SentMessages<Origin>): Unanswered => {
  const seqs: number[] = []
  for (const { of } of messages) {
    if (of.seq > 0) seqs.push(of.seq)
    else seqs.push(...of.seqs)
  }
  return { count: messages.inHand, of: messages.count, seqs: rangesOf(seqs) }
}

export interface ChildEnding extends Exit {
  readonly name: string
  /** More could have come in. */
  readonly wasFed: boolean
  /** The number of error objects that it wrote. */
  readonly reported: number
  readonly unanswered: Unanswered
  /** It may leave messages unanswered if it ends with status 0. */
  readonly isExcused: boolean
  /** Other text on its stderr. */
  readonly lastWords: string
  /** What it lacked in its sandbox, as far as its last words say so. */
  readonly lacked: () => string | undefined
}

/** What shells, env and ssh mean by these. */
const SHELL_SAYS: ReadonlyMap<number | null, string> = new Map([
  [126, ' (a program cannot be executed)'],
  [127, ' (a program was not found)'],
])

/** Undefined: it ended well. */
export const failureOf = (ending: ChildEnding): Fault | undefined => {
  const { name, status, signal, wasFed, reported, unanswered, isExcused, lastWords } = ending
  const { count } = unanswered
  const isLeft = count > 0 && !(isExcused && status === 0)
  const isWell = signal === null && (status === 0 || (!wasFed && reported > 0))
  if (isWell && !isLeft) return undefined
  const how = signal === null ? `ended with status ${status}${SHELL_SAYS.get(status) ?? ''}` : `was ended by ${signal}`
  const left = count === 0 ? '' : `; ${countText(unanswered)}`
  const words = lastWords === '' ? {} : { stderr: lastWords }
  const lacked = ending.lacked()
  return fault('child_failed', `'${name}' ${how}${left}${lacked === undefined ? '' : `; ${lacked}`}`, {
    process: name,
    ...(signal === null ? { status } : { signal }),
    ...(count === 0 ? {} : extrasOf(unanswered)),
    ...words,
  })
}

/** Why a message that came after its end has no answer, where nothing else has failed. */
export const endedBefore = ({ name, status, signal }: ChildEnding): Fault =>
  fault('child_failed', `'${name}' had ended ${signal === null ? `with status ${status}` : `by ${signal}`} before this message came`, {
    process: name,
  })

/** It was ended because it would have exceeded the budget. */
export const spentEnd = ({ name, unanswered }: ChildEnding): Fault => {
  const left = unanswered.count === 0 ? 'it went on spending behind its last answer' : countText(unanswered)
  const extras = { process: name, ...extrasOf(unanswered) }
  return fault('budget_spent', `'${name}' was ended, since the budget of this run is spent; ${left}`, extras)
}

/** Its time was cut. */
export const unfinishedAt = (name: string, unanswered: Unanswered): Fault =>
  fault('cancelled', `'${name}' was ended; ${countText(unanswered)}`, { process: name, ...extrasOf(unanswered) })

const countText = ({ count, of }: Unanswered): string =>
  `${count} of the ${of} messages it was sent ${count === 1 ? 'is' : 'are'} not answered`

const extrasOf = ({ count, seqs }: Unanswered) => ({ unanswered: count, ...inputsOf(seqs) })

/** Messages that reached a child after its end, and the inputs that they came from. */
export class Dropped {
  #count = 0
  readonly #seqs: [number, number][] = []
  /** How it ended, once known. */
  end: 'unknown' | 'well' | 'badly' = 'unknown'

  add(origin: Origin): void {
    this.#count++
    if (origin.seq > 0) addTo(this.#seqs, origin.seq)
    else for (const seq of origin.seqs) addTo(this.#seqs, seq)
  }

  /** The first input that was lost, or may have been; Infinity: none. */
  get oldest(): number {
    return this.end === 'well' ? Number.POSITIVE_INFINITY : (this.#seqs[0]?.[0] ?? Number.POSITIVE_INFINITY)
  }

  /** Undefined: nothing was lost. */
  faultOf(name: string): Fault | undefined {
    return this.end === 'badly' && this.#count > 0 ? droppedAt(name, this.#count, this.#seqs) : undefined
  }
}

const droppedAt = (name: string, count: number, seqs: readonly [number, number][]): Fault =>
  fault('child_failed', `${count} message${count === 1 ? '' : 's'} reached '${name}' after it had ended`, {
    process: name,
    dropped: count,
    ...inputsOf(seqs),
  })

/** The first input as `seq`, and all as ranges if there are more. */
const inputsOf = (seqs: readonly [number, number][]): { seq?: number; seqs?: readonly [number, number][] } => {
  const [first] = seqs
  if (!first) return {}
  return seqs.length === 1 && first[0] === first[1] ? { seq: first[0] } : { seq: first[0], seqs }
}
