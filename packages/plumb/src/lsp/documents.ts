// The open documents: their texts, which replace those of the files, and what was compiled from them.

import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { type Compiled, compile, hasErrors, STANDARD_LIBRARY } from '@plumb/lang'
import { checkFlows } from '@plumb/lang/flow'
import { CheckReuse, TextAround } from '@plumb/lang/service'
import { effectsOf } from '@plumb/policy'
import { diskFiles, type SourceFiles, searchPath } from '@plumb/wire'

export interface Document {
  readonly uri: string
  /** Its path for the compiler; of a document that is not a file, the URI. */
  readonly path: string
  readonly text: string
  readonly version: number
}

/** What one version of a document leaves for the next. */
interface Written {
  readonly reuse: CheckReuse
  readonly around: TextAround
}

export class Documents {
  readonly #byPath = new Map<string, Document>()
  readonly #compiled = new Map<string, Compiled>()
  /** What is known from the versions before, by path. */
  readonly #written = new Map<string, Written>()

  /** Opens a document or replaces its text. */
  set(uri: string, text: string, version: number): void {
    const path = pathOf(uri)
    const isNew = !this.#byPath.has(path)
    this.#byPath.set(path, { uri, path, text, version })
    if (isNew) this.forget()
    else for (const [entry, compiled] of this.#compiled) if (entry === path || uses(compiled, path)) this.#compiled.delete(entry)
  }

  close(uri: string): void {
    this.#byPath.delete(pathOf(uri))
    this.#written.delete(pathOf(uri))
    this.forget()
  }

  /** Files on the disk may have changed. */
  forget(): void {
    this.#compiled.clear()
  }

  get(uri: string): Document | undefined {
    return this.#byPath.get(pathOf(uri))
  }

  get all(): readonly Document[] {
    return [...this.#byPath.values()]
  }

  compiled(document: Document): Compiled {
    const known = this.#compiled.get(document.path)
    if (known) return known
    const { reuse } = this.writtenOf(document)
    const compiled = withFlows(compile({ ...document, files: this.files(), checksTests: true, reuse }))
    this.#compiled.set(document.path, compiled)
    return compiled
  }

  writtenOf({ path }: Document): Written {
    const known = this.#written.get(path) ?? { reuse: new CheckReuse(), around: new TextAround() }
    this.#written.set(path, known)
    return known
  }

  /** Files, with the texts of open documents instead of those on the disk. */
  files(): SourceFiles {
    const disk = diskFiles(searchPath(), STANDARD_LIBRARY)
    const files: Record<string, string> = Object.create(null)
    const modules: Record<string, string> = Object.create(null)
    return {
      read: (path) => {
        const open = this.#byPath.get(path)
        if (!open) return disk.read(path)
        files[path] = open.text
        return { ok: true, value: open.text }
      },
      find: (name, from) => {
        const beside = join(dirname(from), `${name}.plumb`)
        if (!this.#byPath.has(beside) || Object.hasOwn(STANDARD_LIBRARY, name)) return disk.find(name, from)
        modules[`${from}\u0000${name}`] = beside
        return beside
      },
      beside: disk.beside,
      bundle: (entry) => {
        const bundle = disk.bundle(entry)
        return { ...bundle, files: { ...bundle.files, ...files }, modules: { ...bundle.modules, ...modules } }
      },
    }
  }

  /** The editor's URI of a file; undefined for a file of the standard library, which is on no disk. */
  uriOf(path: string): string | undefined {
    const open = this.#byPath.get(path)
    if (open) return open.uri
    return path.startsWith('<') ? undefined : pathToFileURL(path).href
  }
}

// As `plumb check` does, with its warnings.
const withFlows = (compiled: Compiled): Compiled => {
  if (hasErrors(compiled.diagnostics)) return compiled
  const found = checkFlows(compiled.program, { effectsOf, isStrict: process.env.PLUMB_FLOWS === '1' })
  return { ...compiled, diagnostics: [...compiled.diagnostics, ...found] }
}

const uses = ({ program, diagnostics }: Compiled, path: string): boolean =>
  program.scopes.some((s) => s.module.path === path) || diagnostics.some((d) => d.code === 'unknown_module')

const pathOf = (uri: string): string => {
  try {
    return fileURLToPath(uri)
  } catch {
    // `untitled:Untitled-1`, or a file of another machine.
    return uri
  }
}
