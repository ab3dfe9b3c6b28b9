// Sets up a provider over HTTP; sends nothing yet.

import { type Account, addSecret, type Fault, fault } from '@plumb/wire'
import type { ChatSettings } from './chat.js'
import { isLoopback, isProviderItself, readEndpoint } from './http/endpoint.js'
import { DEFAULT_TIMING } from './http/timing.js'
import type { Provider } from './provider.js'
import type { PreparedProvider, ProviderSettings } from './settings.js'

const DEFAULT_MAX_TOKENS = 8192
const DEFAULT_RETRIES = 4

export const prepareChat =
  (account: Account) =>
  ({ config, key, isNeverAsked = false, endpointFromEnv, allowedHosts, lane = 'now', timing }: ProviderSettings): PreparedProvider => {
    const endpoint = readEndpoint(account.endpoint, { spec: config.endpoint, environment: endpointFromEnv, allowedHosts })
    const isHere = endpoint instanceof URL && isLoopback(endpoint.hostname)
    const keyFault = key === undefined && (isHere || isNeverAsked) ? undefined : faultOfKey(key, account.keyVariable)
    const faults: Fault[] = [...(endpoint instanceof URL ? [] : [endpoint]), ...(keyFault ? [keyFault] : [])]
    if (faults.length > 0 || !(endpoint instanceof URL)) return { ok: false, error: faults }
    if (key !== undefined) addSecret(key)
    return {
      ok: true,
      value: openWhenAsked(apiOf(account, config.wire, endpoint), config, {
        account,
        endpoint,
        key,
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

const faultOfKey = (key: string | undefined, variable: string | undefined): Fault | undefined => {
  if (variable === undefined) return undefined
  if (key === undefined || key === '') return fault('missing_key', `a key is needed: export ${variable}, or choose provider 'eliza'`)
  // No HTTP header can contain one of these.
  return /[^\x21-\x7e]/.test(key)
    ? fault('config_invalid', `the key in ${variable} holds a space, a line break or another character that no key has`)
    : undefined
}

const asNumber = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined)
