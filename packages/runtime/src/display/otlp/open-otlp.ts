// Sends spans and metrics of a run to a collector. Loaded where the environment names one.

import { map, type Result } from '@plumb/wire'
import type { RunListener } from '../../event/run-event.js'
import { beginTrace } from '../../tools/trace.js'
import type { CostOf } from '../stats-counter.js'
import { BatchSpanExporter } from './batch-span-exporter.js'
import { OtlpMetrics } from './otlp-metrics.js'
import { readOtlpSettings } from './otlp-settings.js'
import { OtlpSpans } from './otlp-spans.js'

/** None if they are switched off. `warn` is called once at most. */
export const openOtlp = (env: NodeJS.ProcessEnv, costOf: CostOf, warn: (text: string) => void): Result<readonly RunListener[]> => {
  const settings = readOtlpSettings(env)
  if (!settings) return { ok: true, value: [] }
  let hasWarned = false
  const warnOnce = (text: string): void => {
    if (!hasWarned) warn(text)
    hasWarned = true
  }
  return map(settings, (found) => {
    const { url, metricsUrl } = found
    const spans = url ? [new OtlpSpans(new BatchSpanExporter(found, url, warnOnce), found)] : []
    if (spans[0]) beginTrace(spans[0].traceparent)
    return [...spans, ...(metricsUrl ? [new OtlpMetrics(found, metricsUrl, costOf, warnOnce)] : [])]
  })
}
