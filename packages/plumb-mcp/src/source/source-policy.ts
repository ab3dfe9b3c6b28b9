// What a client's own source may not do without a grant (plumb-mcp(1), Programs of the client):
// found in the checked program, before anything is started.
//
//   key                                          needs
//   command, via, env, key_command, function     exec, and *_env
//   endpoint, mcp { url }                        net.private
//   prompts, skills, script, agent, roots, record, sandbox { write }   a path below the docroot
//   any tool                                     the effects that it has

import { agentOf, agentTools, type Bound, type Json, type Program, type ToolPlan, toolOf } from '@plumb/lang'
import { type Effect, effectsOf } from '@plumb/policy'
import { besideSpec, type Fault, fault, isRecord } from '@plumb/wire'
import { realPathBelow } from './source-files.js'

export interface SourcePolicy {
  /** Absolute. */
  readonly docroot: string
  readonly grant: readonly Effect[]
}

export interface SourceCheck {
  /** Each says what is refused, and what would allow it. */
  readonly refusals: readonly Fault[]
  /** Real paths of prompt files that tools run: the policy applies to them too. */
  readonly prompts: readonly string[]
}

/** For a program without errors: checks all of its bindings, used or not, except the standard library's. */
export const checkSource = (program: Program, options: SourcePolicy): SourceCheck => {
  const inspector = new Inspector(options)
  for (const { module, bindings } of program.scopes) {
    if (isLibrary(module.path)) continue
    for (const bound of bindings.values()) inspector.look(bound)
  }
  return inspector
}

const isLibrary = (path: string): boolean => path.startsWith('<stdlib>/')

type Config = { readonly [key: string]: Json }

class Inspector implements SourceCheck {
  readonly refusals: Fault[] = []
  readonly prompts: string[] = []

  constructor(private readonly options: SourcePolicy) {}

  look(bound: Bound): void {
    if (bound.binding.impl.kind === 'agent') this.#lookAtAgent(bound)
    else if (bound.category === 'base') this.#lookAtTool(toolOf(bound))
  }

  #lookAtAgent(bound: Bound): void {
    const { config, specPath, name } = agentOf(bound)
    const who = `agent '${name}'`
    for (const key of ['command', 'via', 'env', 'key_command']) if (config[key] !== undefined) this.#need('exec', who, key)
    if (config.endpoint !== undefined) this.#need('net.private', who, 'endpoint')
    for (const server of listed(config.mcp)) this.#lookAtServer(who, server)
    for (const path of texts(config.prompts).filter((path) => path.includes('/'))) this.#reach(who, 'prompts', besideSpec(path, specPath))
    for (const path of texts(config.skills)) this.#reach(who, 'skills', besideSpec(path, specPath))
    for (const path of texts(config.script)) this.#reach(who, 'script', besideSpec(path, specPath))
    // Those of its own modules are checked where they are declared.
    for (const tool of agentTools(bound)) if (isLibrary(tool.bound.scope.module.path)) this.#needEffects(tool, who)
  }

  #lookAtTool(plan: ToolPlan): void {
    const who = `tool '${plan.name}'`
    if (plan.body.kind === 'tool') this.#lookAtConfig(plan, plan.body.config, who)
    this.#needEffects(plan, who)
  }

  #lookAtConfig(plan: ToolPlan, config: Config, who: string): void {
    for (const key of ['command', 'function']) if (config[key] !== undefined) this.#need('exec', who, key)
    if (config.mcp !== undefined) this.#lookAtServer(who, config.mcp)
    for (const path of texts(config.agent)) {
      const real = this.#reach(who, 'agent', besideSpec(path, plan.specPath))
      if (real !== undefined) this.prompts.push(real)
    }
    // Relative to the docroot, wherever the spec is.
    for (const directory of texts(Object.values(recordOf(config.roots)).map((root) => recordOf(root).path ?? root)))
      this.#reach(who, 'roots', directory)
    for (const directory of texts(recordOf(config.sandbox).write)) this.#reach(who, 'sandbox', directory)
    for (const file of texts(config.record)) {
      this.#need('fs.write', who, 'record')
      this.#reach(who, 'record', file, 'write')
    }
  }

  #lookAtServer(who: string, server: Json): void {
    const config = recordOf(server)
    if (config.command === undefined) this.#need('net.private', who, 'mcp')
    else this.#need('exec', who, 'mcp')
    for (const key of Object.keys(config).filter((key) => key.endsWith('_env'))) this.#need('exec', who, key)
  }

  #needEffects(plan: ToolPlan, who: string): void {
    for (const effect of effectsOf(plan)) {
      if (this.#isGranted(effect) || this.refusals.some((refusal) => refusal.who === who && refusal.effect === effect)) continue
      const tool = who === `tool '${plan.name}'` ? who : `${who} has the tool '${plan.name}', which`
      this.#refuse(who, `${tool} has the effect ${effect}`, effect)
    }
  }

  #need(effect: Effect, who: string, key: string): void {
    if (!this.#isGranted(effect)) this.#refuse(who, `${who} has '${key}'`, effect)
  }

  #isGranted(effect: Effect): boolean {
    const { grant } = this.options
    return grant.includes(effect) || (effect === 'net' && grant.includes('net.private'))
  }

  #refuse(who: string, what: string, effect: Effect): void {
    const remedy = `the server does not let its clients do that: it would have to be started with --grant ${effect}`
    this.refusals.push(fault('permission_denied', `${what}, and ${remedy}`, { who, effect }))
  }

  #reach(who: string, key: string, path: string, purpose: 'read' | 'write' = 'read'): string | undefined {
    const real = realPathBelow(this.options.docroot, path, purpose)
    if (real.ok) return real.value
    this.refusals.push({ ...real.error, detail: `${who} has '${key}': ${real.error.detail}` })
    return undefined
  }
}

const recordOf = (value: Json | undefined): Config => (isRecord(value) ? value : {})

const listed = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? value : value === undefined ? [] : [value])

const texts = (value: Json | undefined): readonly string[] => listed(value).filter((item) => typeof item === 'string')
