// The file system of a sandbox: what is at which path, and bubblewrap's options that make it so. Whatever is at no path is not there.

import { lstatSync, readlinkSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

export type Mount =
  /** The machine's own, to read. */
  | { readonly kind: 'read' }
  /** The machine's own, to write; through a descriptor of the child where the path to it could be changed meanwhile. */
  | { readonly kind: 'write'; readonly fd?: number }
  /** To read, below what may be written. */
  | { readonly kind: 'keep'; readonly fd: number }
  /** In its place there is a file or folder that cannot be read. */
  | { readonly kind: 'hide'; readonly isFolder: boolean }
  /** A folder of the sandbox's own, gone with it: one to write, or an empty one. */
  | { readonly kind: 'temporary' }
  | { readonly kind: 'empty' }
  | { readonly kind: 'link'; readonly target: string }
  | { readonly kind: 'proc' }
  | { readonly kind: 'dev' }

const SHOWN: ReadonlySet<Mount['kind']> = new Set(['read', 'write', 'keep', 'proc', 'dev'])

/** As many as Linux follows. */
const MAX_LINKS = 40

export class Mounts {
  readonly #mounts = new Map<string, Mount>()

  /** The last one that is put at a path is what is there. */
  put(path: string, mount: Mount): void {
    this.#mounts.set(path, mount)
  }

  /** What a path leads to, and the links on the way; what is not there is left out, and what is to be written stays so. */
  read(path: string): void {
    const real = this.reach(path)
    const there = real === undefined ? undefined : this.#mounts.get(real)?.kind
    if (real !== undefined && (there === undefined || there === 'empty' || there === 'temporary')) this.put(real, { kind: 'read' })
  }

  /** The real path, with the links that lead to it put where they are; undefined: there is nothing. */
  reach(path: string): string | undefined {
    let rest = resolve(path).split('/').slice(1)
    let real = '/'
    let links = 0
    for (;;) {
      const [name, ...after] = rest
      if (name === undefined) return real
      rest = after
      if (name === '') continue
      const next = join(real, name)
      const stat = lstatSync(next, { throwIfNoEntry: false })
      if (!stat) return undefined
      if (!stat.isSymbolicLink()) {
        real = next
        continue
      }
      if (++links > MAX_LINKS) return undefined
      const target = readlinkSync(next)
      if (!this.#mounts.has(next)) this.put(next, { kind: 'link', target })
      rest = [...resolve(dirname(next), target).split('/').slice(1), ...rest]
      real = '/'
    }
  }

  has(path: string): boolean {
    return this.#mounts.has(path)
  }

  /** What is at this real path outside is there inside. */
  shows(path: string): boolean {
    const kind = (this.#mounts.get(path) ?? above(path, this.#mounts))?.kind
    return kind !== undefined && SHOWN.has(kind)
  }

  /** Parents before what is in them. */
  options(): readonly string[] {
    const paths = [...this.#mounts.keys()].sort()
    const made = new Map<string, Mount>()
    return paths.flatMap((path) => {
      const mount = this.#mounts.get(path) as Mount
      if (!isNeeded(mount, above(path, made))) return []
      made.set(path, mount)
      return optionsOf(path, mount)
    })
  }
}

const above = (path: string, made: ReadonlyMap<string, Mount>): Mount | undefined => {
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    const mount = made.get(folder)
    if (mount || folder === '/') return mount
  }
}

// What is bound brings with it all that is below.
const isNeeded = (mount: Mount, parent: Mount | undefined): boolean => {
  const isBound = parent?.kind === 'read' || parent?.kind === 'write' || parent?.kind === 'keep'
  switch (mount.kind) {
    case 'read':
    case 'link':
    case 'empty':
      return !isBound
    case 'hide':
      return isBound
    default:
      return true
  }
}

const optionsOf = (path: string, mount: Mount): readonly string[] => {
  switch (mount.kind) {
    case 'read':
      return ['--ro-bind', path, path]
    case 'write':
      return mount.fd === undefined ? ['--bind', path, path] : ['--bind-fd', String(mount.fd), path]
    case 'keep':
      return ['--ro-bind-fd', String(mount.fd), path]
    case 'hide':
      // A device of this name, but no device may be opened there.
      return mount.isFolder ? ['--perms', '0000', '--tmpfs', path, '--remount-ro', path] : ['--ro-bind', '/dev/null', path]
    case 'temporary':
      return ['--perms', '1777', '--tmpfs', path]
    case 'empty':
      return ['--dir', path]
    case 'link':
      return ['--symlink', mount.target, path]
    case 'proc':
      // For root the kernel's settings could be written, without any capability.
      return ['--proc', path, ...PROC_TO_READ.flatMap((name) => ['--ro-bind-try', `/proc/${name}`, join(path, name)])]
    case 'dev':
      return ['--dev', path]
  }
}

const PROC_TO_READ = ['sys', 'sysrq-trigger', 'irq', 'bus', 'fs', 'acpi', 'scsi', 'mtrr']
