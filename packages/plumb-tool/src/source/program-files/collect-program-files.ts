// Collects the files that a program consists of and would run, from the texts of its specs: its own tools must not change them.

import { delimiter, dirname, isAbsolute, join, resolve } from 'node:path'
import { STANDARD_LIBRARY, specParts } from '@plumb/lang'
import { builtinEffects } from '@plumb/policy'
import { findStat, isDataName, isScriptName, isWithin, listEntries, realPath } from '@plumb/sandbox'
import { type Bundle, readSpec } from '@plumb/wire'
import { readPromptReferences } from '../agent/prompt-references.js'
import { splitCommandLine } from '../split-command-line.js'
import { collectModuleFiles } from './module-files.js'
import { ProgramFileSet } from './program-file-set.js'

export interface ProgramFiles {
  readonly list: ProgramFileSet
  /** Programs and function files that tools could write: by their path, the real paths of all files that run with them. */
  readonly programs: ReadonlyMap<string, readonly string[]>
}

export interface ProgramSurroundings {
  /** Absolute path. */
  readonly docroot: string
  readonly env: Readonly<Record<string, string | undefined>>
}

/** Reads the files that the specs name, within limits; starts nothing and never fails. */
export const collectProgramFiles = (bundle: Bundle, surroundings: ProgramSurroundings): ProgramFiles => {
  const collector = new Collector(surroundings)
  const { files = {}, paths = [], outputs = [] } = bundle.around ?? {}
  const texts = [...Object.entries(bundle.files), ...Object.entries(files)]
  for (const [path, text] of texts) collector.expect(path, text)
  for (const path of paths) collector.addPath(path)
  for (const path of outputs) collector.list.addOutput(path)
  for (const [path, text] of texts) if (!isLibrary(path)) collector.addSpec(path, text)
  collector.addPlacesOfPrograms()
  return collector
}

class Collector implements ProgramFiles {
  readonly list = new ProgramFileSet()
  readonly programs = new Map<string, readonly string[]>()
  readonly #code = new Map<string, readonly string[]>()
  readonly #agentFiles = new Set<string>()
  /** Directories in which tools may use files. */
  readonly #regions: string[]
  readonly #open: string[] = []
  #hasWriter = false
  readonly #onPath: readonly string[]

  constructor(private readonly surroundings: ProgramSurroundings) {
    this.#regions = [realPath(surroundings.docroot)]
    this.#onPath = splitPaths(surroundings.env.PATH).filter(isAbsolute)
  }

  /** Call it for all specs before addSpec: it collects the directories that tools may write. */
  expect(path: string, text: string): void {
    const { roots, writable, builtins } = specParts(path, text)
    const real = (directory: string): string => realPath(resolve(this.surroundings.docroot, directory))
    this.#regions.push(...roots.map(real))
    this.#open.push(...writable.map(real))
    this.#noteBuiltins(builtins)
  }

  #noteBuiltins(names: readonly string[]): void {
    this.#hasWriter ||= names.some((name) => builtinEffects(name).includes('fs.write'))
  }

  addPath(path: string): void {
    if (findStat(path)?.isDirectory()) {
      this.list.addDirectory(resolve(path))
      for (const { name } of listEntries(path).slice(0, MAX_NAMES)) if (isMountable(name)) this.#addAgentFile(resolve(path, name))
    } else if (isMountable(path)) this.#addAgentFile(resolve(path))
    else this.list.addFile(resolve(path))
  }

  addSpec(path: string, text: string): void {
    // A spec given as text has no file; its paths are relative to the working directory.
    if (!path.startsWith('<')) this.list.addFile(resolve(path))
    if (isPrompt(path)) this.#addPrompt(resolve(path))
    const directory = resolve(dirname(path))
    const parts = specParts(path, text)
    const { env } = this.surroundings
    for (const name of parts.modules) {
      if (Object.hasOwn(STANDARD_LIBRARY, name)) continue
      for (const place of [directory, ...splitPaths(env.PLUMB_PATH)]) this.list.addFile(resolve(place, `${name}.plumb`))
    }
    for (const name of parts.resources) for (const place of splitPaths(env.PLUMB_RESOURCES)) this.list.addFile(resolve(place, name))
    for (const path of [...parts.modulePaths, ...parts.texts]) this.list.addFile(resolve(directory, path))
    for (const path of parts.skills) this.list.addDirectory(resolve(directory, path))
    for (const path of parts.records) this.list.addOutput(resolve(path))
    for (const path of parts.snapshots) this.list.addOutput(resolve(directory, path))
    for (const path of parts.agentFiles) this.#addAgentFile(resolve(directory, path))
    for (const path of parts.functions) {
      this.#addCode(resolve(directory, path))
      // The interpreter of its functions is that of a virtual environment beside it, or beside the spec.
      if (path.endsWith('.py'))
        for (const place of [directory, dirname(resolve(directory, path))]) this.list.addDirectory(join(place, '.venv'))
    }
    for (const line of parts.lines) this.#addCommand(splitCommandLine(line), directory)
    for (const words of parts.commands) this.#addCommand(words, directory)
  }

  /**
   * Directories of PATH: whatever is started later, ourselves and what programs start among it, would be found there. One in which tools work
   * is no such directory as a whole.
   */
  addPlacesOfPrograms(): void {
    for (const place of this.#onPath.filter((place) => this.#isInReach(realPath(place)))) {
      this.list.addDirectory(place)
      for (const name of OUR_PROGRAMS) this.list.addFile(join(place, name))
    }
  }

  #addAgentFile(path: string): void {
    const file = resolve(path)
    if (this.#agentFiles.has(file)) return
    this.#agentFiles.add(file)
    this.list.addFile(file)
    if (isPrompt(file)) return this.#addPrompt(file)
    const text = readSpec(file)
    if (!text.ok) return
    this.expect(file, text.value)
    this.addSpec(file, text.value)
    // Its modules are read only when it runs.
    const { modules, modulePaths } = specParts(file, text.value)
    const named = modules.filter((name) => !Object.hasOwn(STANDARD_LIBRARY, name)).map((name) => `${name}.plumb`)
    const places = [dirname(file), ...splitPaths(this.surroundings.env.PLUMB_PATH)]
    for (const name of named) {
      const found = places.map((place) => resolve(place, name)).find((path) => findStat(path)?.isFile())
      if (found !== undefined) this.#addAgentFile(found)
    }
    for (const path of modulePaths) this.#addAgentFile(resolve(dirname(file), path))
  }

  #addPrompt(file: string): void {
    const { files, images, agentFiles, lines, commands, builtins } = readPromptReferences(file)
    this.#noteBuiltins(builtins)
    for (const path of [...files, ...images]) this.list.addFile(path)
    for (const path of agentFiles) this.#addAgentFile(path)
    for (const line of lines) this.#addCommand(splitCommandLine(line), dirname(file))
    for (const words of commands) this.#addCommand(words, dirname(file))
  }

  // A name is looked up on PATH, a path is relative to the spec. Arguments that are files count as scripts, as in `python3 build.py`,
  // unless they end as data does, and so do those that are not there, by their endings.
  #addCommand([program, ...args]: readonly string[], directory: string): void {
    if (program === undefined || program === '') return
    const programs = program.includes('/') ? [resolve(directory, program)] : this.#onPath.map((place) => join(place, program))
    for (const path of programs) {
      this.list.addFile(path)
      if (findStat(path)?.isFile()) this.#addCode(path)
    }
    const words = args.map((word) => word.slice(word.startsWith('-') ? word.indexOf('=') + 1 : 0))
    for (const place of new Set([this.surroundings.docroot, resolve('.')])) {
      for (const path of words.map((word) => resolve(place, word))) {
        if (findStat(path)?.isFile() && !isDataName(path)) this.#addCode(path)
        else if (isScriptName(path)) this.list.addFile(path)
      }
    }
  }

  #addCode(path: string): void {
    const real = realPath(path)
    this.list.addFile(path)
    const known = this.#code.get(real)
    this.#watch(path, known ?? this.#look(real))
  }

  #look(real: string): readonly string[] {
    const { code, names, directories, packages } = this.#isInReach(real) ? collectModuleFiles(real, this.#isInReach) : NOTHING
    this.#code.set(real, code)
    for (const file of [...code, ...names]) this.list.addFile(file)
    for (const directory of directories) this.list.addDirectory(directory)
    for (const directory of packages) this.list.addPackage(directory)
    return code
  }

  readonly #isInReach = (real: string): boolean => [...this.#regions, ...this.#open].some((region) => isWithin(region, real))

  // A root that is the file itself allows writing it.
  #watch(path: string, code: readonly string[]): void {
    const isMeant = (file: string): boolean => this.#regions.includes(file)
    const writable = [...(this.#hasWriter ? this.#regions : []), ...this.#open]
    const watched = code.filter((file) => !isMeant(file) && writable.some((region) => isWithin(region, file)))
    if (watched.length > 0) this.programs.set(resolve(path), watched)
  }
}

const NOTHING = { code: [], names: [], directories: [], packages: [] } as const

const isLibrary = (path: string): boolean => path.startsWith('<stdlib>/')

const MAX_NAMES = 1000

/** What is started beside the programs of a spec, and what scripts name by `#!/usr/bin/env`. */
const OUR_PROGRAMS = [
  ...[
    'plumb',
    'plumb-agent',
    'plumb-chat',
    'plumb-mcp',
    'plumb-mux',
    'plumb-serve',
    'plumb-tool',
    'bwrap',
    'prlimit',
    'setpriv',
    'git',
    'dot',
  ],
  ...['sh', 'bash', 'env', 'node', 'python', 'python3'],
]

const isMountable = (path: string): boolean => isPrompt(path) || path.endsWith('.plumb')
const isPrompt = (path: string): boolean => /\.(chatmd|md)$/i.test(path)

const splitPaths = (path: string | undefined): string[] => (path ?? '').split(delimiter).filter((directory) => directory !== '')
