// Where something of so many bytes is cut: at every place of it, or at some that a seed chooses.

import { makeRandom } from '../fuzz/random.js'

/** How many places of each thing are tried; PLUMB_CUTS=all for every one, PLUMB_SEED for others. */
const WANTED = process.env.PLUMB_CUTS === 'all' ? Number.POSITIVE_INFINITY : Number(process.env.PLUMB_CUTS ?? 12)
const SEED = process.env.PLUMB_SEED ?? '1'

/** From 0 (nothing of it) to `length` - 1 (all but the last byte), the two always among them. `what` it is chooses, too. */
export const cutPlaces = (length: number, what: string): number[] => {
  if (WANTED >= length) return Array.from({ length }, (_, at) => at)
  const random = makeRandom(SEED, what)
  const places = new Set([0, length - 1])
  while (places.size < WANTED) places.add(random.below(length))
  return [...places].sort((a, b) => a - b)
}
