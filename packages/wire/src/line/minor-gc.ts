// What was read is garbage as soon as it is passed on, but it lies outside of V8's heap, and V8 lets tens of megabytes of it pile up. Swept
// more often, memory stays small and is used again while it is still in the caches.

/** A sweep takes a third of a millisecond. */
const HINT_BYTES = 8 * 1024 * 1024

let allocated = 0
let collect: ((options: { type: 'minor' }) => void) | undefined

/** So many bytes of short-lived memory were allocated since. */
export const hintMinorGc = (bytes: number): void => {
  allocated += bytes
  if (allocated < HINT_BYTES) return
  allocated = 0
  collect ??= exposeGc()
  collect({ type: 'minor' })
}

// A process that reads less needs none of this.
const exposeGc = (): NonNullable<typeof collect> => {
  const { setFlagsFromString } = require('node:v8') as typeof import('node:v8')
  const { runInNewContext } = require('node:vm') as typeof import('node:vm')
  setFlagsFromString('--expose-gc')
  const gc: unknown = runInNewContext('typeof gc === "function" ? gc : () => {}')
  setFlagsFromString('--no-expose-gc')
  return gc as NonNullable<typeof collect>
}
