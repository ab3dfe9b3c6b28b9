// What was read is garbage as soon as it is passed on, but it lies outside of V8's heap, and V8 lets tens of megabytes of it pile up. Swept
// more often, memory stays small and is used again while it is still in the caches.

/** A sweep takes a third of a millisecond. */
const SWEEP_BYTES = 8 * 1024 * 1024

let unswept = 0
let sweep: ((options: { type: 'minor' }) => void) | undefined

/** So many more bytes were allocated that nobody needs for long. */
export const noteGarbage = (bytes: number): void => {
  unswept += bytes
  if (unswept < SWEEP_BYTES) return
  unswept = 0
  sweep ??= openSweep()
  sweep({ type: 'minor' })
}

// Whoever reads less needs none of this.
const openSweep = (): NonNullable<typeof sweep> => {
  const { setFlagsFromString } = require('node:v8') as typeof import('node:v8')
  const { runInNewContext } = require('node:vm') as typeof import('node:vm')
  setFlagsFromString('--expose-gc')
  const gc: unknown = runInNewContext('typeof gc === "function" ? gc : () => {}')
  setFlagsFromString('--no-expose-gc')
  return gc as NonNullable<typeof sweep>
}
