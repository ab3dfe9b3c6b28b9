// The spec's `request`, merged into the body: a merge patch (RFC 7396), so that null takes an entry out.

import { isRecord } from '@plumb/wire'

export const mergePatch = (target: unknown, patch: unknown): unknown => {
  if (!isRecord(patch)) return patch
  const merged = new Map(Object.entries(isRecord(target) ? target : {}))
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) merged.delete(key)
    else merged.set(key, mergePatch(merged.get(key), value))
  }
  return Object.fromEntries(merged)
}
