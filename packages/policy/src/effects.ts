// The effects that a tool may have, derived from what it is made of; its own `effects:` can only add to them
// (plumb-tools(7), What may be done).

import { agentOf, agentTools, type Bound, boundsCalled, type Json, planOf, type ToolBody, type ToolPlan, toolOf } from '@plumb/lang'
import { EFFECTS, type Effect } from './authority.js'
import { builtinEffects } from './builtin-effects.js'

/** In the order of the table in plumb-tools(7). */
export const effectsOf = (plan: ToolPlan): readonly Effect[] => {
  const collector = new Collector()
  collector.addTool(plan)
  return EFFECTS.filter((effect) => collector.effects.has(effect))
}

class Collector {
  readonly effects = new Set<Effect>()
  /** An agent may call a tool that runs that agent. */
  readonly #seen = new Set<Bound>()

  addTool({ bound, body }: ToolPlan): void {
    if (this.#seen.has(bound)) return
    this.#seen.add(bound)
    if (body.kind === 'tool') return this.#addSource(body)
    for (const called of boundsCalled(body.chain)) this.addTool(toolOf(called))
  }

  #addSource({ source, config, process, parts }: Extract<ToolBody, { kind: 'tool' }>): void {
    this.#add(...ownEffects(source, config))
    this.#add(...((config.effects ?? []) as readonly Effect[]))
    for (const part of parts) this.addTool(toolOf(part))
    if (process?.kind === 'bound') this.#addProcess(process.bound)
  }

  #addProcess(bound: Bound): void {
    if (this.#seen.has(bound)) return
    this.#seen.add(bound)
    for (const { work } of planOf(bound).nodes) {
      if (work.kind === 'agent') this.#addAgent(work.bound)
      else if (work.kind === 'plumb') this.#addProcess(work.bound)
      else if (work.kind === 'call') this.addTool(toolOf(work.bound))
    }
  }

  #addAgent(bound: Bound): void {
    const { config } = agentOf(bound)
    if (config.command !== undefined || config.via !== undefined) this.#add('exec')
    if (config.a2a !== undefined) this.#add('net', 'model')
    for (const server of Array.isArray(config.mcp) ? config.mcp : []) this.#add(...serverEffects(server))
    for (const tool of agentTools(bound)) this.addTool(tool)
  }

  #add(...effects: readonly Effect[]): void {
    for (const effect of effects) this.effects.add(effect)
    // Private addresses are part of the net.
    if (effects.includes('net.private')) this.effects.add('net')
  }
}

type Source = Extract<ToolBody, { kind: 'tool' }>['source']
type Config = Extract<ToolBody, { kind: 'tool' }>['config']

const ownEffects = (source: Source, config: Config): readonly Effect[] => {
  switch (source) {
    case 'command':
    case 'function':
      return ['exec']
    case 'mcp':
      return serverEffects(config.mcp)
    case 'process':
      return ['model']
    // It may use files of its own; any other effect is in its `effects`.
    case 'agent':
      return ['fs.read', 'model']
    case 'builtin':
      return builtinEffects(String(config.builtin))
    case 'spy':
      return config.record === undefined ? [] : ['fs.write']
    default:
      return []
  }
}

const serverEffects = (server: Json | undefined): readonly Effect[] =>
  typeof server === 'object' && server !== null && 'command' in server ? ['exec'] : ['net']
