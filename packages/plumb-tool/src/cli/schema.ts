// plumb-tool schema: a tool as a model sees it.

import { toSchema } from '@plumb/lang'
import { unknownTool } from '../serve/dispatcher.js'
import type { RunCommand } from './command.js'
import { writeLines } from './write-lines.js'

export const schema: RunCommand = async ({ registry }, { words: [name = ''], reporter }) => {
  const tool = registry.get(name)
  if (!tool) {
    reporter.report(unknownTool(name, registry))
    return undefined
  }
  const { plan } = tool
  const shown = {
    name: plan.name,
    description: plan.description ?? '',
    input_schema: tool.schema.schema,
    output_schema: toSchema(plan.output),
  }
  await writeLines([JSON.stringify(shown)], reporter)
  return undefined
}
