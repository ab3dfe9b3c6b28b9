// Sets up a provider over HTTP; sends nothing yet.

import { type Account, addSecret, type Fault, fault } from '@plumb/wire'
import type { ChatSettings } from './chat.js'
import { isLoopback, isProviderItself, readEndpoint } from './http/endpoint.js'
import { madeEndpoint } from './http/made-endpoint.js'
import { DEFAULT_TIMING } from './http/timing.js'
import { isKey } from './key-words.js'
import { commandedKey, fixedKey } from './keys.js'
import type { Provider } from './provider.js'
import type { PreparedProvider, ProviderSettings } from './settings.js'

const DEFAULT_MAX_TOKENS = 8192
const DEFAULT_RETRIES = 4

export const prepareChat =
  (account: Account) =>
  (given: ProviderSettings): PreparedProvider => {
    const { config, key, keyCommand, isNeverAsked = false, lane = 'now', timing } = given
    const { endpoint, missing } = endpointOf(account, given)
    const isHere = endpoint instanceof URL && isLoopback(endpoint.hostname)
    const isKeyless = keyCommand !== undefined || (key === undefined && (isHere || isNeverAsked))
    const lacking = [...missing, ...(isKeyless || key || account.keyVariable === undefined ? [] : [account.keyVariable])]
    const keyFault = isKeyless || lacking.length > 0 ? undefined : faultOfKey(key, account.keyVariable)
    const faults: Fault[] = [
      ...(endpoint instanceof URL || missing.length > 0 ? [] : [endpoint]),
      ...(lacking.length > 0 ? [faultOfMissing(account, lacking)] : []),
      ...(keyFault ? [keyFault] : []),
    ]
    if (faults.length > 0 || !(endpoint instanceof URL)) return { ok: false, error: faults }
    if (key !== undefined) addSecret(key)
    return {
      ok: true,
      value: openWhenAsked(apiOf(account, config.wire, endpoint), config, {
        account,
        endpoint,
        keys: keyCommand ? commandedKey(keyCommand) : fixedKey(key, keyHintOf(account, key), account.keyHeader),
        maxTokens: asNumber(config.max_tokens) ?? DEFAULT_MAX_TOKENS,
        thinkingBudget: asNumber(config.thinking_budget),
        isStreaming: config.stream !== false,
        lane,
        maxRetries: asNumber(config.transport_retries) ?? DEFAULT_RETRIES,
        patch: config.request ?? {},
        timing: { ...DEFAULT_TIMING, ...timing },
      }),
    }
  }

/** `missing`: variables that its URL is made of; then there is no endpoint. */
const endpointOf = (
  account: Account,
  { config, endpointFromEnv, allowedHosts, variables = {} }: ProviderSettings,
): { readonly endpoint: URL | Fault; readonly missing: readonly string[] } => {
  const made = madeEndpoint(account, variables)
  const isSaid = (config.endpoint !== undefined && config.endpoint !== '') || endpointFromEnv !== undefined
  const words = { spec: config.endpoint, environment: endpointFromEnv, allowedHosts }
  const own = { name: account.name, endpoint: made.wrong ? undefined : made.url, hosts: account.hosts }
  if (!isSaid && made.wrong) return { endpoint: made.wrong, missing: made.missing }
  return { endpoint: readEndpoint(own, words), missing: isSaid ? [] : made.missing }
}

const keyHintOf = (account: Account, key: string | undefined): string => {
  const { name, keyVariable } = account
  if (keyVariable === undefined) return `wants a key, and provider '${name}' has none: write provider: "openai" with its endpoint`
  return key === undefined ? `wants a key: export ${keyVariable}` : `did not accept the key in ${keyVariable}`
}

type Protocols = typeof import('./chats.js').PROTOCOLS

/** Compatible servers support Chat Completions, and few of them Responses. */
const apiOf = (account: Account, wire: unknown, endpoint: URL): keyof Protocols => {
  if (account.speaks === 'anthropic') return 'anthropic'
  return (wire ?? (isProviderItself(account, endpoint) ? 'responses' : 'chat')) === 'responses' ? 'responses' : 'chat'
}

// What the first request needs is loaded with it, so that an agent starts faster.
const openWhenAsked = (api: keyof Protocols, config: ProviderSettings['config'], settings: ChatSettings): Provider => {
  const isThinking = api === 'anthropic' && settings.thinkingBudget !== undefined
  let opened: Promise<Provider> | undefined
  const open = async (): Promise<Provider> => {
    const { openChat, PROTOCOLS } = await import('./chats.js')
    return openChat(PROTOCOLS[api], settings)
  }
  const { maxTokens, thinkingBudget, patch } = settings
  return {
    // The spec's endpoint may be another model; the environment's is this machine's way to the same.
    settings: { api, max_tokens: maxTokens, thinking_budget: thinkingBudget, request: patch, endpoint: config.endpoint },
    ...(isThinking ? { noTemperature: "a model that thinks takes no temperature, and the spec has a 'thinking_budget'" } : {}),
    answer: async (question, cancellation) => {
      opened ??= open()
      return (await opened).answer(question, cancellation)
    },
    close: () => void opened?.then((chat) => chat.close?.()),
  }
}

const faultOfMissing = ({ name, endpoint }: Account, missing: readonly string[]): Fault => {
  const last = missing.at(-1)
  const names = missing.length === 1 ? last : `${missing.slice(0, -1).join(', ')} and ${last}`
  const what = endpoint.includes('{') ? `provider '${name}' needs to know where it is, and its key` : 'a key is needed'
  return fault('missing_key', `${what}: export ${names}, or choose provider 'eliza'`)
}

// No HTTP header can contain one of these.
const faultOfKey = (key: string | undefined, variable: string | undefined): Fault | undefined =>
  variable === undefined || key === undefined || isKey(key)
    ? undefined
    : fault('config_invalid', `the key in ${variable} holds a space, a line break or another character that no key has`)

const asNumber = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined)
