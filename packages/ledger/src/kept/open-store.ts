// Opens what keeps answers at a path: a directory, or one file of lines.

import type { Result } from '@plumb/wire'
import { openDirectoryStore } from './directory-store.js'
import { openLinesStore } from './lines-store.js'
import type { Store } from './store.js'

/** Whether requests are kept with their answers, for people to read. */
export const keepsRequests = (path: string): boolean => path.endsWith('.jsonl')

export const openStore = (path: string, isRecord: boolean): Result<Store> =>
  keepsRequests(path) ? openLinesStore(path) : openDirectoryStore(path, isRecord)
