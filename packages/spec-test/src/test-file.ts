// The files that a test names, and that are beside its spec: below the directory of the spec, or the docroot, and regular.

import { closeSync, constants, fstatSync, readSync, realpathSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import type { TestPlan } from '@plumb/lang'
import { andThen, fail, preview, type Result, succeed, systemReason } from '@plumb/wire'
import { guardOutputsBelow, openOwnFile } from '@plumb/wire/output'
import { besideTest } from './place.js'

/** Its real path; it need not exist. `path_denied`: it lies elsewhere, or a link leads there. */
export const fileOfTest = (plan: TestPlan, name: string, docroot: string | undefined): Result<string> => {
  const path = besideTest(plan, name)
  const spec = plan.span.source.path
  const real = realInTest(spec, docroot, path)
  if (real === undefined)
    return fail('path_denied', `'${preview(path, 200)}' is neither below the directory of the spec nor below the docroot`, { path })
  for (const region of regionsOf(spec, docroot)) guardOutputsBelow(region)
  return succeed(real)
}

/** The real path. Undefined: it is neither below the directory of the spec nor below the docroot. */
export const realInTest = (spec: string, docroot: string | undefined, path: string): string | undefined => {
  const real = realOf(path)
  return regionsOf(spec, docroot).some((region) => isBelow(region, real)) ? real : undefined
}

const regionsOf = (spec: string, docroot: string | undefined): readonly string[] => [dirname(spec), docroot ?? '.'].map(realOf)

/** UTF-8, without a mark of the byte order. */
export const readFileOfTest = (
  plan: TestPlan,
  name: string,
  { docroot, maxBytes }: { readonly docroot: string | undefined; readonly maxBytes: number },
): Result<string> => andThen(fileOfTest(plan, name, docroot), (real) => readWhole(real, besideTest(plan, name), maxBytes))

const readWhole = (real: string, path: string, maxBytes: number): Result<string> => {
  let fd: number | undefined
  try {
    fd = openOwnFile(real, constants.O_RDONLY)
    const { size } = fstatSync(fd)
    if (size > maxBytes) return fail('too_large', `'${preview(path, 200)}' has ${size} bytes, and at most ${maxBytes} are read`, { path })
    // Not more than that, however fast it grows.
    const bytes = Buffer.alloc(size)
    let at = 0
    for (let read = -1; read !== 0 && at < size; at += read) read = readSync(fd, bytes, at, size - at, at)
    return succeed(bytes.toString('utf8', 0, at).replace(/^\uFEFF/, ''))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const reason = code === 'ENOENT' ? 'it is not there' : systemReason(error as NodeJS.ErrnoException)
    return fail('file_not_found', `'${preview(path, 200)}', which a test names, cannot be read: ${reason}`, { path })
  } finally {
    if (fd !== undefined) closeSync(fd)
  }
}

const realOf = (path: string): string => {
  try {
    return realpathSync.native(path)
  } catch {
    return dirname(path) === path ? path : join(realOf(dirname(path)), basename(path))
  }
}

const isBelow = (directory: string, path: string): boolean => {
  const way = relative(directory, path)
  return way !== '..' && !way.startsWith('../')
}
