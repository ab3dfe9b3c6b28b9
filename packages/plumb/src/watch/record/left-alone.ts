// A record has one writer: whoever wants it waits for the last to be gone, as a nested plumb is soon after whoever ran it was killed.

import { existsSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fail, type Result, succeed } from '@plumb/wire'
import { RUN_FILE, readRunFile } from './folder.js'

const PATIENCE_MS = 3000
const LOOK_MS = 50

/** Resolves to `record_invalid` when it is still written. */
export const leftAlone = async (folder: string): Promise<Result<void>> => {
  const run = existsSync(join(folder, RUN_FILE)) ? readRunFile(folder) : undefined
  if (!run?.ok || run.value.ended !== undefined || run.value.host !== hostname()) return succeed(undefined)
  const { pid } = run.value
  for (let waitedMs = 0; waitedMs < PATIENCE_MS && isAlive(pid); waitedMs += LOOK_MS) await sleep(LOOK_MS)
  return isAlive(pid) ? fail('record_invalid', `'${folder}' is still being written by process ${pid}`) : succeed(undefined)
}

const isAlive = (pid: number): boolean => {
  if (pid === process.pid) return false
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
