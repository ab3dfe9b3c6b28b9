// The cached tool lists of servers (`cache_ttl`), for later processes: in private files in a directory of the user's, under names that
// reveal nothing of the server, and never with a key in them.

import { randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { lstat, mkdir, open, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { isAbsolute, join, resolve } from 'node:path'
import { isRecord, MAX_LINE, parseJson, scrub, sha256Of } from '@plumb/wire'
import type { McpTool, ServerConfig } from './connection.js'
import { withoutSlash } from './server-url.js'
import { readTools } from './tool-list.js'

export interface ToolListCache {
  /** The cached list of this server, or of any at this address. Undefined: none that is recent enough. */
  readonly read: (server?: Identity) => Promise<readonly McpTool[] | undefined>
  /** For `mostMs` at the longest. Does nothing on failure: the next process asks the server. */
  readonly write: (server: Identity, tools: readonly McpTool[], mostMs?: number) => Promise<void>
  /** No process uses it any more. */
  readonly drop: () => Promise<void>
}

/** From the server's handshake: another version has other tools. */
export interface Identity {
  readonly name: string
  readonly version: string
}

export interface CatalogueOptions {
  readonly cwd?: string | undefined
  readonly env?: NodeJS.ProcessEnv
  /** Wall clock. */
  readonly now?: () => number
}

const DEFAULT_SECONDS = 300
/** Files that were not read for this long are removed when one is written. */
const OLD_MS = 24 * 60 * 60 * 1000

export const openToolListCache = (
  config: ServerConfig,
  { cwd = '.', env = process.env, now = Date.now }: CatalogueOptions = {},
): ToolListCache => {
  const directory = directoryOf(env)
  const ttlMs = (config.cache_ttl ?? DEFAULT_SECONDS) * 1000
  const file = async (): Promise<string | undefined> =>
    directory !== undefined && ttlMs > 0 ? join(directory, `${await keyOf(config, resolve(cwd), env)}.json`) : undefined
  const drop = async (): Promise<undefined> => {
    const path = await file().catch(() => undefined)
    if (path !== undefined) await rm(path, { force: true }).catch(() => {})
  }
  return {
    drop,
    read: async (server) => {
      try {
        const path = await file()
        const kept = path === undefined ? undefined : await readKept(path)
        const age = now() - (kept?.at ?? Number.NEGATIVE_INFINITY)
        if (!kept || age < 0 || age >= Math.min(ttlMs, kept.mostMs ?? ttlMs)) return undefined
        if (server && (server.name !== kept.server.name || server.version !== kept.server.version)) return await drop()
        return readTools(kept.tools, server?.name ?? '', () => {})
      } catch {
        return undefined
      }
    },
    write: async (server, tools, mostMs) => {
      try {
        if (mostMs === 0) return void (await drop())
        const path = await file()
        const text = JSON.stringify({ at: now(), server, tools, mostMs })
        if (path === undefined || directory === undefined || scrub(text) !== text || text.length > MAX_LINE || !(await isOurs(directory)))
          return
        const fresh = `${path}.${randomBytes(6).toString('hex')}.new`
        await writeFile(fresh, text, { flag: 'wx', mode: 0o600 })
        await rename(fresh, path)
        await sweep(directory, now())
      } catch {
        // No space, no directory, or no permission.
      }
    },
  }
}

const directoryOf = ({ XDG_CACHE_HOME = '', HOME = '' }: NodeJS.ProcessEnv): string | undefined => {
  const cache = isAbsolute(XDG_CACHE_HOME) ? XDG_CACHE_HOME : isAbsolute(HOME) ? join(HOME, '.cache') : undefined
  return cache === undefined ? undefined : join(cache, 'plumb', 'mcp')
}

// Keys distinguish lists by sixteen bits of a hash, which cannot be reversed, however short a key is.
const hint = (secret: string | undefined): string | undefined => secret && sha256Of(secret, 4)

const keyOf = async (config: ServerConfig, cwd: string, env: NodeJS.ProcessEnv): Promise<string> => {
  const { command, args = [], url, transport, auth, revision } = config
  const address = url !== undefined && URL.canParse(url) ? new URL(url) : undefined
  const keys = [
    config.token,
    ...[config.token_env, config.client_id_env, config.client_secret_env].map((name) => (name ? env[name] : undefined)),
  ]
  const parts = [
    { command, args, cwd: command === undefined ? undefined : cwd, transport, auth, revision },
    // A server under development differs after each change.
    command === undefined ? [] : await Promise.all([command, ...args].map((word) => changedAt(resolve(cwd, word)))),
    address ? [address.origin, withoutSlash(address.pathname), hint(address.search)] : url,
    Object.entries(config.env ?? {}).map(([name, value]) => [name, hint(value)]),
    Object.entries(config.headers ?? {}).map(([name, value]) => [name, hint(value)]),
    Object.entries(config.headers_env ?? {}).map(([name, variable]) => [name, hint(env[variable])]),
    config.scope,
    keys.map(hint),
  ]
  return sha256Of(JSON.stringify(parts), 32)
}

const changedAt = (path: string): Promise<number | undefined> =>
  stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => undefined,
  )

const isOurs = async (directory: string): Promise<boolean> => {
  await mkdir(directory, { recursive: true, mode: 0o700 })
  const found = await lstat(directory)
  return found.isDirectory() && found.uid === process.getuid?.() && (found.mode & 0o077) === 0
}

interface Kept {
  readonly at: number
  readonly server: Identity
  readonly mostMs?: number
  readonly tools: Parameters<typeof readTools>[0]
}

const readKept = async (path: string): Promise<Kept | undefined> => {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  try {
    const found = await file.stat()
    if (!found.isFile() || found.uid !== process.getuid?.() || found.size > MAX_LINE) return undefined
    const bytes = await file.readFile()
    const value = parseJson(bytes, 0, bytes.length)
    if (!value.ok || !isRecord(value.value)) return undefined
    const { at, server, tools, mostMs = 0 } = value.value
    const isWhole =
      typeof mostMs === 'number' && typeof at === 'number' && isRecord(server) && Array.isArray(tools) && tools.every(isRecord)
    return isWhole ? (value.value as unknown as Kept) : undefined
  } finally {
    await file.close()
  }
}

const sweep = async (directory: string, now: number): Promise<void> => {
  for (const name of await readdir(directory)) {
    const path = join(directory, name)
    const { mtimeMs } = await stat(path)
    if (now - mtimeMs > OLD_MS) await rm(path, { force: true })
  }
}
