// A server's tool as an agent has it: its description for the model, and its call with all stages.

import type { Json, Type } from '@plumb/lang'
import { effectOf, hostsOf, type McpTool } from '@plumb/mcp-client'
import type { Effect } from '@plumb/policy'
import type { Result } from '@plumb/wire'
import type { Call } from '../../call/call.js'
import { cutText } from '../../call/cut-text.js'
import { secure } from '../../call/secure.js'
import type { Tool, Wrap } from '../../call/tool.js'
import { noteFit } from '../../call/validate.js'
import type { JsonText } from '../../json-text.js'
import { maxOutputOf } from './cut-content.js'
import type { NamedTool } from './name-tools.js'
import { contentOfAnswer } from './result.js'
import { callServer, fitServerInput, outputLimitOf } from './server-call.js'

/** As in the file that PLUMB_MCP_TOOLS names. */
export interface OfferedTool {
  readonly name: string
  readonly description: string
  readonly input_schema: Json
  /** The output schema, if its server has one. */
  readonly output_schema?: Json
  readonly strict?: boolean
  /** Of its server; with the first of its tools. */
  readonly instructions?: string
  readonly effects: readonly Effect[]
  readonly hosts?: readonly string[]
}

/** Of instructions, in characters. */
const MAX_INSTRUCTIONS = 4000

/** `isFirst`: of the tools of its server. */
export const offerOf = (name: string, { config, tool, connection }: NamedTool, isFirst: boolean): OfferedTool => {
  const { description, title, inputSchema, outputSchema } = tool
  const hosts = hostsOf(config)
  const said = isFirst && config.instructions !== false ? (connection.instructions?.trim() ?? '') : ''
  return {
    name,
    description: description ?? title ?? '',
    input_schema: inputSchema,
    ...(outputSchema === undefined ? {} : { output_schema: outputSchema }),
    ...(config.strict ? { strict: true } : {}),
    ...(said === '' ? {} : { instructions: cutText(said, MAX_INSTRUCTIONS).text }),
    effects: [effectOf(config)],
    ...(hosts.length === 0 ? {} : { hosts }),
  }
}

// Its own schema decides.
const JSON_TYPE: Type = { kind: 'json' }

/** As for any tool that starts no program (plumb-tools(7), What happens to a call). */
const DEFAULT_ATTEMPTS = 3
/** 60 seconds. */
const DEFAULT_TIMEOUT_MS = 60_000

export const securedTool = (name: string, named: NamedTool): Tool => {
  const { config, connection, tool } = named
  return secureServerTool(named, { name, input: JSON_TYPE, output: JSON_TYPE }, async (input, call, timeoutMs) => {
    const answer = await callServer({ name, connection, tool, timeoutMs }, input, call)
    return answer.ok ? contentOfAnswer(name, answer.value, outputLimitOf(call, maxOutputOf(config))) : answer
  })
}

/** `work` is one call; all stages are added, by the effects of its server. */
export const secureServerTool = (
  { config, tool }: NamedTool,
  signature: Omit<Tool, 'run'>,
  work: (input: JsonText, call: Call, timeoutMs: number) => Promise<Result<JsonText>>,
): Tool => {
  const timeoutMs = config.timeout === undefined ? DEFAULT_TIMEOUT_MS : config.timeout * 1000
  const hosts = hostsOf(config)
  const effect = effectOf(config)
  const bare: Tool = { ...signature, run: (input, call) => work(input, call, timeoutMs) }
  return secure(bare, {
    effects: [effect],
    needsApproval: false,
    attempts: effect === 'exec' ? 1 : DEFAULT_ATTEMPTS,
    validation: validated(tool),
    ...(hosts.length === 0 ? {} : { targetsOf: async () => ({ written: [], hosts }) }),
  })
}

const validated =
  (server: McpTool): Wrap =>
  (tool) => ({
    ...tool,
    run: async (input, call) => {
      const fit = fitServerInput(tool.name, server, input)
      noteFit(call, fit)
      return fit.ok ? tool.run(fit.value.json, call) : fit
    },
  })
