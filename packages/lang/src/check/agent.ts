// agent { … }: checks its ports, and its keys by the table of plumb-agent(1). What depends on the machine (keys, files, environment) is
// checked by plumb-agent.

import { PROVIDER_NAMES } from '@plumb/wire/accounts'
import { nearest } from '@plumb/wire/nearest'
import { once } from '@plumb/wire/once'
import { error, ignore, type Report } from '../diagnostic/diagnostic.js'
import { fieldsOf } from '../expression/infer/fields.js'
import { type Bound, findBinding, printName, type Scope } from '../names/names.js'
import type { AgentImplementation, Expression, QualifiedName } from '../parse/ast.js'
import { partsOfExpression } from '../parse/expression-parts.js'
import { checkKey } from '../plan/key.js'
import { libraryNameOf } from '../stdlib/library.js'
import { printType } from '../types/print.js'
import { resolve } from '../types/type.js'
import { type Config, type KeyTable, readConfig } from './config.js'
import { checkControlEnd } from './control-end.js'
import { checkProtocol } from './protocol.js'
import {
  COMMAND,
  COMPOSE,
  EFFECTS,
  EXPRESSION,
  FLAG,
  FLAG_OR_AUTO,
  MESSAGES,
  manyOf,
  mcpServers,
  NAME,
  NAMES,
  numberIn,
  OBJECT,
  OVER_ZERO,
  objectOf,
  oneOf,
  REMOTE,
  STRINGS,
  TEXT,
  TOOL_NAMES,
  VARIABLE,
  VARIABLES,
  wholeFrom,
} from './rules.js'
import { SANDBOX } from './sandbox.js'
import { mcpServer } from './server.js'

export const agentKeys = once(
  (): KeyTable => ({
    provider: oneOf(...PROVIDER_NAMES, 'person'),
    wire: oneOf('responses', 'chat'),
    model: TEXT,
    prompt: { ...TEXT, isTemplate: true },
    prompt_file: TEXT,
    template: FLAG,
    prompts: STRINGS,
    skills: STRINGS,
    history: MESSAGES,
    description: TEXT,
    tools: NAMES,
    mcp: mcpServers(mcpServer()),
    max_retries: wholeFrom(0),
    max_tokens: wholeFrom(1),
    cut: oneOf('retry', 'keep'),
    schema_in_prompt: FLAG_OR_AUTO,
    compose: COMPOSE,
    protocol: NAME,
    protocol_per: oneOf('input', 'conversation'),
    free: TOOL_NAMES,
    max_tool_calls: wholeFrom(0),
    max_messages: wholeFrom(1),
    max_cost: OVER_ZERO,
    rate: objectOf('a rate', { requests: wholeFrom(1), tokens: wholeFrom(1) }),
    thinking_budget: wholeFrom(1),
    temperature: numberIn(0, 2),
    effort: oneOf('none', 'minimal', 'low', 'medium', 'high', 'max'),
    amnesiac: FLAG,
    conversation: EXPRESSION,
    conversations: wholeFrom(1),
    concurrency: wholeFrom(1),
    unordered: FLAG,
    runtime_context: FLAG,
    partial: FLAG,
    stream: FLAG,
    parallel_tool_calls: FLAG,
    transport_retries: wholeFrom(0),
    endpoint: TEXT,
    key_command: COMMAND,
    price_as: TEXT,
    request: OBJECT,
    lane: oneOf('now', 'batch'),
    grant: manyOf(...EFFECTS),
    grant_minutes: numberIn(1, 60),
    env: STRINGS,
    sees_secrets: FLAG,
    command: COMMAND,
    answers: oneOf('each', 'numbered', 'some'),
    via: COMMAND,
    a2a: REMOTE,
    token_env: VARIABLE,
    headers_env: VARIABLES,
    sandbox: SANDBOX,
    script: TEXT,
  }),
)
const DEFAULT_MAX_TOKENS = 8192
/** What an agent elsewhere is told here; all else is its own. */
const OF_REMOTE = ['a2a', 'token_env', 'headers_env', 'description', 'amnesiac']
/** Means nothing to a person. */
const OF_MODELS = ['tools', 'mcp', 'skills', 'lane', 'conversation', 'prompt_file', 'prompts']
const OWN_OF_REMOTE = ['token_env', 'headers_env']

/** The names of its keys. */
export const agentKeyNames = (): readonly string[] => Object.keys(agentKeys())

/** Ports: `!A -> !B`, `(!A, !C) -> !B`, `!A -> (!B, !json)`, or both. */
export const checkAgent = (bound: Bound, impl: AgentImplementation, report: Report): void => {
  checkPorts(bound, report)
  const config = readConfig('an agent', impl.config, agentKeys(), bound.scope, report)
  checkTogether(impl, config, report)
  checkControlEnd(bound, config.has('command'), report)
  checkConversation(bound, config, report)
  checkTools(config.get('tools')?.names ?? [], bound.scope, report)
  checkProtocol(bound, impl, config, report)
}

const checkPorts = ({ binding: { name, signature }, outputs }: Bound, report: Report): void => {
  if (!signature) return
  const help = "its ports are '!A -> !B', with a second input for control and a second output for telemetry"
  if (signature.inputs.length === 0 || signature.inputs.length > 2 || signature.outputs.length > 2) {
    const message = `agent '${name.text}' has too ${signature.inputs.length === 0 ? 'few' : 'many'} ports`
    report(error('spec_invalid', message, signature.span, help))
    return
  }
  const [, telemetry] = outputs
  const port = signature.outputs[1]
  if (!port || !telemetry || resolve(telemetry).kind === 'json') return
  report(
    error(
      'type_mismatch',
      `the second output of agent '${name.text}' is telemetry: '!json', not '!${printType(telemetry)}'`,
      port.span,
      help,
    ),
  )
}

// Rules between keys; an invalid value was already reported and is not compared.
const checkTogether = (impl: AgentImplementation, config: Config, report: Report): void => {
  const isWrong = (key: string) => !config.has(key) && impl.config.entries.some((e) => e.key.text === key)
  const fail = (key: string, message: string) => {
    const span = config.get(key)?.valueSpan
    if (span) report(error('config_invalid', message, span))
  }
  const number = (key: string, standIn: number) => Number(config.get(key)?.value ?? standIn)
  const maxTokens = number('max_tokens', DEFAULT_MAX_TOKENS)
  if (number('thinking_budget', 0) >= maxTokens && !isWrong('max_tokens')) {
    fail('thinking_budget', `'thinking_budget' must be less than 'max_tokens' (${maxTokens})`)
  }
  const forgets = config.get('amnesiac')?.value === true || isWrong('amnesiac')
  if (number('concurrency', 1) > 1 && !forgets && !config.has('conversation')) {
    fail('concurrency', "'concurrency' over 1 needs 'amnesiac: true', or 'conversation'")
  }
  if (!config.has('conversation')) fail('conversations', "'conversations' is for an agent with 'conversation'")
  if (config.get('amnesiac')?.value === true)
    fail('conversation', "'conversation' and 'amnesiac: true' exclude each other: what remembers nothing has none")
  if (config.has('command')) fail('conversation', "'conversation' and 'command' exclude each other: the program is the agent")
  if (config.has('thinking_budget'))
    fail('temperature', "'temperature' and 'thinking_budget' exclude each other: a model that thinks takes no temperature")
  const composes = (config.get('compose')?.value ?? false) !== false
  const hasTools = config.has('tools') || config.has('mcp') || isWrong('tools') || isWrong('mcp')
  if (composes && !hasTools) fail('compose', "'compose' is for an agent with 'tools' or 'mcp'")
  if (composes && config.get('tools')?.names?.some((name) => printName(name) === 'compose'))
    fail('compose', "a tool is named 'compose', and so is what 'compose' offers: give the tool another name")
  if (composes && config.has('command')) fail('compose', "'compose' and 'command' exclude each other: the program makes its own calls")
  if (config.has('a2a')) {
    for (const { key } of impl.config.entries)
      if (!OF_REMOTE.includes(key.text)) fail(key.text, `'${key.text}' and 'a2a' exclude each other: the agent elsewhere has its own`)
  } else {
    for (const key of OWN_OF_REMOTE) fail(key, `'${key}' is for an agent with 'a2a'`)
  }
  if (config.get('provider')?.value === 'person')
    for (const key of OF_MODELS) fail(key, `'${key}' and provider "person" exclude each other: no model is asked`)
  for (const key of ['provider', 'model']) {
    if (config.has('command')) fail(key, `'${key}' and 'command' exclude each other: the program is the agent`)
  }
  for (const key of ['answers', 'sandbox']) {
    if (!config.has('command') && !isWrong('command')) fail(key, `'${key}' is for an agent with 'command'`)
  }
  if (config.has('wire') && ['anthropic', 'eliza'].includes(String(config.get('provider')?.value)))
    fail('wire', `'wire' is for provider "openai" and servers like it`)
  for (const key of ['skills', 'key_command'])
    if (config.has('command')) fail(key, `'${key}' and 'command' exclude each other: the program is the agent`)
  if (config.has('skills') && config.get('tools')?.names?.some((name) => printName(name) === 'skill'))
    fail('tools', "a tool is named 'skill', and so is what reads 'skills': give the tool another name")
  if (config.has('prompt')) fail('prompt_file', "'prompt' and 'prompt_file' exclude each other: write the one text into the other")
  if (!config.has('prompt_file') && !isWrong('prompt_file'))
    fail('template', `'template' is for 'prompt_file': a prompt in the spec is a template as $"..."`)
  if (config.get('lane')?.value === 'batch') {
    if (hasAny(config, 'tools') || hasAny(config, 'mcp') || hasAny(config, 'skills'))
      fail('lane', `an agent with tools needs 'lane: "now"': a call cannot wait for a batch`)
    if (config.get('amnesiac')?.value !== true && !isWrong('amnesiac')) fail('lane', `'lane: "batch"' needs 'amnesiac: true'`)
    if (config.has('via')) fail('lane', `'lane: "batch"' and 'via' exclude each other: elsewhere no note is kept of what was sent`)
  }
  if (config.has('command')) fail('lane', "'lane' and 'command' exclude each other: the program is the agent")
  if (config.has('via')) fail('sandbox', "'sandbox' and 'via' exclude each other: what runs elsewhere is not held here")
  if (config.has('provider') && config.get('provider')?.value !== 'eliza') fail('script', `'script' is for provider "eliza" only`)
}

/** One memory for each of its values. */
const checkConversation = ({ inputs: [input], scope }: Bound, config: Config, report: Report): void => {
  const expression = config.get('conversation')?.expression
  if (!expression || !input || !checkKey(expression, { input, scope }, "'conversation'", report)) return
  if (namesAny(expression)) return
  const text = expression.kind === 'literal' ? String(expression.value) : ''
  const help = fieldsOf(input)?.has(text)
    ? `write 'conversation: ${text}' for the field`
    : 'name what tells them apart, as in conversation: user'
  report(
    error('config_invalid', "'conversation' is the same for all messages, so all would be answered from one memory", expression.span, help),
  )
}

const namesAny = (e: Expression): boolean => e.kind === 'name' || partsOfExpression(e).some((part) => part !== undefined && namesAny(part))

const hasAny = (config: Config, key: 'tools' | 'mcp' | 'skills'): boolean => {
  const value = config.get(key)?.value
  return Array.isArray(value) && value.length > 0
}

// A model calls a tool by its name, so names must be unique.
const checkTools = (names: readonly QualifiedName[], scope: Scope, report: Report): void => {
  const first = new Map<string, QualifiedName>()
  for (const name of names) {
    const other = first.get(printName(name))
    if (other) {
      const twice = error('duplicate_name', `'${printName(name)}' is in 'tools' twice`, name.span, 'once is enough')
      report({ ...twice, related: [{ message: 'the first one is here', span: other.span }] })
    } else {
      first.set(printName(name), name)
      checkTool(name, scope, report)
    }
  }
}

const checkTool = (name: QualifiedName, scope: Scope, report: Report): void => {
  const inLibrary = name.module ? undefined : libraryNameOf(name.name.text)
  const help = inLibrary && `it is built in: write 'use ${inLibrary.module}' and name it '${inLibrary.name}'`
  const reportWithHelp: Report = (d) => report(help === undefined || d.code !== 'unknown_name' ? d : { ...d, help })
  const bound = findBinding(name, scope, reportWithHelp, (b) => b.isTool)
  if (bound === 'unknown' || bound.isTool || bound.category === 'unknown') return
  report(error('not_a_tool', `'${printName(name)}' is not a tool`, name.span, helpFor(bound, name)))
}

const helpFor = (bound: Bound, name: QualifiedName): string | undefined => {
  if (bound.category === 'base') return "write '@tool true' above it to let agents call it"
  const near = nearest(
    name.name.text,
    [...bound.scope.bindings.values()].filter((b) => b.isTool).map((b) => b.name),
  )
  if (near !== undefined) return `did you mean '${near}'?`
  return bound.category === 'stream' ? `lower it: 'let … = tool { process: ${printName(name)} }'` : undefined
}

/** Its config for plumb-agent; only for a program without errors. */
export const agentConfig = (impl: AgentImplementation, scope: Scope): Config =>
  readConfig('an agent', impl.config, agentKeys(), scope, ignore)
