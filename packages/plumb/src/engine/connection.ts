// The one connection of a process to PostgreSQL, and the only door to pg: one statement, or one transaction, after the other.

import { type Fault, fail, fault, preview, type Result, scrub, succeed } from '@plumb/wire'
import { Client, type Result as Rows } from 'pg'

export type Query = (text: string, values?: readonly unknown[]) => Promise<Rows>

export interface Connection {
  readonly query: Query
  /** What it does is done whole, or not at all: as where it gives undefined, or throws. */
  transaction<T>(work: (query: Query) => Promise<T | undefined>): Promise<T | undefined>
  /** Calls `listener` when another process may have done something. */
  onNews(listener: () => void): void
  /** It has ended by itself. */
  readonly lost: Promise<Fault>
  close(): Promise<void>
}

const CONNECT_MS = 10_000

/** The URL in the words of an error: without a password. */
const shownUrl = (url: string): string => preview(scrub(url.replace(/\/\/([^:@/]*):[^@/]*@/, '//$1@')))

/** `config_invalid`: no such URL, or one with a password; `engine_unavailable`: there is no answer, or a refusal. */
export const connect = async (url: string, isInsecure: boolean): Promise<Result<Connection>> => {
  const refused = refuseUrl(url, isInsecure)
  if (refused) return { ok: false, error: refused }
  const client = new Client({
    connectionString: url,
    application_name: 'plumb',
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
    pipeline: true,
  })
  let lose: (fault: Fault) => void = () => {}
  const lost = new Promise<Fault>((resolve) => {
    lose = resolve
  })
  let isClosing = false
  client.on('error', (error) => lose(unavailable(url, error)))
  client.on('end', () => isClosing || lose(unavailable(url, new Error('the connection has ended'))))
  try {
    await client.connect()
    await client.query(SETTINGS)
  } catch (error) {
    void client.end().catch(() => {})
    return { ok: false, error: unavailable(url, error as Error) }
  }
  let last: Promise<unknown> = Promise.resolve()
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const turn = last.then(work)
    last = turn.catch(() => {})
    return turn
  }
  const bare: Query = (text, values) => (values ? client.query({ name: nameOf(text), text, values }) : client.query(text))
  const connection: Connection = {
    query: (text, values) => inTurn(() => bare(text, values)),
    transaction: (work) =>
      inTurn(async () => {
        await bare('BEGIN')
        try {
          const done = await work(bare)
          await bare(done === undefined ? 'ROLLBACK' : 'COMMIT')
          return done
        } catch (error) {
          await bare('ROLLBACK').catch(() => {})
          throw error
        }
      }),
    onNews: (listener) => void client.on('notification', listener),
    lost,
    close: async () => {
      isClosing = true
      await last
      await client.end().catch(() => {})
    },
  }
  return succeed(connection)
}

/** Statements are planned once a connection. Tables that come and go in seconds have no statistics: an index is right for all of ours. */
const SETTINGS = `SET jit = off; SET enable_seqscan = off; SET tcp_user_timeout = ${CONNECT_MS}; LISTEN plumb`

const names = new Map<string, string>()

const nameOf = (text: string): string => {
  const name = names.get(text) ?? `plumb_${names.size}`
  names.set(text, name)
  return name
}

const refuseUrl = (url: string, isInsecure: boolean): Fault | undefined => {
  if (!/^postgres(ql)?:\/\//.test(url)) return fault('config_invalid', `--on takes postgres://…, not '${shownUrl(url)}'`)
  if (/\/\/[^:@/]*:[^@/]+@/.test(url) || /[?&]password=/.test(url))
    return fault('config_invalid', 'a password in the URL is read by others on this machine: PGPASSWORD or ~/.pgpass have it')
  const [, host = ''] = /^postgres(?:ql)?:\/\/(?:[^@/]*@)?([^/?]*)/.exec(url) ?? []
  const socket = /[?&]host=(%2F|\/)/i.test(url)
  const isLocal = socket || host.split(',').every((one) => one === '' || /^(localhost|127\.\d+\.\d+\.\d+|\[::1\]|%2F.*)(:\d+)?$/i.test(one))
  if (isLocal || isInsecure || /[?&]sslmode=verify-full\b/.test(url)) return undefined
  return fault('config_invalid', `'${shownUrl(url)}' is another machine: add sslmode=verify-full, or say --insecure-database`)
}

const unavailable = (url: string, error: Error & { code?: string }): Fault =>
  fault('engine_unavailable', `no PostgreSQL at '${shownUrl(url)}': ${scrub(error.message || String(error.code ?? error.name))}`)

/** The schema is there, and of this version. */
export const checkSchema = async ({ query }: Connection, version: number): Promise<Result<void>> => {
  const { rows } = await query("SELECT to_regclass('plumb.version') IS NOT NULL AS is_there")
  if (rows[0]?.is_there !== true) return fail('cannot_run', "the database has no schema 'plumb': 'plumb engine --on URL --init' makes it")
  const found = (await query('SELECT version FROM plumb.version')).rows[0]?.version
  if (found === version) return succeed(undefined)
  return fail('cannot_run', `the schema 'plumb' of the database is of version ${found}, and this plumb knows ${version}`)
}
