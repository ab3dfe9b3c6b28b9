// Children of which only lines are wanted, on native pipes where possible: they start sooner than with streams.

import { EventEmitter } from 'node:events'
import { Socket } from 'node:net'
import { hasNativePipes, makeNativePipe, type NativePipe, type NativeSource, openNativeInput, openNativeOutput } from '../fd/native-pipe.js'
import type { LineSink, LineSource } from '../line/stream.js'
import { type Result, succeed } from '../result.js'
import { LIFELINE_FD } from './lifeline.js'
import { hasNativeProcesses, type NativeStdio, startNative } from './native-process.js'
import { type PreparedChild, prepareChild, type SpawnOptions, type Stdio } from './prepare.js'
import { spawnChild } from './spawn.js'
import { type ChildOf, superviseChild } from './supervise.js'

/** For a LineReader and a LineWriter each. */
export type LineChild = ChildOf<LineSink, LineSource>

/** As `spawnChild`. */
export const spawnLines = (options: SpawnOptions): Result<LineChild> => {
  if (options.listener || !hasNativePipes() || !hasNativeProcesses()) return spawnChild(options)
  const prepared = prepareChild(options)
  if (!prepared.ok) return prepared
  const child = startPrepared(prepared.value, options.env)
  if (child) return succeed(child)
  prepared.value.closeOurs()
  return spawnChild(options)
}

// Undefined: fall back to streams, which also report errors.
const startPrepared = (prepared: PreparedChild, env: SpawnOptions['env']): LineChild | undefined => {
  const { file, args, cwd, directions, stdio, ours, closeChilds } = prepared
  const pipes = new Map<number, NativePipe>()
  for (const [number, kind] of stdio.entries()) {
    const pipe = kind === 'pipe' ? makeNativePipe() : undefined
    if (pipe) pipes.set(number, pipe)
  }
  const lifeline = pipes.get(LIFELINE_FD)
  const started = lifeline && startNative({ file, args, cwd, env, stdio: stdio.map((kind, number) => given(kind, number, pipes)) })
  closeChilds()
  if (!started) {
    for (const pipe of pipes.values()) pipe.close()
    return undefined
  }
  const inputs = new Map<number, LineSink>()
  const outputs = new Map<number, NativeSource>()
  for (const [number, direction] of directions) {
    const pipe = pipes.get(number)
    if (direction === 'in') inputs.set(number, ignoreErrors(pipe ? pipe.toOutput() : inputTo(ours.get(number) as number)))
    else outputs.set(number, ignoreErrors(pipe ? pipe.toInput() : outputOf(ours.get(number) as number)))
  }
  const child = superviseChild({ ...started, inputs, outputs, lifeline: ignoreErrors(lifeline.toOutput()) })
  return { ...child, stderr: outputs.get(2) ?? new Silence() }
}

const given = (kind: Stdio, number: number, pipes: ReadonlyMap<number, NativePipe>): NativeStdio => {
  if (typeof kind === 'number') return { type: 'fd', fd: kind }
  if (kind === 'inherit') return { type: 'fd', fd: number }
  const pipe = pipes.get(number)
  return pipe ? { type: 'pipe', handle: pipe.handle } : { type: 'ignore' }
}

const inputTo = (fd: number): LineSink => openNativeOutput(fd) ?? new Socket({ fd, readable: false, writable: true })

const outputOf = (fd: number): NativeSource => openNativeInput(fd) ?? new Socket({ fd, readable: true, writable: false })

// Errors on an unused stream are ignored.
const ignoreErrors = <T extends LineSink | LineSource>(stream: T): T => {
  stream.on('error', () => {})
  return stream
}

/** Errors on a child's stderr are ignored. */
class Silence extends EventEmitter implements LineSource {
  isPaused(): boolean {
    return true
  }

  resume(): void {
    process.nextTick(() => this.emit('end'))
  }

  pause(): void {}

  destroy(): void {}
}
