// What a file was when it was read, so that one that is another by now is not written over.

import { lstatSync, type Stats } from 'node:fs'
import { fail, preview } from '@plumb/wire'

export interface FileStamp {
  readonly ino: number
  readonly size: number
  readonly mtimeMs: number
}

/** `absent`: there was none. */
export type ExpectedFile = FileStamp | 'absent'

export const fileStamp = ({ ino, size, mtimeMs }: Stats): FileStamp => ({ ino, size, mtimeMs })

/** Looked at without a turn of the loop before whoever asks does what he asks for. */
export const isUnchanged = (path: string, expected: ExpectedFile): boolean => {
  const now = lstatSync(path, { throwIfNoEntry: false })
  if (expected === 'absent' || now === undefined) return expected === 'absent' && now === undefined
  return now.ino === expected.ino && now.size === expected.size && now.mtimeMs === expected.mtimeMs
}

export const fileChanged = (shown: string): ReturnType<typeof fail> =>
  fail('file_changed', `'${preview(shown, 200)}' has changed since it was read: read it again`, { path: preview(shown, 200) })
