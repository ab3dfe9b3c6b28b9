// A record has one writer. DIR/lock is a symbolic link that leads nowhere and whose text says which process it is: the system makes it whole or
// not at all, it needs no second file, and it can be renamed. A run that was killed leaves it behind; the next finds that its process is gone.

import { readlinkSync, renameSync, symlinkSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fail, preview, type Result, succeed, systemReason } from '@plumb/wire'
import { holderState, type LockHolder, ownHolder, readHolder } from './lock-holder.js'

export const LOCK_FILE = 'lock'

/** Gives the record up. Safe to call again. */
export type ReleaseLock = () => void

/** The folder must be there. `record_invalid` where another run has it, or may have it. */
export const lockRecord = (folder: string): Result<ReleaseLock> => {
  const slot = join(folder, LOCK_FILE)
  try {
    const refused = take(slot, ownHolder(), folder)
    if (refused) return refused
  } catch (error) {
    return fail('file_not_found', `cannot write to the folder '${folder}': ${systemReason(error as NodeJS.ErrnoException)}`)
  }
  let isHeld = true
  const release = (): void => {
    if (!isHeld) return
    isHeld = false
    process.off('exit', release)
    attempt(() => unlinkSync(slot))
  }
  process.once('exit', release)
  return succeed(release)
}

// The heir of a process that is gone first takes a slot of its own, named after that process: only one can have it. Then nobody else may move
// into the slot of the dead, and whether it still is that one's can be looked at without haste. Who was slow, and finds another there, has
// come too late. An heir that is killed meanwhile leaves a slot that is taken over in the same way.
const take = (slot: string, me: LockHolder, folder: string): ReturnType<typeof refusal> | undefined => {
  for (;;) {
    if (hasMade(slot, me.text)) return undefined
    const text = readSlot(slot)
    if (text === undefined) continue
    const holder = readHolder(text)
    const state = holderState(holder)
    if (state !== 'gone') return refusal(folder, holder, state)
    const heirs = `${slot}.${holder.pid}-${holder.start}`
    const refused = take(heirs, me, folder)
    if (refused) return refused
    if (readSlot(slot) === text) {
      renameSync(heirs, slot)
      return undefined
    }
    attempt(() => unlinkSync(heirs))
  }
}

const hasMade = (slot: string, text: string): boolean => {
  try {
    symlinkSync(text, slot)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

const readSlot = (slot: string): string | undefined => {
  try {
    return readlinkSync(slot)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

const attempt = (work: () => void): void => {
  try {
    work()
  } catch {
    // The folder may have gone.
  }
}

const refusal = (folder: string, { pid, host }: LockHolder, state: 'alive' | 'unknown') =>
  state === 'alive'
    ? fail('record_invalid', `'${folder}' is being written by process ${pid}: name another folder, or wait for its end`, { pid })
    : fail(
        'record_invalid',
        `'${folder}' may still be written by process ${pid} on '${preview(host)}', which cannot be seen from here: if it has ended, remove '${join(folder, LOCK_FILE)}'`,
        { pid },
      )
