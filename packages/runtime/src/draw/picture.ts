// What every picture of a graph shows: boxes, wires between them, frames around the parts of a bound chain.

import { type Edge, type Expansion, type Graph, type GraphNode, type GraphPort, printType, type Type } from '@plumb/lang'
import { preview } from '@plumb/wire'
import {
  type AgentDescription,
  agentAt,
  eachOptionsOf,
  expressionOf,
  kindOfNode,
  type NodeKind,
  openedAround,
  typeOnWire,
} from './describe.js'
import { type FoldedWire, fold } from './fold.js'
import { placesOf } from './places.js'

export interface Picture {
  /** The binding. */
  readonly name: string
  readonly boxes: readonly Box[]
  readonly wires: readonly Wire[]
}

export interface Box {
  /** Its name in the program, with a number where that is not the first of its name. */
  readonly id: string
  readonly kind: NodeKind
  readonly title: string
  /** A short second line; may be empty. */
  readonly detail: string
  /** The full description, on several lines. */
  readonly tip: string
  /** Port names to be shown at its sides; empty where they add nothing. */
  readonly inputs: readonly string[]
  readonly outputs: readonly string[]
  /** The tools that an agent may call. */
  readonly tools: readonly string[]
  /** As a record names it. */
  readonly place: string
  /** The bound chains around it, from the outermost. */
  readonly frames: readonly Expansion[]
}

export interface Wire {
  readonly from: Box
  /** Which of the port names shown there, if any are. */
  readonly output: number | undefined
  readonly to: Box
  readonly input: number | undefined
  /** The type, short; may be empty. */
  readonly label: string
  readonly tip: string
  readonly role: 'data' | 'control' | 'telemetry'
  /** What else it is drawn for: that of what it carries may be untrusted, secret, or both. */
  readonly flow: FlowColour | undefined
}

export type FlowColour = 'untrusted' | 'secret' | 'both'

const MAX_NAME = 40
const MAX_TYPE = 30
const MAX_EXPRESSION = 36
const MAX_TIP = 600
// Chains of chains may be thousands deep.
const MAX_FRAMES = 8

/** `places`: of the nodes, where nested plumbs are drawn open. */
export const pictureOf = (
  name: string,
  graph: Graph,
  labelsOf?: (edge: Edge) => readonly string[],
  places: ReadonlyMap<GraphNode, string> = placesOf(graph),
): Picture => {
  const { nodes, links } = fold(graph, labelsOf)
  const ids = new Map<string, number>()
  const shown = new Map(nodes.map((node) => [node, { sides: sidesOf(node, links), id: unique(node.name, ids) }]))
  const boxes = new Map([...shown].map(([node, { sides, id }]) => [node, boxOf(node, { id, place: places.get(node) ?? '' }, sides)]))
  const wires = links.map((link) =>
    wireOf(link, boxes.get(link.from) as Box, boxes.get(link.to) as Box, shown.get(link.from)?.sides, shown.get(link.to)?.sides),
  )
  return { name, boxes: [...boxes.values()], wires }
}

const unique = (name: string, ids: Map<string, number>): string => {
  const count = (ids.get(name) ?? 0) + 1
  ids.set(name, count)
  return count === 1 ? name : `${name} ${count}`
}

/** For each side the ports whose names are shown. */
interface Sides {
  readonly inputs: readonly number[]
  readonly outputs: readonly number[]
}

// The wired ports of an agent, all ports of a plumb; those of a barrier are numbered from 0, as in project.
const sidesOf = (node: GraphNode, links: readonly FoldedWire[]): Sides => {
  const all = (ports: readonly GraphPort[]) => ports.map((_, i) => i)
  if (node.work.kind === 'barrier' || node.work.kind === 'join') return { inputs: all(node.inputs), outputs: [] }
  const isPlumb = node.work.kind === 'plumb'
  if (!isPlumb && node.work.kind !== 'agent') return { inputs: [], outputs: [] }
  const shown = (ports: readonly GraphPort[], isWired: (i: number) => boolean) => {
    const indexes = all(ports).filter((i) => isPlumb || isWired(i))
    return indexes.some((i) => !/^(input|output)$/.test(ports[i]?.name ?? '')) ? indexes : []
  }
  return {
    inputs: shown(node.inputs, (i) => links.some((link) => link.to === node && link.input === i)),
    outputs: shown(node.outputs, (i) => links.some((link) => link.from === node && link.output === i)),
  }
}

const boxOf = (node: GraphNode, names: Pick<Box, 'id' | 'place'>, { inputs, outputs }: Sides): Box => {
  const agent = agentAt(node)
  const expression = expressionOf(node)
  const kind = kindOfNode(node)
  const isBarrier = kind === 'barrier'
  return {
    ...names,
    kind,
    title: preview(node.name === 'project' ? (expression ?? node.name) : node.name, MAX_NAME),
    detail: detailOf(node, kind, expression, agent),
    tip: tipOf(node, kind, expression, agent),
    inputs: inputs.map((i) => (isBarrier ? String(i) : preview(node.inputs[i]?.name ?? '', MAX_NAME))),
    outputs: outputs.map((i) => preview(node.outputs[i]?.name ?? '', MAX_NAME)),
    tools: agent ? [...agent.tools, ...agent.mcp.map((server) => `${server} (mcp)`)] : [],
    frames: openedAround(node).slice(0, MAX_FRAMES),
  }
}

const detailOf = (node: GraphNode, kind: NodeKind, expression: string | undefined, agent: AgentDescription | undefined): string => {
  if (agent)
    return ['agent', agent.command ? preview(agent.command.join(' '), MAX_EXPRESSION) : modelOf(agent)]
      .filter((part) => part !== '')
      .join(' · ')
  const options = eachOptionsOf(node)
  if (options !== undefined) return options
  if (node.work.kind === 'conversation') return node.work.protocol.name
  if (kind === 'channel') return typeText(node.outputs[0]?.type)
  if (expression === undefined) return node.name === kind || kind === 'input' || kind === 'output' ? '' : kind
  if (expression === node.name || node.name === 'project') return ''
  const text = preview(expression, MAX_EXPRESSION)
  return node.name === kind ? text : `${kind}(${text})`
}

const modelOf = ({ provider, model }: AgentDescription): string => [provider, model].filter((part) => part !== undefined).join(' ')

const tipOf = (node: GraphNode, kind: NodeKind, expression: string | undefined, agent: AgentDescription | undefined): string => {
  const ports = (side: readonly GraphPort[]) => side.map(({ name, type }) => `${name}: ${type ? `!${printed(type)}` : '!…'}`).join(', ')
  const description = node.work.kind === 'agent' || node.work.kind === 'plumb' ? node.work.bound.description : undefined
  const lines = [
    `${node.name === kind ? '' : `${kind} `}${node.name}${expression === undefined || expression === node.name ? '' : `(${preview(expression, MAX_TIP)})`}`,
    ...(description === undefined ? [] : [description]),
    ...(agent?.command ? [`command: ${agent.command.join(' ')}`] : []),
    `(${ports(node.inputs)}) -> (${ports(node.outputs)})`,
  ]
  return lines.join('\n')
}

const wireOf = (link: FoldedWire, from: Box, to: Box, fromSides: Sides | undefined, toSides: Sides | undefined): Wire => {
  const source = link.from.outputs[link.output]?.type
  const target = link.to.inputs[link.input]?.type
  const channels = link.channels.map((channel) => `${channel}: `).join('')
  const place = (ports: readonly number[] | undefined, port: number) => (ports?.includes(port) ? ports.indexOf(port) : undefined)
  const whole = typesOf(source, target, link.isChecked, printed)
  // A channel with a box of its own has its type there.
  const isShown = from.kind === 'channel' || to.kind === 'channel'
  return {
    from,
    output: place(fromSides?.outputs, link.output),
    to,
    input: place(toSides?.inputs, link.input),
    label: isShown ? '' : channels + typesOf(source, target, link.isChecked, typeText),
    tip: `${from.id} → ${to.id}\n${channels}${whole}${link.isChecked ? '\nchecked at run time' : ''}${link.labels.length > 0 ? `\n${link.labels.join(', ')}` : ''}`,
    role: roleOf(link),
    flow: flowOf(link.labels),
  }
}

// The type of the messages, and that of the receiver where each message is checked against it.
const typesOf = (
  source: Type | undefined,
  target: Type | undefined,
  isChecked: boolean,
  print: (type: Type | undefined) => string,
): string => {
  const [given, taken] = [print(typeOnWire(source, target, isChecked)), print(target)]
  return isChecked && target && given !== taken ? `${given} → ${taken}` : given
}

// An inferred type may be longer than any picture.
const printed = (type: Type | undefined): string => (type ? printType(type, MAX_TIP) : '')

const typeText = (type: Type | undefined): string => preview(printed(type), MAX_TYPE)

const flowOf = ([first, second]: readonly string[]): FlowColour | undefined => {
  if (second !== undefined) return 'both'
  return first === 'untrusted' || first === 'secret' ? first : undefined
}

const roleOf = ({ from, output, to, input }: FoldedWire): Wire['role'] => {
  const ends = [
    from.work.kind === 'agent' ? from.outputs[output]?.name : undefined,
    to.work.kind === 'agent' ? to.inputs[input]?.name : undefined,
  ]
  if (ends.includes('ctrl_in') || ends.includes('ctrl_out')) return 'control'
  return ends.includes('telemetry') ? 'telemetry' : 'data'
}
