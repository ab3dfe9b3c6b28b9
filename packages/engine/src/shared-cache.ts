// The cache of a run by workers (--cache): what it has is copied into the tables before the first message is given out, so that every worker
// answers from it; what workers add is copied back as it comes.

import { resolve } from 'node:path'
import { type EntryKey, keepsRequests, openStore, type Store } from '@plumb/ledger/kept'
import type { Fault, Result } from '@plumb/wire'
import type { Connection, Query } from './connection.js'
import type { CachedAnswer, CacheOptions } from './engine.js'
import { cacheAnswers } from './postgres-answers.js'

export interface SharedCacheOptions {
  /** A directory, or a file of lines. */
  readonly path: string
  readonly isOnly: boolean
  readonly warn: (warning: Fault) => void
}

const BATCH = 500
const BATCH_BYTES = 4 * 1024 * 1024

export class SharedCache {
  readonly #o: SharedCacheOptions
  readonly #store: Store
  /** The last answer that was copied back. */
  #last = '0'
  #hasFailed = false

  static open(options: SharedCacheOptions): Result<SharedCache> {
    const store = openStore(resolve(options.path), false)
    return store.ok ? { ok: true, value: new SharedCache(options, store.value) } : store
  }

  private constructor(options: SharedCacheOptions, store: Store) {
    this.#o = options
    this.#store = store
  }

  /** As the run stores them. */
  get options(): CacheOptions {
    return { isOnly: this.#o.isOnly, hasRequests: keepsRequests(this.#o.path) }
  }

  /** Everything that the tables do not have yet. */
  async copyIn(connection: Connection, run: string): Promise<void> {
    let keys: EntryKey[] = []
    for (const key of this.#store.keys()) {
      keys.push(key)
      if (keys.length < BATCH) continue
      await this.#copyIn(connection, run, keys)
      keys = []
    }
    if (keys.length > 0) await this.#copyIn(connection, run, keys)
  }

  async #copyIn(connection: Connection, run: string, keys: readonly EntryKey[]): Promise<void> {
    const columns = [keys.map(({ hash }) => hash), keys.map(({ place }) => place), keys.map(({ nth }) => nth)]
    const { rows } = await connection.query(MISSING, [run, ...columns])
    let batch: CachedAnswer[] = []
    let bytes = 0
    for (const { i } of rows) {
      const entry = this.#store.read(keys[Number(i) - 1] as EntryKey)
      if (!entry) continue
      const { hash, place, nth, answer } = entry
      const text = JSON.stringify(answer)
      batch.push({ hash, place, nth, answer: text, request: null })
      bytes += text.length
      if (bytes < BATCH_BYTES) continue
      await cacheAnswers(connection, run, batch, false)
      batch = []
      bytes = 0
    }
    if (batch.length > 0) await cacheAnswers(connection, run, batch, false)
  }

  /** What workers have added since the last time. */
  async copyBack(query: Query, run: string): Promise<void> {
    for (;;) {
      const { rows } = await query(ADDED, [run, this.#last])
      for (const { n, hash, place, nth, answer, request } of rows) {
        this.#last = String(n)
        const key = { hash: String(hash), place: String(place), nth: Number(nth) }
        if (this.#store.read(key)) continue
        const asked = request === null ? {} : { request: JSON.parse(String(request)) as unknown }
        const failed = this.#store.put({ ...key, ...asked, answer: JSON.parse(String(answer)) as unknown })
        if (failed && !this.#hasFailed) this.#o.warn(failed)
        this.#hasFailed ||= failed !== undefined
      }
      if (rows.length === 0) return
    }
  }
}

const MISSING = `
SELECT a.i FROM unnest($2::text[], $3::text[], $4::int[]) WITH ORDINALITY AS a (hash, place, nth, i)
WHERE NOT EXISTS (SELECT 1 FROM plumb.answer c WHERE c.run = $1 AND c.hash = a.hash AND c.place = a.place AND c.nth = a.nth) ORDER BY a.i`

/** Few at a time: each may be long. */
const ADDED = `
SELECT n, hash, place, nth, answer, request FROM plumb.answer WHERE run = $1 AND n > $2 AND is_new ORDER BY n LIMIT 20`
