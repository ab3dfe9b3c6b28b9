// Detects changes to the programs that tools run since the spec was loaded. Only specs with both a writing and a running tool are
// watched. A change between the check and the start is not detected.

import { createHash } from 'node:crypto'
import { type BigIntStats, createReadStream, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { realPath } from '@plumb/sandbox'
import { type Fault, fault, preview, type SourceFiles, withAround } from '@plumb/wire'
import type { Session } from '../../call/call.js'
import type { ProgramFiles } from './collect-program-files.js'

type Program = Pick<Session, 'files' | 'docroot'>

const known = new WeakMap<SourceFiles, Promise<ProgramFiles>>()

/** Computed on first use, since most runs write nothing. */
export const programFilesOf = ({ files, docroot }: Program): Promise<ProgramFiles> => {
  const parts =
    known.get(files) ??
    import('./collect-program-files.js').then(({ collectProgramFiles: programParts }) =>
      programParts(files.bundle(''), { docroot, env: process.env }),
    )
  known.set(files, parts)
  return parts
}

// Words in the texts of specs; a prompt that is a tool may have both kinds.
const WRITES = ['write', 'append_to_file', 'find_and_replace', 'apply_patch']
const RUNS = ['command', 'function']
const MOUNTS = /\bagent\s*:/

const watches = new WeakMap<SourceFiles, Promise<ChangeDetector>>()

/** Call it when the program is loaded, before its tools are called. */
export const watchProgram = async (program: Program): Promise<void> => {
  const { files, around } = program.files.bundle('')
  const texts = [...Object.values(files), ...Object.values(around?.files ?? {})]
  const has = (words: readonly string[]): boolean => texts.some((text) => MOUNTS.test(text) || words.some((word) => text.includes(word)))
  if (watches.has(program.files) || !has(WRITES) || !has(RUNS)) return
  const watch = programFilesOf(program).then((parts) => new ChangeDetector(parts, around?.seen ?? {}))
  watches.set(program.files, watch)
  await watch
}

/** `program_changed` for the first of `paths` (absolute, programs and function files) that has changed. */
export const whyChanged = async ({ files }: Program, paths: readonly string[]): Promise<Fault | undefined> => {
  const watch = await watches.get(files)
  for (const path of watch ? paths : []) {
    const changed = await watch?.whyChanged(path)
    if (changed) return changed
  }
  return undefined
}

/** The texts for a child process of the program, with the files that it must not change. */
export const textsForChild = async (texts: SourceFiles, { files }: Program): Promise<SourceFiles> => {
  const seen = (await watches.get(files))?.seen
  if (texts === files) return seen ? withAround(files, { seen }) : files
  // A prompt file is a program of its own; the outer program's files are protected in it too.
  const { files: outer, around } = files.bundle('')
  const absolute = Object.entries(outer).filter(([path]) => !path.startsWith('<stdlib>/'))
  const named = absolute.map(([path, text]) => [path.startsWith('<') ? path : resolve(path), text] as const)
  return withAround(texts, { ...around, files: { ...around?.files, ...Object.fromEntries(named) }, ...(seen ? { seen } : {}) })
}

class ChangeDetector {
  readonly #seen = new Map<string, string>()
  readonly #real = new Map<string, string>()
  readonly #hashes = new Map<string, string>()

  constructor(
    private readonly parts: ProgramFiles,
    before: Readonly<Record<string, string>>,
  ) {
    for (const [path, files] of parts.programs) {
      this.#real.set(path, realPath(path))
      for (const file of files) this.#seen.set(file, before[file] ?? identityOf(file))
    }
  }

  get seen(): Readonly<Record<string, string>> {
    return Object.fromEntries(this.#seen)
  }

  async whyChanged(path: string): Promise<Fault | undefined> {
    const real = this.#real.get(path)
    if (real === undefined) return undefined
    if (realPath(path) !== real) return changed(path, 'it leads to another file')
    for (const file of this.parts.programs.get(path) ?? []) {
      const why = await this.#whyOther(file)
      if (why !== undefined) return changed(file, why)
    }
    return undefined
  }

  async #whyOther(file: string): Promise<string | undefined> {
    const now = identityOf(file)
    const hash = this.#hashes.get(file)
    if (now === this.#seen.get(file) && hash !== undefined) return undefined
    if (now === GONE) return 'it is not there any more'
    // A file that was only touched, or rewritten with the same bytes, has not changed.
    if (now !== this.#seen.get(file) && hash === undefined) return 'it is another file, or was written'
    const found = await hashOf(file)
    if (hash !== undefined && found !== hash) return 'it holds something else'
    this.#hashes.set(file, found)
    this.#seen.set(file, now)
    return undefined
  }
}

const changed = (path: string, why: string): Fault =>
  fault(
    'program_changed',
    `'${preview(path, 200)}' has changed since the program was loaded: ${why}; look at what was made of it, and start again if it is meant`,
    { path: preview(path, 200) },
  )

const GONE = 'gone'

const identityOf = (path: string): string => {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false }) as BigIntStats | undefined
  return stat === undefined ? GONE : [stat.dev, stat.ino, stat.size, stat.mtimeNs].join(':')
}

const hashOf = async (path: string): Promise<string> => {
  const hash = createHash('sha256')
  try {
    for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer)
  } catch {
    return GONE
  }
  return hash.digest('hex')
}
