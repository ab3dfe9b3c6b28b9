// From the plan of an agent, the options and the environment to what the loop needs; everything wrong with them is told at once.

import type { AgentPlan, Type } from '@plumb/lang'
import { type Fault, fault, nearest, preview, type Result } from '@plumb/wire'
import type { Options } from './options.js'
import { foldersOf, readSystemPrompt } from './prompts.js'
import type { Provider } from './provider/provider.js'
import { PROVIDERS, type Prepared } from './provider/table.js'

export interface Config {
  readonly agent: string
  readonly input: Type
  readonly output: Type
  readonly hasTelemetry: boolean
  readonly provider: Provider
  readonly model: string
  readonly temperature: number | undefined
  readonly system: string
  readonly maxRetries: number
  readonly isAmnesiac: boolean
  /** How many inputs are answered at once; over 1 only where nothing is remembered. */
  readonly concurrency: number
  readonly maxMessages: number
}

export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>
  /** The prompts that need no file, such as `system.md`. */
  readonly installed: Readonly<Record<string, string>>
  readonly readText: (path: string) => Result<string>
}

export type Configured =
  | { readonly config: Config; readonly faults?: undefined }
  | { readonly config?: undefined; readonly faults: readonly Fault[] }

/** Values are of the right kind already: lang has checked them. Faults are all of category `config`; none holds a key. */
export const readConfig = (
  plan: AgentPlan,
  options: Pick<Options, 'provider' | 'model' | 'wantsTelemetry'>,
  surroundings: Surroundings,
): Configured => {
  const { config: spec, specPath } = plan
  const { env, installed, readText } = surroundings
  const name = options.provider ?? asText(spec.provider) ?? nonEmpty(env.PLUMB_PROVIDER)
  const model = options.model ?? asText(spec.model) ?? nonEmpty(env.PLUMB_MODEL)
  const resourcePath = foldersOf(env.PLUMB_RESOURCES)
  const prompt = readSystemPrompt(asText(spec.prompt), asTexts(spec.prompts), { specPath, resourcePath, installed, readText })
  const prepared =
    name === undefined
      ? { faults: [missing('provider', "'anthropic', 'openai' or 'eliza'")] }
      : prepareProvider(name, model, plan, surroundings)

  const faults = [
    ...(model === undefined ? [missing('model', 'its name')] : []),
    ...LATER.filter((key) => spec[key] !== undefined).map((key) => notServed(key, plan.name)),
    ...prompt.faults,
    ...(prepared.faults ?? []),
  ]
  if (faults.length > 0 || model === undefined || prepared.faults) return { faults }
  const config: Config = {
    agent: plan.name,
    input: plan.input,
    output: plan.output,
    hasTelemetry: plan.hasTelemetry || options.wantsTelemetry,
    provider: prepared.provider,
    model,
    temperature: asNumber(spec.temperature),
    system: prompt.system,
    maxRetries: asNumber(spec.max_retries) ?? 3,
    isAmnesiac: spec.amnesiac === true,
    concurrency: asNumber(spec.concurrency) ?? 1,
    maxMessages: asNumber(spec.max_messages) ?? Infinity,
  }
  return { config }
}

const prepareProvider = (
  name: string,
  model: string | undefined,
  { config, specPath }: AgentPlan,
  { env, readText }: Surroundings,
): Prepared => {
  const entry = Object.hasOwn(PROVIDERS, name) ? PROVIDERS[name] : undefined
  if (!entry) return { faults: [unknownProvider(name)] }
  const { keyVariable, prepare } = entry
  const isKeyless = keyVariable !== undefined && nonEmpty(env[keyVariable]) === undefined
  const prepared: Prepared = isKeyless ? { faults: [missingKey(name, keyVariable)] } : prepare({ model, config, specPath, readText })
  if (name === 'eliza' || config.script === undefined) return prepared
  const misplaced = fault('config_invalid', `'script' is for provider 'eliza' only, and the provider is '${name}'`)
  return { faults: [misplaced, ...(prepared.faults ?? [])] }
}

const missingKey = (name: string, variable: string): Fault =>
  fault('missing_key', `provider '${name}' needs a key: export ${variable}, or choose provider 'eliza'`)

const LATER = ['tools', 'mcp', 'command', 'via'] as const

const notServed = (key: string, agent: string): Fault =>
  fault('config_invalid', `'${key}' is not served by this version of plumb-agent; remove it from agent '${agent}'`)

const missing = (key: 'provider' | 'model', value: string): Fault =>
  fault('missing_option', `no ${key} is given: say ${value} with --${key}, with '${key}' in the spec or with PLUMB_${key.toUpperCase()}`)

const unknownProvider = (name: string): Fault => {
  const near = nearest(name, Object.keys(PROVIDERS))
  const hint = near === undefined ? `there are ${Object.keys(PROVIDERS).join(', ')}` : `did you mean '${near}'?`
  return fault('config_invalid', `no provider is named '${preview(name)}', ${hint}`)
}

const nonEmpty = (text: string | undefined): string | undefined => (text === '' ? undefined : text)
const asText = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)
const asTexts = (value: unknown): string[] => (Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [])
const asNumber = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined)
