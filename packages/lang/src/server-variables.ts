// The environment variables that a binding's MCP servers name as their secrets, however deep in it: whoever opens them needs those.

import { agentOf } from './agent-plan.js'
import type { Bound } from './names.js'
import type { BasePlan } from './plan/base-plan.js'
import { planOf } from './plan/root.js'
import { agentTools, type ToolPlan, toolOf } from './tool-plan.js'
import type { Json } from './types/type.js'

const KEYS = ['token_env', 'client_id_env', 'client_secret_env'] as const

/** Of an agent, a plumb or a tool, without those of prompt files; each once. */
export const serverVariables = (bound: Bound): readonly string[] => {
  const found = new Set<string>()
  const seen = new Set<Bound>()
  const isNew = (bound: Bound): boolean => !seen.has(bound) && seen.add(bound) !== undefined
  const addServer = (server: Json | undefined): void => {
    if (typeof server !== 'object' || server === null) return
    for (const key of KEYS) {
      const name = (server as { readonly [key: string]: Json })[key]
      if (typeof name === 'string') found.add(name)
    }
  }
  const addTool = ({ bound, body }: ToolPlan): void => {
    if (!isNew(bound)) return
    if (body.kind === 'chain') return addChain(body.chain)
    addServer(body.config.mcp)
    for (const part of body.parts) addTool(toolOf(part))
    if (body.process?.kind === 'bound') addProcess(body.process.bound)
  }
  const addChain = (chain: BasePlan): void => {
    if (chain.kind === 'named') addTool(toolOf(chain.bound))
    else if (chain.kind === 'trace') addChain(chain.body)
    else if ('items' in chain) for (const item of chain.items) addChain(item)
  }
  const addAgent = (bound: Bound): void => {
    const { mcp } = agentOf(bound).config
    for (const server of Array.isArray(mcp) ? mcp : []) addServer(server)
    for (const tool of agentTools(bound)) addTool(tool)
  }
  const addProcess = (bound: Bound): void => {
    if (!isNew(bound)) return
    for (const { work } of planOf(bound).nodes) {
      if (work.kind === 'agent') addAgent(work.bound)
      else if (work.kind === 'plumb') addProcess(work.bound)
    }
  }
  if (bound.category === 'base') addTool(toolOf(bound))
  else addProcess(bound)
  return [...found]
}
