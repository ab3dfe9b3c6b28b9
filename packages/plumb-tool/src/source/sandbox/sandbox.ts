// A child that sees the file system read-only, a /tmp of its own, and the network only if that is allowed: bubblewrap, where it is installed.

import { realpathSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { Json } from '@plumb/lang'
import { fail, preview, type Result, resolveProgram, succeed } from '@plumb/wire'

/** The key `sandbox` of a tool. */
export interface Sandbox {
  /** False unless the spec says otherwise. */
  readonly hasNet: boolean
  /** Folders that may be written, relative to the docroot. */
  readonly write: readonly string[]
  /** Of data, for each process. */
  readonly memoryBytes: number | undefined
  readonly bwrap: string
  readonly prlimit: string | undefined
}

/** The value has been checked (lang); refused where the programs that it needs are not there. */
export const readSandbox = (value: Json | undefined, tool: string): Result<Sandbox | undefined> => {
  if (value === undefined) return succeed(undefined)
  const { net, write, memory } = value as { net?: boolean; write?: readonly string[]; memory?: string }
  const bwrap = find('bwrap')
  if (!bwrap) return missing(tool, "'bwrap' (the package bubblewrap)")
  const prlimit = memory === undefined ? undefined : find('prlimit')
  if (memory !== undefined && !prlimit) return missing(tool, "'prlimit' (the package util-linux) for 'memory'")
  return succeed({
    hasNet: net === true,
    write: write ?? [],
    memoryBytes: memory === undefined ? undefined : bytesOf(memory),
    bwrap,
    prlimit,
  })
}

const find = (name: string): string | undefined => {
  const found = resolveProgram(name, '/', process.env.PATH)
  return found.ok ? found.value : undefined
}

const missing = (tool: string, what: string) =>
  fail('config_invalid', `tool '${tool}' asks for a sandbox, which needs ${what}, and it is not on PATH: install it, or take 'sandbox' out`)

const UNITS: Readonly<Record<string, number>> = { K: 2 ** 10, M: 2 ** 20, G: 2 ** 30 }

const bytesOf = (size: string): number => Number(size.slice(0, -1)) * (UNITS[size.slice(-1)] ?? 1)

export interface Place {
  readonly docroot: string
  /** Folders that it must see though they may lie in /tmp. */
  readonly visible: readonly string[]
}

/** What stands before a command line so that it runs in the sandbox. */
export const enclose = (
  { hasNet, write, memoryBytes, bwrap, prlimit }: Sandbox,
  { docroot, visible }: Place,
): Result<readonly string[]> => {
  const writable: string[] = []
  for (const folder of write) {
    const path = realFolder(resolve(docroot, folder))
    if (path === undefined)
      return fail('file_not_found', `'${preview(folder)}' in the 'write' of a sandbox is no folder below '${preview(docroot)}'`)
    writable.push(path)
  }
  // All others can be seen anyhow. Our own programs run on the Node.js that runs this one.
  const seen = [docroot, dirname(process.execPath), ...visible]
    .flatMap((folder) => realFolder(folder) ?? [])
    .filter((folder) => /^\/tmp(\/|$)/.test(folder))
  const limit = prlimit && memoryBytes !== undefined ? [prlimit, `--data=${memoryBytes}`, '--'] : []
  return succeed([
    ...limit,
    ...[bwrap, '--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc', '--tmpfs', '/tmp'],
    ...seen.flatMap((folder) => ['--ro-bind', folder, folder]),
    ...writable.flatMap((folder) => ['--bind', folder, folder]),
    // With a process table of its own nothing that it starts outlives it.
    ...['--unshare-pid', '--unshare-ipc', ...(hasNet ? [] : ['--unshare-net']), '--die-with-parent', '--'],
  ])
}

const realFolder = (path: string): string | undefined => {
  try {
    return statSync(path).isDirectory() ? realpathSync(path) : undefined
  } catch {
    return undefined
  }
}
