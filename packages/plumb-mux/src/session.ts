// A command that runs behind a mux, from its start to its end.
//
//   state        command exits     all output was passed on   hangUp()
//   running      → exited          –                          → hungUp; if the command still runs after 5 s, it is terminated
//   exited       –                 `ended` resolves           → hungUp
//   hungUp       `ended` resolves  –                          –

import { type Exit, type Fault, type LineChild, MAX_LINE } from '@plumb/wire'
import type { Tee } from './tee.js'

/** Which command runs, and who hears of what is wrong. */
export interface MuxOptions {
  /** The program and its arguments; no shell is used. */
  readonly command: readonly string[]
  readonly cwd?: string
  /** Default: the environment of this process. */
  readonly env?: Readonly<Record<string, string>>
  /** Bytes of the longest message; 16 MiB. */
  readonly maxLine?: number
  readonly tee?: Tee
  /** A line or a stream was at fault; everything else continues. */
  readonly onFault: (fault: Fault) => void
}

/** How the command ended. */
export interface MuxEnding extends Exit {
  /** The reader of the command's output went away, so the command was terminated. */
  readonly isHungUp: boolean
}

/** A command that runs behind a mux. */
export interface MuxSession {
  /** Resolves when the command has exited and all its output was passed on. */
  readonly ended: Promise<MuxEnding>
  /** Signals the command and its children. Output that is not read within 5 s after the command has ended is dropped. */
  kill(signal: NodeJS.Signals): void
  /** Passes nothing on any more, as when the reader has closed. A command that does not end by itself is terminated after 5 s. */
  hangUp(): void
}

/** One direction of the traffic. */
interface Flow {
  readonly ended: Promise<void>
  stop(): void
}

/** Bytes of an envelope other than its message. */
export const MAX_ENVELOPE_BYTES = 256

const GRACE_TIMEOUT_MS = 5000
const KILL_TIMEOUT_MS = 1000

export const openMuxSession = (child: LineChild, inward: Flow, outward: Flow): MuxSession => {
  let isHungUp = false
  let hasExited = false
  let timer: NodeJS.Timeout | undefined
  // Not after all output was passed on: that may never happen, and meanwhile all input would be read in vain.
  void child.ended.then(() => inward.stop())
  const ended = child.exited.then(async (exit) => {
    hasExited = true
    clearTimeout(timer)
    await outward.ended
    return { ...exit, isHungUp }
  })
  const kill: LineChild['kill'] = (signal) => {
    // Once the command has ended, a reader that does not read is not waited for.
    void child.ended.then(() => setTimeout(hangUp, GRACE_TIMEOUT_MS).unref())
    return child.kill(signal)
  }
  const hangUp = (): void => {
    if (isHungUp) return
    isHungUp = true
    outward.stop()
    inward.stop()
    if (!hasExited) timer = setTimeout(() => void child.terminate(KILL_TIMEOUT_MS), GRACE_TIMEOUT_MS)
  }
  return { ended, kill, hangUp }
}

export const lineLimits = ({ maxLine = MAX_LINE }: MuxOptions): { message: number; envelope: number } => ({
  message: maxLine,
  envelope: maxLine + MAX_ENVELOPE_BYTES,
})

/** The whole environment: a mux is not a security boundary, its caller decides what the command may see. */
export const copyEnvironment = (): Record<string, string> =>
  Object.fromEntries(Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined))
