// Spans and metrics of requests for a collector of OpenTelemetry. What sends them is loaded where the environment names one.

import type { Collector } from '@plumb/runtime/display'
import { namesCollector } from '@plumb/runtime/event'
import { type OpenRequestTrace, requestTraces } from '@plumb/runtime/service'
import { fault, type Reporter, type Result, succeed } from '@plumb/wire'

export interface Traces {
  readonly open: OpenRequestTrace
  readonly finish: Collector['finish']
}

/** Undefined: there is no collector. */
export const openTraces = async (reporter: Reporter): Promise<Result<Traces | undefined>> => {
  if (!namesCollector()) return succeed(undefined)
  const { openCollector } = await import('@plumb/runtime/display')
  const opened = openCollector(process.env, (text) => reporter.warn(fault('connection_failed', text)))
  if (!opened.ok || !opened.value) return opened.ok ? succeed(undefined) : opened
  return succeed({ open: await requestTraces(opened.value), finish: opened.value.finish })
}
