// A memory in a file: the reply to get_memory as it is on ctrl_out, so that other programs can write and read one.

import { closeSync, constants, fstatSync, fsyncSync, lstatSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { type Fault, fail, fault, preview, type Result, succeed, systemReason } from '@plumb/wire'
import { atOwnPath } from '@plumb/wire/output'

/** The longest line of control. */
const MAX_BYTES = 16 * 1024 * 1024

/** Reads `{"kind":"memory","messages":[…]}`, or the list alone. The agent validates the messages. */
export const readMemory = (path: string): Result<readonly unknown[]> => {
  let text: string
  try {
    const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
    try {
      const stat = fstatSync(fd)
      if (!stat.isFile()) return fail('file_not_found', `'${preview(path, 200)}' is not a regular file`)
      if (stat.size > MAX_BYTES) return fail('line_too_long', `'${preview(path, 200)}' is longer than ${MAX_BYTES} bytes`)
      text = readFileSync(fd, 'utf8')
    } finally {
      closeSync(fd)
    }
  } catch (error) {
    return fail('file_not_found', `cannot read '${preview(path, 200)}': ${systemReason(error as NodeJS.ErrnoException)}`)
  }
  const messages = parseMessages(text)
  return messages ? succeed(messages) : fail('input_type_mismatch', `'${preview(path, 200)}' holds no saved memory`)
}

/** Writes the whole file or nothing, readable by its owner alone. Overwrites only another saved memory. */
export const writeMemory = (path: string, messages: readonly unknown[]): Fault | undefined => {
  try {
    if (lstatSync(path, { throwIfNoEntry: false }) && !readMemory(path).ok)
      return fault('file_exists', `'${preview(path, 200)}' exists and holds no saved memory; choose another name`)
    replace(path, `${JSON.stringify({ kind: 'memory', messages })}\n`)
    return undefined
  } catch (error) {
    return fault('write_failed', `cannot write '${preview(path, 200)}': ${systemReason(error as NodeJS.ErrnoException)}`)
  }
}

// Within the directory that is open: no program of the conversation can put a link in the way.
const replace = (path: string, text: string): void => atOwnPath(path, (at) => replaceAt(at, text))

const replaceAt = (path: string, text: string): void => {
  const temporary = `${path}.${process.pid}.tmp`
  try {
    const fd = openSync(temporary, 'wx', 0o600)
    try {
      writeFileSync(fd, text)
      fsyncSync(fd)
    } finally {
      closeSync(fd)
    }
    renameSync(temporary, path)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  }
}

const parseMessages = (text: string): readonly unknown[] | undefined => {
  try {
    const value: unknown = JSON.parse(text)
    const messages = typeof value === 'object' && value !== null && 'messages' in value ? value.messages : value
    return Array.isArray(messages) ? messages : undefined
  } catch {
    return undefined
  }
}
