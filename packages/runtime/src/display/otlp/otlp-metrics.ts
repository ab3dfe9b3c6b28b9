// A run as OpenTelemetry metrics, by its conventions for generative AI: how long requests to models, agents and tools took, tokens, and what it
// cost.

import { toDollars } from '@plumb/wire'
import type { RunEvent, RunListener } from '../../event/run-event.js'
import type { MessageSpan } from '../message-span.js'
import { type FailedCallSpan, type ModelCallSpan, SpanBuilder, type ToolCallSpan } from '../span-builder.js'
import { readAndWritten } from '../stats.js'
import type { CostOf } from '../stats-counter.js'
import type { MetricsExporter } from './metrics-exporter.js'
import { providerName } from './provider-name.js'

export class OtlpMetrics implements RunListener {
  readonly #exporter: MetricsExporter
  readonly #costOf: CostOf
  readonly #providers = new Map<string, string>()
  readonly #plumbs = new Set<string>()
  #begin: (RunEvent & { kind: 'begin' }) | undefined
  #fault: string | undefined
  readonly #spans = new SpanBuilder({
    message: (span) => this.#message(span),
    modelCall: (call) => this.#modelCall(call),
    failedCall: (call) => this.#failedCall(call),
    toolCall: (call) => this.#toolCall(call),
  })

  constructor(exporter: MetricsExporter, costOf: CostOf) {
    this.#exporter = exporter
    this.#costOf = costOf
  }

  on(event: RunEvent): void {
    if (event.kind === 'begin') {
      this.#begin = event
      for (const { name, provider } of event.nodes) if (provider !== undefined) this.#providers.set(name, provider)
    } else if (event.kind === 'spawned' && event.runs === 'plumb') this.#plumbs.add(event.process)
    else if (event.kind === 'fault' && !event.isHandled) this.#fault ??= event.fault.error
    this.#spans.on(event)
    if (event.kind !== 'end' || !this.#begin) return
    const failed = event.status === 0 ? undefined : (this.#fault ?? '_OTHER')
    this.#invoked('invoke_workflow', this.#begin.binding, event.ms - this.#begin.ms, failed)
  }

  #message({ process, start, end, fault, isBegun }: MessageSpan): void {
    if (!isBegun) return
    this.#invoked(this.#plumbs.has(process) ? 'invoke_workflow' : 'invoke_agent', process, end - start, fault?.error)
  }

  #invoked(operation: string, name: string, ms: number, error: string | undefined): void {
    this.#exporter.record('gen_ai.invoke_agent.duration', ms / 1000, {
      'gen_ai.operation.name': operation,
      'gen_ai.agent.name': name,
      'error.type': error,
    })
  }

  #modelCall(call: ModelCallSpan): void {
    const { process, model, provider, responseModel = model, reasoning, start, end, tokens } = call
    const attributes = {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': providerName(provider ?? this.#providers.get(process)),
      'gen_ai.request.model': model,
      'gen_ai.response.model': responseModel,
    }
    this.#exporter.record('gen_ai.client.inference.duration', (end - start) / 1000, attributes)
    const { read, written } = readAndWritten(tokens)
    const counted = { ...attributes, 'gen_ai.token.modality': 'unknown' }
    this.#exporter.record('gen_ai.client.inference.usage.input_tokens', read, counted)
    this.#exporter.record('gen_ai.client.inference.usage.output_tokens', written, counted)
    if (tokens.cache_read > 0) this.#exporter.record('gen_ai.client.inference.usage.cache_read.input_tokens', tokens.cache_read, counted)
    if (tokens.cache_creation > 0)
      this.#exporter.record('gen_ai.client.inference.usage.cache_write.input_tokens', tokens.cache_creation, counted)
    if (reasoning > 0) this.#exporter.record('gen_ai.client.inference.usage.reasoning.output_tokens', reasoning, counted)
    const cost = this.#costOf(call)
    if (cost !== undefined) this.#exporter.record('plumb.cost', toDollars(cost), attributes)
  }

  #failedCall({ process, model, error, start, end }: FailedCallSpan): void {
    const attributes = {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': providerName(this.#providers.get(process)),
      'gen_ai.request.model': model,
    }
    this.#exporter.record('gen_ai.client.inference.duration', (end - start) / 1000, { ...attributes, 'error.type': error })
    const counted = { ...attributes, 'gen_ai.token.modality': 'unknown' }
    this.#exporter.record('gen_ai.client.inference.usage.input_tokens', 0, counted)
    this.#exporter.record('gen_ai.client.inference.usage.output_tokens', 0, counted)
  }

  #toolCall({ agent, tool, start, end, isError, error }: ToolCallSpan): void {
    this.#exporter.record('gen_ai.execute_tool.duration', (end - start) / 1000, {
      'gen_ai.tool.name': tool,
      'gen_ai.tool.type': 'function',
      'gen_ai.agent.name': agent,
      'error.type': isError ? (error ?? '_OTHER') : undefined,
    })
  }
}
