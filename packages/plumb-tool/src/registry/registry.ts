// The callable tools by name: each made on first use, and checked before for visible errors.

import { type Bound, type ToolPlan, type ToolSchema, toolOf, toToolSchema } from '@plumb/lang'
import type { Effect } from '@plumb/policy'
import { effectsOf } from '@plumb/policy'
import { type Fault, fault, type Result } from '@plumb/wire'
import { secure } from '../call/secure.js'
import { settingsOf } from '../call/settings.js'
import type { Tool } from '../call/tool.js'
import { aliasedBuiltin } from '../source/builtin/table.js'
import { dependenciesOf } from '../source/dependency.js'
import { describedPlan } from '../source/described-plan.js'
import { type BareTool, makeTool, type SourceContext } from '../source/make.js'

export interface Registered {
  readonly plan: ToolPlan
  readonly effects: readonly Effect[]
  /** The input type as a model sees it. */
  readonly schema: ToolSchema
  /** With all its stages. */
  readonly tool: Tool
}

export interface Registry {
  /** Finds a tool; a built-in also by its aliases. */
  get(name: string): Registered | undefined
  list(): readonly Registered[]
  /** The name of a binding here, which for those of modules is `Module.name`. */
  nameOf(bound: Bound): string
  /** Bindings that exist but may not be called by name. */
  isInternal(name: string): boolean
}

export interface OpenedRegistry {
  readonly registry: Registry
  /** Errors of category `config`; with any of them nothing should be run. */
  readonly faults: readonly Fault[]
}

/** Replaces a tool wherever it is called. Undefined: the tool itself. */
export type StandIn = (plan: ToolPlan) => Tool | undefined

/**
 * `docroot`: the session's; default `.`. `plans` are those of one program or of several (`toolsOf`), or those of an agent (`agentTools`).
 * Starts nothing.
 */
export const openRegistry = (plans: readonly ToolPlan[], docroot?: string, standIn: StandIn = () => undefined): OpenedRegistry => {
  const entries = new Map<Bound, Entry>()
  const entryOf = (plan: ToolPlan): Entry => {
    const known = entries.get(plan.bound) ?? new Entry(plan, { resolve: (bound) => later(entryOf(toolOf(bound))), docroot }, standIn(plan))
    entries.set(plan.bound, known)
    return known
  }
  const all = plans.map(describedPlan).map((plan) => ({ plan, entry: entryOf(plan) }))
  const exposed = all.filter(({ plan }) => plan.isExposed)
  const byName = new Map(exposed.map(({ plan, entry }) => [plan.name, entry]))
  const internal = new Set(all.filter(({ plan }) => !plan.isExposed).map(({ plan }) => plan.name))
  const names = new Map(plans.map(({ bound, name }) => [bound, name]))

  const registry: Registry = {
    get: (name) => byName.get(name) ?? builtinCalled(name, byName),
    list: () => [...byName.values()],
    nameOf: (bound) => names.get(bound) ?? bound.name,
    isInternal: (name) => internal.has(name) && !byName.has(name),
  }
  const reachable = withParts(
    exposed.map(({ entry }) => entry),
    entryOf,
  )
  return { registry, faults: [...sameNames(exposed.map(({ plan }) => plan)), ...reachable.flatMap((entry) => entry.faults())] }
}

/** A built-in under one of its aliases. */
const builtinCalled = (name: string, byName: ReadonlyMap<string, Entry>): Entry | undefined => {
  const canonical = aliasedBuiltin(name)
  const entry = canonical === undefined ? undefined : byName.get(canonical)
  const body = entry?.plan.body
  return body?.kind === 'tool' && body.source === 'builtin' ? entry : undefined
}

class Entry implements Registered {
  #effects: readonly Effect[] | undefined
  #schema: ToolSchema | undefined
  #tool: Tool | undefined
  #made: Result<BareTool> | undefined

  constructor(
    readonly plan: ToolPlan,
    private readonly context: SourceContext,
    private readonly standIn: Tool | undefined,
  ) {}

  get effects(): readonly Effect[] {
    this.#effects ??= effectsOf(this.plan)
    return this.#effects
  }

  get schema(): ToolSchema {
    this.#schema ??= toToolSchema(this.plan.input)
    return this.#schema
  }

  get tool(): Tool {
    this.#tool ??= this.standIn ?? this.#make()
    return this.#tool
  }

  /** A chain was checked when it was compiled. */
  faults(): readonly Fault[] {
    if (this.plan.body.kind === 'chain' || this.standIn) return []
    return this.#bare.ok ? [] : [this.#bare.error]
  }

  // Checked once: it keeps what the check found.
  get #bare(): Result<BareTool> {
    this.#made ??= makeTool(this.plan, this.context)
    return this.#made
  }

  #make(): Tool {
    const { plan, effects } = this
    const made = this.#bare
    if (!made.ok) return failing(plan, made.error)
    const { targetsOf } = made.value
    return secure(made.value, { ...settingsOf(plan, effects), ...(targetsOf ? { targetsOf } : {}) })
  }
}

/** A part that is made when it is first called. */
const later = (entry: Entry): Tool => {
  const { name, input, output } = entry.plan
  return { name, input, output, run: (text, call) => entry.tool.run(text, call) }
}

const failing = ({ name, input, output }: ToolPlan, error: Fault): Tool => ({
  name,
  input,
  output,
  run: async () => ({ ok: false, error }),
})

/** Each once, with all its parts. */
const withParts = (entries: readonly Entry[], entryOf: (plan: ToolPlan) => Entry): readonly Entry[] => {
  const seen = new Set<Entry>()
  const waiting = [...entries]
  for (const entry of waiting) {
    if (seen.has(entry)) continue
    seen.add(entry)
    for (const bound of dependenciesOf(entry.plan)) if (bound.category === 'base') waiting.push(entryOf(toolOf(bound)))
  }
  return [...seen]
}

const sameNames = (plans: readonly ToolPlan[]): Fault[] => {
  const first = new Map<string, ToolPlan>()
  return plans.flatMap((plan) => {
    const other = first.get(plan.name)
    if (!other) first.set(plan.name, plan)
    if (!other || other.bound === plan.bound) return []
    return [fault('duplicate_name', `two tools are named '${plan.name}': one in '${other.specPath}', one in '${plan.specPath}'`)]
  })
}
