// A provider over HTTP, whatever its API: questions become requests, failures are tried again, and only whole answers come out.

import { isDeepStrictEqual } from 'node:util'
import { fail, succeed } from '@plumb/wire'
import { version } from '../../package.json'
import { exchange } from './exchange.js'
import { errorEvent } from './http/api-error.js'
import { type Connection, openConnection } from './http/connection.js'
import type { Attempt, Failure } from './http/failure.js'
import { persist } from './http/retry.js'
import type { Timing } from './http/timing.js'
import { mergePatch } from './merge-patch.js'
import type { Finished, Protocol } from './protocol.js'
import { asJson } from './protocol.js'
import type { Answer, Answered, Provider, Question, Usage } from './provider.js'
import { toolNamesOf } from './read-message.js'
import { soundUsage } from './sound-usage.js'
import { type WireNames, wireNames } from './wire-names.js'

export interface ChatSettings {
  readonly endpoint: URL
  /** Undefined: the server is on this machine, and may want none. */
  readonly key: string | undefined
  readonly maxTokens: number
  readonly thinkingBudget: number | undefined
  readonly isStreaming: boolean
  readonly maxRetries: number
  /** Merged into every body. */
  readonly patch: unknown
  readonly timing: Timing
}

/** So often may a provider interrupt itself within one answer. */
const MAX_PAUSES = 16

export const openChat = (protocol: Protocol, settings: ChatSettings): Provider => {
  const connection = openConnection(settings.endpoint, settings.timing)
  const conceded = new Map<string, Set<string>>()

  // What a model has been conceded, it is asked with from the start.
  const ask = async (asked: Question, signal: AbortSignal): Promise<Attempt<Finished>> => {
    const names = wireNames([...asked.tools.map(({ name }) => name), ...toolNamesOf([...asked.history, ...asked.turn])])
    for (let question = asked; ; question = asOfNow(asked)) {
      const granted = conceded.get(question.model) ?? new Set()
      conceded.set(question.model, granted)
      const bodyOfNow = (extra: readonly string[], now = question) =>
        bodyOf(protocol, settings, now, names, new Set([...granted, ...extra]))
      const result = await send(protocol, settings, connection, question, names, (now) => bodyOfNow([], now), signal)
      if (result.ok || signal.aborted) return result
      // One that changes nothing was not what the refusal was about.
      const body = bodyOfNow([])
      const next = concessionsFor(protocol, result.failure).find((name) => !isDeepStrictEqual(bodyOfNow([name]), body))
      if (next === undefined) return result
      granted.add(next)
      question.log('api_concession', { model: question.model, concession: next })
    }
  }

  return {
    answer: async (question, { signal }) => {
      let asked = question
      let said: Answer | undefined
      for (let pauses = 0; ; pauses++) {
        const result = await ask(asked, signal)
        if (!result.ok) return toAnswered(result.failure)
        const { isPaused = false, ...answer } = result.value
        said = said ? both(said, answer) : answer
        if (!isPaused) return succeed(said)
        if (pauses === MAX_PAUSES) return fail('bad_reply', `${settings.endpoint.host} interrupted its answer ${MAX_PAUSES} times`)
        asked = { ...question, turn: [...question.turn, { role: 'assistant', content: asJson(said.content) }] }
      }
    },
    close: connection.close,
  }
}

const toAnswered = ({ fault, refusal }: Failure): Answered => ({ ok: false, error: fault, ...(refusal ? { refusal } : {}) })

const asOfNow = (question: Question): Question => ({ ...question, ...question.settings?.() })

const bodyOf = (
  protocol: Protocol,
  { endpoint, maxTokens, thinkingBudget, isStreaming, patch }: ChatSettings,
  question: Question,
  names: WireNames,
  conceded: ReadonlySet<string>,
): unknown => {
  const isOwnHost = endpoint.hostname === new URL(protocol.ownEndpoint).hostname
  return mergePatch(protocol.bodyOf(question, { maxTokens, thinkingBudget, isStreaming, isOwnHost, names, conceded }), patch)
}

const send = (
  protocol: Protocol,
  { endpoint, key, maxTokens, isStreaming, maxRetries, timing }: ChatSettings,
  connection: Connection,
  question: Question,
  names: WireNames,
  bodyFor: (question: Question) => unknown,
  signal: AbortSignal,
): Promise<Attempt<Finished>> => {
  const { emit, log } = question
  const path = protocol.pathOf(endpoint)
  const keyWords = key === undefined ? `wants a key: export ${protocol.keyVariable}` : `did not accept the key in ${protocol.keyVariable}`
  const failOf = (error: unknown): Failure => errorEvent(endpoint.host, keyWords, error)
  return persist(
    async (attempt) => {
      const refused = attempt === 1 ? undefined : question.refused?.()
      if (refused) return { ok: false, failure: { fault: refused, isRetryable: false, words: '', refusal: 'final' } }
      const asked = attempt === 1 ? question : asOfNow(question)
      const { model } = asked
      const body = bodyFor(asked)
      const text = JSON.stringify(body)
      const headers = {
        'content-type': 'application/json',
        accept: isStreaming ? 'text/event-stream' : 'application/json',
        'user-agent': `plumb-agent/${version}`,
        ...protocol.headersOf(key, body),
      }
      const bytes = Buffer.byteLength(text)
      log('api_request', { url: `${endpoint.origin}${path}`, model, attempt, bytes })
      const reader = protocol.openReader(asked, names, failOf)
      const result = await exchange(
        { protocol, connection, host: endpoint.host, keyWords, timing, log },
        { path, headers, body: text },
        reader,
        signal,
      )
      if (!result.ok) return result
      const { isLimited = false } = question
      const sound = soundUsage(result.value.usage, { host: endpoint.host, bytes, maxTokens, isLimited })
      return { ok: true, value: { ...result.value, ...sound, ...(model === question.model ? {} : { model }) } }
    },
    { maxRetries, timing, signal, onRetry: (retry) => emit({ kind: 'retry', ...retry }) },
  )
}

const concessionsFor = ({ concessions }: Protocol, { fault, words }: Failure): string[] =>
  fault.error === 'provider_refused' ? concessions.filter((one) => one.words.test(words)).map(({ name }) => name) : []

const both = (said: Answer, answer: Answer): Answer => {
  const estimated = answer.estimated ?? said.estimated
  const all = { ...answer, content: [...said.content, ...answer.content], usage: sum(said.usage, answer.usage) }
  return estimated === undefined ? all : { ...all, estimated }
}

const sum = (a: Usage, b: Usage): Usage => ({
  input_tokens: a.input_tokens + b.input_tokens,
  output_tokens: a.output_tokens + b.output_tokens,
  cache_read_tokens: a.cache_read_tokens + b.cache_read_tokens,
  cache_creation_tokens: a.cache_creation_tokens + b.cache_creation_tokens,
})
