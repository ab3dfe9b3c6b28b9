// The tools that clients are offered now, without those that are not granted or that the policy denies.

import { isOffered } from '@plumb/policy'
import { type Fault, fault, nearest, preview, type Result, succeed } from '@plumb/wire'
import type { ServerAuthority } from '../grant.js'
import type { PromptDirectory } from '../prompts/directory.js'
import type { Prompt } from '../prompts/prompt.js'
import type { ServedTool } from '../tools/served-tool.js'

export interface Catalogue {
  tools(): readonly ServedTool[]
  tool(name: string): Result<ServedTool>
  prompts(): readonly Prompt[]
}

/** Prompts come last: a prompt with the name of a tool is not served. */
export const openCatalogue = (
  fixed: readonly ServedTool[],
  directory: () => PromptDirectory | undefined,
  authority: ServerAuthority,
): Catalogue => {
  const named = new Map(fixed.map((tool) => [tool.name, tool]))
  const prompts = () => [...(directory()?.prompts.values() ?? [])]
  const find = (name: string): ServedTool | undefined => named.get(name) ?? directory()?.prompts.get(name)?.tool
  const isServed = ({ name: tool, effects }: ServedTool): boolean => isOffered({ tool, effects }, authority, Date.now())
  const tools = () => [...fixed, ...prompts().flatMap(({ name, tool }) => (named.has(name) ? [] : [tool]))].filter(isServed)
  return {
    tools,
    tool: (name) => {
      const found = find(name)
      if (!found) return { ok: false, error: unknown(name, tools()) }
      return isServed(found) ? succeed(found) : { ok: false, error: notServed(found, authority) }
    },
    prompts,
  }
}

/** Two tools of one name. */
export const clashes = (tools: readonly ServedTool[]): readonly Fault[] => {
  const seen = new Set<string>()
  return tools.flatMap(({ name }) => {
    if (!seen.has(name)) seen.add(name)
    else return [fault('duplicate_name', `two tools are named '${preview(name)}': specs and built-in tools share one list, rename one`)]
    return []
  })
}

/** What would allow it to be served. */
export const notServed = ({ name, effects }: ServedTool, { grant }: ServerAuthority): Fault => {
  const missing = effects.filter((effect) => !grant.includes(effect))
  if (missing.length === 0) return fault('permission_denied', `the policy allows no use of the tool '${name}' now`, { tool: name })
  const has = `has the effect${missing.length === 1 ? '' : 's'} ${missing.join(', ')}`
  return fault('permission_denied', `tool '${name}' is not served, since it ${has}: start with --grant ${missing.join(',')}`, {
    tool: name,
  })
}

const unknown = (name: string, tools: readonly ServedTool[]): Fault => {
  const near = nearest(
    name,
    tools.map((tool) => tool.name),
  )
  return fault('unknown_tool', `no tool is named '${preview(name)}'${near === undefined ? '' : `, did you mean '${near}'?`}`)
}
