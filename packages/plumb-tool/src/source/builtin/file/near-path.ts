// For a path that is not there: the nearest name in its directory.

import { basename, dirname } from 'node:path'
import { asDirectory, childPath, openDirectory, readEntries, resolvePath } from '@plumb/sandbox'
import { type Fault, nearest, preview } from '@plumb/wire'
import type { BuiltinContext } from '../builtin.js'
import { isReadable } from './permitted-file.js'

const MAX_NAMES = 10_000

/** The error with a suggestion, if there is one; only names that may be read are suggested. */
export const withNearPath = async (error: Fault, root: string | undefined, context: BuiltinContext): Promise<Fault> => {
  const { path } = error
  if (error.error !== 'no_such_file' || typeof path !== 'string') return error
  const parent = resolvePath(dirname(path), 'list', context, root)
  if (!parent.ok) return error
  const directory = asDirectory(parent.value)
  const opened = await openDirectory(directory)
  if (!opened.ok) return error
  try {
    const { entries } = await readEntries(opened.value, MAX_NAMES, context.call.signal)
    const names = entries.map(({ name }) => name).filter((name) => isReadable(childPath(directory, name), context))
    const near = nearest(basename(path), names)
    if (near === undefined) return error
    const whole = dirname(path) === '.' ? near : `${dirname(path)}/${near}`
    return { ...error, detail: `${error.detail}; did you mean '${preview(whole, 200)}'?` }
  } catch {
    return error
  } finally {
    await opened.value.close()
  }
}
