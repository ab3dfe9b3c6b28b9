// Which agents live between requests, and how one is started.

import { agentOf, type Bound, type GraphNode } from '@plumb/lang'
import { type Fault, FDS, fault, parseJson, type Reporter, type Result, readReported, succeed } from '@plumb/wire'
import type { SpawnSettings } from '../child/agent-start.js'
import { spawnAll } from '../child/spawn.js'
import type { RunEmitter } from '../event/emitter.js'
import { openToolServices } from '../tools/dispatch.js'
import { ProcessPool } from './process-pool.js'
import { WarmProcess, type WarmUse } from './warm-process.js'

/** Keys of agents with something that no control message sets back: one process answers one request. */
const LASTING = ['max_messages', 'runtime_context', 'protocol_per', 'conversation'] as const

interface Base {
  readonly settings: Omit<SpawnSettings, 'report' | 'emitter'>
  readonly reporter: Reporter
}

/**
 * Undefined: it is started for each request. So is a foreign program that may remember or tells of no input, an agent elsewhere, and one
 * whose control is wired, since that changes it.
 */
export const openPool = (node: GraphNode, bound: Bound, base: Base): ProcessPool | undefined => {
  const { config } = agentOf(bound)
  const isForeign = config.command !== undefined || base.settings.options.programs.agent !== undefined
  const isControlled = node.inputs.some(({ name }) => name === 'ctrl_in')
  if (config.via !== undefined || config.a2a !== undefined || isControlled || node.inputs.length !== 1) return undefined
  if (isForeign && (config.amnesiac !== true || config.answers === 'some')) return undefined
  const pool: ProcessPool = new ProcessPool({
    start: () => startWarm(node, bound, base, (process) => pool.forget(process)),
    remembers: !isForeign && config.amnesiac !== true && config.conversation === undefined,
    isControlled: !isForeign,
    isReusable: !LASTING.some((key) => config[key] !== undefined),
  })
  return pool
}

const startWarm = async (
  node: GraphNode,
  bound: Bound,
  base: Base,
  ended: (process: WarmProcess) => void,
): Promise<Result<WarmProcess>> => {
  const { reporter } = base
  let process: WarmProcess | undefined
  const use = (): WarmUse | undefined => process?.use
  const report = (fault: Fault): void => {
    const { report: tell } = use() ?? {}
    if (tell) tell(fault)
    else reporter.report(fault)
  }
  const emitter: RunEmitter = { hasWires: false, emit: (event) => use()?.emitter?.emit(event), finish: async () => {} }
  const emitToParent = (json: string): void => use()?.emitter?.emit({ kind: 'telemetry', process: node.name, telemetry: JSON.parse(json) })
  const settings: SpawnSettings = {
    ...base.settings,
    emitter,
    emitToParent,
    report,
    ask: async () => false,
    trace: () => use()?.trace?.(),
    isReused: true,
  }
  const alone = { nodes: [node], edges: [] }
  const tools = await openToolServices(alone, settings, reporter)
  if (!tools.ok) return { ok: false, error: tools.error[0] as Fault }
  const spawned = spawnAll(alone, { settings, tools: tools.value, isNested: true, fail: report })
  const own = spawned.ok ? spawned.value.get(node) : undefined
  const service = tools.value.get(node)
  if (!spawned.ok || !own) {
    void service?.close()
    return spawned.ok ? { ok: false, error: notStarted(node.name) } : spawned
  }
  const warm = new WarmProcess({
    spawned: own,
    form: own.kind === 'program' && agentOf(bound).config.answers !== 'numbered' ? 'each' : 'numbered',
    maxLine: settings.options.lines.maxLine,
    tools: service,
    tellStderr: (text) => tellBetween(text, node.name, reporter),
    ended: () => {
      void service?.close()
      ended(warm)
    },
  })
  const [requests, answers] = [own.child.fds.get(FDS.tool_req), own.child.fds.get(FDS.tool_resp)]
  if (requests && 'resume' in requests && answers && 'write' in answers) service?.serve(requests, answers, () => warm.settled())
  process = warm
  return succeed(warm)
}

/** What it says while no request has it: that its configuration is wrong, and it ends. */
const tellBetween = (text: string, process: string, reporter: Reporter): void => {
  for (const line of text.split('\n').filter((one) => one.trim() !== '')) {
    const read = parseJson(Buffer.from(line), 0, Buffer.byteLength(line))
    const said = read.ok ? readReported(read.value) : undefined
    if (!said) reporter.write(line)
    else if (said.severity === 'error') reporter.report({ ...said.fault, process })
    else reporter.warn({ ...said.fault, process })
  }
}

const notStarted = (name: string): Fault => fault('child_failed', `'${name}' was not started`)
