// What the runs of one test share: its program, the doubles of agents and tools, and their calls.

import { PassThrough } from 'node:stream'
import {
  type AgentPlan,
  agentOf,
  agentTools,
  type Bound,
  type Graph,
  type GraphNode,
  planOf,
  type Script,
  type Span,
  type TestPlan,
  toolProtocolOf,
} from '@plumb/lang'
import { narrow } from '@plumb/policy'
import {
  AuthoritySource,
  LET_GO_FD,
  openBoxes,
  openInProcessChild,
  type Spawned,
  type SpawnSettings,
  spawnAll,
  type ToolService,
} from '@plumb/runtime/child'
import { openEmitter, placesOf, type RunEvent } from '@plumb/runtime/event'
import type { MappedTool } from '@plumb/runtime/graph'
import { findDocroot, runOptions } from '@plumb/runtime/options'
import { keptPlaceOf } from '@plumb/runtime/record'
import { GraphRun, type GraphRunOptions } from '@plumb/runtime/run'
import { mapsTools, openMappedTools, openToolServices, openToolSession } from '@plumb/runtime/tools'
import type { Registry, Session } from '@plumb/tool/internal'
import { type Fault, fail, fault, Reporter, type Result, type SourceFiles } from '@plumb/wire'
import type { CallLog } from './call-log.js'
import { Carried } from './carried.js'
import { Doubles } from './doubles.js'
import { notRun, whyOutside, whyToolOutside } from './outside.js'
import { type RowWatch, type WatchedGraph, watchedGraph } from './row-watch.js'
import { ScriptPlayer } from './script-player.js'
import { startScriptedAgent } from './scripted-agent.js'
import { ScriptedWalks } from './scripted-walks.js'
import type { ModelSpending } from './spending.js'

/** Shared by all tests of a spec. */
export interface TestSetting {
  readonly files: SourceFiles
  readonly docroot: string | undefined
  /** Programs may run outside a sandbox, and models may be asked. */
  readonly isLive: boolean
  readonly provider: string | undefined
  readonly model: string | undefined
  /** A value of the output type of the script's subject, as JSON text. */
  readonly randomAnswer: (script: Script) => string
  readonly spending: ModelSpending
}

/** How a graph is run: its streams, and the receiver of its errors. */
export interface HostedRun extends Omit<GraphRunOptions, 'settings' | 'emitter' | 'spawn' | 'tools' | 'mapped'> {
  readonly onEvent?: (event: RunEvent) => void
  readonly watched?: Watched | undefined
  /** The place of a nested plumb within the test. */
  readonly place?: string | undefined
}

/** Of an evaluation: who is told what each of its inputs takes. */
interface Watched {
  readonly watch: RowWatch
  readonly graph: WatchedGraph
}

/** One for each run of a test: runs do not affect each other. */
export class TestHost {
  readonly #plan: TestPlan
  readonly #setting: TestSetting
  readonly #players = new Map<Bound, ScriptPlayer>()
  readonly #runs = new Set<GraphRun>()
  /** For the nested plumbs, one a process. */
  readonly nested: Carried[] = []
  #doubles: Doubles | undefined
  #caller: Promise<{ readonly registries: Map<Bound, Registry>; readonly session: Session } | undefined> | undefined

  /** `before`: that of the same run, which goes on without some inputs; scripts go on too. */
  constructor(
    plan: TestPlan,
    setting: TestSetting,
    readonly asked: CallLog,
    before?: TestHost,
  ) {
    this.#plan = plan
    this.#setting = setting
    for (const [bound, script] of plan.models)
      this.#players.set(bound, (before ? before.#players.get(bound) : undefined) ?? new ScriptPlayer(script))
  }

  /** Unused answers of scripts, by the name of the agent. */
  get unused(): readonly { readonly name: string; readonly count: number; readonly span: Span }[] {
    return [...this.#players].flatMap(([{ name }, { unused, span }]) => (unused > 0 ? [{ name, count: unused, span }] : []))
  }

  /** Resolves when all its outputs have closed, or it was stopped. */
  async run(hosted: HostedRun): Promise<void> {
    const { graph, reporter, report, onEvent, watched } = hosted
    const on = (event: RunEvent): void => {
      watched?.watch.on(event, watched.graph)
      this.#observe(event, onEvent)
    }
    const emitter = openEmitter([{ on }])
    const settings = await this.#settings(report, emitter, hosted.place)
    const live = this.#liveNodes(graph)
    let tools: ReadonlyMap<GraphNode, ToolService> = new Map()
    let mapped: ReadonlyMap<GraphNode, MappedTool> = new Map()
    const skipped = this.#setting.isLive ? undefined : await this.#whySkipped(live)
    if (skipped !== undefined) {
      this.asked.skipped ??= skipped
      return report(fault('not_doubled', skipped))
    }
    if (live.nodes.length > 0) {
      settings.boxes = await openBoxes(live, settings, reporter)
      const opened = await openToolServices(live, settings, reporter)
      if (!opened.ok) return opened.error.forEach(report)
      tools = opened.value
    }
    if (mapsTools(graph)) {
      const opened = await openMappedTools(graph, settings, reporter)
      if (!opened.ok) return opened.error.forEach(report)
      mapped = opened.value
    }
    const spawn: typeof spawnAll = (whole, options) => {
      const started = spawnAll(live, options)
      if (!started.ok) return started
      const places = placesOf(whole)
      for (const node of whole.nodes) {
        const own = places.get(node) ?? node.name
        const place = keptPlaceOf(own, hosted.place)
        if (node.work.kind === 'plumb')
          started.value.set(node, this.#startPlumb(node, node.work.bound, place, watched && within(watched, own, node.work.bound)))
        else if (node.work.kind === 'agent' && !started.value.has(node)) started.value.set(node, this.#startAgent(node, node.work.bound))
      }
      return started
    }
    const run = new GraphRun({ ...hosted, settings, emitter, spawn, tools, mapped })
    this.#runs.add(run)
    await run.run()
  }

  stop(): void {
    for (const run of this.#runs) run.stop()
  }

  async close(): Promise<void> {
    const caller = await this.#caller
    await caller?.session.servers.close()
  }

  async #settings(report: (fault: Fault) => void, emitter: SpawnSettings['emitter'], place?: string) {
    const { files, docroot, provider, model } = this.#setting
    const doubles = await this.#openDoubles()
    return {
      files,
      docroot,
      options: { ...runOptions('run', { provider, model, place }), programs: { agent: undefined, tool: undefined } },
      authoritySource: new AuthoritySource({ policy: [], context: {} }, narrow),
      standIn: doubles.standIn,
      report,
      emitter,
      isRecorded: false,
      nestedRecord: () => [],
      resumed: undefined,
      boxes: undefined as SpawnSettings['boxes'],
    }
  }

  async #openDoubles(): Promise<Doubles> {
    const tools = await import('@plumb/tool/internal')
    this.#doubles ??= new Doubles(tools, {
      tools: this.#plan.tools,
      offered: this.#plan.offered,
      isLive: (bound) => this.#plan.live.has(bound),
      whyOutside: (plan) => (this.#setting.isLive ? undefined : whyToolOutside(plan, this.#setting.docroot ?? '.', tools)),
      asked: this.asked,
      random: (script) => this.#setting.randomAnswer(script),
    })
    return this.#doubles
  }

  async #whySkipped({ nodes }: Graph): Promise<string | undefined> {
    const options = { docroot: this.#setting.docroot ?? '.', asksModels: this.#plan.model !== 'recorded' }
    for (const { work } of nodes) {
      if (work.kind !== 'agent') continue
      const why = whyOutside(work.bound, options, await import('@plumb/tool/internal'))
      if (why !== undefined) return notRun(work.bound.name, why)
    }
    return undefined
  }

  #liveNodes({ nodes }: Graph): Graph {
    const { models, live, model } = this.#plan
    const isLive = (bound: Bound): boolean => !models.has(bound) && (model !== 'scripted' || live.has(bound))
    return { nodes: nodes.filter(({ work }) => work.kind === 'agent' && isLive(work.bound)), edges: [] }
  }

  #observe(event: RunEvent, onEvent: HostedRun['onEvent']): void {
    // Scripted agents and doubles record their calls themselves.
    if (event.kind === 'asked') {
      const bound = [...this.#plan.live].find(({ name }) => name === event.process)
      if (bound) this.asked.note(bound, event.buf.toString('utf8', event.start, event.end))
    }
    if (event.kind === 'telemetry' && event.telemetry.kind === 'usage' && event.telemetry.model !== 'scripted')
      this.#setting.spending.note(event.telemetry)
    if (event.kind === 'telemetry') this.asked.noteTelemetry(event.process, event.telemetry)
    if (event.kind === 'call') this.#noteCall(event.call.tool, JSON.stringify(event.call.input))
    onEvent?.(event)
  }

  #noteCall(name: string, input: string): void {
    const wanted = this.#plan.calls.find(({ of }) => of.name === name && of.category === 'base' && !this.#plan.tools.has(of))
    if (wanted) this.asked.note(wanted.of, input)
  }

  #startAgent(node: GraphNode, bound: Bound): Spawned {
    const plan = agentOf(bound)
    const script = this.#plan.models.get(bound)
    const protocol = toolProtocolOf(bound)
    return startScriptedAgent({
      node,
      plan,
      walks: protocol && new ScriptedWalks(protocol, (state) => this.asked.noteState(protocol.automaton, state)),
      player: this.#players.get(bound),
      random: () => this.#setting.randomAnswer(script as Script),
      call: async (tool, input) => {
        const result = await this.#call(plan, tool, input)
        if (!result.ok && result.error.error === 'input_type_mismatch') this.asked.refused.push({ name: tool, detail: result.error.detail })
        return result
      },
      asked: (input) => this.asked.note(bound, input),
      lacked: (message) => this.asked.addUnanswered('model', message, script?.span),
    })
  }

  async #call(plan: AgentPlan, name: string, input: string): Promise<Result<string>> {
    const doubles = await this.#openDoubles()
    const plans = agentTools(plan.bound)
    if (!plans.some((tool) => tool.name === name)) return doubles.callOffered(name, input)
    this.#caller ??= this.#openCaller()
    const caller = await this.#caller
    const tool = await import('@plumb/tool/internal')
    if (!caller) return fail('file_not_found', 'the directory of the test is not there any more')
    const known = caller.registries.get(plan.bound) ?? tool.openRegistry(plans, caller.session.docroot, doubles.standIn).registry
    caller.registries.set(plan.bound, known)
    const registered = known.get(name)
    if (!registered) return fail('unknown_tool', `'${plan.name}' has no tool '${name}'`)
    return (await tool.perform(registered.tool, input, { session: caller.session, signal: new AbortController().signal })).result
  }

  async #openCaller() {
    const docroot = findDocroot(this.#setting.docroot)
    if (!docroot.ok) return undefined
    const settings = await this.#settings(() => {}, openEmitter([{ on: (event) => this.#observe(event, undefined) }]))
    const { authority } = settings.authoritySource
    const own = {
      name: this.#plan.name,
      place: this.#plan.name,
      docroot: docroot.value,
      authority: () => authority,
      isApproved: true,
      caller: undefined,
    }
    return { registries: new Map<Bound, Registry>(), session: await openToolSession(own, settings, silentReporter()) }
  }

  #startPlumb(node: GraphNode, bound: Bound, place: string | undefined, watched: Watched | undefined): Spawned {
    const isEnveloped = node.inputs.length !== 1
    const { child, ends } = openInProcessChild([LET_GO_FD])
    const reporter = new Reporter('plumb', () => ends.stderr, { isJson: true })
    const graph = planOf(bound)
    const carried = new Carried(graph)
    this.nested.push(carried)
    const inner = this.run({
      name: bound.name,
      graph,
      onEvent: (event) => carried.on(event),
      stdin: ends.stdin,
      stdout: ends.stdout,
      numbered: { requests: ends.fds.get(LET_GO_FD) as PassThrough, isForOurs: true },
      reporter,
      report: (fault) => reporter.report(fault),
      envelopes: isEnveloped ? 'all' : 'none',
      place,
      watched,
    })
    void inner.then(async () => {
      await reporter.end()
      ends.exit(reporter.status)
    })
    return { child, kind: 'plumb', isEnveloped, isCounting: true, controls: 0 }
  }
}

/** The processes in a plumb at this place. */
const within = ({ watch, graph }: Watched, place: string, bound: Bound): Watched => ({
  watch,
  graph: watchedGraph(planOf(bound), `${graph.prefix}${place}/`, (seq) => watch.inputAt(place, graph, seq)),
})

/** The stderr of a test's program is ignored: its errors come as objects. */
export const silentReporter = (): Reporter => {
  const nowhere = new PassThrough()
  nowhere.resume()
  return new Reporter('plumb', () => nowhere, { isJson: true })
}
