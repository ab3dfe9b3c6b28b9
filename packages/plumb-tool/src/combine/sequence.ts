// f ; g: g after f; an error stops the chain.

import { type Result, succeed } from '@plumb/wire'
import type { JsonText } from '../json-text.js'
import type { Run, Runnable, Within } from './run.js'

export const sequenceOf =
  <C extends Within>(tools: readonly Runnable<C>[]): Run<C> =>
  async (input, call) => {
    let result: Result<JsonText> = succeed(input)
    for (const tool of tools) {
      if (!result.ok) break
      result = await tool.run(result.value, call)
    }
    return result
  }
