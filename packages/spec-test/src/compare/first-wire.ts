// Where two variants part: the first wire that carried something else of a row, in the order in which the wires were reached.

import { canonicalJson } from '@plumb/wire'
import type { Carried } from '../carried.js'

/** What the wires carried of one input, the first first. */
export interface Step {
  readonly wire: string
  readonly messages: readonly string[]
}

/** By the numbers of inputs. */
export const stepsByInput = (carried: Carried): ReadonlyMap<number, readonly Step[]> => {
  const found = new Map<number, (Step & { readonly time: number; readonly messages: string[] })[]>()
  for (const { name, messages, seqs, times } of carried.timed) {
    for (const [i, input] of seqs.entries()) {
      const steps = found.get(input) ?? []
      if (steps.length === 0) found.set(input, steps)
      const last = steps.at(-1)
      if (last?.wire === name) last.messages.push(messages[i] as string)
      else steps.push({ wire: name, messages: [messages[i] as string], time: times[i] as number })
    }
  }
  for (const steps of found.values()) steps.sort((a, b) => a.time - b.time)
  return found
}

/** Undefined: every wire carried the same. */
export const firstWire = (one: readonly Step[], other: readonly Step[]): string | undefined => {
  const left = new Map(other.map((step) => [step.wire, step]))
  for (const { wire, messages } of one) {
    const there = left.get(wire)
    left.delete(wire)
    if (!there || !isSame(messages, there.messages)) return wire
  }
  // What only the other has, in its order.
  for (const wire of left.keys()) return wire
  return undefined
}

const isSame = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((json, i) => json === other[i] || canonicalJson(json) === canonicalJson(other[i] as string))
