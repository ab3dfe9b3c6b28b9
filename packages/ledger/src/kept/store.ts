// Where answers are kept: a directory, or one file. Several processes may use one at once; each sees what was there when it opened it.

import type { Fault } from '@plumb/wire'
import type { EntryKey, KeptEntry } from './entry.js'
import type { NearestRequest } from './nearest-request.js'

export interface Store {
  /** All, in any order; of equal keys each. */
  keys(): Iterable<EntryKey>
  /** The answers of equal requests, by any agent. */
  keysOf(hash: string): readonly EntryKey[]
  /** Undefined: missing or incomplete. */
  read(key: EntryKey): KeptEntry | undefined
  /** Writes the whole entry or nothing; `write_failed` if it cannot. */
  put(entry: KeptEntry): Fault | undefined
  /** The entry whose request is most similar. Undefined: requests are not kept here, or there is none. */
  nearest?(request: unknown): (NearestRequest & { readonly key: EntryKey }) | undefined
}

/** Bytes of one entry. */
export const MAX_ENTRY_BYTES = 64 * 1024 * 1024

/** Requests and answers are private: readable only by this user. */
export const FILE_MODE = 0o600
export const DIRECTORY_MODE = 0o700
