// Reads the key `sandbox` when a spec is loaded: resolves its directories and reports what makes it impossible.

import { closeSync } from 'node:fs'
import { homedir } from 'node:os'
import { isAbsolute, join, relative, resolve } from 'node:path'
import { type HostPattern, type Json, readHostPattern } from '@plumb/lang'
import { andThen, type Fault, fail, fault, preview, type Result, resolveProgram, succeed } from '@plumb/wire'
import { findRealPath } from '../path/look-up.js'
import { isLedOut, ledOut } from './docroot-links.js'
import { openBeneath } from './open-beneath.js'
import { type Bubblewrap, probeBubblewrap } from './probe.js'
import { isFirstToday } from './sandbox-cache.js'
import { isSharedDirectory } from './shared-directories.js'

export interface Sandbox extends Bubblewrap {
  /** As in "tool 'f'". */
  readonly who: string
  readonly hasNet: boolean
  /** If given, the only hosts that can be reached. */
  readonly hosts: readonly HostPattern[] | undefined
  /** A real path, without links. */
  readonly docroot: string
  /** Writable paths as components below the docroot; none of them is a link. */
  readonly write: readonly (readonly string[])[]
  /** Absolute; links are not resolved. */
  readonly read: readonly string[]
  readonly sockets: readonly string[]
  /** Of all processes together with temporary files; also RLIMIT_DATA of each process, set by prlimit(1), so that one fails before it is ended. */
  readonly memory: { readonly bytes: number; readonly prlimit: string } | undefined
  /** Where a start says what it finds wrong with a program that has ended. */
  readonly outlet: { warn?: (warning: Fault) => void }
  /** Called for each access that the program was refused, as far as it can be detected (`--trace-sandbox`). */
  readonly trace?: (refusal: string) => void
}

/** The tool or agent that the sandbox is for. */
export interface SandboxRequest {
  /** As in "tool 'f'". */
  readonly who: string
  readonly docroot: string
  /** The key `effects` of the tool. */
  readonly effects?: Json | undefined
  /** The default of `net`; effects with network access imply it too. */
  readonly hasNet?: boolean
  /** Whether it has a sandbox without the key `sandbox`. */
  readonly isDefault: boolean
}

/**
 * The sandbox for a program that is about to start. Undefined: it starts without one, with a warning once a day unless the spec says so.
 */
export type SandboxAtStart = (outlet: SandboxOutlet) => Result<Sandbox | undefined>

export interface SandboxOutlet {
  warn(warning: Fault): void
  /** Reports what is refused inside as warnings. */
  readonly tracesSandbox?: boolean | undefined
}

interface Keys {
  readonly net?: boolean | readonly string[]
  readonly read?: readonly string[]
  readonly write?: readonly string[]
  readonly sockets?: readonly string[]
  readonly memory?: string
}

const FREE = "write 'sandbox: false' to run it with all that you may do"

const WITHOUT: SandboxAtStart = () => succeed(undefined)

/** Lang has checked the shape of the value. Errors: `config_invalid`, `file_not_found`. */
export const readSandbox = (value: Json | undefined, request: SandboxRequest): Result<SandboxAtStart> =>
  andThen(readAtStart(value, request), (start) =>
    succeed((outlet) => {
      const sandbox = outlet.tracesSandbox ? traced(start, request, outlet) : start(outlet)
      if (sandbox.ok && sandbox.value) sandbox.value.outlet.warn = (warning) => outlet.warn(warning)
      return sandbox
    }),
  )

const traced = (start: SandboxAtStart, { who }: SandboxRequest, outlet: SandboxOutlet): ReturnType<SandboxAtStart> =>
  andThen(start(outlet), (sandbox) => {
    const warn = (refusal: string): void => outlet.warn(fault('permission_denied', `${who}: ${refusal}`))
    if (!sandbox) outlet.warn(fault('config_invalid', `${who} runs without a sandbox, so nothing of it is traced`))
    return succeed(sandbox && { ...sandbox, trace: warn })
  })

const readAtStart = (value: Json | undefined, request: SandboxRequest): Result<SandboxAtStart> => {
  const { who, isDefault } = request
  const isRequired = process.env.PLUMB_SANDBOX === 'require'
  if (value === false && isRequired)
    return fail('config_invalid', `${who} says 'sandbox: false', and PLUMB_SANDBOX=require refuses to run it so`)
  if (value === false || (value === undefined && !isDefault)) return succeed(WITHOUT)
  if (value !== undefined || isRequired) {
    const place = findBase(request)
    const remedy = isRequired ? '' : `; ${FREE}`
    const asks = value === undefined ? 'is to have a sandbox (PLUMB_SANDBOX=require)' : 'asks for a sandbox'
    if (!place.ok) return fail('config_invalid', `${who} ${asks}: ${place.error}${remedy}`)
    return andThen(openSandbox(value ?? {}, request, place.value), (sandbox) => succeed(() => succeed(sandbox)))
  }
  // Resolved at the first start, so that loading a spec uses nothing of this machine.
  let known: ReturnType<SandboxAtStart> | undefined
  return succeed((outlet) => {
    if (known) return known
    const place = findBase(request)
    known = place.ok ? openSandbox({}, request, place.value) : succeed(undefined)
    if (!place.ok && isFirstToday(place.error))
      outlet.warn(
        fault('config_invalid', `${who} runs without a sandbox: ${place.error}; ${FREE}, or set PLUMB_SANDBOX=require to have it refused`),
      )
    return known
  })
}

/** Why a program with this key would run without a sandbox. Undefined: it has one. */
export const whyNoSandbox = (value: Json | undefined, docroot: string): string | undefined => {
  if (value === false) return "it says 'sandbox: false'"
  const place = findBase({ who: '', docroot, isDefault: true })
  return place.ok ? undefined : place.error
}

interface SandboxBase extends Bubblewrap {
  readonly docroot: string
}

/** The error if there can be no sandbox on this machine, or around this docroot, with a remedy. */
const findBase = (request: SandboxRequest): Result<SandboxBase, string> => {
  const box = probeBubblewrap()
  if (!box.ok) return { ok: false, error: box.error.detail }
  // Without the path of the working directory, which may have been removed.
  const docroot = findRealPath(request.docroot)
  const shown = preview(docroot ?? request.docroot)
  if (docroot === undefined) return { ok: false, error: `the docroot '${shown}' is not a directory` }
  if (!isSharedDirectory(docroot)) return { ok: true, value: { ...box.value, docroot } }
  const why = `all below the docroot can be read in it, and '${shown}' is too much: start in the directory of the work, or name it with --docroot`
  return { ok: false, error: why }
}

const openSandbox = (value: Json, { who, effects, hasNet }: SandboxRequest, place: SandboxBase): Result<Sandbox> => {
  const { net, read = [], write = [], sockets = [], memory } = value as Keys
  const { docroot } = place
  const prlimit = memory === undefined ? undefined : resolveProgram('prlimit', '/', process.env.PATH)
  if (prlimit?.ok === false)
    return fail('config_invalid', `${who} asks for a sandbox: 'memory' needs 'prlimit' (the package util-linux), which is not on PATH`)
  const declared = Array.isArray(effects) ? (effects as readonly string[]) : []
  const directories: (readonly string[])[] = declared.includes('fs.write') ? [[]] : []
  for (const directory of write) {
    const found = readWritable(directory, docroot, who)
    if (!found.ok) return found
    directories.push(found.value)
  }
  const missing = read.map(resolveFrom(docroot)).find((path) => findRealPath(path) === undefined)
  if (missing !== undefined) return fail('file_not_found', `${who}: '${preview(missing)}' in 'read' of its sandbox does not exist`)
  const led = read.map(resolveFrom(docroot)).find((path) => isLedOut(path, docroot))
  if (led !== undefined) return fail('config_invalid', `${who}: ${ledOut(led, 'read')}`)
  return succeed({
    ...place,
    who,
    outlet: {},
    hasNet: typeof net === 'object' ? false : (net ?? (hasNet || declared.some((effect) => WITH_NET.has(effect)))),
    hosts: typeof net === 'object' ? net.map(readHostPattern).filter((host) => typeof host === 'object') : undefined,
    write: directories,
    read: read.map(resolveFrom(docroot)),
    sockets: sockets.map(resolveFrom(docroot)),
    memory: prlimit === undefined ? undefined : { bytes: parseBytes(memory ?? ''), prlimit: prlimit.value },
  })
}

const WITH_NET: ReadonlySet<string> = new Set(['net', 'net.private', 'model'])

/** `~` stands for the home directory; other paths are relative to the docroot. */
const resolveFrom =
  (docroot: string) =>
  (path: string): string =>
    path === '~' || path.startsWith('~/') ? join(homedir(), path.slice(1)) : resolve(docroot, path)

const readWritable = (directory: string, docroot: string, who: string): Result<readonly string[]> => {
  const shown = `'${preview(directory)}' in 'write' of its sandbox`
  const path = resolve(docroot, directory)
  const way = relative(docroot, path)
  if (way === '..' || way.startsWith('../') || isAbsolute(way))
    return fail(
      'config_invalid',
      `${who}: ${shown} is not below the docroot '${preview(docroot)}': name a directory below it, or give a wider --docroot`,
    )
  const components = way.split('/').filter((name) => name !== '')
  const opened = openBeneath(docroot, components)
  if (opened.kind === 'link')
    return fail('config_invalid', `${who}: ${shown} leads through a link, and what that leads to can change: name the directory itself`)
  if (opened.kind === 'missing')
    return fail('file_not_found', `${who}: ${shown} is not a directory or file below '${preview(docroot)}': make it first`)
  closeSync(opened.fd)
  return succeed(components)
}

const UNITS: Readonly<Record<string, number>> = { K: 2 ** 10, M: 2 ** 20, G: 2 ** 30 }

const parseBytes = (size: string): number => Number(size.slice(0, -1)) * (UNITS[size.slice(-1)] ?? 1)
