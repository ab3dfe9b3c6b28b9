// Runs a chain over the tools behind a gateway: each call goes through all the stages of a single call.

import { compose, cutText, perform, type Walk } from '@plumb/tool/internal'
import type { Fault } from '@plumb/wire'
import { type McpToolResult, type ServedContent, toContent, toError } from '../tools/answer.js'
import type { CallContext } from '../tools/served-tool.js'
import type { GatewayCatalogue, GatewayTool } from './catalogue.js'

export interface ChainOptions {
  readonly catalogue: GatewayCatalogue
  /** Characters of the result of a chain. */
  readonly maxOutput: number
  readonly warn: (warning: Fault) => void
}

export type ChainAnswer =
  | { readonly kind: 'answer'; readonly result: McpToolResult }
  /** Errors in the chain: nothing was called. */
  | { readonly kind: 'refused'; readonly text: string }

/** Calls at once. */
const MAX_PARALLEL = 8

export const composeTools = async (
  chain: string,
  input: string | undefined,
  { catalogue, maxOutput, warn }: ChainOptions,
  context: CallContext,
): Promise<ChainAnswer> => {
  const { id, signal, calls, traceparent } = context
  const tools = catalogue.tools()
  const byName = new Map(tools.map((tool) => [tool.name, tool]))
  const run = (walk?: Walk) =>
    compose({
      chain,
      input,
      tools,
      order: walk && { protocol: walk.of.protocol, at: walk.at, names: new Map() },
      parallel: MAX_PARALLEL,
      signal,
      warn,
      call: async (name, json, number, stop) => {
        const refused = walk?.judge(name)
        if (refused) return { ok: false, error: refused }
        const { tool, session } = byName.get(name) as GatewayTool
        const of = { session, signal: stop, id: `${id}/${number}`, parent: { id, depth: 0, traceparent } }
        const { result } = await perform(tool, json, of)
        if (result.ok) walk?.made(name)
        return result
      },
    })
  const composed = await (calls ? calls.alone(run) : run())
  if (composed.kind === 'refused') return composed
  const { result } = composed
  if (!result.ok) return { kind: 'answer', result: toError(result.error) }
  const content = cut(toContent(JSON.parse(result.value), result.value), maxOutput)
  return { kind: 'answer', result: { content } }
}

/** The text of all blocks together; images are kept. */
const cut = (content: readonly ServedContent[], maxOutput: number): readonly ServedContent[] => {
  let left = maxOutput
  return content.map((block) => {
    if (block.type !== 'text') return block
    const { text } = cutText(block.text, left)
    left = Math.max(0, left - block.text.length)
    return { ...block, text }
  })
}
