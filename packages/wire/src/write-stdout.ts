// A whole text to stdout, such as --help: said to be written only when it was.

import { type Fault, fault } from './error.js'
import { openOutput } from './open-fd.js'
import { systemReason } from './system-reason.js'

/** Resolves to `write_failed` when it did not get there. A reader that goes away is no fault. */
export const writeStdout = (bytes: Uint8Array | string): Promise<Fault | undefined> =>
  new Promise((resolve) => {
    const stdout = openOutput(1)
    stdout.on('error', (error: NodeJS.ErrnoException) => resolve(isReaderGone(error) ? undefined : writeFault(error)))
    stdout.on('finish', () => resolve(undefined))
    stdout.on('close', () => resolve(undefined))
    stdout.end(bytes)
  })

const isReaderGone = ({ code }: NodeJS.ErrnoException): boolean => code === 'EPIPE' || code === 'ECONNRESET'

const writeFault = (error: NodeJS.ErrnoException): Fault => fault('write_failed', `cannot write: ${systemReason(error)}`)
