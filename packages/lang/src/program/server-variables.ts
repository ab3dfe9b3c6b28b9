// The environment variables that a binding's MCP servers use as secrets, at any depth: the process that opens them needs these.

import type { Bound } from '../names/names.js'
import type { Json } from '../types/type.js'
import { agentOf } from './agent-plan.js'
import { reachedFrom } from './reach.js'
import { toolOf } from './tool-plan.js'

const KEYS = ['token_env', 'client_id_env', 'client_secret_env'] as const

/** Of an agent, a plumb or a tool, without those of prompt files; each once. */
export const serverVariables = (bound: Bound): readonly string[] => [
  ...new Set([...reachedFrom(bound)].flatMap(serversOf).flatMap(variablesOf)),
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

const variablesOf = (server: Json): string[] => {
  if (typeof server !== 'object' || server === null) return []
  const config = server as { readonly [key: string]: Json }
  const { headers_env } = config
  const ofHeaders = typeof headers_env === 'object' && headers_env !== null ? Object.values(headers_env) : []
  return [...KEYS.map((key) => config[key]), ...ofHeaders].filter((name) => typeof name === 'string')
}
