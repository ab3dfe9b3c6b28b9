// A started process until its end: sends signals to its group, and reads its output to the end.

import { type Drainable, waitForEof } from '../fd/wait-for-eof.js'
import type { LineSink, LineSource } from '../line/stream.js'

export interface Exit {
  readonly status: number | null
  readonly signal: NodeJS.Signals | null
}

/** The caller adds listeners to the streams before the next tick; a stream without a listener is drained. */
export interface ChildOf<Input, Output> {
  readonly pid: number
  readonly stdin: Input
  readonly stdout: Output
  readonly stderr: Output
  /** By number: an output where the child writes, an input where it reads. */
  readonly fds: ReadonlyMap<number, Input | Output>
  /** The process itself has ended; its output may still be on its way. */
  readonly ended: Promise<Exit>
  /** The process has ended, and stdout and stderr were read to their end, or were idle for half a second. */
  readonly exited: Promise<Exit>
  /** Signals the whole group. Does nothing after the end, when the number may belong to another process. */
  kill(signal: NodeJS.Signals): void
  /** Sends TERM to the group, and KILL after the grace period; resolves when the process has ended. */
  terminate(graceMs: number): Promise<void>
  /** Given what it printed, what it lacked in its sandbox. */
  readonly findMissingAccess?: (said: string) => string | undefined
}

/** For a LineReader and a LineWriter each. */
export type LineChild = ChildOf<LineSink, LineSource>

interface Closable {
  destroy(): unknown
}

/** A started process: our ends of its pipes, by its own numbers. */
export interface StartedChild<Input, Output> {
  readonly pid: number
  /** Called in the turn in which the system reports it. */
  onceEnded(listener: (exit: Exit) => void): void
  readonly inputs: ReadonlyMap<number, Input>
  readonly outputs: ReadonlyMap<number, Output>
  readonly lifeline: Closable
}

/** All of it except stderr, which may not be ours to read. */
export const superviseChild = <Input extends Closable, Output extends Drainable>({
  pid,
  onceEnded,
  inputs,
  outputs,
  lifeline,
}: StartedChild<Input, Output>): Omit<ChildOf<Input, Output>, 'stderr'> => {
  let hasEnded = false
  const ended = new Promise<Exit>((resolve) => {
    onceEnded((exit) => {
      hasEnded = true
      resolve(exit)
    })
  })
  const exited = ended.then(async (exit) => {
    for (const stream of inputs.values()) stream.destroy()
    const ends = new Map([...outputs].map(([number, stream]) => [number, waitForEof(stream)]))
    await Promise.all([ends.get(1), ends.get(2)])
    // A process that still writes elsewhere, such as in a loop over control, may finish; the rest of the group is killed then.
    void Promise.all(ends.values()).then(() => lifeline.destroy())
    return exit
  })

  const kill = (signal: NodeJS.Signals): void => {
    if (hasEnded) return
    try {
      process.kill(-pid, signal)
    } catch {
      // The group no longer exists, and its event is on the way.
    }
  }
  const terminate = async (graceMs: number): Promise<void> => {
    kill('SIGTERM')
    const timer = setTimeout(() => kill('SIGKILL'), graceMs)
    await ended
    clearTimeout(timer)
  }
  const [stdin, stdout] = [inputs.get(0) as Input, outputs.get(1) as Output]
  const fds = new Map<number, Input | Output>([...inputs, ...outputs].filter(([number]) => number > 2))
  return { pid, stdin, stdout, fds, ended, exited, kill, terminate }
}
