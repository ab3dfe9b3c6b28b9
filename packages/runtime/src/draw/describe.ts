// How pictures and JSON describe a node: its kind, its expression, and the provider and tools of an agent.

import { agentOf, type Expansion, type GraphNode, type Json, type Type } from '@plumb/lang'
import { isRecord } from '@plumb/wire'

export type NodeKind =
  | 'input'
  | 'output'
  | 'agent'
  | 'plumb'
  | 'map'
  | 'filter'
  | 'barrier'
  | 'flatten'
  | 'batch'
  | 'fold'
  | 'discard'
  | 'each'
  | 'gather'
  | 'choice'
  | 'select'
  | 'failures'
  | 'conversation'
  | 'empty'
  | 'id'
  | 'copy'
  | 'merge'
  | 'channel'
  | 'inlet'
  | 'outlet'

export const kindOfNode = ({ work }: GraphNode): NodeKind => {
  if (work.kind === 'pass') return work.as
  if (work.kind === 'join') return 'barrier'
  return work.kind === 'call' ? 'map' : work.kind
}

/** The type on a wire, by its declared name where one end has one: the type of a `map` is inferred, and may be long. */
export const typeOnWire = (source: Type | undefined, target: Type | undefined, isChecked: boolean): Type | undefined =>
  source === undefined || (target?.kind === 'named' && source.kind !== 'named' && !isChecked) ? target : source

/** The bound chains around a node, which were expanded in its place; from the outermost. */
export const openedAround = ({ within }: GraphNode): Expansion[] => {
  const around: Expansion[] = []
  for (let opened = within; opened; opened = opened.within) around.unshift(opened)
  return around
}

/** The source text of a map, a filter, a batch or a fold between its parentheses, on one line; a `.field` as it is written. */
export const expressionOf = ({ name, work, span }: GraphNode): string | undefined => {
  if (work.kind === 'batch' || work.kind === 'fold' || work.kind === 'call') return textBetween(span, '(', ')')
  if (work.kind !== 'map' && work.kind !== 'filter') return undefined
  if (name.startsWith('.')) return name
  return onOneLine(work.expression.span)
}

const onOneLine = ({ source, start, end }: GraphNode['span']): string => source.text.slice(start, end).replace(/\s+/g, ' ')

const textBetween = (span: GraphNode['span'], open: string, close: string): string => {
  const text = onOneLine(span)
  return text.slice(text.indexOf(open) + 1, text.lastIndexOf(close)).trim()
}

/** The options of an each as they are written; undefined: it has none. */
export const eachOptionsOf = ({ work }: GraphNode): string | undefined => {
  if (work.kind !== 'each') return undefined
  const options = [...(work.parallel === undefined ? [] : [`parallel: ${work.parallel}`]), ...(work.skips ? ['on_error: "skip"'] : [])]
  return options.length > 0 ? options.join(', ') : undefined
}

export interface AgentDescription {
  readonly provider?: string
  readonly model?: string
  readonly command?: readonly string[]
  readonly tools: readonly string[]
  /** Servers whose tools it may call. */
  readonly mcp: readonly string[]
  /** Dollars. */
  readonly max_cost?: number
  /** It tells its answers while they grow. */
  readonly partial?: true
}

export const agentAt = ({ work }: GraphNode): AgentDescription | undefined => {
  if (work.kind !== 'agent') return undefined
  const { config } = agentOf(work.bound)
  const { provider, model, max_cost } = config
  const command = texts(config.command)
  return {
    ...(typeof provider === 'string' ? { provider } : {}),
    ...(typeof model === 'string' ? { model } : {}),
    ...(command.length > 0 ? { command } : {}),
    tools: texts(config.tools),
    mcp: list(config.mcp).map(serverName),
    ...(typeof max_cost === 'number' ? { max_cost } : {}),
    ...(config.partial === true ? { partial: true } : {}),
  }
}

const list = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? value : [])

const texts = (value: Json | undefined): string[] => list(value).filter((item) => typeof item === 'string')

// Only the prefix of a server's tools is shown, by default the name of its binding: the rest may be secret.
const serverName = (server: Json): string => {
  const prefix = isRecord(server) ? server.prefix : undefined
  return typeof prefix === 'string' ? prefix : 'mcp'
}
