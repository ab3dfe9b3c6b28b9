// The file system of a sandbox: a table of mounts by path, and the bubblewrap options that create it. Nothing else is visible.

import { dirname } from 'node:path'
import { isWithin } from '../path/look-up.js'
import { followPath, isOfPrograms } from './docroot-links.js'

export type Mount =
  /** Bound from the host, read-only. */
  | { readonly kind: 'read' }
  /** Bound from the host, writable; by a descriptor of the child if the path could be swapped meanwhile. */
  | { readonly kind: 'write'; readonly fd?: number }
  /** Bound read-only inside a writable directory. */
  | { readonly kind: 'keep'; readonly fd: number }
  /** An empty directory that stands for what must not be there. */
  | { readonly kind: 'guard' }
  /** Covered by an empty file or directory that cannot be read. */
  | { readonly kind: 'hide'; readonly isDirectory: boolean }
  /** Directories that exist only in the sandbox: a writable one, of a size if one is given, or an empty one. */
  | { readonly kind: 'temporary'; readonly bytes?: number | undefined }
  | { readonly kind: 'empty' }
  | { readonly kind: 'link'; readonly target: string }
  | { readonly kind: 'proc' }
  | { readonly kind: 'dev'; readonly bytes?: number | undefined }

const SHOWN: ReadonlySet<Mount['kind']> = new Set(['read', 'write', 'keep', 'proc', 'dev'])

export class Mounts {
  readonly #mounts = new Map<string, Mount>()

  /** `docroot`: a real path, below which nothing but programs is mounted by way of a link that leads out of it. */
  constructor(private readonly docroot: string) {}

  /** A later mount at the same path replaces an earlier one. */
  put(path: string, mount: Mount): void {
    this.#mounts.set(path, mount)
  }

  /** Mounts what a path leads to, read-only, and the links on the way. Missing paths are ignored; writable mounts stay writable. */
  read(path: string): void {
    const { real, isLedOut } = this.#follow(path)
    if (real === undefined || (isLedOut && !isOfPrograms(real))) return
    const there = this.#mounts.get(real)?.kind
    if (there === undefined || there === 'empty' || there === 'temporary') this.put(real, { kind: 'read' })
  }

  /** Returns the real path and mounts the links that lead to it; undefined if nothing is there. */
  reach(path: string): string | undefined {
    return this.#follow(path).real
  }

  #follow(path: string): { readonly real: string | undefined; readonly isLedOut: boolean } {
    let isLed = false
    const real = followPath(path, (link, target) => {
      isLed ||= isWithin(this.docroot, link)
      if (!this.#mounts.has(link)) this.put(link, { kind: 'link', target })
    })
    return { real, isLedOut: isLed && real !== undefined && !isWithin(this.docroot, real) }
  }

  has(path: string): boolean {
    return this.#mounts.has(path)
  }

  /** Whether this real path of the host is visible inside. */
  shows(path: string): boolean {
    const kind = this.#mounts.get(this.#mounts.has(path) ? path : directoryAbove(path, this.#mounts))?.kind
    return kind !== undefined && SHOWN.has(kind)
  }

  /** Options for bubblewrap, parents before children. */
  options(): readonly string[] {
    const paths = [...this.#mounts.keys()].sort()
    const made = new Map<string, Mount>()
    // Directories that are covered, but for what is mounted below them: it is reached by its name alone.
    const opened = new Set<string>()
    for (const path of paths) {
      const mount = this.#mounts.get(path) as Mount
      const directory = directoryAbove(path, made)
      const parent = made.get(directory)
      if (!isNeeded(mount, parent)) continue
      made.set(path, mount)
      if (parent?.kind === 'hide') opened.add(directory)
    }
    const options = [...made].flatMap(([path, mount]) => (opened.has(path) ? ['--perms', '0111', '--tmpfs', path] : optionsOf(path, mount)))
    return [...options, ...[...opened].flatMap((path) => ['--remount-ro', path])]
  }
}

/** The nearest directory that has a mount of its own. */
const directoryAbove = (path: string, made: ReadonlyMap<string, Mount>): string => {
  let directory = dirname(path)
  while (directory !== '/' && !made.has(directory)) directory = dirname(directory)
  return directory
}

// A bound directory brings all that is below it.
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
    case 'guard':
      return ['--perms', '0555', '--tmpfs', path, '--remount-ro', path]
    case 'hide':
      // A bind mount of /dev/null: bubblewrap mounts with nodev, so opening it fails.
      return mount.isDirectory ? ['--perms', '0000', '--tmpfs', path, '--remount-ro', path] : ['--ro-bind', '/dev/null', path]
    case 'temporary':
      return temporary(path, mount.bytes)
    case 'empty':
      return ['--dir', path]
    case 'link':
      return ['--symlink', mount.target, path]
    case 'proc':
      // Root could write the kernel's settings in it even without capabilities. All of it, since a mount for each directory of them takes longer.
      return ['--proc', path, '--remount-ro', path]
    case 'dev':
      // Files can be made in what bubblewrap mounts: in the one directory of it that is meant for them alone.
      return ['--dev', path, ...temporary(`${path}/shm`, mount.bytes), '--remount-ro', path]
  }
}

const temporary = (path: string, bytes: number | undefined): readonly string[] => [
  ...['--perms', '1777'],
  ...(bytes === undefined ? [] : ['--size', String(bytes)]),
  ...['--tmpfs', path],
]
