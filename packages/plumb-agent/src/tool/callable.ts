// A tool as an agent calls it, declared by its spec or offered by one of its servers.

import type { Type } from '@plumb/lang'
import type { Effect } from '@plumb/policy'
import type { fitOutput, fitToolInput } from '@plumb/tool/call/fit'
import type { ToolOffer } from '../provider/provider.js'

export interface CallableTool extends CheckedPart {
  /** Its inner calls, for which no approval can be requested later. */
  readonly parts: readonly CheckedPart[]
  readonly offer: ToolOffer
  /** Converts the JSON text that a model wrote to an input of the tool, or reports what is wrong with it. */
  readonly fit: (json: string) => ReturnType<typeof fitToolInput>
  /** Checks that the JSON text of the answer has the declared type. Undefined: none is declared. */
  readonly fitResult?: (json: string) => ReturnType<typeof fitOutput>
  /** The declared types, or the nearest to the schemas of its server. */
  readonly signature: { readonly input: Type; readonly output: Type }
  /** Its input is not a record: models write it as {"input": …}. */
  readonly isWrapped: boolean
  /** Its answer is a text or a list of blocks of content. */
  readonly isOfServer: boolean
  /** The dispatcher enforces its `timeout`; after this time the dispatcher is considered gone. */
  readonly timeoutMs: number
}

export interface CheckedPart {
  readonly name: string
  readonly effects: readonly Effect[]
  /** If all hosts that it reaches are known, in lower case. */
  readonly hosts?: readonly string[]
  readonly needsApproval: boolean
}
