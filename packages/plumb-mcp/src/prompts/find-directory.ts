// Finds the directory of prompts: the one that was named, or ./prompts if it exists.

import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { fail, preview, type Result, succeed } from '@plumb/wire'

/** Absolute. Undefined: there is none. */
export const findPrompts = (named: string | undefined, inEnvironment = process.env.MCP_PROMPTS_DIR): Result<string | undefined> => {
  const [path, source] = named === undefined ? [inEnvironment, 'MCP_PROMPTS_DIR'] : [named, '--prompts']
  if (path === undefined || path === '') return succeed(isDirectory('prompts') ? resolve('prompts') : undefined)
  return isDirectory(path) ? succeed(resolve(path)) : fail('file_not_found', `${source} names '${preview(path)}', which is not a directory`)
}

/** A path that cannot be examined is not a directory. */
export const isDirectory = (path: string): boolean => {
  try {
    return statSync(path).isDirectory()
  } catch {
    return false
  }
}
