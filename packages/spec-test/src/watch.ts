// Runs something again whenever one of its files has changed.

import { watch } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'

/** An editor writes a file in several steps. */
const SETTLE_MS = 50

/**
 * `work` returns the files that it depends on as soon as it has read them, so that no change is missed while it runs. Ends only with the
 * process, as by a signal.
 */
export const repeatOnChange = async (
  work: (ready: (files: readonly string[]) => void) => Promise<unknown>,
  changed: (file: string) => void,
): Promise<never> => {
  for (;;) {
    let next: Promise<string> | undefined
    await work((files) => {
      next = change(files)
    })
    if (next) changed(await next)
  }
}

/** Resolves to the first changed path. Directories are watched: an editor may replace a file by a new one of the same name. */
const change = (files: readonly string[]): Promise<string> =>
  new Promise((resolveWith) => {
    const byDirectory = new Map<string, Map<string, string>>()
    for (const file of files) {
      const directory = dirname(resolve(file))
      const names = byDirectory.get(directory) ?? new Map<string, string>()
      names.set(basename(file), file)
      byDirectory.set(directory, names)
    }
    const watchers = [...byDirectory].flatMap(([directory, names]) => {
      try {
        return [watch(directory, (_, name) => found(names.get(String(name))))]
      } catch {
        return []
      }
    })
    let isFound = false
    const found = (file: string | undefined): void => {
      if (file === undefined || isFound) return
      isFound = true
      setTimeout(() => {
        for (const watcher of watchers) watcher.close()
        resolveWith(file)
      }, SETTLE_MS)
    }
  })
