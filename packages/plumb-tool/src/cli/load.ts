// Loads the checked program that the command line names, with its texts.

import { normalize, resolve } from 'node:path'
import { compile, errorsOf, givenTexts, hasAgentLimits, hasErrors, type Program, STANDARD_LIBRARY, showDiagnostics } from '@plumb/lang'
import { joinBudget, openOwnBudget } from '@plumb/ledger'
import { withFlows } from '@plumb/policy'
import {
  type Bootstrap,
  bundledFiles,
  diskFiles,
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
import { reachOf } from '../source/agent/prompt-reach.js'
import { builtinProgram } from '../source/builtin/declarations.js'
import type { CliOptions } from './options.js'

export interface LoadedProgram {
  readonly program: Program
  readonly files: SourceFiles
  /** The authority from a parent. Undefined: none was given. */
  readonly bootstrap: Bootstrap | undefined
  /** The files of the spec, absolute; empty if the text is not from a file. */
  readonly paths: readonly string[]
}

/** Undefined: errors were reported. */
export const loadProgram = async (
  { spec, program: said, permissions }: CliOptions,
  reporter: Reporter,
): Promise<LoadedProgram | undefined> => {
  const { sourcesFd, budgetFd, flows } = said
  const budget = budgetFd === undefined ? succeed(undefined) : joinBudget(budgetFd)
  if (!budget.ok) return refuse(budget, reporter)
  const opened = open(sourcesFd)
  if (!opened.ok) return refuse(opened, reporter)
  const { files, bootstrap } = opened.value
  if (spec.kind === 'none') return { program: builtinProgram(), files, bootstrap, paths: [] }
  const path = spec.kind === 'text' ? EVAL_PATH : bootstrap ? spec.path : normalize(spec.path)
  // A prompt file is converted to a spec.
  const isPrompt = spec.kind === 'file' && !bootstrap && /\.(chatmd|md)$/i.test(path)
  const made = isPrompt
    ? (await import('../source/agent/prompt-program.js')).promptAsSpec(
        path,
        reachOf({ grants: permissions.grant, docroot: permissions.docroot }),
      )
    : undefined
  const text = spec.kind === 'text' ? succeed(spec.text) : (made ?? files.read(path))
  if (!text.ok) return refuse(text, reporter)
  const given = readGivenValues(said, bootstrap?.bundle)
  if (!given.ok) return refuse(given, reporter)
  const checked = compile({ path, text: text.value, files, given: given.value })
  // The parent has already checked what it hands over.
  const compiled = bootstrap ? checked : await withFlows(checked, { flows })
  const { diagnostics, program } = compiled
  if (hasErrors(diagnostics)) {
    showDiagnostics(errorsOf(diagnostics), reporter, process.env.PLUMB_ERRORS === 'json')
    reporter.status = 2
    return undefined
  }
  for (const fault of compiled.faults) reporter.report(fault)
  if (compiled.faults.length > 0) return undefined
  const own = openOwnBudget(hasAgentLimits(program))
  if (!own.ok) return refuse(own, reporter)
  const paths = program.scopes.map(({ module }) => module.path).filter((name) => !name.startsWith('<'))
  return {
    program,
    files: withParams(withText(files, path, text.value), givenTexts(compiled.params)),
    bootstrap,
    paths: paths.map((name) => resolve(name)),
  }
}

const EVAL_PATH = '<eval>'

const open = (sourcesFd: number | undefined): Result<{ files: SourceFiles; bootstrap: Bootstrap | undefined }> => {
  if (sourcesFd === undefined) return succeed({ files: diskFiles(searchPath(), STANDARD_LIBRARY), bootstrap: undefined })
  const bootstrap = openBootstrap(sourcesFd)
  return bootstrap.ok ? succeed({ files: bundledFiles(bootstrap.value.bundle), bootstrap: bootstrap.value }) : bootstrap
}

const refuse = (result: { readonly ok: false; readonly error: Parameters<Reporter['report']>[0] }, reporter: Reporter): undefined => {
  reporter.report(result.error)
  return undefined
}
