// The spec that was named, as text, as sources handed over, or inline → a checked program, or every diagnostic.

import { normalize } from 'node:path'
import { type Compiled, compile, type Diagnostic, hasErrors, STANDARD_LIBRARY, toShown } from '@plumb/lang'
import { bundledFiles, diskFiles, fail, type Reporter, type Result, readBundle, type SourceFiles } from '@plumb/wire'

export interface SpecOptions {
  /** The text itself, in place of a file. */
  readonly eval?: string
  /** A parent hands over all texts on this descriptor. */
  readonly sourcesFd?: number
}

export interface Loaded {
  readonly compiled: Compiled
  readonly files: SourceFiles
}

const EVAL_PATH = '<eval>'

export const load = (path: string | undefined, options: SpecOptions): Result<Loaded> => {
  const files = filesFor(options)
  if (!files.ok) return files
  if (options.eval !== undefined && path !== undefined)
    return fail('usage', `'--eval' stands in place of a file, so '${path}' is one too many`)
  if (options.eval !== undefined) {
    const entry = { path: EVAL_PATH, text: options.eval }
    return { ok: true, value: { compiled: compile(entry, files.value), files: withEntry(files.value, entry) } }
  }
  if (path === undefined) return fail('usage', "no spec was named; give a file, or its text with '-e'")
  const entryPath = options.sourcesFd === undefined ? normalize(path) : path
  const text = files.value.read(entryPath)
  if (!text.ok) return text
  return { ok: true, value: { compiled: compile({ path: entryPath, text: text.value }, files.value), files: files.value } }
}

const filesFor = ({ sourcesFd }: SpecOptions): Result<SourceFiles> => {
  if (sourcesFd === undefined) {
    return { ok: true, value: diskFiles(searchPath(), STANDARD_LIBRARY) }
  }
  const bundle = readBundle(sourcesFd)
  return bundle ? { ok: true, value: bundledFiles(bundle) } : fail('fd_invalid', `no sources can be read from descriptor ${sourcesFd}`)
}

/** The folders along which modules are looked for by name. */
export const searchPath = (): string[] => (process.env.PLUMB_PATH ?? '').split(':').filter((folder) => folder !== '')

// Children that run a part of an inline spec get its text like any other.
const withEntry = (files: SourceFiles, entry: { path: string; text: string }): SourceFiles => ({
  ...files,
  bundle: (path) => {
    const bundle = files.bundle(path)
    return { ...bundle, files: { ...bundle.files, [entry.path]: entry.text } }
  },
})

/** As PLUMB_ERRORS asks. */
export const shown = (d: Diagnostic): string => toShown(d, process.env.PLUMB_ERRORS === 'json')

/** All diagnostics that stop a run, on stderr; warnings are for `check`. False: there are none. */
export const refuseErrors = ({ compiled }: Loaded, reporter: Reporter): boolean => {
  if (!hasErrors(compiled.diagnostics)) return false
  for (const d of compiled.diagnostics) {
    if (d.severity !== 'error') continue
    reporter.write(shown(d))
  }
  reporter.status = Math.max(reporter.status, 2) as 2
  return true
}
