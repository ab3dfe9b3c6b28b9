// The answers that are kept for a run: where they are, and how a process asks for them.

import type { Fault } from '@plumb/wire'
import type { EntryKey } from './entry.js'

/** Where answers are kept: a directory, or a file of lines, whose name ends in `.jsonl`. */
export interface StorePlace {
  readonly path: string
  /** It is the record of a run: calls of tools and refusals are kept as well. */
  readonly isRecord?: boolean
}

export interface KeptOptions {
  /** An answer is taken from the first store that has it, and kept in all. */
  readonly stores: readonly StorePlace[]
  /** Nothing is requested from models. */
  readonly isOnly: boolean
  /** The file of calls that wait for a person. Undefined: none can wait. */
  readonly approvals?: string | undefined
  /** The processes of this run: answers for processes that no longer exist may be given to any of them. */
  readonly places: readonly string[]
  /** Places of processes, and of plumbs with everything in them, whose answers are not kept: they may hold a secret. */
  readonly unrecorded?: readonly string[] | undefined
  /** Directories that must be these, by what `holdDirectory` has returned. */
  readonly held?: Readonly<Record<string, string>>
  /** Who has the answers instead of stores, in a run by workers. */
  readonly shared?: SharedPlace | undefined
}

export interface SharedPlace {
  /** Of a socket; see `serveAnswers`. */
  readonly path: string
  readonly isCached: boolean
  readonly isRecorded: boolean
  /** The cache keeps requests with their answers. */
  readonly hasRequests: boolean
}

export type AnswerSource = 'cache' | 'record'

export interface Asked {
  /** The hash of the request, and its number among equal ones. */
  readonly key: EntryKey
  /** The answer, with where it was kept. Undefined: it has to be requested. */
  readonly found: { readonly answer: unknown; readonly source: AnswerSource } | undefined
  /** Why it must not be requested. */
  readonly miss: Fault | undefined
  /** Keeps the answer. `write_failed`: it could not be kept; it is tried again with the next. Shared answers are kept after `flush`. */
  keep(answer: unknown): Fault | undefined
}

/** A request by its hash, as `hashOf` has it. */
export interface HashedRequest {
  readonly hash: string
  /** Built where it is needed: a cache keeps it with its answer. */
  readonly value: () => unknown
}

export interface KeptAnswers {
  readonly fd: number
  readonly isOnly: boolean
  readonly hasRecord: boolean
  readonly approvals: string | undefined
  /** A directory beside the answers, for notes of requests that were sent and are not answered. */
  readonly batchDirectory: string
  /** Call it when the request is about to be made: the order of these calls counts. Of shared answers it finds none. */
  ask(request: HashedRequest, place: string, options?: AnswerRequest): Asked
  /** The same, where the answers are shared with others. */
  askShared?(request: HashedRequest, place: string, options?: AnswerRequest): Promise<Asked>
  /** Resolves when all shared answers so far are kept, to the first fault since the last time. */
  flush?(): Promise<Fault | undefined>
}

export interface AnswerRequest {
  /** Caches do not keep it. */
  readonly onlyRecorded?: boolean
  /** The message that it is made for, in a run by workers. */
  readonly delivery?: string | undefined
}
