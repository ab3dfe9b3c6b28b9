// The one connection of a process to PostgreSQL: one statement, or one transaction, after the other. Only this file imports pg.

import { type Fault, fail, fault, type Result, scrub, succeed } from '@plumb/wire'
import { Client, type Result as Rows } from 'pg'
import { SCHEMA_VERSION } from './schema.js'
import { refuseServer, refuseUrl, shownUrl } from './server-trust.js'

export type Query = (text: string, values?: readonly unknown[]) => Promise<Rows>

export interface Connection {
  readonly query: Query
  /** Runs the work in a transaction, which is rolled back if it returns undefined, or throws. */
  transaction<T>(work: (query: Query) => Promise<T | undefined>): Promise<T | undefined>
  /** Calls `listener` when another process may have done something. */
  onNews(listener: () => void): void
  /** The disk of the database is full: reported once, and retried until there is space. */
  onFull(listener: () => void): void
  /** It has ended by itself. */
  readonly lost: Promise<Fault>
  close(): Promise<void>
}

const CONNECT_MS = 10_000
/** Without an answer for so long the network is down, and by then the leases are. */
const ANSWER_MS = 30_000
const FULL_PAUSE_MS = 100
/** PostgreSQL's code for a full disk. */
const DISK_FULL = '53100'

/**
 * `config_invalid`: invalid URL, or one with a password; `engine_unavailable`: no answer, or a refusal. Of several hosts the first that
 * answers. `needsSession`: locks are refused behind a pooler that gives each transaction another session (`pooling_unsupported`).
 */
export const connect = async (url: string, isInsecure: boolean, needsSession = false): Promise<Result<Connection>> => {
  const { urls, needsWrites } = hostsOf(url)
  const refused = refuseUrl(url) ?? urls.map((one) => refusalOf(one, isInsecure)).find((one) => one !== undefined)
  if (refused) return { ok: false, error: refused }
  let last: Result<Connection> | undefined
  for (const one of urls) {
    last = await connectTo(one, isInsecure, needsWrites, needsSession)
    if (last.ok) break
  }
  return last as Result<Connection>
}

const clientOf = (url: string): Client =>
  new Client({
    connectionString: url,
    application_name: 'plumb',
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
    pipeline: true,
    query_timeout: ANSWER_MS,
  })

const refusalOf = (url: string, isInsecure: boolean): Fault | undefined => {
  try {
    return refuseServer(url, clientOf(url), isInsecure)
  } catch (error) {
    return fault('config_invalid', `'${shownUrl(url)}' cannot be used: ${scrub((error as Error).message)}`)
  }
}

const connectTo = async (url: string, isInsecure: boolean, needsWrites: boolean, needsSession: boolean): Promise<Result<Connection>> => {
  const client = clientOf(url)
  const refused = refuseServer(url, client, isInsecure)
  if (refused) return { ok: false, error: refused }
  const connection = new PostgresConnection(url, client)
  try {
    await client.connect()
    await client.query(SETTINGS)
    const { rows } = needsWrites ? await client.query('SHOW transaction_read_only') : { rows: [] }
    if (rows[0]?.transaction_read_only === 'on') throw new Error('it only reads, and the URL asks for one that is written to')
    if (needsSession && (await isPooled(url, client))) {
      await client.end()
      return fail(
        'pooling_unsupported',
        `'${shownUrl(url)}' is a pooler that gives each transaction another session, and a worker holds locks`,
      )
    }
  } catch (error) {
    void client.end().catch(() => {})
    return { ok: false, error: unavailable(url, error as Error) }
  }
  return succeed(connection)
}

class PostgresConnection implements Connection {
  readonly lost: Promise<Fault>
  readonly #client: Client
  #isClosing = false
  #last: Promise<unknown> = Promise.resolve()
  #onFull: (() => void) | undefined

  constructor(url: string, client: Client) {
    this.#client = client
    this.lost = new Promise<Fault>((resolve) => {
      client.on('error', (error) => resolve(unavailable(url, error)))
      client.on('end', () => this.#isClosing || resolve(unavailable(url, new Error('the connection has ended'))))
    })
  }

  readonly query: Query = (text, values) => this.#inTurn(() => this.#send(text, values))

  transaction<T>(work: (query: Query) => Promise<T | undefined>): Promise<T | undefined> {
    return this.#inTurn(async () => {
      // The statements after one that fails fail too, and whoever waits for all of them may hear of those before.
      let cause: unknown
      const query: Query = (text, values) => {
        const answered = this.#send(text, values)
        answered.catch((error: unknown) => {
          cause ??= error
        })
        return answered
      }
      await this.#send('BEGIN')
      try {
        const done = await work(query)
        await this.#send(done === undefined ? 'ROLLBACK' : 'COMMIT')
        return done
      } catch (error) {
        await this.#send('ROLLBACK').catch(() => {})
        throw cause ?? error
      }
    })
  }

  onFull(listener: () => void): void {
    this.#onFull = listener
  }

  onNews(listener: () => void): void {
    this.#client.on('notification', listener)
  }

  async close(): Promise<void> {
    this.#isClosing = true
    await this.#last
    await this.#client.end().catch(() => {})
  }

  #send(text: string, values?: readonly unknown[]): Promise<Rows> {
    return values ? this.#client.query({ name: nameOf(text), text, values }) : this.#client.query(text)
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(() => this.#patiently(work))
    this.#last = turn.catch(() => {})
    return turn
  }

  // While its disk is full the others wait too, for they would write as well.
  async #patiently<T>(work: () => Promise<T>): Promise<T> {
    for (let pauseMs = FULL_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, FULL_PAUSE_MS * 100)) {
      try {
        return await work()
      } catch (error) {
        if ((error as { code?: string }).code !== DISK_FULL || this.#isClosing) throw error
        this.#onFull?.()
        this.#onFull = undefined
        await new Promise((resolve) => setTimeout(resolve, pauseMs))
      }
    }
  }
}

const SESSION = 'SELECT pg_backend_pid() AS pid'

/** Whether a transaction of another client takes the session away. */
const isPooled = async (url: string, client: Client): Promise<boolean> => {
  const pidOf = async (one: Client) => (await one.query(SESSION)).rows[0]?.pid
  const pid = await pidOf(client)
  const other = new Client({ connectionString: url, application_name: 'plumb', connectionTimeoutMillis: CONNECT_MS })
  other.on('error', () => {})
  await other.connect()
  try {
    await other.query('BEGIN')
    return (await pidOf(other)) === pid || (await pidOf(client)) !== pid
  } finally {
    await other.end()
  }
}

/** Statements are planned once a connection. Tables that come and go in seconds have no statistics: an index is right for all statements here. */
const SETTINGS = `SET jit = off; SET enable_seqscan = off; SET tcp_user_timeout = ${CONNECT_MS}; LISTEN plumb`

const names = new Map<string, string>()

const nameOf = (text: string): string => {
  const name = names.get(text) ?? `plumb_${names.size}`
  names.set(text, name)
  return name
}

/** A URL for each host, if it names several: `//a,b/` or `?host=/a,/b`. */
const hostsOf = (url: string): { readonly urls: readonly string[]; readonly needsWrites: boolean } => {
  const attributes = /([?&])target_session_attrs=(read-write|primary)(&|$)/
  const needsWrites = attributes.test(url)
  const bare = url.replace(attributes, (_, before: string, _value, after: string) => (after === '' ? '' : before))
  const [, scheme = '', hosts = '', rest = ''] = /^(postgres(?:ql)?:\/\/(?:[^@/]*@)?)([^/?]*)(.*)$/.exec(bare) ?? []
  if (hosts.includes(',')) return { urls: hosts.split(',').map((host) => `${scheme}${host}${rest}`), needsWrites }
  const [named = '', mark = ''] = /([?&])host=[^&]*/.exec(bare) ?? []
  const sockets = decodeURIComponent(named.slice(mark.length + 'host='.length)).split(',')
  if (sockets.length < 2) return { urls: [bare], needsWrites }
  return { urls: sockets.map((host) => bare.replace(named, `${mark}host=${encodeURIComponent(host)}`)), needsWrites }
}

const unavailable = (url: string, error: Error & { code?: string }): Fault =>
  fault('engine_unavailable', `no PostgreSQL at '${shownUrl(url)}': ${scrub(error.message || String(error.code ?? error.name))}`)

/** The schema exists, in the version of this program. */
export const checkSchema = async ({ query }: Connection): Promise<Result<void>> => {
  const { rows } = await query("SELECT to_regclass('plumb.version') IS NOT NULL AS is_there")
  if (rows[0]?.is_there !== true) return fail('cannot_run', "the database has no schema 'plumb': 'plumb engine --on URL --init' makes it")
  const found = (await query('SELECT version FROM plumb.version')).rows[0]?.version
  if (found === SCHEMA_VERSION) return succeed(undefined)
  return fail(
    'cannot_run',
    `the schema 'plumb' of the database is of version ${found}, and this plumb needs ${SCHEMA_VERSION}: run the plumb that made it, or ` +
      "forget its runs with DROP SCHEMA plumb CASCADE, and then 'plumb engine --on URL --init' makes it",
  )
}
