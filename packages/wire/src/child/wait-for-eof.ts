// The end of what a child wrote, which may come late or never where a grandchild holds on to the pipe.

const IDLE_MS = 500

/** A socket of Node's is one. */
export interface Drainable {
  readonly readableEnded: boolean
  readonly destroyed: boolean
  readonly bytesRead: number
  /** Null: there was no listener yet. */
  readonly readableFlowing: boolean | null
  once(event: 'end' | 'close', listener: () => void): unknown
  resume(): unknown
  destroy(): unknown
}

/** Called after the child's exit: resolves at the end of the stream, or destroys it when nothing has come for half a second. */
export const waitForEof = (stream: Drainable): Promise<void> =>
  new Promise((resolve) => {
    if (stream.readableEnded || stream.destroyed) return resolve()
    let bytes = stream.bytesRead
    const look = (): void => {
      // Where the consumer holds back, it is not the writer that is idle.
      const isIdle = stream.readableFlowing !== false && stream.bytesRead === bytes
      if (isIdle) stream.destroy()
      bytes = stream.bytesRead
    }
    const timer = setInterval(look, IDLE_MS)
    const done = (): void => {
      clearInterval(timer)
      resolve()
    }
    stream.once('end', done)
    stream.once('close', done)
    // There is no listener: what comes is dropped, so that the end is seen.
    if (stream.readableFlowing === null) stream.resume()
  })
