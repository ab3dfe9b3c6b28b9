// The key `sandbox` as it is read when a spec is loaded: what it allows, with its folders found, or why it cannot be had.

import { closeSync, realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import { isAbsolute, join, relative, resolve } from 'node:path'
import { type HostPattern, type Json, readHostPattern } from '@plumb/lang'
import { fail, preview, type Result, resolveProgram, succeed } from '@plumb/wire'
import { openBeneath } from './open-beneath.js'
import { type Bubblewrap, probeBubblewrap } from './probe.js'
import { isSharedFolder } from './shared-folders.js'

export interface Sandbox extends Bubblewrap {
  /** As in "tool 'f'". */
  readonly who: string
  readonly hasNet: boolean
  /** The only ones that are reached, where there is no other net. */
  readonly hosts: readonly HostPattern[] | undefined
  /** Real. */
  readonly docroot: string
  /** Names below the docroot, without a link among them. */
  readonly write: readonly (readonly string[])[]
  /** Absolute, as they were written. */
  readonly read: readonly string[]
  readonly sockets: readonly string[]
  /** Of data, for each process. */
  readonly memory: { readonly bytes: number; readonly prlimit: string } | undefined
}

/** What asks for it, and what it declares. */
export interface SandboxRequest {
  /** As in "tool 'f'". */
  readonly who: string
  readonly docroot: string
  /** Of its tool, where that says them. */
  readonly effects?: Json | undefined
  /** Where `net` is not said, and its effects do not tell. */
  readonly hasNet?: boolean
}

interface Keys {
  readonly net?: boolean | readonly string[]
  readonly read?: readonly string[]
  readonly write?: readonly string[]
  readonly sockets?: readonly string[]
  readonly memory?: string
}

/** Of a program that says nothing of it. */
const DEFAULT_SANDBOX: Json = false

/** The value has been checked (lang). Undefined: there is to be none. */
export const readSandbox = (value: Json | undefined, asking: SandboxRequest): Result<Sandbox | undefined> => {
  const asked = value ?? DEFAULT_SANDBOX
  if (asked === false) return succeed(undefined)
  const { net, read = [], write = [], sockets = [], memory } = asked as Keys
  const { who, effects } = asking
  const box = probeBubblewrap()
  if (!box.ok) return refused(who, `${box.error.detail}; mend that, or write 'sandbox: false' to run it with all that you may do`)
  const prlimit = memory === undefined ? undefined : resolveProgram('prlimit', '/', process.env.PATH)
  if (prlimit?.ok === false) return refused(who, "'memory' needs 'prlimit' (the package util-linux), which is not on PATH")
  const docroot = realOf(resolve(asking.docroot))
  if (docroot === undefined) return fail('file_not_found', `${who}: the docroot '${preview(asking.docroot)}' is no folder`)
  if (isSharedFolder(docroot))
    return refused(
      who,
      `all below the docroot can be read in it, and '${preview(docroot)}' is too much: start in the folder of the work, or name it with --docroot`,
    )
  const declared = Array.isArray(effects) ? (effects as readonly string[]) : []
  const folders: (readonly string[])[] = declared.includes('fs.write') ? [[]] : []
  for (const folder of write) {
    const found = writable(folder, docroot, who)
    if (!found.ok) return found
    folders.push(found.value)
  }
  const missing = read.map(fromDocroot(docroot)).find((path) => realOf(path) === undefined)
  if (missing !== undefined) return fail('file_not_found', `${who}: '${preview(missing)}' in 'read' of its sandbox does not exist`)
  return succeed({
    ...box.value,
    who,
    hasNet: typeof net === 'object' ? false : (net ?? (asking.hasNet || declared.some((effect) => WITH_NET.has(effect)))),
    hosts: typeof net === 'object' ? net.map(readHostPattern).filter((host) => typeof host === 'object') : undefined,
    docroot,
    write: folders,
    read: read.map(fromDocroot(docroot)),
    sockets: sockets.map(fromDocroot(docroot)),
    memory: prlimit === undefined ? undefined : { bytes: bytesOf(memory ?? ''), prlimit: prlimit.value },
  })
}

const WITH_NET: ReadonlySet<string> = new Set(['net', 'net.private', 'model'])

const refused = (who: string, why: string): Result<never> => fail('config_invalid', `${who} asks for a sandbox: ${why}`)

/** `~` is the home folder; else relative to the docroot. */
const fromDocroot =
  (docroot: string) =>
  (path: string): string =>
    path === '~' || path.startsWith('~/') ? join(homedir(), path.slice(1)) : resolve(docroot, path)

const writable = (folder: string, docroot: string, who: string): Result<readonly string[]> => {
  const shown = `'${preview(folder)}' in 'write' of its sandbox`
  const path = resolve(docroot, folder)
  const way = relative(docroot, path)
  if (way === '..' || way.startsWith('../') || isAbsolute(way))
    return fail(
      'config_invalid',
      `${who}: ${shown} is not below the docroot '${preview(docroot)}': name a folder below it, or give a wider --docroot`,
    )
  const components = way.split('/').filter((name) => name !== '')
  const opened = openBeneath(docroot, components)
  if (opened.kind === 'link')
    return fail('config_invalid', `${who}: ${shown} leads through a link, and what that leads to can change: name the folder itself`)
  if (opened.kind === 'missing')
    return fail('file_not_found', `${who}: ${shown} is no folder or file below '${preview(docroot)}': make it first`)
  closeSync(opened.fd)
  return succeed(components)
}

const realOf = (path: string): string | undefined => {
  try {
    return realpathSync(path)
  } catch {
    return undefined
  }
}

const UNITS: Readonly<Record<string, number>> = { K: 2 ** 10, M: 2 ** 20, G: 2 ** 30 }

const bytesOf = (size: string): number => Number(size.slice(0, -1)) * (UNITS[size.slice(-1)] ?? 1)
