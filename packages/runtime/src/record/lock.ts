// A record has one writer. DIR/lock is a dangling symbolic link whose text names the writing process: a link is created atomically, needs
// no second file, and can be renamed. A killed run leaves it behind; the next run finds that its process is gone.

import { readlinkSync, renameSync, symlinkSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fail, preview, type Result, succeed, systemReason } from '@plumb/wire'
import { atOwnPath } from '@plumb/wire/output'
import { holderState, type LockHolder, ownHolder, readHolder } from './lock-holder.js'

export const LOCK_FILE = 'lock'

/** Releases the lock. Safe to call again. */
export type ReleaseLock = () => void

/** The directory must exist. `record_invalid` if another run has it, or may have it. */
export const lockRecord = (directory: string): Result<ReleaseLock> => {
  const slot = join(directory, LOCK_FILE)
  try {
    const refused = take(slot, ownHolder(), directory)
    if (refused) return refused
  } catch (error) {
    return fail('file_not_found', `cannot write to the directory '${directory}': ${systemReason(error as NodeJS.ErrnoException)}`)
  }
  let isHeld = true
  const release = (): void => {
    if (!isHeld) return
    isHeld = false
    process.off('exit', release)
    attempt(() => atOwnPath(slot, unlinkSync))
  }
  process.once('exit', release)
  return succeed(release)
}

/** A run that can be seen from here writes it now. */
export const isBeingWritten = (directory: string): boolean => {
  try {
    return holderState(readHolder(readlinkSync(join(directory, LOCK_FILE)))) === 'alive'
  } catch {
    return false
  }
}

// To take over the lock of a process that is gone, a run first takes a second lock, named after that process, which only one run can have.
// With it no other run may replace the first lock, so it can be read again without a race: if it has changed, this run came too late. A run
// that is killed meanwhile leaves its second lock, which is taken over in the same way.
const take = (slot: string, me: LockHolder, directory: string): ReturnType<typeof refusal> | undefined => {
  for (;;) {
    if (hasMade(slot, me.text)) return undefined
    const text = readSlot(slot)
    if (text === undefined) continue
    const holder = readHolder(text)
    const state = holderState(holder)
    if (state !== 'gone') return refusal(directory, holder, state)
    const takeover = `${slot}.${holder.pid}-${holder.start}`
    const refused = take(takeover, me, directory)
    if (refused) return refused
    if (readSlot(slot) === text) {
      atOwnPath(takeover, (from) => atOwnPath(slot, (to) => renameSync(from, to)))
      return undefined
    }
    attempt(() => atOwnPath(takeover, unlinkSync))
  }
}

const hasMade = (slot: string, text: string): boolean => {
  try {
    atOwnPath(slot, (at) => symlinkSync(text, at))
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

const readSlot = (slot: string): string | undefined => {
  try {
    return atOwnPath(slot, (at) => readlinkSync(at))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

const attempt = (work: () => void): void => {
  try {
    work()
  } catch {
    // The directory may be gone.
  }
}

const refusal = (directory: string, { pid, host }: LockHolder, state: 'alive' | 'unknown') =>
  state === 'alive'
    ? fail('record_invalid', `'${directory}' is being written by process ${pid}: name another directory, or wait for its end`, { pid })
    : fail(
        'record_invalid',
        `'${directory}' may still be written by process ${pid} on '${preview(host)}', which cannot ` +
          `be seen from here: if it has ended, remove '${join(directory, LOCK_FILE)}'`,
        { pid },
      )
