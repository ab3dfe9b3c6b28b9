// A tool as an agent can call it, whether its spec declares it or a server of its offers it.

import type { Type } from '@plumb/lang'
import type { Effect } from '@plumb/policy'
import type { fitOutput, fitToolInput } from '@plumb/tool/call/validate'
import type { ToolOffer } from '../provider/provider.js'

export interface CallableTool extends JudgedTool {
  /** The calls that it makes in its turn, for which no approval can be asked later. */
  readonly parts: readonly JudgedTool[]
  readonly offer: ToolOffer
  /** What a model wrote, as JSON text, becomes an input of the tool, or what is wrong with it. */
  readonly fit: (json: string) => ReturnType<typeof fitToolInput>
  /** What it was answered with, as JSON text, is of its declared type, or what is wrong with it; undefined: none is declared. */
  readonly fitResult?: (json: string) => ReturnType<typeof fitOutput>
  /** As the spec declares it, or as near as types come to the schemas of its server. */
  readonly signature: { readonly input: Type; readonly output: Type }
  /** Its input is no record: models write it as {"input": …}. */
  readonly isWrapped: boolean
  /** What it answers is a text or a list of blocks of content. */
  readonly isOfServer: boolean
  /** The dispatcher enforces its `timeout`; after this time the dispatcher is taken to be gone. */
  readonly timeoutMs: number
}

export interface JudgedTool {
  readonly name: string
  readonly effects: readonly Effect[]
  /** Where all that it reaches is known, in small letters. */
  readonly hosts?: readonly string[]
  readonly isApprovalAsked: boolean
}
