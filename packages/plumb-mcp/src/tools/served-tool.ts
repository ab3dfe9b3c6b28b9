// What a client can call: how it is listed, and its call.

import type { Effect, JsonText } from '@plumb/tool'
import type { McpToolResult } from './answer.js'

export type ServedSchema = { readonly [keyword: string]: unknown }

export interface ToolHints {
  readonly readOnlyHint: boolean
  readonly destructiveHint: boolean
  readonly openWorldHint: boolean
}

export interface ServedTool {
  readonly name: string
  readonly description: string
  /** Always of an object. */
  readonly inputSchema: ServedSchema
  /** Of the structured content that each answer without an error has; before 2026-07-28 that of an object alone. */
  readonly outputSchema?: ServedSchema
  readonly annotations: ToolHints
  /** Without all of them it is not served. */
  readonly effects: readonly Effect[]
  /** Never rejects. */
  call(input: JsonText, context: CallContext): Promise<McpToolResult>
}

export interface CallContext {
  /** Unique in this server, without a slash. */
  readonly id: string
  /** The caller has gone: what runs is stopped. */
  readonly signal: AbortSignal
  /** What happens, for a person; `done` of `total` where they are known. */
  readonly progress: (message: string, done?: number, total?: number) => void
}

/** Hints, by what the tool may do to the world. */
export const hintsOf = (effects: readonly Effect[]): ToolHints => {
  const has = (...some: readonly Effect[]) => some.some((effect) => effects.includes(effect))
  return {
    readOnlyHint: !has('fs.write', 'exec'),
    destructiveHint: has('fs.write', 'exec'),
    openWorldHint: has('net', 'net.private', 'exec', 'model'),
  }
}
