// Opens the nodes that keep something by key: a fold that sends at the end, and a barrier by keys.

import { type Folding, type GraphNode, type KeyedFolding, KeyReader, type MessageScanners, type Type } from '@plumb/lang'
import type { Fault } from '@plumb/wire'
import type { SpawnSettings } from '../child/agent-start.js'
import type { Edges } from '../graph/edges.js'
import { stageOf } from '../graph/morphism/expression.js'
import { FoldAtEnd } from '../graph/morphism/fold-at-end.js'
import type { Keeping } from '../graph/morphism/keeping.js'
import { KeyedBarrier } from '../graph/morphism/keyed-barrier.js'
import { SharedJoin, type SharedPartners } from '../graph/morphism/shared-gathering.js'
import type { Origin } from '../graph/origin.js'
import type { RunContext } from '../graph/run-context.js'

export interface KeyedContext {
  readonly context: RunContext
  readonly scanners: MessageScanners
  /** Called with the origin of a message that went into what another gives, or was dropped. */
  readonly lost: (origin: Origin, kept?: Origin) => void
  /** Where its state outlives this process. */
  readonly keeping: Keeping | undefined
}

export const openFoldAtEnd = (node: GraphNode, feeds: readonly number[], { context, scanners, lost, keeping }: KeyedContext): FoldAtEnd => {
  const report = (fault: Fault) => context.report({ ...fault, process: node.name })
  const stage = stageOf(node, scanners, report) as Folding | KeyedFolding
  return new FoldAtEnd(feeds, context, { name: node.name, stage, sink: context.sink, keeping, report, lost })
}

export const openKeyedBarrier = (
  node: GraphNode,
  { keys, scope, withinMs, drops }: GraphNode['work'] & { kind: 'join' },
  feeds: readonly number[],
  { context, scanners, lost, edges, settings }: KeyedContext & { readonly edges: Edges; readonly settings: SpawnSettings },
): KeyedBarrier | SharedJoin => {
  const readers = keys.map((key, i) => {
    const input = node.inputs[i]?.type as Type
    return new KeyReader(key, { input, scope, report: context.report }, scanners.of(input))
  })
  const shared = settings.sharedStates?.waitingIn<SharedPartners>(node, () => ({ groups: new Map(), waiting: [] }))
  if (shared)
    return new SharedJoin(feeds, context, {
      name: node.name,
      keys: readers,
      maxWaiting: settings.options.run.maxInFlight,
      partners: shared,
      lost,
    })
  const branches = node.inputs.map((_, i) => edges.into(node, i)[0]?.from.name ?? '')
  return new KeyedBarrier(feeds, context, {
    name: node.name,
    keys: readers,
    branches,
    withinMs,
    drops,
    maxWaiting: settings.options.run.maxInFlight,
    lost,
  })
}
