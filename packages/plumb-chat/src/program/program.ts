// The program that a person talks to, as far as the conversation needs to know it.

export interface ChatProgram {
  /** A single agent always takes control messages; a plumb only when it has a `ctrl_in` of its own. */
  readonly runs: 'plumb-agent' | 'plumb'
  readonly binding: string
  /** In the order of the program. */
  readonly agents: readonly string[]
  /** Of these, those that answer in words, and not in JSON. */
  readonly talkers: readonly string[]
  /** Those that tell their answers while they grow. */
  readonly growers: readonly string[]
  /** As the spec names them; without those of agents whose model it leaves open. */
  readonly models: readonly string[]
  readonly tools: readonly string[]
  /** MCP servers. */
  readonly servers: readonly string[]
  /** Dollars that the agents may spend, where the spec limits each of them. */
  readonly maxCost: number | undefined
  /** Where typed lines go. */
  readonly input: ChatPort
  /** With several, every line in and out is an envelope. */
  readonly outputs: readonly ChatPort[]
  readonly isEnveloped: boolean
  readonly hasControl: boolean
}

export interface ChatPort {
  readonly name: string
  /** As written in the spec; null when it is not known. */
  readonly type: string | null
  /** A typed line is the message itself, not JSON. */
  readonly isText: boolean
}

/** The part of `plumb render --format json` that is needed. */
export interface RenderedGraph {
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
  readonly provider?: string
  readonly model?: string
  readonly tools?: readonly string[]
  readonly mcp?: readonly string[]
  readonly max_cost?: number
  readonly partial?: true
}

interface GraphPort {
  readonly name: string
  readonly type: string | null
}

/** The part of `plumb check --json` that is needed: names of types and what they stand for, and the bindings of the file. */
export interface Names {
  readonly types: Readonly<Record<string, string>>
  readonly bindings: Readonly<Record<string, { readonly kind: string }>>
}

const CONTROL = ['ctrl_in', 'ctrl_out', 'telemetry']

/** Returns undefined for a program that takes no messages. */
export const describeProgram = (binding: string, graph: RenderedGraph, { types, bindings }: Names): ChatProgram | undefined => {
  const ends = (kind: string) => graph.nodes.filter((node) => node.kind === kind)
  const toPort = ({ name, inputs, outputs }: GraphNode): ChatPort => {
    const type = (inputs[0] ?? outputs[0])?.type ?? null
    return { name, type, isText: isText(type, types) }
  }
  const [inputs, outputs] = [ends('input').map(toPort), ends('output').map(toPort)]
  const agents = ends('agent')
  const input = inputs.find(({ name }) => !CONTROL.includes(name))
  if (!input) return undefined
  const alone = findSingleAgent(graph)
  const isOwn = alone !== undefined && Object.hasOwn(bindings, alone)
  return {
    runs: isOwn ? 'plumb-agent' : 'plumb',
    binding: isOwn ? alone : binding,
    agents: agents.map(({ name }) => name),
    talkers: agents.filter(({ outputs }) => isText(outputs[0]?.type ?? null, types)).map(({ name }) => name),
    growers: agents.filter(({ partial }) => partial === true).map(({ name }) => name),
    models: distinct(agents.flatMap(({ model }) => model ?? [])),
    tools: distinct(agents.flatMap(({ tools = [] }) => tools)),
    servers: distinct(agents.flatMap(({ mcp = [] }) => mcp)),
    maxCost: agents.every(({ max_cost }) => max_cost !== undefined)
      ? agents.reduce((sum, { max_cost = 0 }) => sum + max_cost, 0)
      : undefined,
    input,
    outputs: isOwn ? outputs.slice(0, 1) : outputs,
    isEnveloped: !isOwn && (inputs.length > 1 || outputs.length > 1),
    hasControl: isOwn || (inputs.some(({ name }) => name === 'ctrl_in') && outputs.some(({ name }) => name === 'ctrl_out')),
  }
}

const distinct = (names: readonly string[]): string[] => [...new Set(names)]

// Returns the name of the agent when nothing else is between input and output, and it runs no foreign command.
const findSingleAgent = ({ nodes, edges }: RenderedGraph): string | undefined => {
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
