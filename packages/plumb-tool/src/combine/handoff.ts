// A hand-off: f + g, but only for errors of some categories or codes.

import type { Tool } from '../call/tool.js'
import { choiceOf } from './choice.js'
import type { Run } from './run.js'

/** `on` holds categories and codes; without it, every error is handed on. */
export const handoffOf = (tools: readonly Pick<Tool, 'run'>[], on?: readonly string[]): Run => {
  if (!on) return choiceOf(tools)
  const kinds = new Set(on)
  return choiceOf(tools, ({ error, category }) => kinds.has(category) || kinds.has(error))
}
