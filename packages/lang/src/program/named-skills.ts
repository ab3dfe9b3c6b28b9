// The folders of skills that an agent names, each with its place in the spec.

import { readValue } from '../check/value.js'
import type { Program } from '../compile.js'
import { ignore } from '../diagnostic/diagnostic.js'
import type { Span } from '../diagnostic/source.js'
import type { Bound } from '../names/names.js'
import { agentOf } from './agent-plan.js'

export interface NamedSkills {
  readonly agent: string
  /** The spec that names them. */
  readonly from: string
  /** As written: relative to the directory of `from`. */
  readonly paths: readonly { readonly path: string; readonly span: Span }[]
  /** Whether the agent has a tool of that name, or may have it of a server. */
  readonly hasTool: (name: string) => boolean
}

/** Undefined: it names none, or none that is known yet. Only for a program without errors. */
export const skillsNamedBy = (bound: Bound): NamedSkills | undefined => {
  const { impl } = bound.binding
  if (impl.kind !== 'agent') return undefined
  const value = impl.config.entries.find(({ key }) => key.text === 'skills')?.value
  if (!value || readValue(value, bound.scope, ignore)?.isUnknown) return undefined
  const { config } = agentOf(bound)
  const paths = Array.isArray(config.skills) ? config.skills.filter((path) => typeof path === 'string') : []
  const items = value.kind === 'list' && value.items.length === paths.length ? value.items : undefined
  if (paths.length === 0) return undefined
  return {
    agent: bound.name,
    from: bound.scope.module.path,
    paths: paths.map((path, i) => ({ path, span: items?.[i]?.span ?? value.span })),
    hasTool: toolsHadBy(config),
  }
}

// What a server offers is known only once it runs.
const toolsHadBy = ({ tools, mcp }: ReturnType<typeof agentOf>['config']): NamedSkills['hasTool'] => {
  const names = new Set(Array.isArray(tools) ? tools : [])
  const hasServers = Array.isArray(mcp) && mcp.length > 0
  return (name) => names.has(name) || name === 'skill' || (hasServers && /^mcp__|:|__/.test(name))
}

/** Of all agents of a program. */
export const namedSkills = ({ scopes }: Program): readonly NamedSkills[] =>
  scopes.flatMap(({ bindings }) => [...bindings.values()].flatMap((bound) => skillsNamedBy(bound) ?? []))
