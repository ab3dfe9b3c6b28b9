// The tools that map calls: by plumb-tool in this process, or by another program. A run without such a map loads nothing of it.

import { type BasePlan, type Bound, type Graph, type GraphNode, partsOfPlan, toolOf } from '@plumb/lang'
import type { KeptParts } from '@plumb/tool/internal'
import {
  checkJson,
  type Deliveries,
  type Dispatcher,
  type Fault,
  fail,
  fault,
  isFault,
  parseJson,
  preview,
  type Reporter,
  type Result,
  succeed,
  type ToolAnswer,
} from '@plumb/wire'
import type { SpawnSettings } from '../child/agent-start.js'
import { placesOf } from '../event/wires.js'
import type { Called, MappedTool } from '../graph/morphism/calls.js'
import { findDocroot } from '../options/docroot.js'
import { answerKey, type RecordedOutcome } from '../record/resume/answers.js'
import { openMapApprovals } from './map-approvals.js'
import { callerOf, openToolSession } from './session.js'
import { openToolCommand } from './tool-command.js'

type CallNode = GraphNode & { readonly work: { readonly kind: 'call'; readonly bound: Bound } }

const mapsOfTools = (graph: Graph): CallNode[] => graph.nodes.filter((node): node is CallNode => node.work.kind === 'call')

export const mapsTools = (graph: Graph): boolean => mapsOfTools(graph).length > 0

/** One for each map of a tool. On failure nothing runs. */
export const openMappedTools = async (
  graph: Graph,
  settings: SpawnSettings,
  reporter: Reporter,
): Promise<Result<ReadonlyMap<GraphNode, MappedTool>, readonly Fault[]>> => {
  const places = placesOf(graph)
  const tools = new Map<GraphNode, MappedTool>()
  const faults: Fault[] = []
  for (const node of mapsOfTools(graph)) {
    const opened = await openMappedTool(node.work.bound, places.get(node) ?? node.name, settings, reporter)
    if (opened.ok) tools.set(node, opened.value)
    else faults.push(...opened.error.map((fault) => ({ ...fault, process: node.work.bound.name })))
  }
  if (faults.length === 0) return { ok: true, value: tools }
  for (const tool of tools.values()) void tool.close()
  return { ok: false, error: faults }
}

const openMappedTool = async (
  bound: Bound,
  place: string,
  settings: SpawnSettings,
  reporter: Reporter,
): Promise<Result<MappedTool, readonly Fault[]>> => {
  const { programs, lines } = settings.options
  const { name } = bound
  if (programs.tool !== undefined) {
    const report = (fault: Fault) => settings.report({ ...fault, process: name })
    const opened = openToolCommand({ program: programs.tool, maxLine: lines.maxLine, reporter, report })
    return opened.ok ? { ok: true, value: byProgram(name, place, opened.value, settings.deliveries) } : { ok: false, error: [opened.error] }
  }
  const { loadFunctions, openRegistry, perform } = await import('@plumb/tool/internal')
  const docroot = findDocroot(settings.docroot)
  // Naming it in a map declares it.
  const plan = { ...toolOf(bound), isExposed: true }
  const { registry, faults } = openRegistry([plan], settings.docroot, settings.standIn)
  const tool = registry.get(name)?.tool
  if (!docroot.ok || !tool || faults.length > 0) return { ok: false, error: [...(docroot.ok ? [] : [docroot.error]), ...faults] }
  const authority = settings.authoritySource.authorityForMaps
  const opened = await openMapApprovals(place, settings)
  if (!opened.ok) return { ok: false, error: [opened.error] }
  const approvals = opened.value
  const caller = callerOf({}, settings)
  const own = { name, place, docroot: docroot.value, authority, isApproved: false, caller, approvals }
  const begun = new Map<string, KeptParts>()
  const session = { ...(await openToolSession(own, settings, reporter)), partsOf: (id: string) => begun.get(id) }
  const functions = await loadFunctions([plan], session, settings.standIn)
  if (functions.faults.length > 0) {
    await session.servers.close()
    return { ok: false, error: functions.faults }
  }
  const stop = new AbortController()
  const running = new Set<Promise<unknown>>()
  let count = 0
  const keep = callsOf(bound) > 1 ? partsKeeper(place, settings) : undefined
  const idOf = approvals?.idOf ?? (() => `${place}-${++count}`)
  const call = async (input: string, seq: number): Promise<Called> => {
    if (stop.signal.aborted) return fail('cancelled', `'${name}' was not called: the run is ending`)
    const id = idOf(seq, input)
    const parts = keep?.(seq, input)
    if (parts) begun.set(id, parts)
    const skipped: Fault[] = []
    const leftOut = (fault: Fault) => void skipped.push(fault)
    const performed = perform(tool, input, { session, signal: stop.signal, id, delivery: settings.deliveries?.of(seq), leftOut })
    running.add(performed)
    try {
      const { result } = await performed
      return { ...result, ...(parts ? { call: parts.call } : {}), ...(skipped.length > 0 ? { skipped } : {}) }
    } catch (error) {
      return fail('internal', error instanceof Error ? (error.stack ?? error.message) : String(error))
    } finally {
      running.delete(performed)
      begun.delete(id)
    }
  }
  const close = async (): Promise<void> => {
    stop.abort()
    await Promise.allSettled(running)
    await session.servers.close()
  }
  return { ok: true, value: { call, passed: (input, seq) => approvals?.pass(seq, input), close } }
}

/** How many tools a call consists of; 2 or more: several, or as many as a list has elements. */
const callsOf = (bound: Bound): number => {
  const { body } = toolOf(bound)
  if (body.kind === 'chain') return callsIn(body.chain)
  return body.parts.length === 0 ? 1 : sum(body.parts.map(callsOf))
}

const callsIn = (chain: BasePlan): number => {
  const calls = chain.kind === 'named' ? callsOf(chain.bound) : sum(partsOfPlan(chain).map(callsIn))
  return chain.kind === 'each' || chain.kind === 'trace' ? 2 * calls : calls
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0)

/** The answers of another program are checked first: it is foreign. */
const byProgram = (name: string, place: string, program: Dispatcher, deliveries: Deliveries | undefined): MappedTool => {
  let count = 0
  return {
    call: async (input, seq) =>
      resultOf(name, await program.answer({ id: `${place}-${++count}`, name, input, delivery: deliveries?.of(seq) })),
    close: () => program.close(),
  }
}

const resultOf = (name: string, { content, is_error }: ToolAnswer): Result<string> => {
  const bytes = Buffer.from(content)
  const parsed = is_error ? parseJson(bytes, 0, bytes.length) : undefined
  if (!is_error) {
    const flaw = checkJson(bytes, 0, bytes.length)
    return flaw ? { ok: false, error: flaw } : succeed(content)
  }
  if (parsed?.ok && isFault(parsed.value)) return { ok: false, error: parsed.value }
  return { ok: false, error: fault('tool_crashed', `'${name}' failed: ${preview(content)}`) }
}

// The inner calls of a map's call: each is recorded with its result, and not made again when the run is resumed.
interface Begun extends KeptParts {
  /** The number of the call in the record. */
  readonly call: number
}

/** Undefined: nothing is recorded. */
const partsKeeper = (
  place: string,
  { resumed, emitter }: Pick<SpawnSettings, 'resumed' | 'emitter'>,
): ((seq: number, of: string) => Begun) | undefined => {
  if (!emitter) return undefined
  const before = resumed?.get(place)?.parts
  let last = before?.last ?? 0
  return (seq, of) => {
    const { call, outcomes } = before?.take(seq, of) ?? { call: ++last, outcomes: undefined }
    return {
      call,
      take: (tool, input) => {
        const outcome = outcomes?.get(answerKey(tool, input))?.shift()
        return outcome && recordedResult(outcome)
      },
      note: (tool, input, result) => emitter.emit({ kind: 'called_part', process: place, seq, of, call, tool, input, result }),
    }
  }
}

const recordedResult = (outcome: RecordedOutcome): Result<string> =>
  outcome.fault ? { ok: false, error: outcome.fault } : succeed(outcome.output)
