// Finds the kept request that is most similar to a missing one, and where they differ.

import { isRecord } from '@plumb/wire'
import { canonicalText } from './canonical.js'

export interface NearestRequest {
  /** Its index in the list. */
  readonly index: number
  /** The first differing paths, such as `messages[2].content`. */
  readonly paths: readonly string[]
}

const MAX_PATHS = 20
/** The number of kept requests that are compared. */
const MAX_COMPARED = 10_000

/** Undefined: there is none. Of equally near ones, the first. */
export const nearestRequest = (request: unknown, kept: readonly unknown[]): NearestRequest | undefined => {
  let best: NearestRequest | undefined
  for (const [index, other] of kept.slice(0, MAX_COMPARED).entries()) {
    const paths = differingPaths(request, other, best ? best.paths.length : MAX_PATHS)
    if (!best || paths.length < best.paths.length) best = { index, paths }
  }
  return best
}

/** At most `max`, in the order of the first value. */
export const differingPaths = (a: unknown, b: unknown, max = MAX_PATHS): string[] => {
  const paths: string[] = []
  const compare = (one: unknown, other: unknown, path: string): void => {
    if (paths.length >= max || canonicalText(one) === canonicalText(other)) return
    if (Array.isArray(one) && Array.isArray(other)) {
      for (let i = 0; i < Math.max(one.length, other.length); i++) compare(one[i], other[i], `${path}[${i}]`)
    } else if (isRecord(one) && isRecord(other)) {
      const keys = new Set([...Object.keys(one), ...Object.keys(other)])
      for (const key of keys) compare(one[key], other[key], path === '' ? key : `${path}.${key}`)
    } else paths.push(path)
  }
  compare(a, b, '')
  return paths
}
