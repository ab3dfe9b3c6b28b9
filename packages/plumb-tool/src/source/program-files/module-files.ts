// Collects the files of a script of Node.js or Python: itself, its imports, and the names under which imports are looked for, whether or
// not they exist. The search is bounded; a script that exceeds the bounds has its whole directory protected.

import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs'
import { basename, dirname, join, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findRealPath, findStat } from '@plumb/sandbox'
import { scanImports, scanPythonImports } from './scan-imports.js'

export interface ModuleFiles {
  /** Existing files that run, in order of discovery. */
  readonly code: readonly string[]
  /** Paths that a resolver would try. */
  readonly names: readonly string[]
  readonly directories: readonly string[]
  /** Modules of Python, without an ending: a directory of the name would be one, and so would what was compiled. */
  readonly packages: readonly string[]
}

const MAX_FILES = 2000
const MAX_BYTES = 64 * 1024 * 1024
const SCRIPT = /\.(?:[cm]?[jt]sx?)$/
const ENDINGS = [
  '.js',
  '.mjs',
  '.cjs',
  '.json',
  '.node',
  '.ts',
  '.mts',
  '.cts',
  '/package.json',
  '/index.js',
  '/index.json',
  '/index.node',
  '/index.ts',
]

type Language = 'script' | 'python' | undefined

/** `isKept`: whether tools could write the file; imports of other files are not followed. */
export const collectModuleFiles = (file: string, isKept: (path: string) => boolean): ModuleFiles => {
  const walk = new Walk(isKept)
  walk.run(findRealPath(file) ?? file)
  return walk
}

class Walk implements ModuleFiles {
  readonly code: string[] = []
  readonly names: string[] = []
  readonly directories: string[] = []
  readonly packages: string[] = []
  readonly #seen = new Set<string>()
  readonly #packages = new Set<string>()
  #bytes = 0

  constructor(private readonly isKept: (path: string) => boolean) {}

  run(entry: string): void {
    const waiting = [entry]
    for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
      if (this.#seen.has(file)) continue
      this.#seen.add(file)
      this.code.push(file)
      const text = this.#read(file)
      if (text === 'too much') {
        this.directories.push(dirname(entry))
        return
      }
      const language = text === undefined ? undefined : languageOf(file, text)
      if (text === undefined || language === undefined) continue
      const next = language === 'python' ? this.#python(file, text) : this.#script(file, text)
      for (const found of next) if (this.isKept(found)) waiting.push(found)
    }
  }

  #read(file: string): string | 'too much' | undefined {
    if (this.#seen.size > MAX_FILES) return 'too much'
    let fd: number | undefined
    try {
      fd = openSync(file, 'r')
      const stat = fstatSync(fd)
      if (!stat.isFile()) return undefined
      this.#bytes += stat.size
      return this.#bytes > MAX_BYTES ? 'too much' : readFileSync(fd, 'utf8')
    } catch {
      return undefined
    } finally {
      if (fd !== undefined) closeSync(fd)
    }
  }

  #script(file: string, text: string): string[] {
    const directory = dirname(file)
    this.#package(directory)
    return [...scanImports(text)].flatMap((name) => {
      const path = pathOf(name, directory)
      if (path !== undefined) return this.#candidates(path)
      return name.startsWith('#') ? this.#mapped(directory) : this.#installed(name, directory)
    })
  }

  /** The real paths of the candidates that exist. */
  #candidates(path: string): string[] {
    const asTypeScript = path.replace(/\.([cm]?)js$/, '.$1ts')
    // A file of the very name is taken before all others, but for its source in TypeScript.
    const endings = isFile(path) ? [] : ENDINGS
    const all = [path, ...(asTypeScript === path ? [] : [asTypeScript]), ...endings.map((ending) => path + ending)]
    this.names.push(...all)
    return all.flatMap((name) => (isFile(name) ? (findRealPath(name) ?? []) : []))
  }

  // The node_modules directories on the way up, and every package.json up to the nearest existing one.
  #package(directory: string): void {
    let isNearer = true
    for (let at = directory; !this.#packages.has(at); at = dirname(at)) {
      this.#packages.add(at)
      if (basename(at) !== 'node_modules') this.directories.push(join(at, 'node_modules'))
      if (isNearer) this.names.push(join(at, 'package.json'))
      if (isFile(join(at, 'package.json'))) isNearer = false
    }
  }

  // Every path that the nearest package.json may map a `#name` to.
  #mapped(directory: string): string[] {
    for (let at = directory; ; at = dirname(at)) {
      const file = join(at, 'package.json')
      const text = isFile(file) ? this.#read(file) : undefined
      if (text !== undefined) return [...scanImports(text)].flatMap((name) => this.#candidates(resolve(at, name)))
      if (at === dirname(at)) return []
    }
  }

  // In a workspace, a package may be a link to a directory with sources.
  #installed(name: string, directory: string): string[] {
    const own = name.split('/', name.startsWith('@') ? 2 : 1).join('/')
    for (let at = directory; ; at = dirname(at)) {
      const real = findRealPath(join(at, 'node_modules', own))
      if (real !== undefined && !real.split(sep).includes('node_modules')) this.directories.push(real)
      if (at === dirname(at)) return []
    }
  }

  // What is compiled there is taken instead of a source that is as it was.
  #python(file: string, text: string): string[] {
    this.directories.push(join(dirname(file), '__pycache__'))
    return [...scanPythonImports(text)].flatMap((name) => {
      const path = join(dirname(file), name)
      this.packages.push(path)
      this.names.push(`${path}.py`)
      return isFile(`${path}.py`) ? (findRealPath(`${path}.py`) ?? []) : []
    })
  }
}

const languageOf = (file: string, text: string): Language => {
  const shebang = text.startsWith('#!') ? text.slice(0, 200).split('\n', 1)[0] : ''
  if (SCRIPT.test(file) || /\b(?:node|bun|deno|tsx)\b/.test(shebang ?? '')) return 'script'
  return file.endsWith('.py') || /\bpython/.test(shebang ?? '') ? 'python' : undefined
}

const pathOf = (name: string, directory: string): string | undefined => {
  const path = name.replace(/[?#].*$/s, '')
  if (name.startsWith('file:')) return URL.canParse(name) && new URL(name).host === '' ? fileURLToPath(new URL(name)) : undefined
  return /^(\.{0,2}\/|\.{1,2}$)/.test(name) ? resolve(directory, path) : undefined
}

const isFile = (path: string): boolean => findStat(path)?.isFile() === true
