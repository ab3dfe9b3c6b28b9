// Spans and metrics of requests for a collector of OpenTelemetry. Loaded where the environment names one.

import type { Collector, RequestTrace } from '@plumb/runtime/display'
import { fault, type Reporter, type Result, succeed } from '@plumb/wire'

export type { RequestTrace } from '@plumb/runtime/display'

/** Begins the trace of a request. */
export type OpenTrace = (request: Omit<ConstructorParameters<typeof RequestTrace>[0], 'collector'>) => RequestTrace

export interface Traces {
  readonly open: OpenTrace
  readonly finish: Collector['finish']
}

/** Undefined: there is no collector. */
export const openTraces = async (reporter: Reporter): Promise<Result<Traces | undefined>> => {
  const isNamed = Object.keys(process.env).some((name) => /^OTEL_EXPORTER_OTLP_.*ENDPOINT$/.test(name))
  if (!isNamed) return succeed(undefined)
  const { openCollector, RequestTrace } = await import('@plumb/runtime/display')
  // The environment's parent is that of the server, and not of its requests.
  const env = { ...process.env, TRACEPARENT: undefined }
  const opened = openCollector(env, (text) => reporter.warn(fault('connection_failed', text)))
  if (!opened.ok || !opened.value) return opened.ok ? succeed(undefined) : opened
  const collector = opened.value
  return succeed({ open: (request) => new RequestTrace({ ...request, collector }), finish: collector.finish })
}
