// The tables of plumb-serve: the requests that outlive the server, and the memories of conversations. A database that is away is waited for, but
// not by a client.

import { type Fault, fail, type Result, succeed } from '@plumb/wire'
import { type Connection, checkSchema, connect, type Query } from './connection.js'
import type { Database } from './look.js'
import { TABLES } from './look.js'

/** A request that was taken. */
export interface ServedRow {
  readonly id: string
  /** The name of a token. */
  readonly owner: string
  readonly key: string | undefined
  /** JSON text, of the server's own. */
  readonly request: string
  readonly input: Buffer
  /** JSON text; undefined: it has not ended. */
  readonly outcome: string | undefined
}

const FIRST_PAUSE_MS = 200
const LONGEST_PAUSE_MS = 5000
/** A server holds a lock with this key and the number of each request that it works itself. */
const SERVERS = 0x706c7376
/** PostgreSQL's code for a row that is there already. */
const NOT_UNIQUE = '23505'

export class ServedTables {
  #connection: Promise<Result<Connection>> | undefined
  #isAway = false
  #isClosed = false
  readonly #listeners = new Set<() => void>()

  constructor(
    private readonly database: Database,
    private readonly warn: (error: Fault) => void,
  ) {}

  /** `engine_unavailable` at once where the database is away. */
  async once<T>(work: (connection: Connection) => Promise<T>): Promise<Result<T>> {
    const connection = await this.#connected()
    if (!connection.ok) return connection
    try {
      return succeed(await work(connection.value))
    } catch (error) {
      return fail('engine_unavailable', `the database does not do what it is asked: ${(error as Error).message}`)
    }
  }

  /** Tries again until it is done. Undefined: the signal has fired, or all is closed. */
  async patiently<T>(work: (connection: Connection) => Promise<T>, signal?: AbortSignal): Promise<T | undefined> {
    for (let pauseMs = FIRST_PAUSE_MS; !signal?.aborted && !this.#isClosed; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
      const done = await this.once(work)
      if (done.ok) {
        this.#isAway = false
        return done.value
      }
      if (!this.#isAway) this.warn(done.error)
      this.#isAway = true
      await new Promise((resolve) => setTimeout(resolve, pauseMs))
    }
    return undefined
  }

  /** Resolves when something may have happened there, or so much later. */
  news(mostMs: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const go = (): void => {
        clearTimeout(timer)
        this.#listeners.delete(go)
        signal.removeEventListener('abort', go)
        resolve()
      }
      const timer = setTimeout(go, mostMs)
      this.#listeners.add(go)
      signal.addEventListener('abort', go, { once: true })
    })
  }

  /** Before its client is told that it is taken. The row that has its key already, if there is one. */
  take({ id, owner, key, request, input }: Omit<ServedRow, 'outcome'>): Promise<Result<ServedRow | undefined>> {
    return this.once(async ({ query }) => {
      try {
        await query('INSERT INTO plumb.served (id, owner, key, request, input) VALUES ($1, $2, $3, $4, $5)', [
          ...[id, owner, key ?? null, request],
          input,
        ])
        return undefined
      } catch (error) {
        if ((error as { code?: string }).code !== NOT_UNIQUE) throw error
        return rowOf((await query(`${SELECT} WHERE owner = $1 AND key = $2`, [owner, key])).rows[0])
      }
    })
  }

  /** The oldest first. */
  all(): Promise<Result<readonly ServedRow[]>> {
    return this.once(async ({ query }) => (await query(`${SELECT} ORDER BY begun, id`)).rows.flatMap((row) => rowOf(row) ?? []))
  }

  /** Of this token. */
  find(id: string, owner: string): Promise<Result<ServedRow | undefined>> {
    return this.once(async ({ query }) => rowOf((await query(`${SELECT} WHERE id = $1 AND owner = $2`, [id, owner])).rows[0]))
  }

  /** False: another server that lives works on it. */
  async claim(id: string): Promise<boolean> {
    const claimed = await this.once(async ({ query }) => {
      const { rows } = await query('SELECT pg_try_advisory_lock($1, hashtext($2)) AS is_free', [SERVERS, id])
      return rows[0]?.is_free === true
    })
    return claimed.ok && claimed.value
  }

  /** It is not worked again. */
  async end(id: string, outcome: string): Promise<void> {
    await this.patiently((connection) =>
      connection.transaction(async (query) => {
        await query('UPDATE plumb.served SET outcome = $2 WHERE id = $1 AND outcome IS NULL', [id, outcome])
        await query('DELETE FROM plumb.served_line WHERE id = $1', [id])
        await forgetRun(query, id)
        return true
      }),
    )
  }

  async forget(id: string): Promise<void> {
    await this.patiently((connection) =>
      connection.transaction(async (query) => {
        await query('DELETE FROM plumb.served WHERE id = $1', [id])
        await query('DELETE FROM plumb.served_line WHERE id = $1', [id])
        await forgetRun(query, id)
        return true
      }),
    )
  }

  /** Messages as JSON text, by the places of agents. */
  async memoriesOf(conversation: string): Promise<Result<ReadonlyMap<string, string>>> {
    return this.once(async ({ query }) => {
      const { rows } = await query(USE_MEMORY, [conversation])
      return new Map(rows.map(({ place, memory }) => [String(place), String(memory)]))
    })
  }

  /** Of all conversations the `most` that were used last are kept. */
  async remember(conversation: string, place: string, memory: string, most: number): Promise<void> {
    await this.patiently(async ({ query }) => {
      await query(REMEMBER, [conversation, place, memory])
      await query(FORGET_OLD, [most])
    })
  }

  /** Those whose name `isIts`. False: there was none. */
  async forgetConversations(isIts: (conversation: string) => boolean): Promise<Result<boolean>> {
    return this.once(async ({ query }) => {
      const { rows } = await query('SELECT DISTINCT conversation FROM plumb.served_memory')
      const gone = rows.map(({ conversation }) => String(conversation)).filter(isIts)
      await query('DELETE FROM plumb.served_memory WHERE conversation = ANY ($1::text[])', [gone])
      return gone.length > 0
    })
  }

  async close(): Promise<void> {
    this.#isClosed = true
    const connection = await this.#connection
    if (connection?.ok) await connection.value.close()
  }

  #connected(): Promise<Result<Connection>> {
    this.#connection ??= this.#open()
    return this.#connection
  }

  async #open(): Promise<Result<Connection>> {
    const forget = (): void => {
      this.#connection = undefined
    }
    const connection = await connect(this.database.url, this.database.isInsecure, true)
    const ready = connection.ok ? await hasTables(connection.value) : connection
    if (!connection.ok || !ready.ok) {
      forget()
      if (connection.ok) await connection.value.close()
      return ready as Result<Connection>
    }
    connection.value.onNews(() => {
      for (const listener of [...this.#listeners]) listener()
    })
    void connection.value.lost.then(forget)
    return connection
  }
}

const hasTables = async (connection: Connection): Promise<Result<void>> => {
  try {
    const schema = await checkSchema(connection)
    if (!schema.ok) return schema
    const { rows } = await connection.query("SELECT to_regclass('plumb.served_memory') IS NOT NULL AS is_there")
    if (rows[0]?.is_there === true) return succeed(undefined)
    return fail('cannot_run', "the database lacks the tables of plumb-serve: 'plumb engine --on URL --init' makes them")
  } catch (error) {
    return fail('engine_unavailable', `the database does not do what it is asked: ${(error as Error).message}`)
  }
}

const SELECT = 'SELECT id, owner, key, request, input, outcome FROM plumb.served'

const rowOf = (row: Readonly<Record<string, unknown>> | undefined): ServedRow | undefined =>
  row && {
    ...{ id: String(row.id), owner: String(row.owner), key: row.key === null ? undefined : String(row.key) },
    ...{ request: String(row.request), input: row.input as Buffer, outcome: row.outcome === null ? undefined : String(row.outcome) },
  }

/** The name of the run by workers that a request is. */
export const runNameOf = (id: string): string => `serve-${id}`

const forgetRun = async (query: Query, id: string): Promise<void> => {
  const { rows } = await query('DELETE FROM plumb.run WHERE name = $1 RETURNING id', [runNameOf(id)])
  const [run] = rows
  if (run) for (const table of TABLES) await query(`DELETE FROM plumb.${table} WHERE run = $1`, [run.id])
}

const USE_MEMORY = 'UPDATE plumb.served_memory SET used = now() WHERE conversation = $1 RETURNING place, memory'

const REMEMBER = `
INSERT INTO plumb.served_memory (conversation, place, memory) VALUES ($1, $2, $3)
ON CONFLICT (conversation, place) DO UPDATE SET memory = $3, used = now()`

const FORGET_OLD = `
DELETE FROM plumb.served_memory WHERE conversation IN (
  SELECT conversation FROM plumb.served_memory GROUP BY conversation ORDER BY max(used) DESC OFFSET $1)`
