// A circle among channels that each join two processes, whatever their direction.

import type { Span } from '../diagnostic/source.js'
import type { Process } from './graph.js'

export interface JoiningChannel {
  readonly name: string
  readonly span: Span
  readonly ends: readonly [Process, Process]
}

/** With the process that leads into it. */
export type InCircle = JoiningChannel & { readonly from: Process }

/** The first circle; empty: they are trees. */
export const circleOf = (channels: readonly JoiningChannel[]): readonly InCircle[] => {
  const joined: JoiningChannel[] = []
  for (const channel of channels) {
    const [a, b] = channel.ends
    const way = pathBetween(b, a, joined)
    if (way) return [{ ...channel, from: a }, ...way]
    joined.push(channel)
  }
  return []
}

/** Undefined: none leads there. */
const pathBetween = (from: Process, to: Process, channels: readonly JoiningChannel[]): readonly InCircle[] | undefined => {
  const paths = new Map<Process, readonly InCircle[]>([[from, []]])
  // A map iterates over entries that are added meanwhile.
  for (const [process, path] of paths) {
    if (process === to) return path
    for (const channel of channels) {
      const [a, b] = channel.ends
      const next = a === process ? b : b === process ? a : undefined
      if (next && !paths.has(next)) paths.set(next, [...path, { ...channel, from: process }])
    }
  }
  return undefined
}
