// The labels on each wire of a binding: for pictures, and for hiding secrets of a run.

import type { Program } from '../compile.js'
import type { Bound } from '../names/names.js'
import type { Edge, Graph, GraphNode } from '../plan/graph.js'
import type { EffectsOf } from './analysis.js'
import { FlowEngine } from './engine.js'
import { GraphFlow } from './graph.js'
import type { Label } from './label.js'
import { flat, type Shape } from './shape.js'
import { givenTo } from './signature.js'

export interface WireFlows {
  labelsOn(edge: Edge): readonly Label[]
  shapeOn(edge: Edge): Shape
  /** It received, emitted or read a secret. */
  hasSecret(node: GraphNode): boolean
}

/** `graph`: the plan of the binding. Only for a program without errors. */
export const flowsOfWires = (program: Program, bound: Bound, graph: Graph, effectsOf: EffectsOf): WireFlows => {
  const engine = new FlowEngine(program.scopes, effectsOf)
  const flow = new GraphFlow(bound, engine, graph)
  do flow.run(bound.inputs.map((_, i) => givenTo(bound, i)))
  while (engine.places.takeNews())
  return {
    labelsOn: (edge) => {
      const { untrusted, secret } = flat(flow.shapeOn(edge))
      return [...(untrusted ? (['untrusted'] as const) : []), ...(secret ? (['secret'] as const) : [])]
    },
    shapeOn: (edge) => flow.shapeOn(edge),
    hasSecret: (node) => flow.tagsIn(node).secret !== undefined,
  }
}
