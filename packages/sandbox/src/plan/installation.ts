// The directories that a program needs to run: its package, virtual environment, or prefix with `bin` and `lib`; else its file alone.

import { readlinkSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, resolve } from 'node:path'
import { exists, firstLineOf, isWithin, listEntries, readBeginning, toRealPath } from '../path/look-up.js'
import { holdsInterpreter, isLedOut, isOfPrograms } from './docroot-links.js'
import { homes, isTooBroad } from './shared-directories.js'

/** Mounted whole in every sandbox. */
export const SYSTEM_DIRECTORIES = [
  '/usr',
  '/bin',
  '/sbin',
  '/lib',
  '/lib32',
  '/lib64',
  '/libx32',
  '/etc',
  '/opt',
  '/nix/store',
  '/gnu/store',
]

/** Filled by the system's packages, so links in them lead to system directories. */
const MANAGED: ReadonlySet<string> = new Set(['/usr/bin', '/usr/sbin', '/bin', '/sbin'])
const MAX_ENTRIES = 5000
const MAX_CONFIG_BYTES = 64 * 1024

/** The directories of PATH, and the installations that links in them lead to. Cached by the value of PATH and the docroot. */
export const listPathDirectories = (path: string, docroot: string): readonly string[] => {
  const key = `${docroot}:${path}`
  const known = cache.get(key) ?? findPathDirectories(path, docroot)
  cache.set(key, known)
  return known
}

const cache = new Map<string, readonly string[]>()

const findPathDirectories = (path: string, docroot: string): readonly string[] => {
  const found = new Set<string>()
  for (const directory of new Set(path.split(':').filter(isAbsolute))) {
    if (!exists(directory)) continue
    if (!isTooBroad(directory)) found.add(directory)
    const real = toRealPath(directory)
    const prefix = isLedOut(directory, docroot) ? findInterpreterPrefix(real) : findPrefix(real)
    for (const place of [...prefix, ...findVersions(real)]) found.add(place)
    if (!MANAGED.has(directory)) for (const place of listLinked(directory, docroot)) found.add(place)
  }
  return [...found]
}

const listLinked = (directory: string, docroot: string): readonly string[] => {
  const found = new Set<string>()
  for (const entry of listEntries(directory).slice(0, MAX_ENTRIES)) {
    if (!entry.isSymbolicLink()) continue
    const link = join(directory, entry.name)
    const target = resolve(directory, readTarget(link))
    if (isOfSystem(target) || dirname(target) === directory) continue
    for (const place of findInstallation(link, docroot)) found.add(place)
  }
  return [...found]
}

const readTarget = (link: string): string => {
  try {
    return readlinkSync(link)
  } catch {
    return link
  }
}

const isOfSystem = (path: string): boolean => SYSTEM_DIRECTORIES.some((directory) => path.startsWith(`${directory}/`))

/** The files and directories of a program's installation; empty if it is below a system directory, which is mounted anyway. */
export const findInstallation = (program: string, docroot: string): readonly string[] => {
  const file = toRealPath(program)
  if (isOfSystem(file)) return []
  if (isLedOut(program, docroot)) return findLedOut(file)
  const packages = file.indexOf('/node_modules/')
  if (packages >= 0) return [join(file.slice(0, packages), 'node_modules')]
  return [file, ...findPrefix(dirname(file)), ...findPackage(file)]
}

/** Of a program to which something in the docroot leads, which others may have written. */
const findLedOut = (file: string): readonly string[] => (isOfPrograms(file) ? [file, ...findInterpreterPrefix(dirname(file))] : [])

const findInterpreterPrefix = (directory: string): readonly string[] => (holdsInterpreter(directory) ? findPrefix(directory) : [])

// The prefix of a `bin` directory. Of ~/.local, which also holds data of other programs, only its libraries.
const findPrefix = (directory: string): readonly string[] => {
  if (isOfSystem(directory) || !['bin', 'sbin', 'libexec'].includes(basename(directory))) return []
  const prefix = dirname(directory)
  if (isTooBroad(prefix)) return []
  if (exists(join(prefix, 'pyvenv.cfg'))) return [prefix, ...findPythonBase(join(prefix, 'pyvenv.cfg'))]
  const libraries = ['lib', 'libexec'].map((name) => join(prefix, name)).filter(exists)
  const isShared = homes().some((home) => prefix === join(home, '.local'))
  return libraries.length === 0 || isShared ? libraries : [prefix]
}

const VERSIONS = ['versions', 'installs']

/** The root of a version manager, from the directory of PATH with its shims: each shim finds there which version to start. */
const findVersions = (directory: string): readonly string[] => {
  const root = dirname(directory)
  if (basename(directory) !== 'shims' || isTooBroad(root)) return []
  return VERSIONS.some((name) => exists(join(root, name))) ? [root] : []
}

/** Files that say which version a shim starts, in the directories above `docroot` and in the home directory. */
export const listVersionFiles = (docroot: string): readonly string[] =>
  [...listUpward(dirname(docroot)), ...homes().filter((home) => !`${home}/`.startsWith(`${docroot}/`))]
    .flatMap((each) => VERSION_FILES.map((name) => join(each, name)))
    .filter(exists)

/** Names and numbers of versions only; the settings of mise, which may hold keys, are none of them. */
const VERSION_FILES = ['.tool-versions', '.python-version', '.node-version', '.ruby-version']

/** The installation of the Python that a virtual environment was made from (`home` in pyvenv.cfg). */
const findPythonBase = (config: string): readonly string[] => {
  const line = readBeginning(config, MAX_CONFIG_BYTES)
    ?.split('\n')
    .find((each) => each.split('=')[0]?.trim() === 'home')
  const home = line?.slice(line.indexOf('=') + 1).trim()
  return home === undefined || !isPythonDirectory(home) ? [] : [home, ...findPrefix(toRealPath(home))]
}

// A program that may write in the environment can name any directory there: only one with a Python in it, which it cannot lay outside, is meant.
const isPythonDirectory = (home: string): boolean =>
  isAbsolute(home) && !isTooBroad(toRealPath(home)) && ['python3', 'python'].some((name) => exists(join(home, name)))

/** The directory of our executables, each of which is a package that also needs what they share. */
const OURS = dirname(__dirname.slice(0, __dirname.lastIndexOf('/dist')))

/** The nearest ancestor with a `package.json`, as Node.js looks for it. */
const findPackage = (file: string): readonly string[] => {
  for (const directory of listUpward(dirname(file))) {
    if (isTooBroad(directory)) return []
    if (exists(join(directory, 'package.json'))) return dirname(directory) === OURS ? [directory, join(OURS, 'wire/dist')] : [directory]
  }
  return []
}

/** All paths that a program needs, including the interpreter that its `#!` line names. */
export const listProgramPaths = (program: string, docroot: string): readonly string[] => {
  const interpreter = findInterpreter(program)
  return [
    program,
    ...findInstallation(program, docroot),
    ...findEnvironment(dirname(program), docroot),
    ...findPackage(program),
    ...listNodeModules([dirname(program), dirname(toRealPath(program))]),
    ...(interpreter === undefined ? [] : listInterpreterPaths(interpreter, isWithin(docroot, toRealPath(program)), docroot)),
  ]
}

// Its python is a link to that which it was made from, and looks for pyvenv.cfg where the link lies.
const findEnvironment = (directory: string, docroot: string): readonly string[] =>
  exists(join(directory, '../pyvenv.cfg')) && !isLedOut(directory, docroot) ? findPrefix(toRealPath(directory)) : []

const listInterpreterPaths = (interpreter: string, isOfDocroot: boolean, docroot: string): readonly string[] => {
  const file = toRealPath(interpreter)
  if (!isOfDocroot || isWithin(docroot, file)) return [interpreter, ...findInstallation(interpreter, docroot)]
  return isOfPrograms(file) ? [interpreter, ...findLedOut(file)] : []
}

const findInterpreter = (program: string): string | undefined => {
  const line = firstLineOf(program) ?? ''
  const [path = ''] = line.startsWith('#!') ? line.slice(2).trim().split(' ', 1) : []
  return isAbsolute(path) && !isOfSystem(path) ? path : undefined
}

/** Every `node_modules` in the directories and their ancestors. A link that a sandboxed program has made there must lead to such a directory too. */
export const listNodeModules = (directories: readonly string[]): readonly string[] =>
  [...new Set(directories.flatMap(listUpward))]
    .map((each) => join(each, 'node_modules'))
    .filter((path) => exists(path) && basename(toRealPath(path)) === 'node_modules')

const listUpward = (directory: string): readonly string[] => {
  const directories = [directory]
  for (let last = directory; dirname(last) !== last; last = dirname(last)) directories.push(dirname(last))
  return directories
}
