// So many values of a type: the unusual ones, then others by chance.

import type { Type } from '../types/type.js'
import { drawValue } from './draw.js'
import { edgesOf } from './edges.js'
import { openSizes } from './least.js'
import { randomOf } from './seeded.js'

export interface RandomOptions {
  /** The same values come of the same seed. */
  readonly seed: number
  readonly count: number
  /** At most so many of them are unusual ones, in their order; all where it is not given. */
  readonly edges?: number
}

/** A type whose smallest value has more characters has none here. */
const MAX_CHARACTERS = 1_000_000
const ROOM = 200

/**
 * JSON texts, each on one line; numbers are written with all their digits. Within `@min` and `@max`; a field with a
 * default may be absent. None for a type without values, such as one whose limits contradict each other.
 */
export function* randomValues(type: Type, { seed, count, edges: most = count }: RandomOptions): Generator<string> {
  const sizes = openSizes(type)
  if (sizes.of(type) > MAX_CHARACTERS) return
  const edges = edgesOf(type, sizes)
  const given = new Set<string>()
  for (let i = 0; i < edges.count && given.size < Math.min(count, most); i++) {
    const value = edges.at(i)
    if (given.has(value)) continue
    given.add(value)
    yield value
  }
  const random = randomOf(seed)
  for (let i = given.size; i < count; i++) yield drawValue(type, random() * ROOM, { sizes, random })
}
