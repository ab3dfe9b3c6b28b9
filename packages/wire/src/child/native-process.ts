// Processes without node:child_process, for the same reason as native-pipe.ts. Undefined: use node:child_process.

import { internalBinding } from '../fd/node-internals.js'
import type { Exit } from './supervise.js'

interface Handle {
  readonly pid: number
  onexit: ((status: number, signal: NodeJS.Signals | '') => void) | undefined
  /** 0, or an error number. */
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

/** A pipe made with the process, an existing descriptor, or nothing. */
export type NativeStdio =
  | { readonly type: 'pipe'; readonly handle: object }
  | { readonly type: 'fd'; readonly fd: number }
  | { readonly type: 'ignore' }

/** Whether processes can be started this way. Under coverage they cannot: Node's own module passes its settings on. */
export const hasNativeProcesses = (): boolean => process.env.NODE_V8_COVERAGE === undefined && internalBinding('process_wrap') !== undefined

/** Started in a process group of its own. Also undefined if it fails to start: node:child_process reports why. */
export const startNative = ({ file, args, cwd, env, stdio }: NativeProcessOptions): NativeProcess | undefined => {
  const { Process } = (internalBinding('process_wrap') ?? {}) as { Process?: new () => Handle }
  const envPairs = Object.entries(env).map(([name, value]) => `${name}=${value}`)
  // A NUL would end the text.
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
