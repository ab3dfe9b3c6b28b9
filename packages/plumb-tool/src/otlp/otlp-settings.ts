// Where spans and metrics are sent, by the variables of OpenTelemetry's "Environment Variable Specification".

import { addSecret, fail, preview, type Result, succeed } from '@plumb/wire'
import { capturesContent } from './otlp-environment.js'
import { parentOf, type SpanPlace } from './trace-context.js'

export interface OtlpSettings {
  /** Takes spans as JSON over POST. Undefined: none are sent. */
  readonly url: URL | undefined
  /** The same for metrics. Undefined: none are sent. */
  readonly metricsUrl: URL | undefined
  readonly headers: Readonly<Record<string, string>>
  readonly timeoutMs: number
  /** Attributes of the resource that all spans come from, `service.name` among them. */
  readonly resource: Readonly<Record<string, string>>
  /** Messages, arguments and results go along. */
  readonly capturesContent: boolean
  /** The span that this run is a part of, by W3C's traceparent. */
  readonly parent: SpanPlace | undefined
}

const DEFAULT_TIMEOUT_MS = 10_000

/** Undefined: no endpoint is set, or all is switched off. */
export const readOtlpSettings = (env: NodeJS.ProcessEnv): Result<OtlpSettings> | undefined => {
  const address = endpointOf(env)
  const metricsUrl = metricsUrlOf(env)
  const hasSpans = address !== undefined && env.OTEL_TRACES_EXPORTER !== 'none'
  if (env.OTEL_SDK_DISABLED?.toLowerCase() === 'true' || (!hasSpans && !metricsUrl)) return undefined
  const url = !address ? undefined : URL.canParse(address.text) ? new URL(address.text) : undefined
  if (address && (!url || !/^https?:$/.test(url.protocol)))
    return fail('config_invalid', `${address.name} is '${preview(address.text)}', which is not an http address of a collector`)
  const headers = { ...pairsOf(env.OTEL_EXPORTER_OTLP_HEADERS), ...pairsOf(env.OTEL_EXPORTER_OTLP_TRACES_HEADERS) }
  const bad = Object.entries(headers).find(([name, value]) => !/^[\w!#$%&'*+.^`|~-]+$/.test(name) || /[^\t\x20-\x7e]/.test(value))
  if (bad) return fail('config_invalid', `OTEL_EXPORTER_OTLP_HEADERS has '${preview(bad[0])}', which cannot be a header with that value`)
  // Most of them are keys.
  for (const value of Object.values(headers)) for (const part of [value, ...value.split(' ')]) addSecret(part)
  const timeout = Number(env.OTEL_EXPORTER_OTLP_TRACES_TIMEOUT || env.OTEL_EXPORTER_OTLP_TIMEOUT)
  return succeed({
    url: !hasSpans || !url ? undefined : address.isWhole ? url : below(url, 'v1/traces'),
    metricsUrl,
    headers,
    timeoutMs: timeout > 0 ? timeout : DEFAULT_TIMEOUT_MS,
    resource: {
      'service.name': 'plumb',
      ...pairsOf(env.OTEL_RESOURCE_ATTRIBUTES),
      ...(env.OTEL_SERVICE_NAME ? { 'service.name': env.OTEL_SERVICE_NAME } : {}),
    },
    capturesContent: capturesContent(env),
    parent: parentOf(env.TRACEPARENT),
  })
}

const below = (url: URL, path: string): URL => new URL(`${url.pathname.replace(/\/*$/, '')}/${path}${url.search}`, url)

const metricsUrlOf = (env: NodeJS.ProcessEnv): URL | undefined => {
  const [own = '', general = ''] = [env.OTEL_EXPORTER_OTLP_METRICS_ENDPOINT, env.OTEL_EXPORTER_OTLP_ENDPOINT]
  const text = own === '' ? general : own
  if (env.OTEL_METRICS_EXPORTER === 'none' || !URL.canParse(text) || !/^https?:/.test(text)) return undefined
  return own === '' ? below(new URL(text), 'v1/metrics') : new URL(text)
}

// The endpoint of traces is taken as it is; the general one has a path below it for each kind of signal.
const endpointOf = (env: NodeJS.ProcessEnv): { name: string; text: string; isWhole: boolean } | undefined => {
  const [own, general] = [env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT, env.OTEL_EXPORTER_OTLP_ENDPOINT]
  if (own) return { name: 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', text: own, isWhole: true }
  return general ? { name: 'OTEL_EXPORTER_OTLP_ENDPOINT', text: general, isWhole: false } : undefined
}

// `key=value,key=value`, with values as in a URL.
const pairsOf = (text = ''): Record<string, string> =>
  Object.fromEntries(
    text.split(',').flatMap((pair) => {
      const [, key = '', value = ''] = /^\s*([^=]+?)\s*=\s*(.*?)\s*$/.exec(pair) ?? []
      return key === '' ? [] : [[key, decoded(value)]]
    }),
  )

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
