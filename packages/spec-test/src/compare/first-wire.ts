// Where two variants part: the first wire that carried something else of a row, in the order in which the wires were reached.

import { canonicalJson } from '@plumb/wire'

/** What the wires carried of one input, the first first. */
export interface Step {
  readonly wire: string
  readonly messages: readonly string[]
}

/** What two runs carried on a wire of one input; undefined: nothing. */
export interface Parting {
  readonly wire: string
  readonly one: readonly string[] | undefined
  readonly other: readonly string[] | undefined
}

/** Undefined: every wire carried the same. */
export const firstParting = (one: readonly Step[], other: readonly Step[]): Parting | undefined => {
  const left = new Map(other.map((step) => [step.wire, step]))
  for (const { wire, messages } of one) {
    const there = left.get(wire)
    left.delete(wire)
    if (!there || !areSame(messages, there.messages)) return { wire, one: messages, other: there?.messages }
  }
  // What only the other has, in its order.
  for (const { wire, messages } of left.values()) return { wire, one: undefined, other: messages }
  return undefined
}

export const firstWire = (one: readonly Step[], other: readonly Step[]): string | undefined => firstParting(one, other)?.wire

/** Whether these are the same JSON values. */
export const areSame = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((json, i) => json === other[i] || canonicalJson(json) === canonicalJson(other[i] as string))

export interface DifferingText {
  readonly head: string
  /** What is not in the other text; may be empty. */
  readonly middle: string
  readonly tail: string
}

/** A text beside another one: what is between the beginning and the end that both have. */
export const differingIn = (text: string, other: string): DifferingText => {
  const [own, others] = [[...text], [...other]]
  const shorter = Math.min(own.length, others.length)
  let head = 0
  while (head < shorter && own[head] === others[head]) head++
  let tail = 0
  while (tail < shorter - head && own[own.length - 1 - tail] === others[others.length - 1 - tail]) tail++
  const part = (from: number, to: number): string => own.slice(from, to).join('')
  return { head: part(0, head), middle: part(head, own.length - tail), tail: part(own.length - tail, own.length) }
}
