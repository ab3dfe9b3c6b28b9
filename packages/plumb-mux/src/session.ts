// A command that runs behind a mux, from its start to its end.

import { type Exit, type Fault, type LineChild, MAX_LINE } from '@plumb/wire'
import type { Tee } from './tee.js'

export interface MuxOptions {
  /** The program and its arguments; there is no shell. */
  readonly command: readonly string[]
  readonly cwd?: string
  /** Default: all of this process. */
  readonly env?: Readonly<Record<string, string>>
  /** Bytes of the longest message; 16 MiB. */
  readonly maxLine?: number
  readonly tee?: Tee
  /** What was wrong with a line, or with a stream; everything else goes on. */
  readonly onFault: (fault: Fault) => void
}

export interface Ending extends Exit {
  /** Nobody read what it had to say, so it was told to end. */
  readonly isUnheard: boolean
}

export interface Session {
  /** The command has ended, and all it wrote was passed on. */
  readonly ended: Promise<Ending>
  /** To the command and its children. What it wrote has 5 s to be read when it has ended by then, and no longer. */
  kill(signal: NodeJS.Signals): void
  /** Passes nothing on any more, as when nobody reads it. A command that does not notice is ended after 5 s. */
  hangUp(): void
}

/** What is passed on, in one direction. */
interface Way {
  readonly ended: Promise<void>
  stop(): void
}

/** What stands around a message in an envelope. */
export const ENVELOPE_BYTES = 256

const GRACE_MS = 5000
const KILL_MS = 1000

export const openSession = (child: LineChild, inward: Way, outward: Way): Session => {
  let isUnheard = false
  let hasExited = false
  let timer: NodeJS.Timeout | undefined
  // Before all that it wrote is passed on: that may take for ever, and meanwhile all input would be read for nobody.
  void child.ended.then(() => inward.stop())
  const ended = child.exited.then(async (exit) => {
    hasExited = true
    clearTimeout(timer)
    await outward.ended
    return { ...exit, isUnheard }
  })
  const kill: LineChild['kill'] = (signal) => {
    // A reader that does not read is not waited for, once the command has obeyed.
    void child.ended.then(() => setTimeout(hangUp, GRACE_MS).unref())
    return child.kill(signal)
  }
  const hangUp = (): void => {
    if (isUnheard) return
    isUnheard = true
    outward.stop()
    inward.stop()
    if (!hasExited) timer = setTimeout(() => void child.terminate(KILL_MS), GRACE_MS)
  }
  return { ended, kill, hangUp }
}

export const limits = ({ maxLine = MAX_LINE }: MuxOptions): { message: number; envelope: number } => ({
  message: maxLine,
  envelope: maxLine + ENVELOPE_BYTES,
})

/** A mux is no boundary: what the command may know is up to whoever calls. */
export const ownEnvironment = (): Record<string, string> =>
  Object.fromEntries(Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined))
