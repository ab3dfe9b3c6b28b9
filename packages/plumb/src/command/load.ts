// The spec that was named, as text, as sources handed over, or inline → a checked program, or every diagnostic.

import { normalize } from 'node:path'
import { type Compiled, compile, type Diagnostic, givenTexts, hasErrors, STANDARD_LIBRARY, toShown } from '@plumb/lang'
import { withFlows } from '@plumb/policy'
import {
  type Bootstrap,
  bundledFiles,
  diskFiles,
  fail,
  type GivenOptions,
  openBootstrap,
  type Reporter,
  type Result,
  readGivenValues,
  type SourceFiles,
  searchPath,
  succeed,
  withParams,
  withText,
} from '@plumb/wire'
import type { Permissions } from '../tools/permissions.js'

export interface SpecOptions {
  /** The text itself, in place of a file. */
  readonly eval?: string
  /** A parent hands over all texts on this descriptor. */
  readonly sourcesFd?: number
  /** What a prompt file in place of a spec may bring in. */
  readonly permissions?: Pick<Permissions, 'grant'>
  readonly docroot?: string | undefined
  /** `--flows`. */
  readonly flows?: boolean | undefined
  /** It is only drawn: where data may go is shown, and not held. */
  readonly ignoresFlows?: boolean
  /** Warnings are shown. */
  readonly isCheck?: boolean
  /** What params are given; undefined where nothing is to be run. */
  readonly given?: GivenOptions
}

export interface LoadedSpec {
  readonly compiled: Compiled
  readonly files: SourceFiles
  /** From a parent: what may be done. */
  readonly bootstrap: Bootstrap | undefined
}

const EVAL_PATH = '<eval>'
/** A prompt file stands for the spec that it is made into. */
const PROMPT = /\.(chatmd|md)$/i

export const loadSpec = async (path: string | undefined, options: SpecOptions): Promise<Result<LoadedSpec>> => {
  const opened = open(options)
  if (!opened.ok) return opened
  const { files, bootstrap } = opened.value
  const given = options.given ? readGivenValues(options.given, bootstrap?.bundle) : succeed(undefined)
  if (!given.ok) return given
  const loaded = async (entry: { path: string; text: string }, files: SourceFiles): Promise<Result<LoadedSpec>> => {
    // What a parent hands over it has looked at, tests and flows.
    const checked = compile({ ...entry, files, given: given.value, checksTests: bootstrap === undefined })
    const compiled = bootstrap || options.ignoresFlows ? checked : await withFlows(checked, options)
    return succeed({ compiled, files: withParams(files, givenTexts(compiled.params)), bootstrap })
  }
  if (options.eval !== undefined && path !== undefined)
    return fail('usage', `'--eval' stands in place of a file, so '${path}' is one too many`)
  if (options.eval !== undefined) {
    const entry = { path: EVAL_PATH, text: options.eval }
    return loaded(entry, withText(files, entry.path, entry.text))
  }
  if (path === undefined) return fail('usage', "no spec was named; give a file, or its text with '-e'")
  const entryPath = options.sourcesFd === undefined ? normalize(path) : path
  const prompt = options.sourcesFd === undefined && PROMPT.test(path) ? await promptAsSpec(entryPath, options) : undefined
  if (prompt?.ok) {
    const entry = { path: entryPath, text: prompt.value }
    return loaded(entry, withText(files, entry.path, entry.text))
  }
  const text = prompt ?? files.read(entryPath)
  if (!text.ok) return text
  return loaded({ path: entryPath, text: text.value }, files)
}

const promptAsSpec = async (path: string, { permissions, docroot }: SpecOptions) => {
  const tool = await import('@plumb/tool')
  return tool.promptAsSpec(path, tool.reachOf({ grants: permissions?.grant ?? [], docroot }))
}

const open = ({ sourcesFd }: SpecOptions): Result<Omit<LoadedSpec, 'compiled'>> => {
  if (sourcesFd === undefined) return { ok: true, value: { files: diskFiles(searchPath(), STANDARD_LIBRARY), bootstrap: undefined } }
  const bootstrap = openBootstrap(sourcesFd)
  return bootstrap.ok ? { ok: true, value: { files: bundledFiles(bootstrap.value.bundle), bootstrap: bootstrap.value } } : bootstrap
}

/** As PLUMB_ERRORS asks. */
export const shown = (d: Diagnostic): string => toShown(d, process.env.PLUMB_ERRORS === 'json')

/** All that stops a run, on stderr: diagnostics, or params without a right value; warnings are for `check`. False: there are none. */
export const refuseErrors = ({ compiled }: LoadedSpec, reporter: Reporter): boolean => {
  if (!hasErrors(compiled.diagnostics)) {
    for (const fault of compiled.faults) reporter.report(fault)
    return compiled.faults.length > 0
  }
  for (const d of compiled.diagnostics) {
    if (d.severity !== 'error') continue
    reporter.write(shown(d))
  }
  reporter.status = Math.max(reporter.status, 2) as 2
  return true
}
