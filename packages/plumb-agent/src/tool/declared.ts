// The tools that a spec declares for its agent, in the form for a model.

import { type CheckedTool, resolve, toToolSchema } from '@plumb/lang'
import { fitOutput, fitToolInput } from '@plumb/tool/call/fit'
import { fail, parseJson, succeed } from '@plumb/wire'
import type { CallableTool } from './callable.js'

export const declareTools = (tools: readonly CheckedTool[]): ReadonlyMap<string, CallableTool> =>
  new Map(tools.map((tool) => [tool.name, declare(tool)]))

const declare = (tool: CheckedTool): CallableTool => {
  const { name, effects, needsApproval, description, input, parts, timeoutMs } = tool
  const { schema, isWrapped } = toToolSchema(input)
  return {
    name,
    effects,
    needsApproval,
    parts,
    offer: { name, description, input_schema: schema },
    fit: (json) => fitToolInput(json, input),
    fitResult: (json) => fitResult(json, tool),
    signature: tool,
    isWrapped,
    isOfServer: false,
    timeoutMs,
  }
}

// A hand-written dispatcher may omit the quotes of a text.
const fitResult = (json: string, { name, output }: CheckedTool): ReturnType<typeof fitOutput> => {
  const bytes = Buffer.from(json)
  if (resolve(output).kind === 'string' && !parseJson(bytes, 0, bytes.length).ok) return succeed({ json, repairs: [] })
  const fit = fitOutput(json, output)
  return fit.ok ? fit : fail('output_type_mismatch', `what '${name}' was answered with: ${fit.error.detail}`)
}
