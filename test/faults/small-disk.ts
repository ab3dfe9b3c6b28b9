// A file system of a few megabytes, which can really be full: mounted in a temporary directory, which only root may do.

import { execFileSync } from 'node:child_process'
import { chownSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { dirname, join } from 'node:path'
import { isRecord } from '../../packages/wire/src/index.js'
import type { Cluster } from './postgres.js'

export interface SmallDisk {
  /** Of the database there. */
  readonly url: string
  /** Leaves no block free. */
  readonly fill: () => void
  readonly free: () => void
  readonly remove: () => void
}

const MEGABYTES = 24
const BLOCK_BYTES = 64 * 1024

const mount = (directory: string, megabytes = MEGABYTES): void => {
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', directory], { stdio: 'ignore' })
}

const whyNoMount = (): string | false => {
  if (process.platform !== 'linux' || userInfo().uid !== 0) return 'only root may mount a small file system'
  const directory = mkdtempSync(join(tmpdir(), 'plumb-mount-'))
  try {
    mount(directory)
    execFileSync('umount', [directory])
    return false
  } catch {
    return 'this machine lets nobody mount a file system'
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

/** Why there can be none here; false: there can. */
export const noSmallDisk = whyNoMount()

export interface SmallDirectory {
  readonly directory: string
  /** Leaves no block free. */
  readonly fill: () => void
  readonly free: () => void
  readonly remove: () => void
}

export const openSmallDirectory = (megabytes = MEGABYTES): SmallDirectory => {
  const root = mkdtempSync(join(tmpdir(), 'plumb-small-'))
  const [disk, filler] = [join(root, 'disk'), join(root, 'disk', 'filler')]
  mkdirSync(disk)
  mount(disk, megabytes)
  return {
    directory: disk,
    fill: () => {
      // Until a write fails: others write meanwhile.
      try {
        for (;;) writeFileSync(filler, Buffer.alloc(BLOCK_BYTES), { flag: 'a' })
      } catch (error) {
        if (!isRecord(error) || error.code !== 'ENOSPC') throw error
      }
    },
    free: () => rmSync(filler, { force: true }),
    remove: () => {
      execFileSync('umount', [disk])
      rmSync(root, { recursive: true, force: true })
    },
  }
}

/** All tables of its database, and their indexes, are on the disk; the log of the server is not. */
export const openSmallDisk = (cluster: Cluster): SmallDisk => {
  const { directory: disk, fill, free, remove } = openSmallDirectory()
  const { uid, gid } = statSync(cluster.directory)
  for (const each of [dirname(disk), disk]) chownSync(each, uid, gid)
  const tables = join(disk, 'tables')
  mkdirSync(tables)
  chownSync(tables, uid, gid)
  cluster.ask(`CREATE TABLESPACE small LOCATION '${tables}'`)
  cluster.ask('CREATE DATABASE small TABLESPACE small')
  return {
    url: cluster.url.replace('/postgres?', '/small?'),
    fill,
    free,
    remove: () => {
      cluster.ask('DROP DATABASE small WITH (FORCE)')
      cluster.ask('DROP TABLESPACE small')
      remove()
    },
  }
}
