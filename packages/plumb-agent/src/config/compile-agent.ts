// Compiles the spec of an agent that no parent has checked, and finds the agent in it. It and the compiler are loaded only then, and for a
// prompt that is a template.

import {
  type AgentPlan,
  agentsOf,
  agentTools,
  boundsCalled,
  type CheckedAgent,
  checkedAgent,
  compile,
  conversationKey,
  type Diagnostic,
  givenTexts,
  hasErrors,
  type KeyReader,
  mayHoldSecrets,
  skillsNamedBy,
  type ToolPlan,
} from '@plumb/lang'
import { withFlows } from '@plumb/policy'
import { checkedTool } from '@plumb/tool/source/checked-tool'
import { besideSpec, type Fault, fail, nearest, preview, type Result, type SourceFiles, succeed, withParams, withText } from '@plumb/wire'
import type { GivenValues } from '@plumb/wire/given-values'
import type { AgentOptions } from '../options.js'

export { fillTemplate } from '@plumb/lang'

interface Source {
  readonly path: string
  readonly text: string
  readonly files: SourceFiles
  readonly params: GivenValues
  /** A parent has checked what it hands over to a child, but not what it sends elsewhere. */
  readonly isOfParent: boolean
  /** Its skills are not on this machine, and were checked where they are. */
  readonly isSentHere: boolean
  /** Whether its tools can be loaded is found too, which else their dispatcher finds. */
  readonly checksTools: boolean
  /** That of its tools, whose functions are asked what they say of themselves. Undefined: they are not. */
  readonly docroot: string | undefined
}

export interface CompiledAgent {
  /** Returned even with errors, so that the configuration can be checked too. Undefined if it is unknown which agent is meant. */
  readonly agent: CheckedAgent | undefined
  /** Undefined: it does not keep several conversations. */
  readonly conversationKey: KeyReader | undefined
  /** The compiled texts, including an inline one. */
  readonly files: SourceFiles
  /** Empty unless one is an error: warnings are for `plumb check`. */
  readonly diagnostics: readonly Diagnostic[]
  readonly faults: readonly Fault[]
}

export const compileAgent = async (
  { path, text, files, params, isOfParent, isSentHere, checksTools, docroot }: Source,
  { agent, flows }: AgentOptions['program'],
): Promise<CompiledAgent> => {
  const checked = compile({ path, text, files, given: params })
  const compiled = isOfParent ? checked : await withFlows(checked, { flows })
  const { program } = compiled
  const isWrong = hasErrors(compiled.diagnostics) || compiled.faults.length > 0
  const selected = selectAgent(agentsOf(program), agent)
  const ofSkills = selected.ok && !isWrong && !isSentHere ? await skillDiagnostics(selected.value) : []
  const diagnostics = [...compiled.diagnostics, ...ofSkills]
  const isBroken = isWrong || ofSkills.length > 0
  const unloadable = checksTools && selected.ok && !isBroken ? await unloadableTools(selected.value) : []
  const texts = withParams(withText(files, path, text), givenTexts(compiled.params))
  const tools = selected.ok && !isBroken ? agentTools(selected.value.bound) : []
  const loaded = docroot === undefined ? { plans: tools, faults: [] } : await loadFunctions(tools, texts, docroot)
  return {
    agent: selected.ok ? checkedOf(selected.value, isBroken ? undefined : loaded.plans) : undefined,
    conversationKey: selected.ok && !isBroken ? conversationKey(selected.value.bound) : undefined,
    files: texts,
    diagnostics: isBroken ? diagnostics : [],
    faults: hasErrors(diagnostics) ? [] : isBroken ? compiled.faults : selected.ok ? [...unloadable, ...loaded.faults] : [selected.error],
  }
}

const loadFunctions = async (plans: readonly ToolPlan[], files: SourceFiles, docroot: string) => {
  if (!plans.some(mayCallFunctions)) return { plans, faults: [] }
  const { loadFunctionsAlone } = await import('@plumb/tool/source/function/load-alone')
  return loadFunctionsAlone(plans, files, docroot)
}

const unloadableTools = async ({ bound }: AgentPlan): Promise<readonly Fault[]> => {
  const { findUnloadable } = await import('@plumb/tool/registry/unloadable')
  return findUnloadable(agentTools(bound)).map(({ fault }) => fault)
}

const mayCallFunctions = ({ body }: ToolPlan): boolean =>
  body.kind === 'chain' ? boundsCalled(body.chain).length > 0 : body.source === 'function' || body.parts.length > 0

/** Its skills are read again for the configuration; here they have a place. */
const skillDiagnostics = async ({ bound }: AgentPlan): Promise<readonly Diagnostic[]> => {
  const named = skillsNamedBy(bound)
  if (!named) return []
  const { loadSkills } = await import('@plumb/tool/source/skill/load-skills')
  const { errors } = loadSkills(named.paths.map(({ path }) => ({ named: path, path: besideSpec(path, named.from) })))
  return errors.map(({ index, message }) => ({
    severity: 'error',
    code: 'spec_invalid',
    message,
    span: (named.paths[index] as (typeof named.paths)[number]).span,
  }))
}

/** `tools`: undefined if the program has errors. */
const checkedOf = (plan: AgentPlan, tools: readonly ToolPlan[] | undefined): CheckedAgent => ({
  ...checkedAgent(plan, tools?.map(checkedTool)),
  hasSecrets: tools !== undefined && mayHoldSecrets(plan.bound.scope),
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
