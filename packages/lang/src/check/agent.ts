// agent { … }: its ports, and its keys by the table of agent.md. What depends on the machine (keys, files, environment) is plumb-agent's.

import { nearest } from '@plumb/wire/nearest'
import type { AgentImplementation, QualifiedName } from '../ast.js'
import type { Report } from '../diagnostic.js'
import { type Bound, findBinding, type Scope, shown } from '../names.js'
import { type Config, type KeyTable, readConfig } from './config.js'
import { COMMAND, FLAG, NAMES, NAMES_OR_OBJECTS, numberIn, OBJECT, oneOf, STRINGS, TEXT, wholeFrom } from './rules.js'

export const AGENT_KEYS: KeyTable = {
  provider: oneOf('anthropic', 'openai', 'eliza'),
  model: TEXT,
  prompt: TEXT,
  prompts: STRINGS,
  description: TEXT,
  tools: NAMES,
  mcp: NAMES_OR_OBJECTS,
  max_retries: wholeFrom(0),
  max_tokens: wholeFrom(1),
  max_tool_calls: wholeFrom(0),
  max_messages: wholeFrom(1),
  thinking_budget: wholeFrom(1),
  temperature: numberIn(0, 2),
  amnesiac: FLAG,
  concurrency: wholeFrom(1),
  runtime_context: FLAG,
  stream: FLAG,
  parallel_tool_calls: FLAG,
  transport_retries: wholeFrom(0),
  endpoint: TEXT,
  request: OBJECT,
  grant: STRINGS,
  grant_minutes: numberIn(1, 60),
  env: STRINGS,
  command: COMMAND,
  via: COMMAND,
  script: TEXT,
}
const DEFAULT_MAX_TOKENS = 8192

export const readAgent = (impl: AgentImplementation, scope: Scope, report: Report): Config => {
  const config = readConfig('an agent', impl.config, AGENT_KEYS, scope, report)
  const fail = (key: string, message: string) => {
    const span = config.get(key)?.valueSpan
    if (span) report({ severity: 'error', code: 'config_invalid', message, span })
  }
  const number = (key: string, standIn: number) => Number(config.get(key)?.value ?? standIn)
  if (config.has('thinking_budget') && number('thinking_budget', 0) >= number('max_tokens', DEFAULT_MAX_TOKENS)) {
    fail('thinking_budget', `'thinking_budget' must be less than 'max_tokens' (${number('max_tokens', DEFAULT_MAX_TOKENS)})`)
  }
  if (number('concurrency', 1) > 1 && config.get('amnesiac')?.value !== true) fail('concurrency', "'concurrency' over 1 needs 'amnesiac: true'")
  for (const key of ['provider', 'model']) {
    if (config.has('command') && config.has(key)) fail(key, `'${key}' and 'command' exclude each other: the program is the agent`)
  }
  if (config.has('script') && (config.get('provider')?.value ?? 'eliza') !== 'eliza') fail('script', `'script' is for provider "eliza" only`)
  return config
}

/** Ports: `!A -> !B`, `(!A, !C) -> !B`, `!A -> (!B, !json)`, or both. */
export const checkAgent = (bound: Bound, impl: AgentImplementation, report: Report): void => {
  const { signature, name } = bound.binding
  if (signature && (signature.inputs.length === 0 || signature.inputs.length > 2 || signature.outputs.length > 2)) {
    const help = "its ports are '!A -> !B', with a second input for control and a second output for telemetry"
    report({ severity: 'error', code: 'spec_invalid', message: `agent '${name.text}' has too ${signature.inputs.length === 0 ? 'few' : 'many'} ports`, span: signature.span, help })
  }
  const config = readAgent(impl, bound.scope, report)
  for (const tool of toolNames(impl, config)) checkTool(tool, bound.scope, report)
}

const toolNames = (impl: AgentImplementation, config: Config): QualifiedName[] => {
  const entry = impl.config.entries.find((e) => e.key.text === 'tools')
  if (!entry || entry.value.kind !== 'list') return []
  const asStrings = entry.value.items.flatMap((v): QualifiedName[] =>
    v.kind === 'value' && typeof v.value === 'string' ? [{ name: { text: v.value, span: v.span }, span: v.span }] : [],
  )
  return [...(config.get('tools')?.names ?? []), ...asStrings]
}

const checkTool = (name: QualifiedName, scope: Scope, report: Report): void => {
  const bound = findBinding(name, scope, report, (b) => b.isTool)
  if (bound === 'unknown' || bound.isTool || bound.category === 'unknown') return
  const near = nearest(name.name.text, [...bound.scope.bindings.values()].filter((b) => b.isTool).map((b) => b.name))
  const help =
    bound.category === 'base'
      ? "write '@tool true' above it to let agents call it"
      : `write a tool that lowers it, as in 'let … = tool { process: ${shown(name)} }'${near ? `; did you mean '${near}'?` : ''}`
  report({ severity: 'error', code: 'not_a_tool', message: `'${shown(name)}' is no tool`, span: name.span, help })
}

/** Its config as plumb-agent reads it; only for a program without errors. */
export const agentConfig = (impl: AgentImplementation, scope: Scope): Config => readConfig('an agent', impl.config, AGENT_KEYS, scope, () => {})

