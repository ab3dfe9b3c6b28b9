// Which servers of PostgreSQL are spoken to: without TLS that verifies them, only those of this machine. Judged by what the driver will use
// once the URL, its parameters and the environment are put together.

import { isIP } from 'node:net'
import { type Fault, fault, preview } from '@plumb/wire'

/** The URL for an error: without a password, whatever is in that. */
export const shownUrl = (url: string): string => preview(url.replace(/\/\/([^:@/?#]*):.*@/s, '//$1@'))

/** What is wrong with the text itself. */
export const refuseUrl = (url: string): Fault | undefined => {
  const refuse = (detail: string): Fault => fault('config_invalid', detail)
  // In words for another driver a password can be anywhere.
  const found = /[=@]/.test(url) ? '' : `, not '${shownUrl(url)}'`
  if (!/^postgres(ql)?:\/\//.test(url)) return refuse(`--on takes postgres://…${found}`)
  const names = parameterNames(url)
  if (/\/\/[^:@/]*:[^@/]+@/.test(url) || names.includes('password'))
    return refuse('a password in the URL is read by others on this machine: PGPASSWORD or ~/.pgpass have it')
  const twice = names.find((name, i) => names.indexOf(name) !== i)
  if (twice !== undefined) return refuse(`'${preview(twice)}' is there twice in the URL, and one of them would not count: leave one out`)
  if (names.includes('hostaddr')) return refuse("'hostaddr' is ignored by the driver: write the address as the host")
  return refuseModes(url, names)
}

/** A mode that verifies the server, and a weaker one beside it: whichever counts, somebody wanted the other. */
const refuseModes = (url: string, names: readonly string[]): Fault | undefined => {
  const { PGSSLMODE } = process.env
  const mode = namedMode(url)
  const ssl = names.includes('ssl') ? 'ssl' : undefined
  const all = [mode, PGSSLMODE, ssl].filter((one) => one !== undefined && one !== '')
  const weaker = all.find((one) => one !== STRICT)
  if (!all.includes(STRICT) || weaker === undefined) return undefined
  const other =
    weaker === 'ssl' ? "'ssl' in the URL" : weaker === mode ? `sslmode=${preview(weaker)}` : `PGSSLMODE=${preview(weaker ?? '')}`
  return fault('config_invalid', `${other} contradicts ${mode === STRICT ? `sslmode=${STRICT}` : `PGSSLMODE=${STRICT}`}: leave it out`)
}

const STRICT = 'verify-full'

const namedMode = (url: string): string | undefined => new URLSearchParams(queryOf(url)).get('sslmode') ?? undefined
const modeOf = (url: string): string | undefined => namedMode(url) ?? process.env.PGSSLMODE

const queryOf = (url: string): string => url.replace(/^[^?#]*\??/, '').replace(/#.*$/s, '')

const parameterNames = (url: string): readonly string[] => [...new URLSearchParams(queryOf(url)).keys()].map((name) => name.toLowerCase())

/** What the driver has made of it, and would connect to. */
export interface DriverClient {
  readonly host: string | null
  readonly ssl: unknown
}

export const refuseServer = (url: string, { host, ssl }: DriverClient, isInsecure: boolean): Fault | undefined => {
  if (isInsecure || isHere(host) || (modeOf(url) === STRICT && verifies(ssl))) return undefined
  const where = host === null || url.includes(host) ? '' : ` ('${preview(host)}')`
  return fault('config_invalid', `'${shownUrl(url)}' is another machine${where}: add sslmode=verify-full, or say --insecure-database`)
}

// The driver takes `localhost` for none, and a path for a directory with a socket.
const isHere = (host: string | null): boolean => {
  const name = (host ?? '').replace(/^\[(.*)\]$/, '$1').toLowerCase()
  if (name === '' || name === 'localhost' || name.startsWith('/')) return true
  return isIP(name) === 4 ? name.startsWith('127.') : name === '::1'
}

// Whom it speaks to is checked unless it is told otherwise, the name of the server included.
const verifies = (ssl: unknown): boolean => {
  if (process.env.NODE_TLS_REJECT_UNAUTHORIZED === '0') return false
  if (ssl === true) return true
  if (typeof ssl !== 'object' || ssl === null) return false
  const { rejectUnauthorized, checkServerIdentity } = ssl as {
    readonly rejectUnauthorized?: unknown
    readonly checkServerIdentity?: unknown
  }
  return (rejectUnauthorized === undefined || rejectUnauthorized === true) && checkServerIdentity === undefined
}
