// What whoever watches a run is told of it first.

import type { Graph } from '@plumb/lang'
import { toDot } from '../draw/dot.js'
import { pictureOf } from '../draw/picture.js'
import type { RunOptions } from '../run-options.js'
import { nodesOf } from './nodes.js'
import type { WatchNews } from './run-event.js'
import { wiresOf } from './wires.js'

/** `spec`: as it was named. */
export const beginOf = (graph: Graph, spec: string, { binding, provider }: RunOptions): WatchNews => ({
  kind: 'begin',
  time: new Date().toISOString(),
  spec,
  binding,
  wires: [...wiresOf(graph).values()],
  nodes: nodesOf(graph, { provider }),
  dot: () => toDot(pictureOf(binding, graph)),
})
