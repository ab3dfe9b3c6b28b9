// What can never start is an error; what is never fed, never read, paid for in vain or endless is a warning. Of bodies only.

import { error, type Report, warning } from '../diagnostic/diagnostic.js'
import { type Bound, printName, resolveName, type Scope } from '../names/names.js'
import type { Chain, PlumbImplementation, Reference } from '../parse/ast.js'
import { isChain, partsOfChain } from '../parse/chain-parts.js'
import { cyclesOf } from '../plan/find-cycles.js'
import { firstMessages } from '../plan/first-messages.js'
import { type Edge, type Graph, type GraphNode, isInExpansion } from '../plan/graph.js'
import { canEnd } from './endless.js'

type GraphOf = (bound: Bound) => Graph

/** Only for a program without errors. Warnings are of the named file, `own`. */
export const checkWiring = (all: readonly Bound[], own: Scope, graphOf: GraphOf, report: Report): void => {
  for (const bound of all) {
    const { impl } = bound.binding
    if (bound.category !== 'stream' || (impl.kind !== 'plumb' && !isChain(impl))) continue
    const graph = graphOf(bound)
    const cycles = cyclesOf({ ...graph, edges: graph.edges.filter(isOfMessages) })
    const stopped = checkStart(graph, cycles, graphOf, report)
    if (impl.kind !== 'plumb' || bound.scope !== own) continue
    warnOfEnds(bound, graph, stopped, graphOf, report)
    for (const cycle of cycles) if (!cycle.some((node) => stopped.has(node) || canEnd(node, graphOf))) warnOfLoop(cycle, report)
    warnOfNames(impl, own, report)
  }
}

/** Control of an agent, and what it says of itself, is no message that goes round. */
const isOfMessages = ({ from, output, to, input }: Edge): boolean =>
  (from.work.kind !== 'agent' || from.outputs[output]?.name === 'output') &&
  (to.work.kind !== 'agent' || to.inputs[input]?.name === 'input')

/** Told once for all that hangs together: returns what that is. */
const checkStart = (graph: Graph, cycles: readonly GraphNode[][], graphOf: GraphOf, report: Report): ReadonlySet<GraphNode> => {
  const covered = new Set<GraphNode>()
  const inCycle = new Set(cycles.flat())
  for (const node of cyclesOf(graph).flat()) {
    const by = lastOf(node, graphOf)
    if (!by) continue
    covered.add(node)
    const word = by.work.kind === 'fold' ? 'emit: "end"' : 'batch()'
    const what = by === node ? `'${word}'` : `'${word}' in '${node.name}'`
    const message = `${what} waits for the end of its input, and in a cycle that waits for it`
    const help = by.work.kind === 'fold' ? 'put it outside of the cycle' : "give it 'within', or put it outside of the cycle"
    report(error('never_fires', message, node.span, help))
  }
  if (!graph.nodes.some(({ work }) => work.kind === 'barrier' || work.kind === 'join') && cycles.length === 0) return covered
  const first = firstMessages(graph, graphOf)
  const isIdle = (node: GraphNode) => node.work.kind !== 'empty' && !first.starts(node)
  const waits = graph.nodes.filter((node) => isIdle(node) && (isBarrier(node) || inCycle.has(node)))
  const neighbours = neighboursOf(graph, isIdle)
  for (const node of waits.sort((a, b) => Number(isBarrier(b)) - Number(isBarrier(a)) || a.span.start - b.span.start)) {
    if (covered.has(node)) continue
    addConnected(node, neighbours, covered)
    const missing = isBarrier(node) ? node.inputs.findIndex((_, input) => !first.reaches(node, input)) : -1
    const message =
      missing < 0
        ? `nothing can come to '${node.name}': it is fed by a cycle that nothing enters`
        : `branch ${missing + 1} of this '${node.name}' can get no first message, so that it never fires`
    report(error('never_fires', message, node.span, 'feed it from an input, as in a merge of both, or take it away'))
  }
  return covered
}

const isBarrier = ({ work }: GraphNode): boolean => work.kind === 'barrier' || work.kind === 'join'

const isLast = ({ work }: GraphNode): boolean =>
  (work.kind === 'fold' && work.atEnd) || (work.kind === 'batch' && work.size === undefined && work.withinMs === undefined)

/** What waits for the end of its input: the process itself, or one in its chain or body, at any depth. */
const lastOf = (node: GraphNode, graphOf: GraphOf): GraphNode | undefined => {
  const seen = new Set<Bound>()
  const rest = [node]
  for (let next = rest.pop(); next; next = rest.pop()) {
    if (isLast(next)) return next
    const { work } = next
    const part = work.kind === 'plumb' ? work.bound : work.kind === 'pass' ? work.chain : undefined
    if (!part || seen.has(part)) continue
    seen.add(part)
    rest.push(...graphOf(part).nodes)
  }
  return undefined
}

const addConnected = (start: GraphNode, next: ReadonlyMap<GraphNode, readonly GraphNode[]>, found: Set<GraphNode>): void => {
  const rest = [start]
  for (let node = rest.pop(); node; node = rest.pop()) {
    if (found.has(node)) continue
    found.add(node)
    rest.push(...(next.get(node) ?? []))
  }
}

/** Both ways along the wires between them. */
const neighboursOf = ({ edges }: Graph, isOne: (node: GraphNode) => boolean): ReadonlyMap<GraphNode, readonly GraphNode[]> => {
  const found = new Map<GraphNode, GraphNode[]>()
  const add = (one: GraphNode, other: GraphNode): void => {
    const known = found.get(one)
    if (known) known.push(other)
    else found.set(one, [other])
  }
  for (const { from, to } of edges) {
    if (!isOne(from) || !isOne(to)) continue
    add(from, to)
    add(to, from)
  }
  return found
}

const warnOfEnds = (bound: Bound, graph: Graph, stopped: ReadonlySet<GraphNode>, graphOf: GraphOf, report: Report): void => {
  const { nodes, edges } = graph
  const fed = new Set(edges.map(({ to }) => to))
  const read = new Set(edges.map(({ from, output }) => `${from.id}.${output}`))
  for (const node of nodes) {
    if (isOfEnd(node, bound)) continue
    const { work, name, span } = node
    const isRead = node.outputs.some((_, output) => read.has(`${node.id}.${output}`))
    const dead = (what: string) => report(warning('dead_wire', what, span, 'wire it, or delete it'))
    if (work.kind === 'input' && !isRead) dead(`nothing reads the input '${name}'`)
    else if (work.kind === 'output' && !fed.has(node)) dead(`nothing is wired to the output '${name}'`)
    else if (work.kind === 'pass' && work.as === 'channel' && !stopped.has(node)) {
      if (!fed.has(node)) dead(`nothing is sent on the channel '${name}'`)
      else if (!isRead) dead(`nothing reads the channel '${name}'`)
    } else if (!isRead && answers(node, graph, graphOf)) {
      const written = work.kind === 'gather' ? 'each' : work.kind === 'select' ? '+' : name
      const message = `nobody reads the answers of '${written}', though they are paid for`
      report(warning('unread_output', message, span, `wire its output, or write '; discard' if that is meant`))
    }
  }
}

/** Whether an end of a conversation is used is known by then. */
const isOfEnd = ({ work }: GraphNode, { inputs, outputs, ends }: Bound): boolean =>
  (work.kind === 'input' && ends.has(work.port)) || (work.kind === 'output' && work.port >= inputs.length + outputs.length - ends.size)

/** An agent, a call of a tool, or what has one in it: a chain, a body, an each, a +. */
const answers = ({ work }: GraphNode, { nodes }: Graph, graphOf: GraphOf, seen = new Set<Bound>()): boolean => {
  if (work.kind === 'agent' || work.kind === 'call') return true
  if (work.kind === 'gather' || work.kind === 'select') {
    return nodes.some((node) => isInExpansion(node, work.inside) && !isExit(node) && answers(node, { nodes, edges: [] }, graphOf, seen))
  }
  const part = work.kind === 'plumb' ? work.bound : work.kind === 'pass' ? work.chain : undefined
  if (!part || seen.has(part)) return false
  seen.add(part)
  const graph = graphOf(part)
  return graph.nodes.some((node) => answers(node, graph, graphOf, seen))
}

/** What is in it is also in what is around it. */
const isExit = ({ work }: GraphNode): boolean => work.kind === 'gather' || work.kind === 'select'

const warnOfLoop = (cycle: readonly GraphNode[], report: Report): void => {
  const [first] = cycle.toSorted((a, b) => a.span.start - b.span.start)
  if (!first) return
  const message = `what enters the cycle at '${first.name}' goes round without end`
  report(warning('endless_loop', message, first.span, 'let a filter lead out of it, and another round'))
}

const warnOfNames = ({ parameters, statements }: PlumbImplementation, scope: Scope, report: Report): void => {
  const local = new Set(parameters.map(({ text }) => text))
  for (const s of statements) if (s.kind === 'channel') local.add(s.name.text)
  for (const s of statements) {
    if (s.kind !== 'wire') continue
    for (const chain of sequencesIn(s.chain)) {
      const seen = new Set<string>()
      for (const reference of chain.items.flatMap(alone)) {
        const name = printName(reference.name)
        if (reference.port || local.has(name) || !resolveName(reference.name, scope)) continue
        if (seen.has(name)) {
          const message = `'${name}' is twice in this chain, and in a body it is one process, which feeds itself`
          report(warning('repeated_name', message, reference.span, `give the second a name of its own: 'let again = ${name}'`))
        }
        seen.add(name)
      }
    }
  }
}

// What stands in an each or a + is a process of its own.
const sequencesIn = (chain: Chain): readonly (Chain & { kind: 'sequence' })[] => [
  ...(chain.kind === 'sequence' ? [chain] : []),
  ...(chain.kind === 'each' || chain.kind === 'choice' ? [] : partsOfChain(chain).flatMap(sequencesIn)),
]

/** Of a tensor each name once: the same name in two branches is one place. */
const alone = (chain: Chain): readonly Reference[] => {
  if (chain.kind === 'reference') return [chain]
  if (chain.kind !== 'tensor') return []
  return [...new Map(chain.items.flatMap(alone).map((reference) => [printName(reference.name), reference])).values()]
}
