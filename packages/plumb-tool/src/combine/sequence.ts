// f ; g: g after f; an error stops the chain.

import { type Result, succeed } from '@plumb/wire'
import type { JsonText } from '../json-text.js'
import type { Tool } from '../tool.js'
import type { Run } from './run.js'

export const sequenceOf =
  (tools: readonly Pick<Tool, 'run'>[]): Run =>
  async (input, call) => {
    let result: Result<JsonText> = succeed(input)
    for (const tool of tools) {
      if (!result.ok) break
      result = await tool.run(result.value, call)
    }
    return result
  }
