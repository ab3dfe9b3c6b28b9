// Two sockets as one: what comes out of either goes into the other, no faster than that takes it, and each way ends by itself.

import type { Socket } from 'node:net'

/** Both of the kind that may be half open. */
export const pipeBothWays = (one: Socket, other: Socket): void => {
  passOn(one, other)
  passOn(other, one)
}

const passOn = (from: Socket, to: Socket): void => {
  from.pipe(to)
  from.on('error', () => {})
  from.once('close', () => {
    // Broken off, which is not to look like the end.
    if (!from.readableEnded) to.resetAndDestroy()
    // It takes no more, and has said all that it had to say.
    else to.resume()
  })
}
