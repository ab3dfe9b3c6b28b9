// Finds what a failed program lacked in its sandbox and which key grants it, from the last lines that it printed. Only paths that exist
// outside the sandbox are suggested.

import { homedir } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import { preview } from '@plumb/wire'
import { isWithin } from '../path/look-up.js'
import type { Sandbox } from '../plan/sandbox.js'

/** What exists outside the sandbox at an absolute path. */
export interface OutsideEntry {
  readonly kind: 'directory' | 'file' | 'socket' | 'none'
  /** It is visible inside too, or must never be. */
  readonly isBound: boolean
}

export interface AccessContext {
  readonly sandbox: Pick<Sandbox, 'docroot' | 'hasNet' | 'hosts' | 'sockets' | 'write'>
  /** Relative paths are resolved against it. */
  readonly cwd: string
  readonly find: (path: string) => OutsideEntry
}

const MAX_TEXT = 8000
const MAX_LINES = 40
const MAX_LINE = 1000
const MAX_HINTS = 3

const NO_NET = [
  'could not resolve host',
  'temporary failure in name resolution',
  'name or service not known',
  'eai_again',
  'network is unreachable',
  'enetunreach',
  // Only a sandbox itself listens on its loopback.
  'connection refused',
  'econnrefused',
  // curl(1).
  "couldn't connect to server",
  'could not connect to server',
  // npm and uv, which keep to what they have fetched before.
  'enotcached',
  'network connectivity is disabled',
]
const NO_MODULE = ['cannot find module']
const ABSENT = [
  // A shell says no more of a script to source.
  'no such file',
  'enoent',
  'cannot access',
  'cannot find',
  'not found',
  'not exist',
  'not a git repository',
  ...NO_MODULE,
]
const NO_DATABASE = ['unable to open database file', 'attempt to write a readonly database']
const NO_SOCKET = /\bsocket(\(\))?( failed)?: (permission denied|eacces)|\blisten eacces\b|\bconnecting to \S+ \(permission denied\)/
const NESTED = ['no usable sandbox', 'chromium sandboxing failed', 'without --no-sandbox is not supported']
const REPOSITORY = /not a git repository \(or any/
const REFUSED = ['permission denied', 'eacces', 'operation not permitted', 'eperm', 'address family not supported', 'eafnosupport']
const READ_ONLY = ['read-only file system', 'erofs']

/** A newline, `\n` as a preview prints it, or what the last lines of a stderr are joined by. */
const LINE_END = /\\n|\n| \| /

/** At most three hints, joined by `; `; undefined if no line explains the failure. */
export const findMissingAccess = (text: string, surroundings: AccessContext): string | undefined => {
  const lines = text.slice(-MAX_TEXT).split(LINE_END).slice(-MAX_LINES)
  const hints = new Set(lines.map((line) => explainLine(line.slice(0, MAX_LINE), surroundings)))
  hints.delete(undefined)
  return hints.size === 0 ? undefined : [...hints].slice(0, MAX_HINTS).join('; ')
}

/** For `--trace-sandbox`: what each line of a whole output explains, and the lines that report a refusal which no key explains. */
export const listRefusals = (text: string, surroundings: AccessContext): readonly string[] => {
  const found = text.split(LINE_END).map((whole) => {
    const line = whole.slice(0, MAX_LINE)
    return (
      explainLine(line, surroundings) ?? (isUnexplained(line) ? `it said '${preview(line.trim(), MAX_SAID)}', ${UNEXPLAINED}` : undefined)
    )
  })
  return [...new Set(found)].filter((refusal) => refusal !== undefined)
}

const MAX_SAID = 200
const UNEXPLAINED = 'which no key explains: a system call that a sandbox refuses, or what you may not do either'

const isUnexplained = (line: string): boolean => {
  const lower = line.toLowerCase()
  return [...REFUSED, ...READ_ONLY].some((word) => lower.includes(word))
}

const explainLine = (said: string, surroundings: AccessContext): string | undefined => {
  // Outside it is the directory of another process.
  const line = said.replaceAll('/proc/self/cwd/', () => `${surroundings.cwd}/`)
  const lower = line.toLowerCase()
  const says = (words: readonly string[]): boolean => words.some((word) => lower.includes(word))
  const { hasNet, hosts } = surroundings.sandbox
  if (says(NO_NET) && !hasNet && !hosts) {
    return 'its sandbox has no network: add net: true there, or the hosts that it is meant to reach, as in net: ["example.com"]'
  }
  if (says(NESTED)) return 'a browser can make no sandbox within this one: start it with --no-sandbox, and add sockets: ["."] there'
  if (says(NO_DATABASE)) return explainDatabase(surroundings)
  if (REPOSITORY.test(lower)) return explainRepository(surroundings)
  if (says(READ_ONLY))
    return findFirst(preferExisting(findPathsBeside(line, READ_ONLY), surroundings), (path) =>
      explainWrite(resolve(surroundings.cwd, path), surroundings),
    )
  const isRefused = says(REFUSED)
  if (!isRefused && !says(ABSENT)) return undefined
  const paths = findOutsidePaths(line).map((path) => resolve(surroundings.cwd, expandHome(path)))
  // A module needs what lies beside it too.
  const wanted = says(NO_MODULE) ? [...paths.map((path) => dirname(path)), ...paths] : paths
  const lacked = findFirst(wanted, (path) => explainRead(path, isRefused, surroundings))
  if (lacked !== undefined || !NO_SOCKET.test(lower) || surroundings.sandbox.sockets.length > 0) return lacked
  return 'its sandbox makes no sockets that are files: add sockets: ["."] there, or the socket of the service that it talks to'
}

// SQLite does not say which file it is.
const explainDatabase = ({ sandbox: { docroot, write } }: AccessContext): string => {
  const keys = write.map((components) => join(docroot, ...components))
  const open = keys.length === 0 ? 'nothing' : `only '${preview(keys.join("', '"))}'`
  const key = 'write: ["data"] there, with the database\'s directory, which lies below the docroot'
  return `a database needs a directory to write to, and its sandbox writes to ${open}: add ${key} '${preview(docroot)}'`
}

// Git looks for its directory in those above, and stops where the docroot does.
const explainRepository = ({ cwd, find }: AccessContext): string | undefined => {
  for (let directory = dirname(cwd); directory !== dirname(directory); directory = dirname(directory)) {
    const { kind, isBound } = find(join(directory, '.git'))
    if (kind === 'none') continue
    return isBound
      ? undefined
      : `its sandbox has not the repository '${preview(directory)}': add ${printKey('read', shortenHome(directory))} there`
  }
  return undefined
}

const explainWrite = (path: string, surroundings: AccessContext): string | undefined => {
  const { sandbox, find } = surroundings
  const { docroot, write } = sandbox
  // A file to be created need not exist, but its directory must.
  if (find(path).kind === 'none' && find(dirname(path)).kind !== 'directory') return undefined
  if (!isWithin(docroot, path)) {
    // The program tried to create a directory that exists outside: it lacks read access.
    const unread = explainRead(path, false, surroundings)
    if (unread !== undefined) return unread
    const where = `'write' of its sandbox takes what is below the docroot '${preview(docroot)}'`
    return `'${preview(path)}' can be read only, and ${where}: have it write there or to /tmp, or write sandbox: false`
  }
  const names = relative(docroot, path).split('/')
  const git = names.indexOf('.git')
  const directory = dirname(path)
  const isOpen = write.some((components) => isWithin(join(docroot, ...components), path))
  // Inside a writable directory it is a protected file, so it has to be named itself.
  const named = git >= 0 ? join(docroot, ...names.slice(0, git + 1)) : isOpen || path === docroot ? path : directory
  return `its sandbox keeps '${preview(path)}' from being written: add ${printKey('write', relative(docroot, named) || '.')} there`
}

const explainRead = (path: string, isRefused: boolean, { find }: AccessContext): string | undefined => {
  const { kind, isBound } = find(path)
  if (kind === 'none' || isBound) return undefined
  if (kind === 'socket') return `its sandbox has not the socket '${preview(path)}': add ${printKey('sockets', shortenHome(path))} there`
  const verb = isRefused ? 'keeps' : 'has not'
  return `its sandbox ${verb} '${preview(path)}'${isRefused ? ' from it' : ''}: add ${printKey('read', shortenHome(path))} there`
}

const printKey = (name: string, path: string): string => `${name}: [${JSON.stringify(preview(path, 200))}]`

const expandHome = (path: string): string => (path.startsWith('~/') ? join(homedir(), path.slice(1)) : path)
const shortenHome = (path: string): string => (isWithin(homedir(), path) ? join('~', relative(homedir(), path)) : path)

// Of 'cannot open output file a' only the last word is a path, unless there is a file of that name.
const preferExisting = (paths: readonly string[], { cwd, find }: AccessContext): readonly string[] => [
  ...paths.filter((path) => find(resolve(cwd, path)).kind !== 'none'),
  ...paths.toReversed(),
]

const findFirst = <T>(paths: readonly string[], look: (path: string) => T | undefined): T | undefined => {
  for (const path of paths) {
    const found = look(path)
    if (found !== undefined) return found
  }
  return undefined
}

/** ASCII and typographic quotes. */
const QUOTE = /['"`\u2018\u2019\u201c\u201d]/g

/** The path next to the words: quoted after or before them, or before their colon. */
const findPathsBeside = (line: string, words: readonly string[]): readonly string[] => {
  const lower = line.toLowerCase()
  const word = words.find((one) => lower.includes(one)) ?? ''
  const at = lower.lastIndexOf(word)
  const [before, after] = [line.slice(0, at).trimEnd(), line.slice(at + word.length)]
  const parts = trimColon(before).split(': ')
  const named = after.split(QUOTE)[1]
  const quoted = listQuoted(before).at(-1)
  const isQuotedLast = quoted !== undefined && trimColon(before).slice(0, -1).endsWith(quoted)
  const unquoted = isQuotedLast ? [quoted] : [quoted, parts.at(-1), parts.at(-1)?.split(' ').at(-1)]
  const found = named === undefined ? unquoted : [named]
  return found.filter((path) => path !== undefined && isPath(path)) as string[]
}

/** All paths of a line that may lead out of the working directory: in quotes, between colons, or as words. */
const findOutsidePaths = (line: string): readonly string[] => {
  const words = line.replaceAll(QUOTE, ' ').split(/[\s,;()]+/)
  const all = [...listQuoted(line), ...line.split(': '), ...words].map((path) => trimColon(path.trim()))
  return [...new Set(all)].filter((path) => isPath(path) && /^(\/|~\/|\.\.\/)/.test(path))
}

const listQuoted = (text: string): readonly string[] => text.split(QUOTE).filter((_, i) => i % 2 === 1)
const trimColon = (word: string): string => (word.endsWith(':') ? word.slice(0, -1) : word)
const isPath = (text: string): boolean => !/^[,;:]*$/.test(text) && !text.includes('\0') && !text.startsWith('-')
