// The plan of a run by workers: the parts of the spec, their connections, and a fingerprint that equal copies of the spec share.

import { dirname, relative } from 'node:path'
import {
  agentOf,
  agentTools,
  asksPerson,
  type Bound,
  type Graph,
  type GraphNode,
  hasAgentLimits,
  planOf,
  type ToolPlan,
  toolOf,
} from '@plumb/lang'
import { type Part, partOf, partsOf } from '@plumb/lang/parts'
import { effectsOf } from '@plumb/policy'
import type { RunOptions } from '@plumb/runtime/options'
import { identityOfRun } from '@plumb/runtime/record'
import type { LoadedSpec } from '@plumb/runtime/spec'
import { type Fault, fail, fault, type Result, sha256Of, succeed } from '@plumb/wire'
import { PROTOCOL } from './schema.js'

type Source = Part['inputs'][number]

export interface Target {
  /** 0: an output of the whole run. */
  readonly part: number
  readonly port: number
}

export interface PlannedPart extends Pick<Part, 'id' | 'name' | 'kind' | 'isOneByOne' | 'holdsMessages'> {
  /** The names of all that is in it, in the order of the program. */
  readonly holds: readonly string[]
  /** The names of its ends in its process. */
  readonly inputs: readonly string[]
  readonly outputs: readonly { readonly name: string; readonly targets: readonly Target[] }[]
  /** All parts whose messages may come to it. */
  readonly above: readonly number[]
  /** It has effects that may not be repeated. */
  readonly hasEffects: boolean
  /** Each such call needs approval, and waits for it. */
  readonly parks: boolean
  /** Why its memory cannot move to another process; such a part must be pinned. */
  readonly isFixed: boolean
  /** It only computes expressions: no agent, no other process, no tool. */
  readonly isQuick: boolean
}

export interface RunPlan {
  readonly digest: string
  readonly parts: readonly PlannedPart[]
  /** Where an input goes. */
  readonly entrance: readonly Target[]
  /** The names of the outputs. */
  readonly outputs: readonly string[]
  /** Agents have limits of their own, which hold over all workers. */
  readonly hasAgentLimits: boolean
  /** From the number of a part that cannot move to the reason. */
  readonly refusals: ReadonlyMap<number, Fault>
}

/** `cannot_run`: no worker could run it. */
export const planRun = async (loaded: LoadedSpec, bound: Bound, graph: Graph, options: RunOptions): Promise<Result<RunPlan>> => {
  const inputs = graph.nodes.filter(({ work }) => work.kind === 'input')
  const [input] = inputs
  if (!input || inputs.length !== 1)
    return fail(
      'cannot_run',
      `'${bound.name}' has ${inputs.length} inputs, and a run by workers takes one: let each message say what it is`,
    )
  const refusal = uncountedIn(graph, options) ?? unknownIn(graph)
  if (refusal) return { ok: false, error: refusal }
  const parts = partsOf(graph)
  const refusals = new Map(
    parts.flatMap((part) => {
      const why = refusalOf(part.nodes, graph, options)
      return why ? [[part.id, why] as const] : []
    }),
  )
  const outputs = graph.nodes.filter(({ work }) => work.kind === 'output')
  const isSame = (a: Source, b: Source) => a.node === b.node && a.output === b.output
  const targetsOf = (source: Source): Target[] => [
    ...parts.flatMap((part) => part.inputs.flatMap((one, port) => (isSame(one, source) ? [{ part: part.id, port }] : []))),
    ...graph.edges.flatMap((edge) =>
      isSame({ node: edge.from, output: edge.output }, source) && outputs.includes(edge.to)
        ? [{ part: 0, port: outputs.indexOf(edge.to) }]
        : [],
    ),
  ]
  const above = new Map(parts.map((part) => [part.id, new Set<number>()]))
  const planned = parts.map((part) => {
    const { nodes } = partOf(graph, part)
    const names = (kind: 'input' | 'output') => nodes.filter(({ work }) => work.kind === kind).map(({ name }) => name)
    const exits = names('output')
    const { id, name, kind, isOneByOne, holdsMessages } = part
    const ends = part.outputs.map((source, i) => ({ name: exits[i] ?? '', targets: targetsOf(source) }))
    const parks =
      part.nodes.some(({ work }) => asks(work, options.agents.provider)) && !part.nodes.some((node) => hasEffects(node, asksFirst))
    const what = {
      isFixed: refusals.has(id),
      parks,
      hasEffects: !parks && part.nodes.some((node) => hasEffects(node)),
      isQuick: part.nodes.every(({ work }) => !SLOW.has(work.kind)),
    }
    const holds = part.nodes.map((node) => node.name)
    return { id, name, kind, isOneByOne, holdsMessages, holds, inputs: names('input'), outputs: ends, ...what }
  })
  for (let isNew = true; isNew; ) {
    isNew = false
    for (const { id, outputs } of planned) {
      for (const { part } of outputs.flatMap(({ targets }) => targets)) {
        const known = above.get(part)
        for (const one of [id, ...(above.get(id) ?? [])]) {
          if (!known || known.has(one)) continue
          known.add(one)
          isNew = true
        }
      }
    }
  }
  return succeed({
    digest: await digestOf(loaded, graph, options),
    parts: planned.map((part) => ({ ...part, above: [...(above.get(part.id) ?? [])] })),
    entrance: targetsOf({ node: input, output: 0 }),
    outputs: outputs.map(({ name }) => name),
    hasAgentLimits: options.agents.rates.length > 0 || hasAgentLimits(loaded.compiled.program),
    refusals,
  })
}

/** Lists the parts, for errors that name an unknown part. */
export const partsText = ({ parts }: RunPlan): string => `the spec has ${parts.map(({ id, name }) => `${id} (${name})`).join(', ')}`

const SLOW = new Set<GraphNode['work']['kind']>(['agent', 'plumb', 'call'])

// Names are relative to the spec: another machine has it in another directory.
const digestOf = async (loaded: LoadedSpec, graph: Graph, options: RunOptions): Promise<string> => {
  const { files, options: given } = await identityOfRun(loaded, graph, options)
  const directory = dirname(loaded.compiled.program.entry.module.path)
  const named = Object.entries(files).map(([path, hash]) => [relative(directory, path), hash] as const)
  const { binding, params = null, handed_on, agent_command, tool_command, provider, model } = given as Readonly<Record<string, unknown>>
  const sorted = named.sort(([a], [b]) => (a < b ? -1 : 1))
  const whole = [PROTOCOL, sorted, binding, params, handed_on, agent_command, tool_command, provider, model]
  return sha256Of(JSON.stringify(whole))
}

const uncountedIn = (graph: Graph, options: RunOptions): Fault | undefined => {
  const { maxCost, maxCalls, maxTotalTokens } = options.limits
  const uncounted = programIn(
    graph,
    options,
    [maxCost, maxCalls, maxTotalTokens].some((limit) => limit !== undefined),
  )
  if (uncounted !== undefined)
    return fault(
      'cannot_run',
      `'${uncounted}' is a program, and asks for no budget before it spends: no limit would hold over several workers`,
      {
        process: uncounted,
      },
    )
  return undefined
}

// No worker could tell when a message is done with.
const unknownIn = (graph: Graph): Fault | undefined => {
  for (const { name, work } of graph.nodes) {
    const within = work.kind === 'plumb' ? unknownIn(planOf(work.bound)) : undefined
    if (within) return within
    if (work.kind !== 'agent' || agentOf(work.bound).config.answers !== 'some') continue
    const why = `'${name}' answers only some of its messages, so no worker would know when one is done: let it write numbered lines, and say 'answers: "numbered"'`
    return fault('cannot_run', why, { process: name })
  }
  return undefined
}

const refusalOf = (nodes: readonly GraphNode[], graph: Graph, options: RunOptions): Fault | undefined => {
  for (const { name, work, inputs, outputs } of nodes) {
    if (work.kind === 'plumb' && remembersWithin(work.bound))
      return cannot(
        name,
        'is a plumb with an agent that remembers, a fold, a batch or a conversation in it; wire what is in it in the binding that is run',
      )
    if (work.kind === 'conversation') return cannot(name, 'is a conversation, and only the process that holds it knows how far it has come')
    if (work.kind !== 'agent') continue
    const { config } = agentOf(work.bound)
    if (config.max_messages !== undefined) return cannot(name, "counts its messages ('max_messages')")
    if (config.amnesiac === true) continue
    if (config.command !== undefined || config.a2a !== undefined || options.programs.agent !== undefined)
      return cannot(name, "is a program that may remember; 'amnesiac: true' says that it does not")
    const control = (port: { name: string }, i: number, side: 'to' | 'from') =>
      port.name.startsWith('ctrl') &&
      graph.edges.some((e) => (side === 'to' ? e.to.name === name && e.input === i : e.from.name === name && e.output === i))
    if (inputs.some((p, i) => control(p, i, 'to')) || outputs.some((p, i) => control(p, i, 'from')))
      return cannot(name, 'remembers, and its control is wired')
  }
  return undefined
}

const cannot = (name: string, why: string): Fault =>
  fault('cannot_run', `'${name}' cannot go on in another process: it ${why}; --pin PART=LABEL runs its part on one worker alone`, {
    process: name,
  })

/** The name of a foreign program whose spending is limited. Undefined: there is none. */
const programIn = (graph: Graph, options: RunOptions, isLimited: boolean): string | undefined => {
  for (const { name, work } of graph.nodes) {
    if (work.kind === 'plumb') {
      const within = programIn(planOf(work.bound), options, isLimited)
      if (within !== undefined) return within
    }
    if (work.kind !== 'agent') continue
    const { command, max_cost } = agentOf(work.bound).config
    const isProgram = command !== undefined || options.programs.agent !== undefined
    if (isProgram && (isLimited || max_cost !== undefined)) return name
  }
  return undefined
}

const remembersWithin = (bound: Bound): boolean =>
  planOf(bound).nodes.some(({ work }) => {
    if (work.kind === 'fold' || work.kind === 'batch' || work.kind === 'conversation') return true
    if (work.kind === 'plumb') return remembersWithin(work.bound)
    return work.kind === 'agent' && agentOf(work.bound).config.amnesiac !== true
  })

const READS = new Set<string>(['fs.read', 'model'])

/** `isLeftOut`: its effects are handled elsewhere. */
const hasEffects = ({ work }: GraphNode, isLeftOut: (tool: ToolPlan) => boolean = () => false): boolean => {
  const isSafe = (tool: ToolPlan) => isHarmless(tool) || isLeftOut(tool)
  if (work.kind === 'call') return !isSafe(toolOf(work.bound))
  if (work.kind === 'plumb') return planOf(work.bound).nodes.some((node) => hasEffects(node, isLeftOut))
  if (work.kind !== 'agent') return false
  const { mcp } = agentOf(work.bound).config
  return (Array.isArray(mcp) && mcp.length > 0) || agentTools(work.bound).some((tool) => !isSafe(tool))
}

/** It asks a person, or calls tools that need approval itself, not through a nested spec. */
const asks = (work: GraphNode['work'], provider: string | undefined): boolean => {
  if (work.kind === 'call') return asksFirst(toolOf(work.bound))
  if (work.kind !== 'agent') return false
  if (asksPerson(work.bound, provider)) return true
  const { command, via } = agentOf(work.bound).config
  return command === undefined && via === undefined && agentTools(work.bound).some(asksFirst)
}

const asksFirst = ({ body }: ToolPlan): boolean => body.kind === 'tool' && body.config.approval === 'ask'

// Its author declares it repeatable, or all its effects are reads.
const isHarmless = (tool: ToolPlan): boolean => {
  const { body } = tool
  const isRepeatable = body.kind === 'tool' && (body.config.retry !== undefined || body.config.idempotent === true)
  return isRepeatable || effectsOf(tool).every((effect) => READS.has(effect))
}
