// Spans for a collector of OpenTelemetry, for all that sends some.

export { BatchSpanExporter } from './batch-span-exporter.js'
export { metricsToOtlp, type OtlpMetric, type OtlpPoint, type OtlpSpan, type SpanAttributes } from './otlp-json.js'
export { type OtlpSettings, readOtlpSettings } from './otlp-settings.js'
export { postOtlp } from './post-otlp.js'
