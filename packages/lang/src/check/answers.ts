// Foreign programs that answer only some of their inputs (`answers: "some"`): nothing tells which, so they may not be where that must be
// known (plumbing(5), Programs of others): in a branch of a barrier, in p + q, in each(p), in a loop, or before a wired port `error`; nor may
// a plumb whose outputs come through such a program.

import { error, type Report } from '../diagnostic/diagnostic.js'
import type { Bound } from '../names/names.js'
import { type Expansion, type Graph, type GraphNode, isInExpansion, nodesBehind } from '../plan/graph.js'
import { partingsOf } from '../plan/parting.js'
import { planOf } from '../plan/root.js'
import { agentConfig } from './agent.js'
import type { PartsOf } from './parts.js'

/** Only for a program without errors: checks graphs in their running form, with all bound chains expanded. */
export const checkAnswers = (all: readonly Bound[], partsOf: PartsOf, report: Report): void => {
  if (!all.some(isSome)) return
  const parts = new Set(all.flatMap(partsOf))
  // A chain that is used by others is expanded there.
  const wholes = all.filter((bound) => bound.category === 'stream' && (bound.binding.impl.kind === 'plumb' || !parts.has(bound)))
  const known = new Map<Bound, Bound | undefined>()
  for (const whole of wholes) {
    const graph = planOf(whole)
    const unknown = graph.nodes.flatMap((node) => {
      const program = programIn(node, known)
      return program ? [{ node, program }] : []
    })
    if (unknown.length === 0) continue
    const places = levelsIn(graph)
    for (const { node, program } of unknown) {
      const place = places.find(({ has }) => has(node))
      if (place) report(error('origin_needed', messageOf(node, program, place.words), node.span, HELP))
    }
  }
}

const HELP = `write 'answers: "each"' if it answers each input with one line, or let it write numbered lines and say 'answers: "numbered"'`

const messageOf = ({ name, work }: GraphNode, program: Bound, place: string): string => {
  const who = work.kind === 'plumb' ? `'${name}' gives what '${program.name}' answers, which answers` : `'${name}' answers`
  return `${who} only some of its inputs, and ${place} it must be known which`
}

interface GraphLevel {
  readonly words: string
  readonly has: (node: GraphNode) => boolean
}

const levelsIn = (graph: Graph): readonly GraphLevel[] => {
  const { nodes } = graph
  const inside = (kind: 'each' | 'choice') => nodes.flatMap(({ work }) => (work.kind === kind ? [work.inside] : []))
  const isIn = (forms: readonly Expansion[]) => (node: GraphNode) => forms.some((form) => isInExpansion(node, form))
  const branches = new Set(partingsOf(graph).flatMap((parting) => parting.branches.flatMap((branch) => [...branch])))
  const failing = new Set(nodes.flatMap(({ work }) => (work.kind === 'failures' ? nodesBehind(work, nodes) : [])))
  return [
    { words: 'in a branch of a barrier', has: (node) => branches.has(node) },
    { words: "in a '+'", has: isIn(inside('choice')) },
    { words: 'in an each', has: isIn(inside('each')) },
    { words: 'in a loop', has: (node) => leadsTo(graph, node, (other) => other === node) },
    { words: "where its port 'error' is wired", has: (node) => failing.has(node) },
  ]
}

/** The program by which outputs of a process have no known input. `known`: what was found before. */
const programIn = ({ work }: GraphNode, known: Map<Bound, Bound | undefined>): Bound | undefined => {
  if (work.kind === 'agent') return isSome(work.bound) ? work.bound : undefined
  if (work.kind !== 'plumb') return undefined
  const { bound } = work
  if (known.has(bound)) return known.get(bound)
  // A plumb that holds itself is an error of its own.
  known.set(bound, undefined)
  const graph = planOf(bound)
  for (const node of graph.nodes) {
    const program = programIn(node, known)
    if (program && leadsTo(graph, node, ({ work }) => work.kind === 'output')) {
      known.set(bound, program)
      break
    }
  }
  return known.get(bound)
}

const leadsTo = ({ edges }: Graph, from: GraphNode, isEnd: (node: GraphNode) => boolean): boolean => {
  const seen = new Set<GraphNode>()
  const rest = [from]
  for (let node = rest.pop(); node; node = rest.pop()) {
    for (const { from: source, to } of edges) {
      if (source !== node || seen.has(to)) continue
      if (isEnd(to)) return true
      seen.add(to)
      rest.push(to)
    }
  }
  return false
}

const isSome = ({ binding: { impl }, scope }: Bound): boolean => {
  if (impl.kind !== 'agent') return false
  const config = agentConfig(impl, scope)
  return config.has('command') && config.get('answers')?.value === 'some'
}
