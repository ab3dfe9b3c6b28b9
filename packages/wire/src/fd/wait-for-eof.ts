// Waits for the end of a child's output, which may come late or never if a grandchild holds the pipe open.

const IDLE_MS = 500

/** Node's sockets have this shape. */
export interface Drainable {
  readonly readableEnded: boolean
  readonly destroyed: boolean
  readonly bytesRead: number
  /** Null: no listener was added yet. */
  readonly readableFlowing: boolean | null
  once(event: 'end' | 'close', listener: () => void): unknown
  resume(): unknown
  destroy(): unknown
}

/** Call it after the child's exit: resolves at the end of the stream, or destroys it when it was idle for half a second. */
export const waitForEof = (stream: Drainable): Promise<void> =>
  new Promise((resolve) => {
    if (stream.readableEnded || stream.destroyed) return resolve()
    const isFlowing = (): boolean => stream.readableFlowing !== false
    let [bytes, wasFlowing] = [stream.bytesRead, isFlowing()]
    const look = (): void => {
      // While the consumer holds back, the writer is not idle. A consumer that was busy for the whole interval may have resumed the stream a
      // moment ago, and what is in the pipe is not read yet.
      if (isFlowing() && wasFlowing && stream.bytesRead === bytes) setImmediate(end, bytes)
      bytes = stream.bytesRead
      wasFlowing = isFlowing()
    }
    // Timers come first in a turn: what came while this process had none itself, on a busy machine, is read before this.
    const end = (before: number): void => {
      if (stream.bytesRead === before) stream.destroy()
    }
    const timer = setInterval(look, IDLE_MS)
    const done = (): void => {
      clearInterval(timer)
      resolve()
    }
    stream.once('end', done)
    stream.once('close', done)
    // Without a listener, data is dropped so that the end is seen.
    if (stream.readableFlowing === null) stream.resume()
  })
