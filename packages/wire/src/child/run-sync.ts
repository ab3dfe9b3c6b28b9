// Runs a child and waits for it synchronously: for a question that is asked once, such as whether a sandbox can be started here.

import { closeSync } from 'node:fs'
import { openAnonymousFile } from '../fd/anonymous-file.js'
import { closeInherited } from '../fd/inherited.js'
import { systemReason } from '../system-reason.js'

export interface SyncOptions {
  readonly command: readonly [string, ...string[]]
  readonly cwd?: string
  readonly env: Readonly<Record<string, string>>
  /** Bytes that it reads on these descriptors. */
  readonly given?: Readonly<Record<number, Uint8Array>>
  readonly shared?: Readonly<Record<number, number>>
  readonly timeoutMs: number
}

export interface SyncResult {
  /** Null if it was ended by a signal or did not start. */
  readonly status: number | null
  readonly stdout: string
  /** Or why it did not start. */
  readonly stderr: string
}

const MAX_OUTPUT = 1024 * 1024

/** It has no input. */
export const runSync = ({ command: [program, ...args], cwd, env, given = {}, shared = {}, timeoutMs }: SyncOptions): SyncResult => {
  const { spawnSync } = require('node:child_process') as typeof import('node:child_process')
  closeInherited()
  const open: number[] = []
  try {
    const stdio: ('ignore' | 'pipe' | number)[] = ['ignore', 'pipe', 'pipe']
    const put = (number: number, fd: number): void => {
      while (stdio.length < number) stdio.push('ignore')
      stdio[number] = fd
    }
    for (const [number, bytes] of Object.entries(given)) {
      const fd = openAnonymousFile(bytes)
      open.push(fd)
      put(Number(number), fd)
    }
    for (const [number, fd] of Object.entries(shared)) put(Number(number), fd)
    const settings = { env, stdio, timeout: timeoutMs, killSignal: 'SIGKILL', maxBuffer: MAX_OUTPUT, encoding: 'utf8' } as const
    const end = spawnSync(program, args, cwd === undefined ? settings : { ...settings, cwd })
    const reason = end.error && systemReason(end.error as NodeJS.ErrnoException)
    return { status: end.status, stdout: end.stdout ?? '', stderr: reason ?? end.stderr ?? '' }
  } catch (error) {
    return { status: null, stdout: '', stderr: systemReason(error as NodeJS.ErrnoException) }
  } finally {
    for (const fd of open) closeSync(fd)
  }
}
