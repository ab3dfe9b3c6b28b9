// Why a run cannot be resumed: its record does not determine the state of a process. Plumb-agents repeat their requests, and get the same
// answers; the memory of foreign programs and agents elsewhere is known only from their input.

import { agentOf, cyclesOf, type Graph, type GraphNode, planOf } from '@plumb/lang'
import { type Fault, fault } from '@plumb/wire'
import type { Secrets } from '../../event/secrets.js'
import { placesOf } from '../../event/wires.js'

export const notResumable = (reason: string): Fault =>
  fault('record_invalid', `this run cannot be resumed, since its record does not contain all that was remembered: ${reason}`)

/** The reasons, for an error; empty: it can be resumed. Nested plumbs are included. */
export const whyNotResumable = (graph: Graph, agentProgram: string | undefined, secrets?: Secrets): string[] => {
  const inCycle = new Set(cyclesOf(graph).flat())
  return [...placesOf(graph)].flatMap(([node, place]) => {
    const { work } = node
    if ((work.kind === 'plumb' || work.kind === 'agent' || work.kind === 'call') && secrets?.isIn(place))
      return [`what '${place}' answered is not in it, since that may hold a secret`]
    if (work.kind === 'plumb') return whyNotResumable(planOf(work.bound), agentProgram).map((words) => `in '${place}', ${words}`)
    if (work.kind !== 'agent') return []
    const { config } = agentOf(work.bound)
    const isProgram = config.command !== undefined || config.a2a !== undefined || agentProgram !== undefined
    if (!isProgram && config.via === undefined) return []
    if (isProgram && config.amnesiac !== true)
      return [
        `what ${config.a2a === undefined ? 'the program of ' : ''}'${place}' remembers cannot be restored ('amnesiac: true' says that it remembers nothing)`,
      ]
    const wired = wiredPort(node, graph)
    return [
      ...(wired === undefined ? [] : [`port '${wired}' of '${place}' is wired, and what went over it changed what it did`]),
      ...(config.conversation === undefined ? [] : [`'${place}' runs elsewhere and keeps several conversations`]),
      ...(config.amnesiac === true || !inCycle.has(node) ? [] : [`'${place}' is in a cycle, where messages may come in another order`]),
      ...(config.max_messages === undefined ? [] : [`'${place}' counts its messages (max_messages)`]),
    ]
  })
}

const wiredPort = (node: GraphNode, { edges }: Graph): string | undefined =>
  [
    ...edges.filter((e) => e.to === node).map((e) => node.inputs[e.input]?.name),
    ...edges.filter((e) => e.from === node).map((e) => node.outputs[e.output]?.name),
  ].find((name) => name !== 'input' && name !== 'output')
