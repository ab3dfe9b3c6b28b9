// Read buffers are garbage as soon as they are passed on, but they lie outside of V8's heap, and V8 lets tens of megabytes of them pile up.
// Frequent minor collections keep memory small and reuse it while it is in the CPU caches.

/** A collection takes a third of a millisecond. */
const HINT_BYTES = 8 * 1024 * 1024

let allocated = 0
let collect: ((options: { type: 'minor' }) => void) | undefined

/** Counts bytes of short-lived memory that were allocated. */
export const hintMinorGc = (bytes: number): void => {
  allocated += bytes
  if (allocated < HINT_BYTES) return
  allocated = 0
  collect ??= exposeGc()
  collect({ type: 'minor' })
}

// A process that reads less needs no such collection.
const exposeGc = (): NonNullable<typeof collect> => {
  const { setFlagsFromString } = require('node:v8') as typeof import('node:v8')
  const { runInNewContext } = require('node:vm') as typeof import('node:vm')
  setFlagsFromString('--expose-gc')
  const gc: unknown = runInNewContext('typeof gc === "function" ? gc : () => {}')
  setFlagsFromString('--no-expose-gc')
  return gc as NonNullable<typeof collect>
}
