// A call of a model, on telemetry.

import { nowMs } from '@plumb/wire'
import type { Emit } from '../io/telemetry.js'
import { WrittenJson } from '../io/written-json.js'
import type { ToolUse } from '../provider/provider.js'
import { codeOf, detailOf } from './result.js'

/** How long a person was asked about a call. */
export interface Asking {
  ms: number
}

/** Reports a call, and returns a function that reports its end. */
export const beginCall = (
  { id, name, json }: Pick<ToolUse, 'id' | 'name'> & { readonly json: string },
  emit: Emit,
  asking: Asking,
  inner: { parent?: string; depth?: number } = {},
) => {
  // A model may write it over several lines.
  emit({ kind: 'tool_call', id, name, input: new WrittenJson(json.replaceAll(/[\r\n]+/g, ' ')), ...inner })
  const startMs = nowMs()
  return (is_error: boolean, content: string): void => {
    const ms = Math.max(0, Math.round(nowMs() - startMs - asking.ms))
    const why = is_error ? { ...codeOf(content), detail: detailOf(content) } : {}
    emit({ kind: 'tool_result', id, name, is_error, ms, bytes: Buffer.byteLength(content), ...why, ...inner })
  }
}
