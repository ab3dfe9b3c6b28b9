// The environment variables that a binding's MCP servers use as secrets, at any depth: the process that opens them needs these.

import type { Bound } from '../names/names.js'
import type { Json } from '../types/type.js'
import { agentOf } from './agent-plan.js'
import { reachedFrom } from './reach.js'
import { toolOf } from './tool-plan.js'

const KEYS = ['token_env', 'client_id_env', 'client_secret_env'] as const

/** Those of agents elsewhere too. Of an agent, a plumb or a tool, without those of prompt files; each once. */
export const serverVariables = (bound: Bound): readonly string[] => [
  ...new Set([...reachedFrom(bound)].flatMap((one) => [...serversOf(one), ...remoteOf(one)]).flatMap(variablesOf)),
]

/** The MCP servers of one agent or tool. */
export const serversOf = (bound: Bound): readonly Json[] => {
  const { kind } = bound.binding.impl
  if (kind === 'agent') {
    const { mcp } = agentOf(bound).config
    return Array.isArray(mcp) ? mcp : []
  }
  if (kind !== 'tool') return []
  const { body } = toolOf(bound)
  return body.kind === 'tool' && body.config.mcp !== undefined ? [body.config.mcp] : []
}

/** An agent elsewhere has keys as a server has. */
const remoteOf = (bound: Bound): readonly Json[] => {
  if (bound.binding.impl.kind !== 'agent') return []
  const { config } = agentOf(bound)
  return config.a2a === undefined ? [] : [config as Json]
}

const variablesOf = (server: Json): string[] => {
  if (typeof server !== 'object' || server === null) return []
  const config = server as { readonly [key: string]: Json }
  const { headers_env } = config
  const ofHeaders = typeof headers_env === 'object' && headers_env !== null ? Object.values(headers_env) : []
  return [...KEYS.map((key) => config[key]), ...ofHeaders].filter((name) => typeof name === 'string')
}
