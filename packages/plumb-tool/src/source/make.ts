// Makes a tool from its plan, without the stages around a call.

import { type Bound, mayHoldSecrets, type ToolBody, type ToolPlan, toolOf } from '@plumb/lang'
import { type Result, succeed } from '@plumb/wire'
import type { CallRecord } from '../call/call.js'
import { perform } from '../call/perform.js'
import type { TargetsOf } from '../call/targets.js'
import type { Tool } from '../call/tool.js'
import { chainOf } from '../combine/chain.js'
import type { Run } from '../combine/run.js'
import { promptRun } from './agent/prompt-run.js'
import { builtinTool } from './builtin/builtin-tool.js'
import { madeOfOthers } from './combinators.js'
import { commandRun } from './command/command-run.js'
import { functionRun } from './function/function-run.js'
import { serverTool } from './mcp/tool-of-server.js'
import { processTool } from './process/process-run.js'

export interface SourceContext {
  /** The tool of a binding with all its stages, since each part of a composition is a call of its own. */
  readonly resolve: (bound: Bound) => Tool
  /** The docroot of its calls; default `.`. */
  readonly docroot?: string | undefined
}

export interface BareTool extends Tool {
  /** Undefined if the paths and hosts of a call are not known from its input. */
  readonly targetsOf?: TargetsOf
}

/** Everything that can be found wrong before a call is an error of category `config` here. */
export const makeTool = (plan: ToolPlan, context: SourceContext): Result<BareTool> => {
  const { name, input, output, body } = plan
  const work =
    body.kind === 'chain' ? succeed({ run: chainOf(body.chain, (bound) => partOf(bound, context).run) }) : workOf(plan, body, context)
  return work.ok ? succeed({ name, input, output, ...work.value }) : work
}

type Work = Pick<BareTool, 'run' | 'targetsOf'>

const workOf = (plan: ToolPlan, body: Extract<ToolBody, { readonly kind: 'tool' }>, context: SourceContext): Result<Work> => {
  const { docroot = '.' } = context
  const { source, config } = body
  switch (source) {
    case 'process':
      return running(processTool(plan, body, docroot))
    case 'command':
      return running(commandRun(plan, config, docroot))
    case 'function':
      return running(functionRun(plan, config, docroot))
    case 'agent':
      return running(promptRun(plan, config, docroot))
    case 'builtin':
      return builtinTool(plan, config)
    case 'mcp':
      return serverTool(plan, config, docroot)
    default:
      return succeed({
        run: madeOfOthers(
          source,
          config,
          body.parts.map((bound) => partOf(bound, context)),
          source === 'spy' && mayHoldSecrets(plan.bound.scope),
        ),
      })
  }
}

// What is itself made of tools has its own parts kept.
const partOf = (bound: Bound, { resolve }: SourceContext): Tool => {
  const { body } = toolOf(bound)
  return asPart(resolve(bound), body.kind === 'tool' && body.parts.length === 0)
}

const running = (run: Result<Run>): Result<Work> => (run.ok ? succeed({ run: run.value }) : run)

/** `isKept`: its result is kept for a resumed run of the surrounding call. */
const asPart = (tool: Tool, isKept: boolean): Tool => ({
  ...tool,
  run: async (input, outer) => {
    const kept = isKept ? outer.session.partsOf?.(outer.whole ?? outer.id) : undefined
    const before = kept?.take(tool.name, input)
    if (before) return before
    const { result, record } = await perform(tool, input, { session: outer.session, signal: outer.signal, parent: outer })
    kept?.note(tool.name, input, result)
    addUsage(outer.record, record)
    return result
  },
})

// The cost of the parts is the cost of the whole.
const addUsage = (outer: CallRecord, inner: CallRecord): void => {
  if (inner.tokens !== undefined) outer.tokens = (outer.tokens ?? 0) + inner.tokens
  if (inner.cost !== undefined) outer.cost = (outer.cost ?? 0) + inner.cost
}
