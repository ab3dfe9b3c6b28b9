// Loads the agent that the command line names: reads and compiles the spec, and finds the agent.

import {
  type AgentPlan,
  agentsOf,
  agentTools,
  type CheckedAgent,
  checkedAgent,
  compile,
  type Diagnostic,
  givenTexts,
  hasErrors,
  readAgent,
  STANDARD_LIBRARY,
} from '@plumb/lang'
import { withFlows } from '@plumb/policy'
import { checkedTool } from '@plumb/tool/call/checked-tool'
import {
  type Bundle,
  bundledFiles,
  diskFiles,
  type Fault,
  fail,
  nearest,
  openBootstrap,
  preview,
  type Result,
  readGivenValues,
  readSpec,
  type SourceFiles,
  succeed,
  withParams,
  withText,
} from '@plumb/wire'
import type { AgentOptions } from '../options.js'
import { directoriesOf } from './prompts.js'

/** Texts and authority from a parent. */
export interface InheritedSpec {
  readonly bundle: Bundle
  readonly authority: unknown
  /** The agent's plan, if the parent has checked it. */
  readonly agent?: unknown
  /** The tools of the agent's MCP servers, if they were opened elsewhere. */
  readonly mcpTools?: unknown
  readonly onAuthority?: (listener: (authority: unknown) => void) => void
}

export interface LoadedAgent {
  /** Returned even with errors, so that the configuration can be checked too. Undefined if it is unknown which agent is meant. */
  readonly agent: CheckedAgent | undefined
  /** The compiled texts, including an inline one. */
  readonly files: SourceFiles
  readonly given: InheritedSpec | undefined
  /** Reads files that the spec names: from the parent's texts, else from the disk. */
  readonly readText: (path: string) => Result<string>
  /** Handed over by a parent, or already read. */
  readonly holds: (path: string) => boolean
  /** Empty unless one is an error: warnings are for `plumb check`. */
  readonly diagnostics: readonly Diagnostic[]
  readonly faults: readonly Fault[]
}

const EVAL_PATH = '<eval>'

export const loadAgent = async (
  { spec, agent, sourcesFd, flows, ...values }: Pick<AgentOptions, 'spec' | 'agent' | 'sourcesFd' | 'set' | 'setFile' | 'flows'>,
  received: InheritedSpec | undefined,
  searchPath: string | undefined,
): Promise<LoadedAgent> => {
  const given = received || sourcesFd === undefined ? succeed(received) : openBootstrap(sourcesFd)
  const disk = diskFiles(directoriesOf(searchPath), STANDARD_LIBRARY)
  if (!given.ok) return refuse(given.error, disk)
  const files = given.value ? bundledFiles(given.value.bundle) : disk
  const readText = (name: string): Result<string> => {
    const held = given.value ? files.read(name) : undefined
    return held?.ok ? held : readSpec(name)
  }
  const holds = (name: string): boolean => given.value !== undefined && files.read(name).ok
  const base = { given: given.value, readText, holds }
  if (given.value?.agent !== undefined) {
    const checked = readAgent(given.value.agent)
    return checked.ok ? { ...base, agent: checked.value, files, diagnostics: [], faults: [] } : refuse(checked.error, files)
  }
  const path = spec.kind === 'file' ? spec.path : spec.kind === 'text' ? (spec.path ?? EVAL_PATH) : (given.value?.bundle.entry ?? '')
  const text = spec.kind === 'text' ? succeed(spec.text) : files.read(path)
  if (!text.ok) return refuse(text.error, files)

  const params = readGivenValues(values, given.value?.bundle)
  if (!params.ok) return refuse(params.error, files)
  const checked = compile({ path, text: text.value, files, given: params.value })
  // The parent has checked what it hands over to a child, but not what it sends elsewhere.
  const compiled = sourcesFd === undefined ? await withFlows(checked, { flows }) : checked
  const { diagnostics, program } = compiled
  const isBroken = hasErrors(diagnostics) || compiled.faults.length > 0
  const selected = selectAgent(agentsOf(program), agent)
  return {
    ...base,
    agent: selected.ok ? checkedAgent(selected.value, isBroken ? undefined : agentTools(selected.value.bound).map(checkedTool)) : undefined,
    files: withParams(withText(files, path, text.value), givenTexts(compiled.params)),
    diagnostics: isBroken ? diagnostics : [],
    faults: hasErrors(diagnostics) ? [] : isBroken ? compiled.faults : selected.ok ? [] : [selected.error],
  }
}

const refuse = (error: Fault, files: SourceFiles): LoadedAgent => ({
  agent: undefined,
  files,
  given: undefined,
  readText: readSpec,
  holds: () => false,
  diagnostics: [],
  faults: [error],
})

/** The one that `--agent` names, else the only one of the file; agents of modules are found only as `Module.name`. */
const selectAgent = (agents: readonly AgentPlan[], name: string | undefined): Result<AgentPlan> => {
  if (name !== undefined) {
    const named = agents.find((agent) => agent.name === name)
    return named ? succeed(named) : fail('unknown_name', `no agent is named '${preview(name)}'${hint(name, agents)}`)
  }
  const own = agents.filter((agent) => !agent.name.includes('.'))
  const [only] = own
  if (only && own.length === 1) return succeed(only)
  if (only) return fail('spec_invalid', `the spec holds several agents, ${list(own)}; choose one with --agent`)
  const elsewhere = agents.length > 0 ? `; choose one of its modules' with --agent: ${list(agents)}` : ''
  return fail('spec_invalid', `the spec holds no agent${elsewhere}`)
}

const hint = (name: string, agents: readonly AgentPlan[]): string => {
  const near = nearest(
    name,
    agents.map((agent) => agent.name),
  )
  if (near !== undefined) return `, did you mean '${near}'?`
  return agents.length > 0 ? `; there are ${list(agents)}` : '; the spec holds none'
}

const list = (agents: readonly AgentPlan[]): string => agents.map(({ name }) => `'${name}'`).join(', ')
