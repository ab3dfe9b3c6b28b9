// What there is to talk to, as far as a person has to know it.

export interface Program {
  /** One agent alone hears control; of a plumb only a `ctrl_in` of its own does. */
  readonly runs: 'plumb-agent' | 'plumb'
  readonly binding: string
  /** In the order of the program. */
  readonly agents: readonly string[]
  /** What a line that is typed goes to. */
  readonly input: Port
  /** Several: every line in and out is an envelope. */
  readonly outputs: readonly Port[]
  readonly isEnveloped: boolean
  readonly hasControl: boolean
}

export interface Port {
  readonly name: string
  /** As it is written in the spec; null where none is known. */
  readonly type: string | null
  /** A line that is typed is the message itself, not JSON of it. */
  readonly isText: boolean
}

/** `plumb render --format json`, as far as it is needed. */
export interface Graph {
  readonly nodes: readonly GraphNode[]
  readonly edges: readonly { readonly from: number; readonly to: number; readonly checked: boolean }[]
}

interface GraphNode {
  readonly id: number
  readonly name: string
  readonly kind: string
  readonly inputs: readonly GraphPort[]
  readonly outputs: readonly GraphPort[]
  readonly command?: readonly string[]
}

interface GraphPort {
  readonly name: string
  readonly type: string | null
}

/** `plumb check --json`, likewise: names of types and what they stand for, and the bindings of the file. */
export interface Names {
  readonly types: Readonly<Record<string, string>>
  readonly bindings: Readonly<Record<string, { readonly kind: string }>>
}

const CONTROL = ['ctrl_in', 'ctrl_out', 'telemetry']

/** Undefined: nothing can be said to it, since it takes no messages. */
export const programOf = (binding: string, graph: Graph, { types, bindings }: Names): Program | undefined => {
  const ends = (kind: string) => graph.nodes.filter((node) => node.kind === kind)
  const toPort = ({ name, inputs, outputs }: GraphNode): Port => {
    const type = (inputs[0] ?? outputs[0])?.type ?? null
    return { name, type, isText: isText(type, types) }
  }
  const [inputs, outputs] = [ends('input').map(toPort), ends('output').map(toPort)]
  const agents = ends('agent')
  const input = inputs.find(({ name }) => !CONTROL.includes(name))
  if (!input) return undefined
  const alone = agentAlone(graph)
  const isOwn = alone !== undefined && Object.hasOwn(bindings, alone)
  return {
    runs: isOwn ? 'plumb-agent' : 'plumb',
    binding: isOwn ? alone : binding,
    agents: agents.map(({ name }) => name),
    input,
    outputs: isOwn ? outputs.slice(0, 1) : outputs,
    isEnveloped: !isOwn && (inputs.length > 1 || outputs.length > 1),
    hasControl: isOwn || (inputs.some(({ name }) => name === 'ctrl_in') && outputs.some(({ name }) => name === 'ctrl_out')),
  }
}

// Between input and output stands one agent of ours, and nothing else.
const agentAlone = ({ nodes, edges }: Graph): string | undefined => {
  const [agent, ...more] = nodes.filter(({ kind }) => kind !== 'input' && kind !== 'output')
  const isAlone = agent?.kind === 'agent' && agent.command === undefined && more.length === 0
  return isAlone && !edges.some(({ checked }) => checked) ? agent.name : undefined
}

const isText = (type: string | null, types: Names['types']): boolean => {
  const seen = new Set<string>()
  let text = type ?? ''
  for (; Object.hasOwn(types, text) && !seen.has(text); text = types[text] as string) seen.add(text)
  return text === 'string' || /^"(\\.|[^"\\])*"(\s*\|\s*"(\\.|[^"\\])*")*$/.test(text)
}
