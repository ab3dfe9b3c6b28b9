// Who may do what: tokens with names, bindings and limits, from a variable or from a file that is read again when it changes.

import { readFileSync, statSync } from 'node:fs'
import {
  addSecret,
  type Fault,
  fail,
  fault,
  isRecord,
  nowMs,
  parseJson,
  type Result,
  sha256Of,
  succeed,
  systemReason,
  toNano,
} from '@plumb/wire'
import { bearerOf, isSameDigest, readToken } from '@plumb/wire/http'

export interface Access {
  readonly name: string
  /** Undefined: all. */
  readonly bindings: ReadonlySet<string> | undefined
  /** It sees and answers the questions of all. */
  readonly answers: boolean
  /** Why it may make no request now; if it may, this one counts. */
  take(): Fault | undefined
  /** It has cost so much (nanodollars). */
  spend(cost: number): void
}

interface Entry extends Access {
  readonly digest: string
}

interface Limits {
  readonly requestsPerMinute: number | undefined
  /** Nanodollars. */
  readonly costPerDay: number | undefined
}

/** What a token has used, kept over changes of the file. */
class Used {
  readonly #times: number[] = []
  #day = 0
  #cost = 0

  take({ requestsPerMinute, costPerDay }: Limits): Fault | undefined {
    const now = nowMs()
    while (this.#times.length > 0 && (this.#times[0] as number) <= now - MINUTE_MS) this.#times.shift()
    if (requestsPerMinute !== undefined && this.#times.length >= requestsPerMinute) {
      const wait = Math.max(1, Math.ceil(((this.#times[0] ?? now) + MINUTE_MS - now) / 1000))
      return fault('rate_limited', `this token may make ${requestsPerMinute} requests a minute`, { retry_after: wait })
    }
    this.#turnDay()
    if (costPerDay !== undefined && this.#cost >= costPerDay) return fault('budget_spent', 'this token has spent its dollars of today')
    if (requestsPerMinute !== undefined) this.#times.push(now)
    return undefined
  }

  spend(cost: number): void {
    this.#turnDay()
    this.#cost += cost
  }

  #turnDay(): void {
    const today = Math.floor(Date.now() / DAY_MS)
    if (today !== this.#day) this.#cost = 0
    this.#day = today
  }
}

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
/** How often the file is looked at. */
const LOOK_MS = 1000

export class Tokens {
  #entries: readonly Entry[] = []
  readonly #used = new Map<string, Used>()
  #stamp = ''
  #lookedMs = 0

  private constructor(
    private readonly path: string | undefined,
    private readonly warn: (error: Fault) => void,
  ) {}

  /** Without both nobody needs a token. */
  static open(
    { tokenEnv, tokens: path }: { readonly tokenEnv: string | undefined; readonly tokens: string | undefined },
    warn: (error: Fault) => void,
  ): Result<Tokens | undefined> {
    if (tokenEnv === undefined && path === undefined) return succeed(undefined)
    if (tokenEnv !== undefined && path !== undefined) return fail('usage', '--token-env and --tokens exclude each other')
    const tokens = new Tokens(path, warn)
    if (tokenEnv !== undefined) {
      const token = readToken(tokenEnv)
      if (!token.ok) return token
      tokens.#entries = [
        tokens.#entry({ name: tokenEnv, digest: sha256Of(token.value), bindings: undefined, answers: true, limits: NO_LIMITS }),
      ]
      return succeed(tokens)
    }
    const read = tokens.#read()
    return read.ok ? succeed(tokens) : read
  }

  get count(): number {
    return this.#entries.length
  }

  /** Undefined: the request shows none that is known. */
  find(authorization: string | undefined): Access | undefined {
    this.#look()
    const shown = bearerOf(authorization)
    if (shown === undefined) return undefined
    const given = sha256Of(shown)
    let found: Entry | undefined
    // Each is compared, whichever fits.
    for (const entry of this.#entries) if (isSameDigest(entry.digest, given)) found = entry
    return found
  }

  #look(): void {
    const now = nowMs()
    if (this.path === undefined || now - this.#lookedMs < LOOK_MS) return
    this.#lookedMs = now
    if (stampOf(this.path) === this.#stamp) return
    const read = this.#read()
    if (!read.ok) this.warn({ ...read.error, detail: `${read.error.detail}; the tokens from before stay` })
  }

  #read(): Result<void> {
    const path = this.path ?? ''
    this.#stamp = stampOf(path)
    this.#lookedMs = nowMs()
    const read = readTokens(path)
    if (!read.ok) return read
    this.#entries = read.value.map((given) => this.#entry(given))
    return succeed(undefined)
  }

  #entry({ limits, ...own }: GivenToken): Entry {
    const used = this.#used.get(own.name) ?? new Used()
    this.#used.set(own.name, used)
    return { ...own, take: () => used.take(limits), spend: (cost) => used.spend(cost) }
  }
}

const stampOf = (path: string): string => {
  const stat = statSync(path, { throwIfNoEntry: false })
  return stat ? `${stat.mtimeMs} ${stat.size} ${stat.ino}` : ''
}

interface GivenToken {
  readonly name: string
  readonly digest: string
  readonly bindings: ReadonlySet<string> | undefined
  readonly answers: boolean
  readonly limits: Limits
}

const NO_LIMITS: Limits = { requestsPerMinute: undefined, costPerDay: undefined }
const MAX_FILE_BYTES = 1024 * 1024
const MIN_LENGTH = 16

const readTokens = (path: string): Result<readonly GivenToken[]> => {
  const wrong = (what: string): Result<never> => fail('config_invalid', `--tokens: '${path}' ${what}`)
  let bytes: Buffer
  try {
    bytes = readFileSync(path)
  } catch (error) {
    return fail('file_not_found', `--tokens: '${path}' cannot be read: ${systemReason(error as NodeJS.ErrnoException)}`)
  }
  if (bytes.length > MAX_FILE_BYTES) return wrong('is longer than 1 MB')
  const parsed = parseJson(bytes, 0, bytes.length)
  if (!parsed.ok || !Array.isArray(parsed.value) || parsed.value.length === 0) return wrong('is not a JSON list of tokens')
  const tokens: GivenToken[] = []
  for (const [i, one] of parsed.value.entries()) {
    const token = readOne(one)
    if (typeof token === 'string') return wrong(`has a token ${i + 1} that ${token}`)
    if (tokens.some(({ name }) => name === token.name)) return wrong(`names '${token.name}' twice`)
    tokens.push(token)
  }
  return succeed(tokens)
}

const KEYS = ['name', 'token', 'token_env', 'token_sha256', 'bindings', 'requests_per_minute', 'dollars_per_day', 'answers']

/** What is wrong with it as text. */
const readOne = (given: unknown): GivenToken | string => {
  if (!isRecord(given)) return 'is not an object'
  const unknown = Object.keys(given).find((key) => !KEYS.includes(key))
  if (unknown !== undefined) return `has an unknown member '${unknown}': it takes ${KEYS.join(', ')}`
  const { name, bindings, requests_per_minute: rate, dollars_per_day: dollars, answers = false } = given
  if (typeof name !== 'string' || !/^[\w.@-]{1,64}$/.test(name)) return "needs a 'name' of up to 64 letters, digits and . _ - @"
  const digest = digestOf(given)
  if (!/^[0-9a-f]{64}$/.test(digest)) return digest
  if (bindings !== undefined && !(Array.isArray(bindings) && bindings.every((one) => typeof one === 'string')))
    return "has 'bindings' that are not a list of names"
  if (rate !== undefined && !(Number.isSafeInteger(rate) && (rate as number) > 0))
    return "has 'requests_per_minute' that is not a whole number from 1"
  if (dollars !== undefined && !(typeof dollars === 'number' && dollars >= 0))
    return "has 'dollars_per_day' that is not a number of dollars"
  if (typeof answers !== 'boolean') return "has 'answers' that is not true or false"
  const limits = {
    requestsPerMinute: rate as number | undefined,
    costPerDay: dollars === undefined ? undefined : toNano(dollars as number),
  }
  return { name, digest, bindings: bindings && new Set(bindings as string[]), answers, limits }
}

/** In hexadecimal; or what is wrong. */
const digestOf = ({ token, token_env: env, token_sha256: digest }: Readonly<Record<string, unknown>>): string => {
  const given = [token, env, digest].filter((one) => one !== undefined)
  if (given.length !== 1 || typeof given[0] !== 'string') return "needs one of 'token', 'token_env' and 'token_sha256', as text"
  if (digest !== undefined) {
    const lower = String(digest).toLowerCase()
    return /^[0-9a-f]{64}$/.test(lower) ? lower : "has a 'token_sha256' that is not 64 hexadecimal digits"
  }
  const text = token === undefined ? process.env[String(env)] : String(token)
  if (text === undefined || text.length < MIN_LENGTH || !/^[\w.~+/-]+=*$/.test(text))
    return env === undefined
      ? `has a 'token' shorter than ${MIN_LENGTH} characters, or with spaces`
      : `names '${env}', which holds no token of ${MIN_LENGTH} characters`
  addSecret(text)
  return sha256Of(text)
}
