// Loads the named spec, from a file, inline text or a parent, and returns a checked program, or every diagnostic.

import { lstatSync, realpathSync, statSync } from 'node:fs'
import { normalize } from 'node:path'
import { type Compiled, compile, type Diagnostic, errorsOf, givenTexts, hasErrors, STANDARD_LIBRARY, showDiagnostics } from '@plumb/lang'
import { withFlows } from '@plumb/policy'
import {
  type Bootstrap,
  bundledFiles,
  diskFiles,
  fail,
  openBootstrap,
  preview,
  type Reporter,
  type Result,
  readGivenValues,
  type SourceFiles,
  searchPath,
  succeed,
  withParams,
  withText,
} from '@plumb/wire'
import type { SpecOptions } from '../options/run-options.js'

export interface LoadedSpec {
  readonly compiled: Compiled
  readonly files: SourceFiles
  /** The authority from a parent. */
  readonly bootstrap: Bootstrap | undefined
}

const EVAL_PATH = '<eval>'
/** A prompt file is converted to a spec. */
const PROMPT = /\.(chatmd|md)$/i

export const loadSpec = async (path: string | undefined, options: SpecOptions): Promise<Result<LoadedSpec>> => {
  const opened = open(options)
  if (!opened.ok) return opened
  const { files, bootstrap } = opened.value
  const given = options.given ? readGivenValues(options.given, bootstrap?.bundle) : succeed(undefined)
  if (!given.ok) return given
  const loaded = async (
    entry: { path: string; text: string },
    files: SourceFiles,
    shownAt?: (diagnostic: Diagnostic) => Diagnostic,
  ): Promise<Result<LoadedSpec>> => {
    // The parent has already checked tests and flows of what it hands over.
    const checked = compile({ ...entry, files, given: given.value, checksTests: bootstrap === undefined })
    const flowing = bootstrap || options.ignoresFlows ? checked : await withFlows(checked, options)
    const compiled = shownAt ? { ...flowing, diagnostics: flowing.diagnostics.map(shownAt) } : flowing
    return succeed({ compiled, files: withParams(files, givenTexts(compiled.params)), bootstrap })
  }
  if (options.eval !== undefined && path !== undefined)
    return fail('usage', `'--eval' takes the place of a file, so '${path}' is one too many`)
  if (options.eval !== undefined) {
    const entry = { path: EVAL_PATH, text: options.eval }
    return loaded(entry, withText(files, entry.path, entry.text))
  }
  if (path === undefined) return fail('usage', "no spec was named; give a file, or its text with '-e'")
  const entryPath = options.sourcesFd === undefined ? normalize(path) : path
  const prompt = options.sourcesFd === undefined && PROMPT.test(path) ? await promptAsSpec(entryPath, options) : undefined
  if (prompt?.ok) {
    const { text, toPrompt } = prompt.value
    return loaded({ path: entryPath, text }, withText(files, entryPath, text), toPrompt)
  }
  const sources = options.isOfStrangers ? specsAlone(files, entryPath) : files
  const text = prompt ?? sources.read(entryPath)
  if (!text.ok) return text
  return loaded({ path: entryPath, text: text.value }, sources)
}

const specsAlone = (files: SourceFiles, entry: string): SourceFiles => ({
  ...files,
  read: (path) => (path === entry ? readNamed(path, files.read) : readIfSpec(path, files.read)),
})

/** A file that the command line names, unless it is a link to one that is not called as specs are. */
export const readNamed = (path: string, read: SourceFiles['read']): Result<string> =>
  /^\/(dev|proc)\//.test(path) || !lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ? read(path) : readIfSpec(path, read)

const readIfSpec = (path: string, read: SourceFiles['read']): Result<string> => {
  if (!isThere(path) || /\.(plumb|md|chatmd)$/i.test(realOf(path))) return read(path)
  const detail = `'${preview(path, 200)}' is not called NAME.plumb, or is a link to what is not: nothing of it is shown`
  return fail('path_denied', detail, { path })
}

// A link to nothing, or to itself, is not.
const isThere = (path: string): boolean => {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined
  } catch {
    return false
  }
}

// A pipe has none.
const realOf = (path: string): string => {
  try {
    return realpathSync.native(path)
  } catch {
    return ''
  }
}

const promptAsSpec = async (path: string, { grant = [], docroot }: SpecOptions) => {
  const tool = await import('@plumb/tool/internal')
  return tool.promptAsSpec(path, tool.reachOf({ grants: grant, docroot }))
}

const open = ({ sourcesFd }: SpecOptions): Result<Omit<LoadedSpec, 'compiled'>> => {
  if (sourcesFd === undefined) return { ok: true, value: { files: diskFiles(searchPath(), STANDARD_LIBRARY), bootstrap: undefined } }
  const bootstrap = openBootstrap(sourcesFd)
  return bootstrap.ok ? { ok: true, value: { files: bundledFiles(bootstrap.value.bundle), bootstrap: bootstrap.value } } : bootstrap
}

/** In the form that PLUMB_ERRORS selects. */
export const reportDiagnostics = (reporter: Reporter, diagnostics: readonly Diagnostic[]): void =>
  showDiagnostics(diagnostics, reporter, process.env.PLUMB_ERRORS === 'json')

/** Reports all errors on stderr: diagnostics, or invalid params; warnings are for `check`. False: there are none. */
export const refuseErrors = ({ compiled }: LoadedSpec, reporter: Reporter): boolean => {
  if (!hasErrors(compiled.diagnostics)) {
    for (const fault of compiled.faults) reporter.report(fault)
    return compiled.faults.length > 0
  }
  refuseDiagnostics(reporter, errorsOf(compiled.diagnostics))
  return true
}

export const refuseDiagnostics = (reporter: Reporter, errors: readonly Diagnostic[]): void => {
  reportDiagnostics(reporter, errors)
  reporter.status = Math.max(reporter.status, 2) as 2
}
