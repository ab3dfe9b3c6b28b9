// Sends spans and metrics of runs to a collector. Loaded where the environment names one.

import { BatchSpanExporter, type OtlpSettings, readOtlpSettings } from '@plumb/tool/otlp'
import { parentOf, traceparentOf } from '@plumb/tool/otlp/trace-context'
import { map, type Result } from '@plumb/wire'
import type { RunListener } from '../../event/run-event.js'
import { beginTrace, passTrace } from '../../event/trace.js'
import type { CostOf } from '../stats-counter.js'

import { MetricsExporter } from './metrics-exporter.js'
import { OtlpMetrics } from './otlp-metrics.js'
import { OtlpSpans } from './otlp-spans.js'

export { BatchSpanExporter, type OtlpSettings, readOtlpSettings }

/** Takes the events of one run. */
export interface Collected {
  readonly listeners: readonly RunListener[]
  /** Undefined: none are sent. */
  readonly spans: OtlpSpans | undefined
  /** For what is asked, where the run is left out of its trace. */
  readonly around: string | undefined
}

export interface Collector {
  /** `traceparent`: of the span that the run is a part of; null: of none; by default that of the environment. */
  readonly open: (costOf: CostOf, traceparent?: string | null) => Collected
  /** Sends the last of it, within some seconds. */
  readonly finish: () => Promise<void>
}

/** Undefined: nothing is sent. `warn` is called once at most. */
export const openCollector = (env: NodeJS.ProcessEnv, warn: (text: string) => void): Result<Collector | undefined> => {
  const settings = readOtlpSettings(env)
  if (!settings) return { ok: true, value: undefined }
  let hasWarned = false
  const warnOnce = (text: string): void => {
    if (!hasWarned) warn(text)
    hasWarned = true
  }
  return map(settings, (found) => {
    const { url, metricsUrl, capturesContent } = found
    const exporter = url && new BatchSpanExporter(found, url, warnOnce)
    const metrics = metricsUrl && new MetricsExporter(found, metricsUrl, warnOnce)
    return {
      open: (costOf, traceparent) => {
        const parent = traceparent === undefined ? found.parent : parentOf(traceparent ?? undefined)
        const around = parent?.isSampled === false ? traceparentOf(parent.traceId, parent.spanId, false) : undefined
        const spans = exporter && around === undefined ? new OtlpSpans(exporter, { parent, capturesContent }) : undefined
        const listeners = [...(spans ? [spans] : []), ...(metrics ? [new OtlpMetrics(metrics, costOf)] : [])]
        return { spans, listeners, around }
      },
      finish: async () => {
        await Promise.all([exporter?.end(), metrics?.finish()])
      },
    }
  })
}

/** For the run of this process. */
export const openOtlp = (env: NodeJS.ProcessEnv, costOf: CostOf, warn: (text: string) => void): Result<readonly RunListener[]> =>
  map(openCollector(env, warn), (collector) => {
    if (!collector) return []
    const { listeners, spans, around } = collector.open(costOf)
    if (spans) beginTrace(spans.traceparent)
    else if (around !== undefined) passTrace(around)
    return [...listeners, { on: () => {}, finish: collector.finish }]
  })
