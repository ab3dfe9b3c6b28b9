// An agent with nothing left to compile.

import type { Effect } from '../check/rules.js'
import type { Type } from '../types/type.js'
import type { AgentPlan } from './agent-plan.js'
import { serverVariables } from './server-variables.js'
import { type ToolProtocol, toolProtocolOf } from './tool-protocol.js'

export interface CheckedAgent {
  /** Its selected name, `Module.name` for one of a module. */
  readonly name: string
  /** The name of `specPath` in messages. */
  readonly binding: string
  /** The file that declares it: its paths are relative to that. */
  readonly specPath: string
  readonly input: Type
  readonly output: Type
  /** Its signature has a second output. */
  readonly hasTelemetry: boolean
  readonly config: AgentPlan['config']
  readonly tools: readonly CheckedTool[]
  /** The environment variables with the secrets of its MCP servers. */
  readonly serverVariables: readonly string[]
  /** The order of its calls. Undefined: any. */
  readonly protocol?: ToolProtocol
  /** A secret may begin in its spec. For an agent that is run alone. */
  readonly hasSecrets?: boolean
}

/** The effects of a call of a tool. */
export interface ToolEffects {
  readonly name: string
  readonly effects: readonly Effect[]
  readonly needsApproval: boolean
}

/** A tool as an agent calls it, without its implementation. */
export interface CheckedTool extends ToolEffects {
  readonly description: string
  readonly input: Type
  readonly output: Type
  /** The tools that it calls, directly or indirectly. */
  readonly parts: readonly ToolEffects[]
  /** After this time no answer can be expected. */
  readonly timeoutMs: number
}

/** `tools`: undefined if the program has errors, so that only the configuration can be checked. */
export const checkedAgent = (plan: AgentPlan, tools: readonly CheckedTool[] | undefined): CheckedAgent => ({
  ...(tools ? protocolIn(plan) : {}),
  name: plan.name,
  binding: plan.bound.name,
  specPath: plan.specPath,
  input: plan.input,
  output: plan.output,
  hasTelemetry: plan.hasTelemetry,
  config: plan.config,
  tools: tools ?? [],
  serverVariables: tools ? serverVariables(plan.bound) : [],
})

const protocolIn = ({ bound }: AgentPlan): Pick<CheckedAgent, 'protocol'> => {
  const protocol = toolProtocolOf(bound)
  return protocol ? { protocol } : {}
}
