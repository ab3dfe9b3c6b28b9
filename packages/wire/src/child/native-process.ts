// Processes without node:child_process, as bare-pipe.ts has pipes without streams, and for the
// same reason. Undefined says that that has to do.

import { internalBinding } from '../fd/node-internals.js'
import type { Exit } from './supervise.js'

interface Handle {
  readonly pid: number
  onexit: ((status: number, signal: NodeJS.Signals | '') => void) | undefined
  /** 0, or what is wrong. */
  spawn(options: object): number
  close(): void
}

export interface NativeProcess {
  readonly pid: number
  onceEnded(listener: (exit: Exit) => void): void
}

export interface NativeProcessOptions {
  readonly file: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly stdio: readonly NativeStdio[]
}

/** A pipe that is made with it, a descriptor of ours, or nothing. */
export type NativeStdio =
  | { readonly type: 'pipe'; readonly handle: object }
  | { readonly type: 'fd'; readonly fd: number }
  | { readonly type: 'ignore' }

/** Whether any can be started. Node's own module hands on where its coverage is to be written. */
export const hasNativeProcesses = (): boolean => process.env.NODE_V8_COVERAGE === undefined && internalBinding('process_wrap') !== undefined

/** In a process group of its own. Also undefined where it cannot be started: node:child_process tells why. */
export const startNative = ({ file, args, cwd, env, stdio }: NativeProcessOptions): NativeProcess | undefined => {
  const { Process } = (internalBinding('process_wrap') ?? {}) as { Process?: new () => Handle }
  const envPairs = Object.entries(env).map(([name, value]) => `${name}=${value}`)
  // Such a text would end there.
  const hasNul = [file, cwd, ...args, ...envPairs].some((text) => text.includes('\0'))
  if (typeof Process !== 'function' || hasNul) return undefined
  const handle = new Process()
  let listener: (exit: Exit) => void = () => {}
  handle.onexit = (status, signal) => {
    handle.close()
    listener(signal === '' || signal === null ? { status, signal: null } : { status: null, signal })
  }
  if (handle.spawn({ file, args: [file, ...args], cwd, envPairs, stdio, detached: true }) !== 0) {
    handle.close()
    return undefined
  }
  const onceEnded: NativeProcess['onceEnded'] = (listen) => {
    listener = listen
  }
  return { pid: handle.pid, onceEnded }
}
