// What MCP servers say of their use, as a part of the system prompt. It is the text of strangers: below a heading that says whose it is.

import { escapeLines } from '@plumb/wire'
import type { ToolOffer } from '../provider/provider.js'

export const withInstructions = (system: string, offers: readonly ToolOffer[]): string => {
  const sections = offers.flatMap(({ name, instructions }) =>
    instructions === undefined ? [] : [`# Instructions of the MCP server '${name.split(':', 1)[0]}'\n\n${escapeLines(instructions)}`],
  )
  return [...(system === '' ? [] : [system]), ...sections].join('\n\n')
}
