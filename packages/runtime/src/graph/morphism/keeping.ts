// State that outlives its process, where a part of a run by workers has it: it begins with what was kept, and each change is kept with the
// message that made it.

import { type Folding, type Identity, KeyedFolding } from '@plumb/lang'
import type { StateFile } from '@plumb/wire'
import type { InputContext } from '../input-context.js'

export interface Keeping {
  /** What was kept. */
  readonly before: readonly unknown[]
  /** Adds these, for the current message. */
  add(values: readonly unknown[]): void
  /** Keeps these in place of all before. */
  replace(values: readonly unknown[]): void
}

/** Of the process at this place. Undefined: nothing is kept. */
export const keepingAt = (place: string, state: StateFile | undefined, current: InputContext): Keeping | undefined => {
  if (!state) return undefined
  const append = (messages: readonly unknown[], more: { readonly replaces?: true }) => {
    // What stems from several is settled when the last of them is.
    const seq = current.seq > 0 ? current.seq : Math.max(0, ...current.origin.seqs)
    state.append({ place, seq, messages, ...more })
  }
  return {
    before: state.memoryOf(place),
    add: (values) => append(values, {}),
    replace: (values) => append(values, { replaces: true }),
  }
}

/** Gives a fold its kept states; what it returns keeps the one that the last message has made. As text, so that numbers keep their digits. */
export const keepStates = (fold: Folding | KeyedFolding, keeping: Keeping): (() => void) => {
  if (fold instanceof KeyedFolding) {
    for (const entry of keeping.before.filter(isEntry)) fold.entry = entry
    return () => keeping.add([fold.entry])
  }
  const [before] = keeping.before
  if (typeof before === 'string') fold.state = before
  return () => keeping.replace([fold.state])
}

const isEntry = (entry: unknown): entry is readonly [Identity, string] =>
  Array.isArray(entry) && entry.length === 2 && typeof entry[1] === 'string'
