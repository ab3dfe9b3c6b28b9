// An agent binding for plumb-agent; only for a program without errors.

import { agentConfig } from '../check/agent.js'
import { plainConfig } from '../check/config.js'
import { withPrefixes } from '../check/server.js'
import { bindingsOf, type Program } from '../compile.js'
import type { Span } from '../diagnostic/source.js'
import type { Bound, Scope } from '../names/names.js'
import type { AgentImplementation } from '../parse/ast.js'
import { JSON_TYPE, type Json, type Type } from '../types/type.js'
import type { ParamTexts } from './prompt-template.js'

export interface AgentPlan {
  readonly name: string
  readonly bound: Bound
  readonly input: Type
  readonly output: Type
  /** Ports of the signature: a second input, a second output. */
  readonly hasControl: boolean
  readonly hasTelemetry: boolean
  /**
   * Servers in `mcp` that were given by name have that name as their `prefix`, if no other. `template` holds the `ParamTexts` of the file,
   * or stays true if one has no value.
   */
  readonly config: { readonly [key: string]: Json }
  /** The file that declares it: its paths are relative to that. */
  readonly specPath: string
  readonly description?: string
  readonly span: Span
}

/** The agents of the named file, and of the modules it uses as `Module.name`. */
export const agentsOf = (program: Program): AgentPlan[] =>
  bindingsOf(program)
    .filter(({ bound }) => bound.binding.impl.kind === 'agent')
    .map(({ name, bound }) => agentOf(bound, name))

/** Whether any of its agents, in whatever module, has a limit that all of its processes in a run share. */
export const hasAgentLimits = ({ scopes }: Program): boolean =>
  scopes
    .flatMap(({ bindings }) => [...bindings.values()])
    .filter(({ binding }) => binding.impl.kind === 'agent')
    .map((bound) => agentOf(bound).config)
    .some(({ max_cost, rate }) => max_cost !== undefined || rate !== undefined)

export const agentOf = (bound: Bound, name = bound.name): AgentPlan => {
  const { impl } = bound.binding
  return {
    name,
    bound,
    input: bound.inputs[0] ?? JSON_TYPE,
    output: bound.outputs[0] ?? JSON_TYPE,
    hasControl: bound.inputs.length > 1,
    hasTelemetry: bound.outputs.length > 1,
    config: impl.kind === 'agent' ? configOf(impl, bound) : {},
    specPath: bound.scope.module.path,
    span: bound.binding.name.span,
    ...(bound.description === undefined ? {} : { description: bound.description }),
  }
}

/** It is elsewhere, and speaks A2A. */
export const isRemote = (bound: Bound): boolean => agentOf(bound).config.a2a !== undefined

const PERSON = 'person'

/** Its model is a person, and nothing but its messages is wired. `provider`: of the command line, before what the spec says. */
export const asksPerson = (bound: Bound, provider?: string): boolean => {
  const { config, hasControl, hasTelemetry } = agentOf(bound)
  const isProgram = config.command !== undefined || config.via !== undefined || config.a2a !== undefined
  return !isProgram && !hasControl && !hasTelemetry && (provider ?? config.provider) === PERSON
}

const configOf = (impl: AgentImplementation, { scope }: Bound): AgentPlan['config'] => {
  const config = plainConfig(agentConfig(impl, scope))
  if (config.template === true) config.template = paramTexts(scope) ?? true
  return config.mcp === undefined ? config : { ...config, mcp: withPrefixes(impl, config.mcp) }
}

/** Undefined: one of them has no value yet. */
const paramTexts = ({ params }: Scope): ParamTexts | undefined => {
  const texts = [...params.values()].map(({ name, text }) => [name, text] as const)
  return texts.some(([, text]) => text === undefined) ? undefined : (Object.fromEntries(texts) as ParamTexts)
}
