// A graph for programs: one JSON document on one line, with every node and every wire as they run.

import { type Edge, type Graph, type GraphPort, printType, type Type } from '@plumb/lang'
import { agentAt, expressionOf, kindOfNode, openedAround, typeOnWire } from './describe.js'

/** `within` names the bound chains around a node, from the outermost; a type is null where none is known, as after `empty`. */
export const toJson = (binding: string, { nodes, edges }: Graph, labelsOf?: (edge: Edge) => readonly string[]): string => {
  const document = {
    binding,
    nodes: nodes.map((node) => ({
      id: node.id,
      name: node.name,
      kind: kindOfNode(node),
      inputs: node.inputs.map(portJson),
      outputs: node.outputs.map(portJson),
      ...optional('expression', expressionOf(node)),
      ...agentAt(node),
      ...optional('within', node.within && openedAround(node).map(({ name }) => name)),
    })),
    edges: edges.map((edge) => edgeJson(edge, labelsOf)),
  }
  return `${JSON.stringify(document)}\n`
}

const edgeJson = (edge: Edge, labelsOf: ((edge: Edge) => readonly string[]) | undefined) => {
  const { from, output, to, input, isChecked } = edge
  return {
    from: from.id,
    output: from.outputs[output]?.name,
    to: to.id,
    input: to.inputs[input]?.name,
    type: typeJson(typeOnWire(from.outputs[output]?.type, to.inputs[input]?.type, isChecked)),
    checked: isChecked,
    ...optional('labels', labelsOf?.(edge)),
  }
}

const portJson = (port: GraphPort) => ({ name: port.name, type: typeJson(port.type) })

const typeJson = (type: Type | undefined): string | null => (type ? printType(type) : null)

const optional = (key: string, value: string | readonly string[] | undefined) => (value === undefined ? {} : { [key]: value })
