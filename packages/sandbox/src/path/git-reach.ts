// What the git repositories in and around a directory lead to: their own directories, what links in them lead to, worktrees, submodules,
// alternates, the configuration that is included, and the hooks and programs that it names. Who writes one of these has git run it.

import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { findLinkStat, findStat, followLinks, isWithin, listEntries } from './look-up.js'
import { isRepository } from './protected-paths.js'

export interface GitReach {
  /** Absolute, without links on the way, existing or not; a directory stands for all its contents. */
  readonly paths: ReadonlySet<string>
  /** The links that lead to them, each in a directory without links. */
  readonly links: ReadonlySet<string>
  /** Files that must not come to be, and at which git fails where there is a directory. */
  readonly absent: ReadonlySet<string>
}

/** Of all look-ups, so that a forest of repositories takes no time; those of the outer directories come first. */
const MAX_DIRECTORIES = 200
const MAX_DEPTH = 6
const MAX_LINKS_WITHIN = 5000
const MAX_BYTES = 256 * 1024

/** Folders of hooks that `core.hooksPath` usually names; they count where there is a repository. */
const HOOK_DIRECTORIES = ['.githooks', '.husky']
const CONFIG_FILES = ['.gitconfig', '.config/git/config']

/** Of the repositories in and below `directories` (real paths), and of those that they lie in. */
export const findGitReach = (directories: readonly string[]): GitReach => {
  const finder = new GitFinder(directories)
  for (const directory of directories) for (const above of listUpward(directory)) finder.addWorktree(above)
  finder.addBelow(directories)
  return finder
}

/** Why a path below `root` is not written; undefined if it may be. A root within such a directory allows it. Repositories beside are not looked at. */
export const whyOfGit = (path: string, root: string): string | undefined => {
  const finder = new GitFinder([root])
  for (const above of listUpward(dirname(path))) finder.addWorktree(above)
  const of = [...finder.paths].find((reached) => isWithin(reached, path) && !isWithin(reached, root))
  return of === undefined ? undefined : `the repository that it lies in leads git there, which would run or trust what is there`
}

class GitFinder implements GitReach {
  readonly paths = new Set<string>()
  readonly links = new Set<string>()
  readonly absent = new Set<string>()
  readonly #seen = new Set<string>()
  #entries = 0

  constructor(private readonly directories: readonly string[]) {}

  /** A directory that may be the top of a worktree, or a repository itself. */
  addWorktree(directory: string): void {
    if (basename(directory) !== '.git' && isRepository(directory)) this.#addParts(directory)
    if (!findLinkStat(join(directory, '.git'))) return
    this.#lead(join(directory, '.git'), directory)
    for (const name of HOOK_DIRECTORIES) this.#lead(join(directory, name), directory)
    this.#addSubmodules(directory)
    for (const file of [...CONFIG_FILES.map((name) => join(homedir(), name)), '/etc/gitconfig']) this.#addConfig(file, directory)
  }

  #addParts(directory: string): void {
    for (const name of PARTS_OF_REPOSITORY) this.#lead(join(directory, name), directory)
    const common = join(directory, 'commondir')
    if (findLinkStat(common)) this.#lead(common, directory)
    else this.absent.add(common)
  }

  /** Breadth first, so that what is near is found. */
  addBelow(directories: readonly string[]): void {
    let waiting = directories
    let looked = 0
    for (let depth = 0; depth < MAX_DEPTH && waiting.length > 0; depth++) {
      const next: string[] = []
      for (const directory of waiting) {
        if (++looked > MAX_DIRECTORIES) return
        const entries = listEntries(directory)
        if (entries.some(({ name }) => name === '.git' || name === 'HEAD')) this.addWorktree(directory)
        for (const entry of entries) {
          if (entry.isDirectory() && entry.name !== '.git' && entry.name !== 'node_modules') next.push(join(directory, entry.name))
        }
      }
      waiting = next
    }
  }

  // One that is not there yet is where git looks for a submodule.
  #addSubmodules(directory: string): void {
    for (const { section, key, value } of readConfig(join(directory, '.gitmodules'))) {
      if (section !== 'submodule' || key !== 'path') continue
      const path = resolve(directory, value)
      if (!isWithin(directory, path) || path === directory || !findStat(path)?.isDirectory()) continue
      this.#lead(join(path, '.git'), path)
    }
  }

  /** Adds where a path leads, and what lies there leads on to. */
  #lead(path: string, worktree: string): void {
    const { links, names } = followLinks(path)
    for (const link of links) this.links.add(link)
    const real = names.at(-1) as string
    if (this.#seen.has(real)) return
    this.#seen.add(real)
    this.paths.add(real)
    const stat = findLinkStat(real)
    if (stat?.isDirectory()) this.#addContents(real, worktree, 0)
    else if (stat?.isFile()) this.#addFile(basename(path), real, worktree)
  }

  #addContents(directory: string, worktree: string, depth: number): void {
    if (depth > MAX_DEPTH) return
    // What is many and never run comes last.
    for (const entry of listEntries(directory).toSorted((a, b) => Number(BULK.has(a.name)) - Number(BULK.has(b.name)))) {
      if (++this.#entries > MAX_LINKS_WITHIN) return
      const path = join(directory, entry.name)
      if (entry.isSymbolicLink()) this.#lead(path, worktree)
      else if (entry.isFile()) this.#addFile(entry.name, path, worktree)
      else if (entry.isDirectory() && !isOfObjects(path)) this.#addContents(path, worktree, depth + 1)
    }
  }

  /** By the name that git reads it under: the file itself may have another, behind a link. */
  #addFile(name: string, path: string, worktree: string): void {
    const directory = dirname(path)
    if (name === 'config' || name === 'config.worktree') this.#addConfig(path, worktree)
    else if (name === 'commondir') this.#lead(resolve(directory, firstLineOf(path)), worktree)
    else if (name === 'alternates') for (const line of linesOf(path)) this.#lead(resolve(directory, '..', line), worktree)
    else if (name === 'gitdir') {
      const file = resolve(directory, firstLineOf(path))
      this.#lead(file, dirname(file))
    } else if (name === '.git' && firstLineOf(path).startsWith(GIT_FILE))
      this.#lead(resolve(directory, firstLineOf(path).slice(GIT_FILE.length).trim()), worktree)
  }

  #addConfig(path: string, around: string): void {
    const once = `${around}\0${path}`
    if (this.#seen.has(once)) return
    this.#seen.add(once)
    const settings = readConfig(path)
    const own = settings.find(({ section, key }) => section === 'core' && key === 'worktree')
    const worktree = own ? resolve(dirname(path), own.value) : around
    for (const { section, key, value } of settings) {
      const named = value.startsWith('~/') ? join(homedir(), value.slice(2)) : value
      if ((section === 'include' || section === 'includeif') && key === 'path') {
        const included = resolve(dirname(path), named)
        this.#lead(included, worktree)
        this.#addConfig(included, worktree)
      } else if (section === 'core' && key === 'hookspath') this.#lead(resolve(worktree, named), worktree)
      else if (section === 'init' && key === 'templatedir') this.#lead(resolve(worktree, named), worktree)
      else if (RUNS.test(key) || RUN_SECTIONS.has(section) || (section === 'submodule' && key === 'update')) this.#addWords(named, worktree)
    }
  }

  // Of a command line, what is a file in the directories, and the program itself before it is there. A name may hold blanks.
  #addWords(line: string, worktree: string): void {
    const words = [line, ...line.split(/[\s'"!;&|()<>$`=]+/)].filter((word) => word !== '')
    const program = /^!?\s*['"]?((?:\.{0,2}\/)?[\w.-]+\/[\w./-]+)/.exec(line)?.[1]
    for (const word of words) {
      const path = resolve(worktree, word)
      const isThere = findStat(path)?.isFile() === true || (word === program && findLinkStat(path) === undefined)
      if (isThere && this.directories.some((directory) => isWithin(directory, path))) this.#lead(path, worktree)
    }
  }
}

const GIT_FILE = 'gitdir:'
const BULK: ReadonlySet<string> = new Set(['objects', 'refs', 'logs', 'lfs'])

/** Of a repository without a worktree, those parts that git runs or trusts. */
const PARTS_OF_REPOSITORY = ['config', 'config.worktree', 'hooks', 'info', 'worktrees', 'modules', 'objects/info']

/** Keys whose value is a program, or a file that names some. */
const RUNS =
  /(command|cmd|hook|editor|pager|clean|smudge|process|textconv|driver|helper|program|external|fsmonitor|askpass|gitproxy|attributesfile|smtpserver|uploadpack|receivepack|difffilter)$/
const RUN_SECTIONS: ReadonlySet<string> = new Set(['alias', 'pager', 'mergetool', 'difftool', 'browser', 'man', 'guitool'])

/** Objects are many, and none of them is run. */
const isOfObjects = (path: string): boolean => basename(dirname(path)) === 'objects' && /^([0-9a-f]{2}|pack)$/.test(basename(path))

interface Setting {
  /** In lower case, as git compares them. */
  readonly section: string
  readonly key: string
  readonly value: string
}

const readConfig = (path: string): readonly Setting[] => {
  const found: Setting[] = []
  let section = ''
  for (const line of linesOf(path)) {
    const head = /^\[\s*([\w.-]+)(?:\s+"(?:[^"\\]|\\.)*")?\s*\]\s*(.*)$/.exec(line)
    if (head) section = (head[1] as string).toLowerCase().split('.')[0] as string
    const [, key, text = ''] = /^([A-Za-z][\w-]*)\s*=\s*(.*)$/.exec(head ? (head[2] as string) : line) ?? []
    if (key !== undefined) found.push({ section, key: key.toLowerCase(), value: unquoted(text) })
  }
  return found
}

const unquoted = (text: string): string =>
  (/^"/.test(text) ? text : (text.split(/\s[#;]/, 1)[0] as string))
    .trim()
    .replace(/^"((?:[^"\\]|\\.)*)".*$/, '$1')
    .replaceAll('\\"', '"')

const firstLineOf = (path: string): string => linesOf(path)[0] ?? ''

/** Each line trimmed. None if the path is not a regular file, or cannot be read. */
const linesOf = (path: string): readonly string[] => {
  let fd: number | undefined
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
    if (!fstatSync(fd).isFile()) return []
    const bytes = Buffer.alloc(MAX_BYTES)
    return bytes
      .toString('utf8', 0, readSync(fd, bytes))
      .replace(/^\ufeff/, '')
      .replaceAll('\\\n', '')
      .split('\n')
      .map((line) => line.trim())
  } catch {
    return []
  } finally {
    if (fd !== undefined) closeSync(fd)
  }
}

/** The directory and those above it. */
const listUpward = (directory: string): readonly string[] => {
  const found = [directory]
  for (let at = directory; dirname(at) !== at; at = dirname(at)) found.push(dirname(at))
  return found
}
