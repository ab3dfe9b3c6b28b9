// Resolves the name of a program to the file that will run, or to the reason why none will, before anything is started.

import { accessSync, constants, statSync } from 'node:fs'
import { isAbsolute, join, resolve } from 'node:path'
import { preview } from '../preview.js'
import { fail, type Result } from '../result.js'

/** A name with a slash is a path, relative to `cwd`; any other is looked up in `path`, whose relative entries are ignored. */
export const resolveProgram = (name: string, cwd: string, path = ''): Result<string> => {
  if (!isDirectory(cwd)) return fail('file_not_found', `working directory '${preview(cwd)}' is not a directory that can be entered`)
  if (name.includes('/')) {
    // `resolve` asks for the current directory, which may have been removed.
    const file = cwd === '.' ? name : resolve(cwd, name)
    const why = whyNot(file)
    return why === undefined ? { ok: true, value: file } : fail('file_not_found', `program '${preview(name)}' ${why}`)
  }
  const candidates = path
    .split(':')
    .filter(isAbsolute)
    .map((directory) => join(directory, name))
  const file = name === '' ? undefined : candidates.find((candidate) => whyNot(candidate) === undefined)
  return file === undefined ? fail('file_not_found', `program '${preview(name)}' is not on PATH`) : { ok: true, value: file }
}

/** A system program that we need ourselves, independent of PATH. */
export const systemProgram = (name: 'sleep' | 'mkfifo'): string | undefined => {
  const found = resolveProgram(name, '/', `/bin:/usr/bin:${process.env.PATH ?? ''}`)
  return found.ok ? found.value : undefined
}

const whyNot = (file: string): string | undefined => {
  try {
    if (statSync(file).isDirectory()) return 'is a directory'
  } catch {
    return 'does not exist'
  }
  try {
    accessSync(file, constants.X_OK)
    return undefined
  } catch {
    return 'is not executable (chmod +x would make it so)'
  }
}

const isDirectory = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isDirectory()
  } catch {
    return false
  }
}
