// The labels of what goes over each wire of a binding, as it runs: for pictures.

import type { Program } from '../compile.js'
import type { Bound } from '../names/names.js'
import type { Edge, Graph } from '../plan/graph.js'
import type { EffectsOf } from './analysis.js'
import { Engine } from './engine.js'
import { GraphFlow } from './graph.js'
import type { Label } from './label.js'
import { givenTo } from './signature.js'

/** `graph`: the plan of the binding. Only for a program without errors. */
export const labelsOfWires = (program: Program, bound: Bound, graph: Graph, effectsOf: EffectsOf): ((edge: Edge) => readonly Label[]) => {
  const flow = new GraphFlow(bound, new Engine(program.scopes, effectsOf), graph)
  flow.run(bound.inputs.map((_, i) => givenTo(bound, i)))
  return (edge) => {
    const { untrusted, secret } = flow.tagsOn(edge)
    return [...(untrusted ? (['untrusted'] as const) : []), ...(secret ? (['secret'] as const) : [])]
  }
}
