// A child in this process, which uses the same streams as a process of the system.

import { PassThrough } from 'node:stream'
import type { LineChild } from '@plumb/wire'

type Exit = Awaited<LineChild['exited']>

/** The child's own ends of its streams. */
export interface ChildEnds {
  readonly stdin: PassThrough
  readonly stdout: PassThrough
  readonly stderr: PassThrough
  readonly fds: ReadonlyMap<number, PassThrough>
  /** Fires when it has to end at once. */
  readonly stopped: AbortSignal
  /** Its output is complete. `signal`: it was ended by it. */
  exit(status: number | null, signal?: NodeJS.Signals | null): void
}

/** `numbers`: its descriptors other than the usual three. */
export const openInProcessChild = (numbers: readonly number[]): { readonly child: LineChild; readonly ends: ChildEnds } => {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()]
  const fds = new Map(numbers.map((number) => [number, new PassThrough()]))
  const streams = [stdin, stdout, stderr, ...fds.values()]
  for (const stream of streams) stream.on('error', () => {})
  const stop = new AbortController()
  let hasEnded = false
  let resolveExit: (exit: Exit) => void = () => {}
  const exited = new Promise<Exit>((resolve) => {
    resolveExit = resolve
  })
  const end = (exit: Exit): void => {
    if (hasEnded) return
    hasEnded = true
    for (const stream of streams) if (!stream.writableEnded) stream.end()
    resolveExit(exit)
  }
  const kill = (signal: NodeJS.Signals): void => {
    stop.abort()
    end({ status: null, signal })
  }
  const child: LineChild = {
    pid: process.pid,
    stdin,
    stdout,
    stderr,
    fds,
    ended: exited,
    exited,
    kill,
    terminate: async () => kill('SIGTERM'),
  }
  return { child, ends: { stdin, stdout, stderr, fds, stopped: stop.signal, exit: (status, signal = null) => end({ status, signal }) } }
}
