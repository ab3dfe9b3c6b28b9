// A run as OpenTelemetry spans, by its conventions for generative AI: the run, below it the work of each child on each message, and below that
// requests to models and tool calls.

import { randomBytes } from 'node:crypto'
import type { WatchEvent, Watcher } from '../../event/run-event.js'
import type { Work } from '../message-span.js'
import { History, type ModelCall, type ToolCall } from '../span-builder.js'
import { readAndWritten } from '../stats.js'
import type { OtlpBatch } from './otlp-batch.js'
import type { Attributes, Span } from './otlp-json.js'
import type { OtlpSettings } from './otlp-settings.js'

const MOST_IDS = 8192

export class OtlpWatcher implements Watcher {
  readonly #batch: OtlpBatch
  readonly #traceId: string
  readonly #parent: string | undefined
  readonly #root = newSpanId()
  /** Wall clock at the beginning, in milliseconds. */
  #epoch = 0
  #begin: (WatchEvent & { kind: 'begin' }) | undefined
  #counts = { inputs: 0, errors: 0 }
  readonly #providers = new Map<string, string>()
  readonly #plumbs = new Set<string>()
  /** Given out before the work is done, for what is done in it, and kept for what is heard of it later. */
  readonly #workIds = new Map<string, { readonly id: string; isSpent: boolean }>()
  readonly #history = new History({
    work: (work) => this.#work(work),
    modelCall: (call) => this.#modelCall(call),
    toolCall: (call) => this.#toolCall(call),
  })

  constructor(batch: OtlpBatch, { parent }: Pick<OtlpSettings, 'parent'>) {
    this.#batch = batch
    this.#traceId = parent?.traceId ?? randomBytes(16).toString('hex')
    this.#parent = parent?.spanId
  }

  on(event: WatchEvent): void {
    if (event.kind === 'begin') {
      this.#epoch = Date.parse(event.time) - event.ms
      this.#begin = event
      for (const { name, provider } of event.nodes) if (provider !== undefined) this.#providers.set(name, provider)
    } else if (event.kind === 'spawned' && event.runs === 'plumb') this.#plumbs.add(event.process)
    else if (event.kind === 'input') this.#counts.inputs++
    else if (event.kind === 'fault') this.#counts.errors++
    this.#history.on(event)
    if (event.kind === 'end') this.#end(event)
  }

  finish(): Promise<void> {
    return this.#batch.end()
  }

  #end({ ms, status, stoppedBy }: WatchEvent & { kind: 'end' }): void {
    if (!this.#begin) return
    const { spec, binding } = this.#begin
    this.#add({
      spanId: this.#root,
      parentId: this.#parent,
      name: `plumb ${binding}`,
      kind: 'internal',
      start: this.#begin.ms,
      end: ms,
      attributes: {
        'plumb.spec': spec,
        'plumb.binding': binding,
        'plumb.inputs': this.#counts.inputs,
        'plumb.errors': this.#counts.errors,
        'process.exit.code': status,
        'plumb.stopped_by': stoppedBy ?? undefined,
      },
      ...(status === 0 ? {} : { error: `exit status ${status}` }),
    })
  }

  #work({ process, n, seq, sent, start, end, fault }: Work): void {
    const isPlumb = this.#plumbs.has(process)
    const given = this.#idOf(process, n)
    // A nested plumb may give several outputs for one message.
    const spanId = given.isSpent ? newSpanId() : given.id
    given.isSpent = true
    this.#add({
      spanId,
      parentId: this.#root,
      name: isPlumb ? `plumb ${process}` : `invoke_agent ${process}`,
      kind: 'internal',
      start,
      end,
      attributes: {
        ...(isPlumb ? {} : { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': process, ...this.#providerOf(process) }),
        'plumb.seq': seq === 0 ? undefined : seq,
        'plumb.waited_ms': Math.round(start - sent),
        'error.type': fault?.error,
      },
      ...(fault ? { error: fault.detail } : {}),
    })
  }

  #modelCall({ process, agent, model, start, end, tokens, work }: ModelCall): void {
    const { read, written } = readAndWritten(tokens)
    this.#add({
      spanId: newSpanId(),
      parentId: this.#above(process, work?.n),
      name: `chat ${model}`,
      kind: 'client',
      start,
      end,
      attributes: {
        'gen_ai.operation.name': 'chat',
        ...this.#providerOf(process),
        'gen_ai.agent.name': agent,
        'gen_ai.request.model': model,
        'gen_ai.response.model': model,
        // The conventions count what came from a cache as input too.
        'gen_ai.usage.input_tokens': read,
        'gen_ai.usage.output_tokens': written,
        'gen_ai.usage.cache_read.input_tokens': tokens.cache_read,
        'gen_ai.usage.cache_creation.input_tokens': tokens.cache_creation,
      },
    })
  }

  #toolCall({ process, agent, id, tool, start, end, isError, envelope, work }: ToolCall): void {
    const error = envelope?.error
    this.#add({
      spanId: newSpanId(),
      parentId: this.#above(process, work?.n),
      name: `execute_tool ${tool}`,
      kind: 'internal',
      start,
      end,
      attributes: {
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': tool,
        'gen_ai.tool.call.id': id,
        'gen_ai.tool.type': 'function',
        'gen_ai.agent.name': agent,
        'plumb.tool.attempts': envelope?.attempts,
        'plumb.tool.cached': envelope?.cached,
        'plumb.tool.parent': envelope?.parent ?? undefined,
        'error.type': isError ? (error?.error ?? '_OTHER') : undefined,
      },
      events: (envelope?.stages ?? []).map(({ stage, note }) => ({
        name: `plumb.tool.${stage}`,
        time: this.#epoch + end,
        attributes: { 'plumb.tool.note': note },
      })),
      ...(isError ? { error: error?.detail ?? 'the tool answered with an error' } : {}),
    })
  }

  // That of the message which is worked on; where there is none, the run itself.
  #above(process: string, n: number | undefined): string {
    return n === undefined ? this.#root : this.#idOf(process, n).id
  }

  #idOf(process: string, n: number): { readonly id: string; isSpent: boolean } {
    const key = `${process} ${n}`
    const known = this.#workIds.get(key)
    if (known) return known
    const made = { id: newSpanId(), isSpent: false }
    this.#workIds.set(key, made)
    if (this.#workIds.size > MOST_IDS) this.#workIds.delete(this.#workIds.keys().next().value as string)
    return made
  }

  #providerOf(process: string): Attributes {
    return { 'gen_ai.provider.name': this.#providers.get(process) ?? '_OTHER' }
  }

  /** With times since the beginning. */
  #add(span: Omit<Span, 'traceId'>): void {
    this.#batch.add({ ...span, traceId: this.#traceId, start: this.#epoch + span.start, end: this.#epoch + span.end })
  }
}

const newSpanId = (): string => randomBytes(8).toString('hex')
