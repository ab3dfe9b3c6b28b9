// A PostgreSQL of a test's own: in a temporary directory, on a socket there, with fsync, as a user without rights.

import { type ChildProcess, type ExecFileSyncOptionsWithStringEncoding, execFileSync, spawn } from 'node:child_process'
import { appendFileSync, chownSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { until } from '../../packages/wire/test/processes.js'
import { npmPostgres } from './npm-postgres.js'

export interface Cluster {
  /** Of its socket. */
  readonly directory: string
  readonly url: string
  /** What psql prints of it, without headings. */
  readonly ask: (sql: string) => string
  /** kill -9 of the server, as when the machine fails. */
  readonly crash: () => Promise<void>
  /** Whole, with all that it has on the disk. */
  readonly stop: () => Promise<void>
  readonly start: () => Promise<void>
  readonly remove: () => Promise<void>
}

/** Where `pg` is found. */
const CLIENT = join(process.cwd(), 'packages', 'plumb')

const DIRECTORIES = [...(process.env.PATH ?? '').split(':'), ...debianDirectories()]

function debianDirectories(): string[] {
  const root = '/usr/lib/postgresql'
  return existsSync(root) ? readdirSync(root).map((version) => join(root, version, 'bin')) : []
}

const installed = DIRECTORIES.find((directory) => ['initdb', 'postgres', 'psql'].every((name) => existsSync(join(directory, name))))
/** PLUMB_POSTGRES=npm: also where one is installed. */
const binaries = process.env.PLUMB_POSTGRES === 'npm' ? npmPostgres() : (installed ?? npmPostgres())

/** Why there can be none here; false: there can. */
export const noPostgres: string | false = binaries === undefined ? 'no PostgreSQL is installed, and npm gives none' : false

/** The server does not run as root. */
const userOfServer = (): { uid?: number; gid?: number } => {
  if (userInfo().uid !== 0) return {}
  const id = (option: string) => Number(execFileSync('id', [option, 'nobody'], { encoding: 'utf8' }))
  return { uid: id('-u'), gid: id('-g') }
}

interface Place {
  readonly uid?: number
  readonly gid?: number
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
}

/** A directory that the server may write to, and how its programs are started. */
const openPlace = (): Place => {
  const directory = mkdtempSync(join(tmpdir(), 'plumb-pg-'))
  const user = userOfServer()
  if (user.uid !== undefined) chownSync(directory, user.uid, user.gid ?? user.uid)
  return { ...user, cwd: directory, env: { PATH: `${binaries}:${process.env.PATH}`, LC_ALL: 'C', HOME: directory, TZ: 'UTC' } }
}

export const openCluster = async (): Promise<Cluster> => {
  const place = openPlace()
  execFileSync('initdb', ['-D', 'data', '-A', 'trust', '-U', 'plumb', '-E', 'UTF8'], { ...place, stdio: 'ignore' })
  return startCluster(place)
}

/** A copy that follows a cluster, which from now on commits nothing that the copy has not; `promote` makes it the one that is written to. */
export const openStandby = async (primary: Cluster): Promise<Cluster & { readonly promote: () => void }> => {
  const place = openPlace()
  const data = join(place.cwd, 'data')
  await primary.stop()
  execFileSync('cp', ['-r', join(primary.directory, 'data'), data], place)
  writeFileSync(join(data, 'standby.signal'), '')
  appendFileSync(join(data, 'postgresql.auto.conf'), `primary_conninfo = 'host=${primary.directory} user=plumb'\n`)
  await primary.start()
  const standby = await startCluster(place)
  primary.ask("ALTER SYSTEM SET synchronous_standby_names = '*'")
  primary.ask('SELECT pg_reload_conf()')
  return { ...standby, promote: () => void standby.ask('SELECT pg_promote()') }
}

// What psql writes, where there is none.
const ASK = `
const { Client, types } = require('pg')
types.getTypeParser = () => (text) => text
const [directory, sql] = process.argv.slice(1)
const client = new Client({ host: directory, user: 'plumb', database: 'postgres' })
const rowsOf = ({ rows }) => rows.map((row) => row.map((one) => one ?? '').join('|') + '\\n').join('')
client.connect()
  .then(() => client.query({ text: sql, rowMode: 'array' }))
  .then((answers) => process.stdout.write([answers].flat().map(rowsOf).join('')))
  .then(() => client.end(), () => process.exit(1))
`

const startCluster = async (place: Place): Promise<Cluster> => {
  const directory = place.cwd
  let server: ChildProcess | undefined
  const ask = (sql: string): string => {
    const quiet: ExecFileSyncOptionsWithStringEncoding = { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }
    const isHere = existsSync(join(binaries ?? '', 'psql'))
    if (isHere) return execFileSync('psql', ['-h', directory, '-U', 'plumb', '-d', 'postgres', '-Atqc', sql], { ...place, ...quiet })
    return execFileSync(process.execPath, ['-e', ASK, directory, sql], { cwd: CLIENT, ...quiet })
  }
  const answers = (): boolean => {
    try {
      return ask('SELECT 1').trim() === '1'
    } catch {
      return false
    }
  }
  const start = async (): Promise<void> => {
    const settings = ['listen_addresses=', `unix_socket_directories=${directory}`, 'fsync=on', 'max_connections=40', 'shared_buffers=16MB']
    const isUp = await until(() => {
      if (server === undefined || server.exitCode !== null || server.signalCode !== null)
        server = spawn('postgres', ['-D', 'data', ...settings.flatMap((setting) => ['-c', setting])], { ...place, stdio: 'ignore' })
      return answers()
    })
    if (!isUp) throw new Error('the server does not start')
  }
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    const ended = new Promise((resolve) => server?.once('exit', resolve))
    if (server?.kill(signal)) await ended
  }
  await start()
  return {
    directory,
    url: `postgres://plumb@/postgres?host=${encodeURIComponent(directory)}`,
    ask,
    start,
    crash: () => end('SIGKILL'),
    stop: () => end('SIGINT'),
    remove: async () => {
      await end('SIGQUIT')
      rmSync(directory, { recursive: true, force: true })
    },
  }
}
