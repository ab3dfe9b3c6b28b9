// The files that reports are written to: looked at before anything is run, so that nothing is paid for and then lost.

import { accessSync, constants, realpathSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { type Fault, fault, preview, systemReason } from '@plumb/wire'
import type { TestCommandOptions } from './options.js'

/** Why one of them cannot be written. `read`: paths of what the tests are made of, which none of them replaces. */
export const whyNotWritten = ({ rows, markdown, html, lcov }: TestCommandOptions, read: readonly string[]): Fault | undefined => {
  const taken = new Map(read.map((path) => [realPath(path), 'is read by the tests']))
  for (const [option, path] of Object.entries({ rows, markdown, html, lcov })) {
    if (path === undefined) continue
    const name = `'--${option} ${preview(path, 200)}'`
    const why = whyNone(path)
    if (why !== undefined) return fault('usage', `${name} cannot be written: ${why}`)
    const real = realPath(path)
    const other = taken.get(real)
    if (other !== undefined) return fault('usage', `${name} names a file that ${other}`)
    if (isFile(path)) taken.set(real, `--${option} writes`)
  }
  return undefined
}

// It is replaced, which its directory has to allow; a device is written to.
const whyNone = (path: string): string | undefined => {
  try {
    const found = statSync(path, { throwIfNoEntry: false })
    if (found?.isDirectory()) return 'it is a directory'
    accessSync(isFile(path) ? dirname(found ? realpathSync(path) : path) : path, constants.W_OK)
    return undefined
  } catch (error) {
    return systemReason(error as NodeJS.ErrnoException)
  }
}

const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() !== false

/** Of a file that may not be there yet. */
const realPath = (path: string): string => {
  try {
    return realpathSync(path)
  } catch {
    const directory = dirname(path)
    return directory === path ? path : join(realPath(directory), basename(path))
  }
}
