// Where answers are kept: a directory, or one file. Several processes may use one at once; what was there when it was opened is found.

import type { Fault } from '../error.js'
import type { EntryKey, KeptEntry } from './entry.js'
import type { NearestRequest } from './nearest-request.js'

export interface Store {
  /** What is kept of equal requests, by any agent. */
  keysOf(hash: string): readonly EntryKey[]
  /** Undefined: it is not there, or not whole. */
  read(key: EntryKey): KeptEntry | undefined
  /** Whole or not at all; `write_failed` where it cannot be written. */
  put(entry: KeptEntry): Fault | undefined
  /** The entry whose request is most like this one. Undefined: requests are not kept here, or there is none. */
  nearest?(request: unknown): (NearestRequest & { readonly key: EntryKey }) | undefined
}

/** Of one entry, in bytes. */
export const MAX_ENTRY_BYTES = 64 * 1024 * 1024

/** Requests and answers are private: this program opens them to no other user. */
export const FILE_MODE = 0o600
export const DIRECTORY_MODE = 0o700
