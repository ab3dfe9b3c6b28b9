// Writes a whole text to stdout, such as --help, and reports whether it got there.

import { writeSync } from 'node:fs'
import { type Fault, fault } from '../error.js'
import { launcherFds } from '../fd/launcher.js'
import { isTerminal, openOutput } from '../fd/open.js'
import { systemReason } from '../system-reason.js'
import { hasStyles } from '../terminal/style.js'

/** Resolves to `write_failed` if it did not get there. A reader that goes away is not a fault. */
export const writeStdout = async (bytes: Uint8Array | string): Promise<Fault | undefined> => {
  try {
    if (launcherFds()?.closed.has(1)) return await writeStream(bytes)
    // Without a stream where possible: that costs a seventh of Node's own start.
    const rest = writeNow(Buffer.from(bytes))
    return rest.length === 0 ? undefined : await writeStream(rest)
  } catch (error) {
    return failureOf(error as NodeJS.ErrnoException)
  }
}

/** The width of the terminal that stdout is, for a table; undefined: it is none, and programs read it. */
export const stdoutColumns = (): number | undefined => (isTerminal(1) ? process.stdout.columns || DEFAULT_COLUMNS : undefined)

const DEFAULT_COLUMNS = 80

/** Whether stdout is a terminal that shows colour and weight. */
export const stdoutIsStyled = (): boolean => hasStyles(isTerminal(1))

/** The terminal that stdout is, for text that a person reads. Undefined: it is none, or one that knows nothing but letters. */
export const stdoutTerminal = (): { readonly columns: number; readonly isStyled: boolean } | undefined => {
  const columns = process.env.TERM === 'dumb' ? undefined : stdoutColumns()
  return columns === undefined ? undefined : { columns, isStyled: hasStyles(true) }
}

// Returns the rest when a non-blocking stdout is full.
const writeNow = (bytes: Buffer): Buffer => {
  let at = 0
  try {
    while (at < bytes.length) at += writeSync(1, bytes, at)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error
  }
  return bytes.subarray(at)
}

const writeStream = (bytes: Uint8Array | string): Promise<Fault | undefined> =>
  new Promise((resolve) => {
    const stdout = openOutput(1)
    stdout.on('error', (error: NodeJS.ErrnoException) => resolve(failureOf(error)))
    stdout.on('finish', () => resolve(undefined))
    stdout.on('close', () => resolve(undefined))
    stdout.end(bytes)
  })

const failureOf = (error: NodeJS.ErrnoException): Fault | undefined =>
  error.code === 'EPIPE' || error.code === 'ECONNRESET' ? undefined : fault('write_failed', `cannot write: ${systemReason(error)}`)
