// A tool that a client can call: its listing, and its call.

import type { Effect } from '@plumb/policy'
import type { JsonText, WalkedCalls } from '@plumb/tool/internal'
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
  /** The schema of the structured content that each answer without an error has; before 2026-07-28 only that of an object. */
  readonly outputSchema?: ServedSchema
  readonly annotations: ToolHints
  /** It is served only if all of them are granted. */
  readonly effects: readonly Effect[]
  /** Never rejects. */
  call(input: JsonText, context: CallContext): Promise<McpToolResult>
}

export interface CallContext {
  /** Unique in this server, without a slash. */
  readonly id: string
  /** Fires when the caller has ended: what runs is stopped. */
  readonly signal: AbortSignal
  /** The span of the request, for what it asks. */
  readonly traceparent?: string | undefined
  /** Of its session, where they keep to a protocol: for a tool that calls others by their names. */
  readonly calls?: WalkedCalls | undefined
  /** Reports progress, for people; `done` of `total` if they are known. */
  readonly progress: (message: string, done?: number, total?: number) => void
}

/** Hints, derived from the tool's effects. */
export const hintsOf = (effects: readonly Effect[]): ToolHints => {
  const has = (...some: readonly Effect[]) => some.some((effect) => effects.includes(effect))
  return {
    readOnlyHint: !has('fs.write', 'exec'),
    destructiveHint: has('fs.write', 'exec'),
    openWorldHint: has('net', 'net.private', 'exec', 'model'),
  }
}
