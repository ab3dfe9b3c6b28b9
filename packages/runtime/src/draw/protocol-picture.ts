// A protocol as a picture: its states as ovals, what may come as arrows between them, from its name to `end`.

import { preview } from '@plumb/wire'
import type { Automaton, ProtocolEdge } from '@plumb/wire/protocol'
import type { NodeKind } from './describe.js'
import type { Box, Picture, Wire } from './picture.js'

const MAX_LABEL = 40
const MAX_TIP = 600

export const protocolPicture = ({ name, start, states }: Automaton): Picture => {
  const isOver = (state: number) => states[state]?.mayEnd === true && states[state]?.edges.length === 0
  const begin = boxOf('input', name, `protocol ${name}`)
  const end = boxOf('output', 'end', 'here it is over')
  const boxes = states.map(({ mayEnd, edges }, state) => {
    if (isOver(state)) return end
    const ways = edges.map((edge) => `${labelOf(edge)} -> ${edge.to}`)
    return boxOf('channel', String(state), [`state ${state}`, ...ways, ...(mayEnd ? ['end'] : [])].join('\n'))
  })
  const at = (state: number): Box => boxes[state] ?? end
  const wires = states.flatMap(({ mayEnd, edges }, state) => [
    ...edges.map((edge) => wireOf(at(state), at(edge.to), labelOf(edge), edge.kind === 'recv')),
    ...(mayEnd && !isOver(state) ? [wireOf(at(state), end, '', false)] : []),
  ])
  const ends = states.some(({ mayEnd }) => mayEnd) ? [end] : []
  const shown = boxes.filter((box) => box !== end)
  return { name, boxes: [begin, ...shown, ...ends], wires: [wireOf(begin, at(start), '', false), ...wires] }
}

const labelOf = ({ kind, label }: ProtocolEdge): string => (kind === 'send' || kind === 'recv' ? `${kind} ${label}` : label)

const boxOf = (kind: NodeKind, title: string, tip: string): Box => ({
  ...{ id: title, kind, title: preview(title, MAX_LABEL), detail: '', tip: preview(tip.replaceAll('\n', '; '), MAX_TIP) },
  ...{ inputs: [], outputs: [], tools: [], place: title, frames: [] },
})

/** What comes to the side as written is dashed. */
const wireOf = (from: Box, to: Box, label: string, isHeard: boolean): Wire => ({
  ...{
    from,
    output: undefined,
    to,
    input: undefined,
    label: preview(label, MAX_LABEL),
    tip: `${from.id} → ${to.id}\n${preview(label, MAX_TIP)}`,
  },
  ...{ role: isHeard ? 'control' : 'data', flow: undefined },
})
