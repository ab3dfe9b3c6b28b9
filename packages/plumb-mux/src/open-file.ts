// The files that are named on the command line.

import { openSync, statSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { type Fault, fail, openInput, openOutput, preview, type Result, succeed, systemReason } from '@plumb/wire'
import { Tee } from './tee.js'

export const openRecord = (path: string): Result<Readable> => {
  try {
    if (statSync(path).isDirectory()) return fail('file_not_found', `--replay names '${preview(path)}', which is a folder`)
    return succeed(openInput(openSync(path, 'r')))
  } catch (error) {
    return fail('file_not_found', `cannot read '${preview(path)}' for --replay: ${systemReason(error as NodeJS.ErrnoException)}`)
  }
}

// What a session says may be nobody else's business.
const MODE = 0o600

export const openTee = (path: string, report: (fault: Fault) => void): Result<Tee> => {
  try {
    return succeed(new Tee(openOutput(openSync(path, 'w', MODE)), (error) => report({ ...error, path: preview(path) })))
  } catch (error) {
    return fail('file_not_found', `cannot write '${preview(path)}' for --tee: ${systemReason(error as NodeJS.ErrnoException)}`)
  }
}
