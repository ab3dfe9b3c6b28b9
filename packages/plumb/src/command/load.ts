// Loads the named spec, from a file, inline text or a parent, and returns a checked program, or every diagnostic.

import { normalize } from 'node:path'
import { setFlagsFromString } from 'node:v8'
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
  /** The text itself, instead of a file. */
  readonly eval?: string
  /** The descriptor on which a parent hands over all texts. */
  readonly sourcesFd?: number
  /** The files that a prompt file instead of a spec may include. */
  readonly permissions?: Pick<Permissions, 'grant'>
  readonly docroot?: string | undefined
  /** `--flows`. */
  readonly flows?: boolean | undefined
  /** For drawing only: flows are shown, and not enforced. */
  readonly ignoresFlows?: boolean
  /** Warnings are shown. */
  readonly isCheck?: boolean
  /** The values of params. Undefined: nothing will be run. */
  readonly given?: GivenOptions
}

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
  const loaded = async (entry: { path: string; text: string }, files: SourceFiles): Promise<Result<LoadedSpec>> => {
    // The parent has already checked tests and flows of what it hands over.
    const compiling = () => compile({ ...entry, files, given: given.value, checksTests: bootstrap === undefined })
    const checked = options.isCheck && entry.text.length > LONG_TEXT ? withDelayedOptimiser(compiling) : compiling()
    const compiled = bootstrap || options.ignoresFlows ? checked : await withFlows(checked, options)
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
    const entry = { path: entryPath, text: prompt.value }
    return loaded(entry, withText(files, entry.path, entry.text))
  }
  const text = prompt ?? files.read(entryPath)
  if (!text.ok) return text
  return loaded({ path: entryPath, text: text.value }, files)
}

// A check has ended before optimised code has paid for itself: with V8's optimiser delayed, one of 2,000 lines takes a tenth less of processor
// time. To reach the flag costs 3 ms, more than it saves in a short text. It is one of Node 20's V8; later versions print a warning for it.
const LONG_TEXT = 15_000
const withDelayedOptimiser = <T>(work: () => T): T => {
  if (!process.versions.v8.startsWith('11.')) return work()
  setFlagsFromString('--interrupt-budget=600000')
  const done = work()
  // The default: under another value Node refuses the caches of what is loaded later.
  setFlagsFromString('--interrupt-budget=67584')
  return done
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

/** The format that PLUMB_ERRORS selects. */
export const shown = (d: Diagnostic): string => toShown(d, process.env.PLUMB_ERRORS === 'json')

/** Reports all errors on stderr: diagnostics, or invalid params; warnings are for `check`. False: there are none. */
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
