// The resources that one client subscribes to: polled once a second, since files are replaced as often as they are written.

import { statSync } from 'node:fs'

const LOOK_MS = 1000
const MAX_SUBSCRIPTIONS = 1000

export interface Subscriptions {
  /** False: it has too many. */
  add(uri: string, path: string): boolean
  remove(uri: string): void
  close(): void
}

/** Keeps no process alive. */
export const openSubscriptions = (updated: (uri: string) => void): Subscriptions => {
  const watched = new Map<string, { readonly path: string; stamp: string }>()
  let timer: NodeJS.Timeout | undefined
  const look = (): void => {
    for (const [uri, entry] of watched) {
      const stamp = stampOf(entry.path)
      if (stamp === entry.stamp) continue
      entry.stamp = stamp
      updated(uri)
    }
  }
  return {
    add: (uri, path) => {
      if (watched.size >= MAX_SUBSCRIPTIONS) return false
      watched.set(uri, { path, stamp: stampOf(path) })
      timer ??= setInterval(look, LOOK_MS).unref()
      return true
    },
    remove: (uri) => void watched.delete(uri),
    close: () => clearInterval(timer),
  }
}

const stampOf = (path: string): string => {
  const stat = statSync(path, { throwIfNoEntry: false })
  return stat ? `${stat.ino} ${stat.size} ${stat.mtimeMs}` : 'gone'
}
