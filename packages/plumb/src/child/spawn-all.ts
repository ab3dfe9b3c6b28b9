// All children of a graph, or none.

import type { GraphNode } from '@plumb/lang'
import { type Fault, fault, type Result, succeed } from '@plumb/wire'
import { placesOf } from '../event/wires.js'
import type { WiringOptions } from '../graph/wiring.js'
import { type Spawned, spawnAgent, spawnPlumb } from './spawn.js'

/** When one cannot be started, those that were are ended. */
export const spawnAll = ({
  graph,
  settings,
  tools,
  fail,
}: Pick<WiringOptions, 'graph' | 'settings' | 'tools' | 'fail'>): Result<Map<GraphNode, Spawned>> => {
  const spawned = new Map<GraphNode, Spawned>()
  for (const [node, place] of placesOf(graph)) {
    if (node.work.kind !== 'agent' && node.work.kind !== 'plumb') continue
    const { kind, bound } = node.work
    const service = tools.get(node)
    const at = { node, place, settings, offers: service?.offers, checkedTools: service?.checkedTools }
    const child = kind === 'agent' ? spawnAgent(at, bound, (words) => fail(notTakenUp(node, words))) : spawnPlumb(at, bound)
    if (!child.ok) {
      for (const { child: started } of spawned.values()) started.kill('SIGKILL')
      return { ok: false, error: { ...child.error, process: node.name } }
    }
    spawned.set(node, child.value)
  }
  return succeed(spawned)
}

const notTakenUp = ({ name }: GraphNode, words: string): Fault =>
  fault('child_failed', `'${name}' cannot be taken up: ${words}`, { process: name })
