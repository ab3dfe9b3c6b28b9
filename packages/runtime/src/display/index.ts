// A run on a terminal: progress, summary; as a trace (trace), and as spans (otlp).

export { BatchSpanExporter, type Collector, type OtlpSettings, openCollector, readOtlpSettings } from './otlp/open-otlp.js'
export type { Counted } from './progress.js'
export { RunDisplay } from './run-display.js'
export { showCost, showCount } from './show-number.js'
export { addTokens, emptyStageStats, type ModelUsage, type RunStats, type StageStats, sum, sumTokens } from './stats.js'
export { textTable } from './text-table.js'
export { RUN_EVENT } from './trace/trace-builder.js'
export type { TraceEvent } from './trace/trace-event.js'
