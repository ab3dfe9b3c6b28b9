// Children for those who only want lines of them, on bare pipes where there are some: started sooner than with streams.

import { EventEmitter } from 'node:events'
import { Socket } from 'node:net'
import { type BarePipe, type BareSource, hasBarePipes, makeBarePipe, openBareInput, openBareOutput } from '../fd/native-pipe.js'
import type { LineSink, LineSource } from '../line/stream.js'
import { type Result, succeed } from '../result.js'
import { LIFELINE_FD } from './lifeline.js'
import { type BareStdio, hasBareProcesses, startBare } from './native-process.js'
import { type ChildOptions, type Prepared, prepareChild, type Stdio } from './prepare.js'
import { spawnChild } from './spawn.js'
import { type ChildOf, watchOver } from './supervise.js'

/** For a LineReader and a LineWriter each. */
export type LineChild = ChildOf<LineSink, LineSource>

/** As `spawnChild`. */
export const spawnLines = (options: ChildOptions): Result<LineChild> => {
  if (options.listener || !hasBarePipes() || !hasBareProcesses()) return spawnChild(options)
  const prepared = prepareChild(options)
  if (!prepared.ok) return prepared
  const child = startPrepared(prepared.value, options.env)
  if (child) return succeed(child)
  prepared.value.closeOurs()
  return spawnChild(options)
}

// Undefined: streams have to do, or have to tell why not.
const startPrepared = (prepared: Prepared, env: ChildOptions['env']): LineChild | undefined => {
  const { file, args, cwd, directions, stdio, ours, closeChilds } = prepared
  const pipes = new Map<number, BarePipe>()
  for (const [number, kind] of stdio.entries()) {
    const pipe = kind === 'pipe' ? makeBarePipe() : undefined
    if (pipe) pipes.set(number, pipe)
  }
  const lifeline = pipes.get(LIFELINE_FD)
  const started = lifeline && startBare({ file, args, cwd, env, stdio: stdio.map((kind, number) => given(kind, number, pipes)) })
  closeChilds()
  if (!started) {
    for (const pipe of pipes.values()) pipe.close()
    return undefined
  }
  const inputs = new Map<number, LineSink>()
  const outputs = new Map<number, BareSource>()
  for (const [number, direction] of directions) {
    const pipe = pipes.get(number)
    if (direction === 'in') inputs.set(number, quietly(pipe ? pipe.toOutput() : inputTo(ours.get(number) as number)))
    else outputs.set(number, quietly(pipe ? pipe.toInput() : outputOf(ours.get(number) as number)))
  }
  const child = watchOver({ ...started, inputs, outputs, lifeline: quietly(lifeline.toOutput()) })
  return { ...child, stderr: outputs.get(2) ?? new Silence() }
}

const given = (kind: Stdio, number: number, pipes: ReadonlyMap<number, BarePipe>): BareStdio => {
  if (typeof kind === 'number') return { type: 'fd', fd: kind }
  if (kind === 'inherit') return { type: 'fd', fd: number }
  const pipe = pipes.get(number)
  return pipe ? { type: 'pipe', handle: pipe.handle } : { type: 'ignore' }
}

const inputTo = (fd: number): LineSink => openBareOutput(fd) ?? new Socket({ fd, readable: false, writable: true })

const outputOf = (fd: number): BareSource => openBareInput(fd) ?? new Socket({ fd, readable: true, writable: false })

// Of what goes wrong with one that nobody uses nobody needs to hear.
const quietly = <T extends LineSink | LineSource>(stream: T): T => {
  stream.on('error', () => {})
  return stream
}

/** A stderr that is not ours has nothing to say here. */
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
