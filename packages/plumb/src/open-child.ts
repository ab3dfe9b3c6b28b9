// The receiver of a node that is a process of its own, with all that wants to know of it.

import { compileCheck, type GraphNode, type Sink } from '@plumb/lang'
import { currentBudget, type Fault } from '@plumb/wire'
import { ChildProcess } from './child.js'
import type { Current } from './current.js'
import type { Cycle } from './cycle.js'
import type { Spawned } from './spawn.js'
import { ChildObserver } from './watch/child-observer.js'
import { Replay } from './watch/resume/replay.js'
import type { WiringOptions } from './wiring.js'

export interface OpenChildOptions {
  readonly wiring: WiringOptions
  readonly node: GraphNode
  readonly feeds: readonly number[]
  readonly place: string
  readonly spawned: Spawned
  readonly sink: Sink
  readonly current: Current
  readonly report: (fault: Fault) => void
  readonly cycle: Cycle | undefined
}

export const openChild = (options: OpenChildOptions): ChildProcess => {
  const { wiring, node, feeds, place, spawned, sink, current, report, cycle } = options
  const { child, kind, isEnveloped, isCounting, controls } = spawned
  const { watch, settings, schedule, reporter, fail, tools, parent } = wiring
  const budget = isCounting ? undefined : currentBudget()
  const answers = kind === 'plumb' ? undefined : settings.resumed?.get(place)
  const replay = answers && new Replay({ answers, ...replayingFor(() => process, options) })
  const isObserved = watch || parent || budget || replay
  const process: ChildProcess = new ChildProcess(feeds, {
    name: node.name,
    inputs: node.inputs,
    outputs: node.outputs.map(({ name, type }) => ({ name, stage: compileCheck(type ?? { kind: 'json' }) })),
    isEnveloped,
    kind,
    child,
    maxLine: settings.maxLine,
    schedule,
    sink,
    current,
    reporter,
    report,
    fail,
    cycle,
    tools: tools.get(node),
    observer: isObserved ? new ChildObserver({ place, runs: kind, pid: child.pid, watch, parent, budget, replay }) : undefined,
    controls,
  })
  return process
}

// Whatever is worked on when an answer leaves, it is that of another input.
const replayingFor = (process: () => ChildProcess, { current, report, node }: OpenChildOptions) => {
  const as = (seq: number, act: () => void): void => {
    const { port, line, seq: before, isLast } = current
    current.set({ port: '', line: 0, seq })
    act()
    current.set({ port, line, seq: before })
    current.isLast = isLast
  }
  return {
    give: (seq: number, json: string) => {
      const bytes = Buffer.from(`${json}\n`)
      as(seq, () => process().outlets[0]?.send(bytes, 0, bytes.length - 1))
    },
    refuse: (seq: number, fault: Fault) => as(seq, () => report({ ...fault, process: fault.process ?? node.name })),
    isFull: () => process().gates.some((gate) => !gate.isOpen()),
  }
}
