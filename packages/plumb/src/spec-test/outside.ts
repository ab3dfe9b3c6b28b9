// What a test would run outside of a sandbox, or would ask of models: only with --live, so that a spec of strangers can be tested.

import { agentOf, type Bound, type Json, type ToolPlan, toolOf } from '@plumb/lang'
import { isRecord } from '@plumb/wire'

type ToolPackage = typeof import('@plumb/tool/internal')

/** Why the subject is not run, as the end of a sentence about it. Undefined: it may be. */
export const whyOutside = (bound: Bound, { docroot, asksModels }: OutsideOptions, tools: ToolPackage): string | undefined => {
  if (bound.category === 'base') return whyToolOutside(toolOf(bound), docroot, tools)
  if (bound.binding.impl.kind !== 'agent') return undefined
  const { command, via, sandbox, provider } = agentOf(bound).config
  if (via !== undefined) return 'it runs elsewhere'
  if (command !== undefined) return unboxed(sandbox, docroot, tools)
  // ELIZA asks nobody.
  return asksModels && provider !== 'eliza' ? 'it asks a model' : undefined
}

export interface OutsideOptions {
  readonly docroot: string
  /** Else their answers are recorded. */
  readonly asksModels: boolean
}

export const whyToolOutside = ({ body }: ToolPlan, docroot: string, tools: ToolPackage): string | undefined => {
  if (body.kind === 'chain') return undefined
  const { source, config } = body
  switch (source) {
    case 'command':
    case 'function':
      return unboxed(config.sandbox, docroot, tools)
    case 'mcp':
      return isRecord(config.mcp) && config.mcp.command !== undefined ? unboxed(config.mcp.sandbox as Json, docroot, tools) : undefined
    case 'agent':
    case 'process':
      return 'it runs agents'
    default:
      return undefined
  }
}

export const notRun = (name: string, why: string): string => `'${name}' is not run, since ${why}: plumb test --live runs it`

const unboxed = (sandbox: Json | undefined, docroot: string, { whyNoSandbox }: ToolPackage): string | undefined => {
  const why = whyNoSandbox(sandbox, docroot)
  return why === undefined ? undefined : `it runs outside a sandbox: ${why}`
}
