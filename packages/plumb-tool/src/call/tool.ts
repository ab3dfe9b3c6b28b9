// What a tool is: one message in, one result or one error out. Sources make these, combinations and stages wrap them.

import type { Type } from '@plumb/lang'
import type { Result } from '@plumb/wire'
import type { JsonText } from '../json-text.js'
import type { Call } from './call.js'

/** A function from one message to one result or error, with the types of both. */
export interface Tool {
  readonly name: string
  readonly input: Type
  readonly output: Type
  /** Never throws. When `call.signal` fires the work is really stopped, and it resolves soon after. */
  run(input: JsonText, call: Call): Promise<Result<JsonText>>
}

/** A stage: the same types in and out, one concern. */
export type Wrap = (tool: Tool) => Tool
