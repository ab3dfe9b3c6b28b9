// The answers that are being written, in a file that is replaced now and then, and gone once there are none. It is no part of the record: where
// it cannot be written, nothing is lost.

import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { scrub } from '@plumb/wire'
import { atOwnPath } from '@plumb/wire/output'
import { GrowingAnswers } from '../event/growing.js'
import type { RunEvent } from '../event/run-event.js'
import { GROWING_FILE } from './directory.js'

/** Between two versions of it (ms). */
const DELAY_MS = 250

export const openGrowing = (directory: string): ((event: RunEvent) => void) => {
  const answers = new GrowingAnswers()
  let timer: NodeJS.Timeout | undefined
  let isThere = true
  const write = (): void => {
    timer = undefined
    const { all } = answers
    if (all.length === 0 && !isThere) return
    isThere = all.length > 0
    try {
      atOwnPath(join(directory, GROWING_FILE), (at) => {
        if (!isThere) return rmSync(at, { force: true })
        writeFileSync(`${at}.new`, scrub(JSON.stringify(all)), { mode: 0o600 })
        renameSync(`${at}.new`, at)
      })
    } catch {}
  }
  // One that a killed run has left.
  write()
  return (event) => {
    const hasChanged = answers.on(event)
    if (event.kind === 'end') {
      clearTimeout(timer)
      return write()
    }
    if (hasChanged) timer ??= setTimeout(write, DELAY_MS).unref()
  }
}
