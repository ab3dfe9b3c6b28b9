// Starts children: each in a process group of its own, on a lifeline, with the named descriptors and no others.

import type { ChildProcess, SpawnOptions as NodeSpawnOptions } from 'node:child_process'
import { Server, Socket } from 'node:net'
import { Readable, type Writable } from 'node:stream'
import { preview } from '../preview.js'
import { fail, type Result, succeed } from '../result.js'
import { systemReason } from '../system-reason.js'
import { LIFELINE_FD } from './lifeline.js'
import { type ListenerOption, prepareChild, type SpawnOptions } from './prepare.js'
import { type ChildOf, type Exit, superviseChild } from './supervise.js'

export type Child = ChildOf<Writable, Readable>

/** `file_not_found` or `config_invalid` if the command cannot be run, `child_failed` if the system has no resources for it. */
export const spawnChild = (options: SpawnOptions): Result<Child> => {
  const prepared = prepareChild(options)
  if (!prepared.ok) return prepared
  const { file, args, cwd, directions, stdio, ours, closeChilds, closeOurs } = prepared.value
  const started = start(file, args, { cwd, env: options.env, detached: true, stdio: [...stdio] })
  closeChilds()
  if ('reason' in started) {
    closeOurs()
    return fail(started.code, `cannot start '${preview(options.command[0] ?? '')}': ${started.reason}`)
  }
  if (options.listener) takeListener(started, options.listener)
  return succeed(attach(started, directions, ours))
}

const takeListener = (child: ChildProcess, { take }: ListenerOption): void => {
  const disconnect = (): void => {
    if (child.connected) child.disconnect()
  }
  child.once('message', (_, handle) => {
    if (handle instanceof Server) take(handle)
    // The next owner of the descriptor has no more to hand over.
    disconnect()
  })
  child.once('exit', disconnect)
}

interface Refusal {
  readonly code: 'config_invalid' | 'child_failed'
  readonly reason: string
}

const start = (file: string, args: readonly string[], options: NodeSpawnOptions): ChildProcess | Refusal => {
  const { spawn } = require('node:child_process') as typeof import('node:child_process')
  try {
    const child = spawn(file, args, options)
    // Comes in a later tick and says which limit was reached, when nothing waits for it any more.
    child.on('error', () => {})
    if (child.pid !== undefined) return child
    for (const stream of child.stdio ?? []) stream?.destroy()
    return { code: 'child_failed', reason: 'the system has no room for another process (see ulimit -n and ulimit -u)' }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'E2BIG')
      return { code: 'config_invalid', reason: 'its arguments and environment are too long for the system; pass data in a file' }
    if (code === 'ERR_INVALID_ARG_VALUE') return { code: 'config_invalid', reason: 'an argument or a variable holds a NUL character' }
    return { code: 'child_failed', reason: systemReason(error as NodeJS.ErrnoException) }
  }
}

const attach = (child: ChildProcess, directions: ReadonlyMap<number, 'in' | 'out'>, ours: ReadonlyMap<number, number>): Child => {
  const inputs = new Map<number, Socket>()
  const outputs = new Map<number, Socket>()
  for (const [number, direction] of directions) {
    const fd = ours.get(number)
    const stream =
      fd === undefined ? (child.stdio[number] as Socket) : new Socket({ fd, readable: direction === 'out', writable: direction === 'in' })
    stream.on('error', () => {})
    if (direction === 'in') inputs.set(number, stream)
    else outputs.set(number, stream)
  }
  const lifeline = (child.stdio as unknown as Socket[])[LIFELINE_FD] as Socket
  lifeline.on('error', () => {})
  const onceEnded = (listener: (exit: Exit) => void): void => {
    child.once('exit', (status, signal) => listener({ status, signal }))
  }
  const started = { pid: child.pid as number, onceEnded, inputs, outputs, lifeline }
  // Errors on a child's stderr are ignored.
  return { ...superviseChild(started), stderr: outputs.get(2) ?? Readable.from([]) }
}
