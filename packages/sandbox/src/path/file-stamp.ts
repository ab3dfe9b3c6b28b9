// The version of a file when it was read, so that a file that was changed since is not overwritten.

import { lstatSync, type Stats } from 'node:fs'
import { fail, preview } from '@plumb/wire'

export interface FileStamp {
  readonly ino: number
  readonly size: number
  readonly mtimeMs: number
}

/** `absent`: the file did not exist. */
export type ExpectedFile = FileStamp | 'absent'

export const fileStamp = ({ ino, size, mtimeMs }: Stats): FileStamp => ({ ino, size, mtimeMs })

/** Synchronous, so that nothing in this process comes between the check and the change. */
export const isUnchanged = (path: string, expected: ExpectedFile): boolean => {
  const now = lstatSync(path, { throwIfNoEntry: false })
  if (expected === 'absent' || now === undefined) return expected === 'absent' && now === undefined
  return now.ino === expected.ino && now.size === expected.size && now.mtimeMs === expected.mtimeMs
}

export const fileChanged = (shown: string): ReturnType<typeof fail> =>
  fail('file_changed', `'${preview(shown, 200)}' has changed since it was read: read it again`, { path: preview(shown, 200) })
