// Simpler strings than one: shorter, then with plain letters.

import type { Bounds } from './bounds.js'
import { removals, without } from './removals.js'

const PLAIN = 'a'

/** The shortest first. Two halves of a pair that meet are one code point, so each is counted again. */
export function* shrinkText(text: string, { least, most }: Bounds): Generator<string> {
  const points = [...text]
  for (const range of removals(points.length, least)) {
    const shorter = without(points, range).join('')
    if ([...shorter].length >= least) yield shorter
  }
  const odd = points.flatMap((point, i) => (point === PLAIN ? [] : [i]))
  if (odd.length > 1 && points.length <= most) yield PLAIN.repeat(points.length)
  for (const i of odd) yield points.with(i, PLAIN).join('')
}
