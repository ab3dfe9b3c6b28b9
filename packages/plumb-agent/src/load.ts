// From the command line to the agent that it means: the spec read, compiled and searched.

import { type AgentPlan, agentsOf, compile, type Diagnostic, hasErrors, STANDARD_LIBRARY } from '@plumb/lang'
import { bundledFiles, diskFiles, type Fault, fault, readBundle, type SourceFiles } from '@plumb/wire'
import type { Options } from './options.js'
import { foldersOf } from './prompts.js'
import { selectAgent } from './select-agent.js'

export interface Loaded {
  /** Also where there are errors, so that the configuration can be looked at too; undefined when it cannot be told which agent is meant. */
  readonly plan: AgentPlan | undefined
  /** Empty unless one is an error: warnings are for `plumb check`. */
  readonly diagnostics: readonly Diagnostic[]
  readonly faults: readonly Fault[]
}

export const loadAgent = (
  { spec, agent, sourcesFd }: Pick<Options, 'spec' | 'agent' | 'sourcesFd'>,
  searchPath: string | undefined,
): Loaded => {
  const files = openFiles(sourcesFd, searchPath)
  if (!files) return refuse(fault('fd_invalid', `--sources-fd ${sourcesFd} holds no sources`))
  const text = spec.kind === 'text' ? ({ ok: true, value: spec.text } as const) : files.read(spec.path)
  if (!text.ok) return refuse(text.error)

  const { diagnostics, program } = compile({ path: spec.kind === 'text' ? '<eval>' : spec.path, text: text.value }, files)
  const isBroken = hasErrors(diagnostics)
  const selected = selectAgent(agentsOf(program), agent)
  const faults = selected.ok || isBroken ? [] : [selected.error]
  return { plan: selected.ok ? selected.value : undefined, diagnostics: isBroken ? diagnostics : [], faults }
}

const openFiles = (sourcesFd: number | undefined, searchPath: string | undefined): SourceFiles | undefined => {
  if (sourcesFd === undefined) return diskFiles(foldersOf(searchPath), STANDARD_LIBRARY)
  const bundle = readBundle(sourcesFd)
  return bundle && bundledFiles(bundle)
}

const refuse = (error: Fault): Loaded => ({ plan: undefined, diagnostics: [], faults: [error] })
