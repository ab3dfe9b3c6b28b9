// The file system of a sandbox: a table of mounts by path, and the bubblewrap options that create it. Nothing else is visible.

import { lstatSync, readlinkSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

export type Mount =
  /** Bound from the host, read-only. */
  | { readonly kind: 'read' }
  /** Bound from the host, writable; by a descriptor of the child if the path could be swapped meanwhile. */
  | { readonly kind: 'write'; readonly fd?: number }
  /** Bound read-only inside a writable folder. */
  | { readonly kind: 'keep'; readonly fd: number }
  /** Covered by an empty file or folder that cannot be read. */
  | { readonly kind: 'hide'; readonly isFolder: boolean }
  /** Folders that exist only in the sandbox: a writable one, or an empty one. */
  | { readonly kind: 'temporary' }
  | { readonly kind: 'empty' }
  | { readonly kind: 'link'; readonly target: string }
  | { readonly kind: 'proc' }
  | { readonly kind: 'dev' }

const SHOWN: ReadonlySet<Mount['kind']> = new Set(['read', 'write', 'keep', 'proc', 'dev'])

/** The limit of Linux, path_resolution(7). */
const MAX_LINKS = 40

export class Mounts {
  readonly #mounts = new Map<string, Mount>()

  /** A later mount at the same path replaces an earlier one. */
  put(path: string, mount: Mount): void {
    this.#mounts.set(path, mount)
  }

  /** Mounts what a path leads to, read-only, and the links on the way. Missing paths are ignored; writable mounts stay writable. */
  read(path: string): void {
    const real = this.reach(path)
    const there = real === undefined ? undefined : this.#mounts.get(real)?.kind
    if (real !== undefined && (there === undefined || there === 'empty' || there === 'temporary')) this.put(real, { kind: 'read' })
  }

  /** Returns the real path and mounts the links that lead to it; undefined if nothing is there. */
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

  /** Whether this real path of the host is visible inside. */
  shows(path: string): boolean {
    const kind = (this.#mounts.get(path) ?? above(path, this.#mounts))?.kind
    return kind !== undefined && SHOWN.has(kind)
  }

  /** Options for bubblewrap, parents before children. */
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

// A bound folder brings all that is below it.
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
      // A bind mount of /dev/null: bubblewrap mounts with nodev, so opening it fails.
      return mount.isFolder ? ['--perms', '0000', '--tmpfs', path, '--remount-ro', path] : ['--ro-bind', '/dev/null', path]
    case 'temporary':
      return ['--perms', '1777', '--tmpfs', path]
    case 'empty':
      return ['--dir', path]
    case 'link':
      return ['--symlink', mount.target, path]
    case 'proc':
      // Root could write the kernel's settings in /proc even without capabilities.
      return ['--proc', path, ...PROC_TO_READ.flatMap((name) => ['--ro-bind-try', `/proc/${name}`, join(path, name)])]
    case 'dev':
      return ['--dev', path]
  }
}

const PROC_TO_READ = ['sys', 'sysrq-trigger', 'irq', 'bus', 'fs', 'acpi', 'scsi', 'mtrr']
