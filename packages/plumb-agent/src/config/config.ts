// The configuration of an agent, from its plan, the options and the environment; all errors are reported at once.

import type { CheckedAgent, CheckedTool, Json, KeyReader, ParamTexts, Type } from '@plumb/lang'
import type { Effect } from '@plumb/policy'
import type { Skill } from '@plumb/tool/source/skill/load-skills'
import {
  type AgentLimit,
  agentLimit,
  type Fault,
  fault,
  isRecord,
  nearest,
  PROVIDER_NAMES,
  type ProviderLane,
  preview,
  type RateLimit,
  type Result,
  readRate,
} from '@plumb/wire'
import type { AgentOptions } from '../options.js'
import { type Effort, isEffort } from '../provider/effort.js'
import type { ChatMessage, Provider } from '../provider/provider.js'
import type { PreparedProvider } from '../provider/settings.js'
import { PROVIDERS } from '../provider/table.js'
import { readHistory } from './history.js'
import { keyCommandFor } from './key-command.js'
import { directoriesOf, readSystemPrompt } from './prompts.js'
import { readSkills } from './skills.js'

export interface AgentConfig {
  readonly agent: string
  readonly input: Type
  readonly output: Type
  readonly hasTelemetry: boolean
  readonly provider: Provider
  /** A new one without the refusals that were learned, with other values for keys of the spec. */
  readonly providerWith: (keys: Readonly<Record<string, unknown>>) => Provider
  readonly providerName: string
  /** Equal for all agents that use the same key at the same address. */
  readonly account: string
  readonly model: string
  /** The model whose prices that one has. */
  readonly priceAs?: (model: string) => string | undefined
  readonly temperature: number | undefined
  readonly effort: Effort | undefined
  readonly system: string
  /** The files of `prompts`, as they are named. */
  readonly documents: readonly string[]
  /** The initial messages of the conversation. */
  readonly history: readonly ChatMessage[]
  readonly maxTokens: number
  readonly maxRetries: number
  /** `auto`: if the server does not enforce it. */
  readonly schemaInPrompt: boolean | 'auto'
  /** Answers are told while they grow. */
  readonly isPartial?: boolean
  /** A text that was cut at `maxTokens` is accepted. */
  readonly keepsCut: boolean
  readonly tools: readonly CheckedTool[]
  /** MCP servers, as in `mcp`. */
  readonly servers: readonly Json[]
  readonly skills: readonly Skill[]
  /** Offers chains of its tools, with this maximum of characters for results. Undefined: not offered. */
  readonly compose: { readonly maxOutput: number } | undefined
  /** For one input. */
  readonly maxToolCalls: number
  readonly parallelToolCalls: boolean
  readonly hasRuntimeContext: boolean
  /** The maximum authority of its tools, and how long it is valid without renewal. */
  readonly grant: readonly Effect[] | undefined
  readonly minutes: number | undefined
  readonly isAmnesiac: boolean
  /** It has a memory for each value of a key. Undefined: it has one at most. */
  readonly conversations: { readonly key: KeyReader; readonly max: number } | undefined
  /** How many inputs are answered at once; over 1 only without memory, or with several. */
  readonly concurrency: number
  readonly lane: ProviderLane
  /** Outputs leave as they are finished, and telemetry says which input each answers. */
  readonly isUnordered: boolean
  /** `refuse`: no further input is answered; `end`: nor read. */
  readonly afterFailure: 'go on' | 'refuse' | 'end'
  readonly maxMessages: number
  /** The limits of money and rate in the spec, if any. */
  readonly limit: AgentLimit | undefined
  readonly rate: Omit<RateLimit, 'account'> | undefined
}

/** Conversations that are kept: the one that has rested for longest is forgotten. */
const MAX_CONVERSATIONS = 1000

/** Inputs that wait for batches: as many as one batch may hold. */
const MAX_IN_BATCHES = 100_000

export type ConfigOptions = Pick<AgentOptions, 'program' | 'model' | 'lines' | 'run' | 'kept'>

export interface AgentEnvironment {
  readonly env: Readonly<Record<string, string | undefined>>
  /** The built-in prompts, such as `system.md`. */
  readonly installed: Readonly<Record<string, string>>
  readonly readText: (path: string) => Result<string>
  /** The text that a parent handed over for a path. */
  readonly handed: (path: string) => string | undefined
  readonly docroot: string
  readonly mayReadFiles: boolean
  /** Why a prompt may not be included from there. */
  readonly whyNotRead: (path: string, what: string) => Fault | undefined
  /** Of its spec; see `conversations`. */
  readonly conversationKey?: KeyReader | undefined
  /** This process is the one that `via` starts elsewhere. */
  readonly isElsewhere: boolean
}

/** The provider whose answers a person gives. */
export const PERSON = 'person'

/** The types of values are right: lang has checked them. All faults are of category `config`; none contains a key. */
export const readAgentConfig = async (
  agent: CheckedAgent,
  options: ConfigOptions,
  surroundings: AgentEnvironment,
): Promise<Result<AgentConfig, readonly Fault[]>> => {
  const { config: spec, specPath } = agent
  const { env, installed, readText, isElsewhere, docroot, mayReadFiles, whyNotRead, conversationKey } = surroundings
  const other = spec.command !== undefined ? 'command' : spec.via !== undefined && !isElsewhere ? 'via' : undefined
  if (other) return { ok: false, error: [anotherProgram(other, agent.name)] }
  const { program, model: given, lines, run } = options
  const name = given.provider ?? asText(spec.provider) ?? nonEmpty(env.PLUMB_PROVIDER)
  const model = given.model ?? asText(spec.model) ?? nonEmpty(env.PLUMB_MODEL) ?? (name === PERSON ? name : undefined)
  const resourcePath = directoriesOf(env.PLUMB_RESOURCES)
  const prompt = await readSystemPrompt(promptKeys(spec), { specPath, resourcePath, installed, readText, whyNotRead })
  const skills = await readSkills(asTexts(spec.skills), specPath, surroundings)
  const history = readHistory(spec.history, { specPath, docroot, mayReadFiles })
  const lane = laneOf(name, given.lane, spec.lane)
  const provider: PreparedProvider =
    name === undefined
      ? { ok: false, error: [missing('provider', "'anthropic', 'openai', 'eliza' or another of --providers")] }
      : prepareProvider({ name, model, agent, lane }, options, surroundings)

  // A parent that is plumb ends the input itself, and needs an outcome for each message that it has sent.
  const isHandedDown = isElsewhere || program.sourcesFd !== undefined
  const faults = [
    ...whyNoBatches(lane, agent, isElsewhere),
    ...(model === undefined ? [missing('model', 'its name')] : []),
    ...prompt.faults,
    ...skills.faults,
    ...history.faults,
    ...(provider.ok ? [] : provider.error),
  ]
  if (faults.length > 0 || name === undefined || model === undefined || !provider.ok) return { ok: false, error: faults }
  const config: AgentConfig = {
    agent: agent.name,
    input: agent.input,
    output: agent.output,
    hasTelemetry: agent.hasTelemetry || lines.telemetry,
    provider: provider.value,
    providerWith: preparedAgain({ name, model, agent, lane: 'now' }, options, surroundings),
    providerName: name,
    account: JSON.stringify([asText(spec.endpoint) ?? env.PLUMB_ENDPOINT, keyCommandFor(name, agent, env)?.words ?? keyOf(name, env)]),
    model,
    priceAs: (one) => (one === model ? asText(spec.price_as) : undefined),
    temperature: asNumber(spec.temperature),
    effort: isEffort(spec.effort) ? spec.effort : undefined,
    system: joined(prompt.system, skills.prompt),
    documents: asTexts(spec.prompts),
    history: history.messages,
    maxTokens: asNumber(spec.max_tokens) ?? 8192,
    maxRetries: asNumber(spec.max_retries) ?? 3,
    schemaInPrompt: typeof spec.schema_in_prompt === 'boolean' ? spec.schema_in_prompt : 'auto',
    isPartial: spec.partial === true || given.isPartial,
    keepsCut: spec.cut === 'keep',
    tools: agent.tools,
    servers: Array.isArray(spec.mcp) ? spec.mcp : [],
    skills: skills.skills,
    compose: composeOf(spec.compose),
    maxToolCalls: asNumber(spec.max_tool_calls) ?? Infinity,
    parallelToolCalls: given.parallelToolCalls && spec.parallel_tool_calls !== false,
    hasRuntimeContext: spec.runtime_context === true,
    grant: spec.grant as readonly Effect[] | undefined,
    minutes: asNumber(spec.grant_minutes),
    isAmnesiac: spec.amnesiac === true,
    conversations: conversationKey && { key: conversationKey, max: asNumber(spec.conversations) ?? MAX_CONVERSATIONS },
    concurrency: lane === 'batch' ? MAX_IN_BATCHES : (asNumber(spec.concurrency) ?? 1),
    lane,
    isUnordered: run.isUnordered || spec.unordered === true,
    afterFailure: run.isFailFast ? (isHandedDown ? 'refuse' : 'end') : 'go on',
    maxMessages: asNumber(spec.max_messages) ?? Infinity,
    limit: agentLimit(specPath, agent.binding, spec.max_cost),
    rate: rateOf(name, given.rates, spec.rate),
  }
  return { ok: true, value: config }
}

/** It was prepared once, so that the keys alone can make it fail, and those are checked. */
const preparedAgain =
  (
    ask: { readonly name: string; readonly model: string; readonly agent: CheckedAgent; readonly lane: 'now' },
    options: ConfigOptions,
    surroundings: AgentEnvironment,
  ): AgentConfig['providerWith'] =>
  (keys) => {
    const config = { ...ask.agent.config, ...keys } as CheckedAgent['config']
    const again = prepareProvider({ ...ask, agent: { ...ask.agent, config } }, options, surroundings)
    if (!again.ok) throw new Error(`not prepared again: ${again.error[0]?.detail}`)
    return again.value
  }

const joined = (system: string, more: string | undefined): string =>
  more === undefined ? system : system === '' ? more : `${system}\n\n${more}`

const promptKeys = (spec: CheckedAgent['config']) => ({
  prompt: asText(spec.prompt),
  file: asText(spec.prompt_file),
  template: asTemplate(spec.template),
  names: asTexts(spec.prompts),
})

interface ChosenProvider {
  readonly name: string
  readonly model: string | undefined
  readonly agent: CheckedAgent
  readonly lane: ProviderLane
}

const prepareProvider = (
  { name, model, lane, agent }: ChosenProvider,
  { model: { allowHosts }, kept }: ConfigOptions,
  { env, readText }: AgentEnvironment,
): PreparedProvider => {
  const entry = PROVIDERS.get(name)
  if (!entry) return { ok: false, error: [unknownProvider(name)] }
  const { prepare } = entry
  const { config, specPath } = agent
  const key = keyOf(name, env)
  const prepared = prepare({
    model,
    config,
    specPath,
    readText,
    key,
    keyCommand: keyCommandFor(name, agent, env),
    variables: env,
    endpointFromEnv: nonEmpty(env.PLUMB_ENDPOINT),
    allowedHosts: allowHosts.flatMap((hosts) => hosts.split(',')),
    isNeverAsked: kept.isCacheOnly,
    lane,
  })
  if (name === 'eliza' || config.script === undefined) return prepared
  const misplaced = fault('config_invalid', `'script' is for provider 'eliza' only, and the provider is '${name}'`)
  return { ok: false, error: [misplaced, ...(prepared.ok ? [] : prepared.error)] }
}

// The command line precedes the spec; of several for one provider the last one counts.
const rateOf = (provider: string, rates: readonly string[], ofSpec: unknown): AgentConfig['rate'] => {
  const given = rates.map(readRate).findLast((rate) => rate?.provider === provider)
  if (given) return { requests: given.requests, tokens: given.tokens }
  return isRecord(ofSpec) ? { requests: asNumber(ofSpec.requests) ?? null, tokens: asNumber(ofSpec.tokens) ?? null } : undefined
}

// ELIZA answers at once, and a person gathers nothing. An agent that cannot use batches reports that itself, and the option is for the others.
const laneOf = (provider: string | undefined, given: ProviderLane | undefined, ofSpec: unknown): ProviderLane => {
  if (provider === 'eliza' || provider === PERSON || given === 'now') return 'now'
  return ofSpec === 'now' || ofSpec === 'batch' ? ofSpec : (given ?? 'now')
}

const whyNoBatches = (lane: ProviderLane, agent: CheckedAgent, isElsewhere: boolean): Fault[] => {
  const why = lane === 'now' ? undefined : whatKeepsFromBatches(agent, isElsewhere)
  if (why === undefined) return []
  return [fault('config_invalid', `agent '${agent.name}' ${why}: write lane: "now" in it, and --lane is for the others`)]
}

const whatKeepsFromBatches = ({ config, tools }: CheckedAgent, isElsewhere: boolean): string | undefined => {
  const hasTools = tools.length > 0 || [config.mcp, config.skills].some((list) => Array.isArray(list) && list.length > 0)
  if (hasTools) return 'has tools, and a call cannot wait for a batch'
  if (config.amnesiac !== true) return 'remembers, and is asked one thing after the other'
  return isElsewhere
    ? "runs elsewhere ('via'), where no note is kept of what was sent, so that a run that is gone on with would send it again"
    : undefined
}

const keyOf = (provider: string, env: AgentEnvironment['env']): string | undefined => {
  const variable = PROVIDERS.get(provider)?.keyVariable
  return variable === undefined ? undefined : nonEmpty(env[variable])
}

const anotherProgram = (key: 'command' | 'via', agent: string): Fault =>
  fault('config_invalid', `agent '${agent}' ${ANOTHER[key]}, which plumb starts: run it with 'plumb stage ${agent} SPEC'`)

const ANOTHER = { command: "is a program of its own ('command')", via: "runs elsewhere ('via')" }

const missing = (key: 'provider' | 'model', value: string): Fault =>
  fault('missing_option', `no ${key} is given: say ${value} with --${key}, with '${key}' in the spec or with PLUMB_${key.toUpperCase()}`)

const unknownProvider = (name: string): Fault => {
  const near = nearest(name, PROVIDER_NAMES)
  const hint = near === undefined ? `there are ${PROVIDER_NAMES.join(', ')}` : `did you mean '${near}'?`
  return fault('config_invalid', `no provider is named '${preview(name)}', ${hint}`)
}

const composeOf = (spec: unknown): AgentConfig['compose'] => {
  if (spec === true) return { maxOutput: DEFAULT_MAX_OUTPUT }
  return isRecord(spec) ? { maxOutput: asNumber(spec.max_output) ?? DEFAULT_MAX_OUTPUT } : undefined
}

/** In characters. */
const DEFAULT_MAX_OUTPUT = 10_000

const nonEmpty = (text: string | undefined): string | undefined => (text === '' ? undefined : text)
const asText = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)
const asTexts = (value: unknown): string[] => (Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [])
const asTemplate = (value: unknown): ParamTexts | true | undefined =>
  value === true ? true : isRecord(value) ? (value as ParamTexts) : undefined
const asNumber = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined)
