// A run as OpenTelemetry spans, by its conventions for generative AI: one for the run, below it one for each message of each child, and
// below that one for each request to a model and each tool call.

import { randomBytes } from 'node:crypto'
import type { McpNote } from '@plumb/tool/internal'
import type { BatchSpanExporter, OtlpSettings, OtlpSpan, SpanAttributes } from '@plumb/tool/otlp'
import { newSpanId, traceparentOf } from '@plumb/tool/otlp/trace-context'
import { truncate } from '@plumb/wire'
import type { AgentTelemetry, RunEvent, RunListener } from '../../event/run-event.js'
import type { MessageSpan } from '../message-span.js'
import { type FailedCallSpan, type ModelCallSpan, SpanBuilder, type ToolCallSpan } from '../span-builder.js'
import { readAndWritten } from '../stats.js'
import { providerName } from './provider-name.js'

const MAX_IDS = 8192

interface OpenMessage {
  readonly spanId: string
  isUsed: boolean
  conversation: string | undefined
}

type SpanSettings = Pick<OtlpSettings, 'parent' | 'capturesContent'>

export class OtlpSpans implements RunListener {
  readonly #capturesContent: boolean
  readonly #exporter: BatchSpanExporter
  readonly #traceId: string
  readonly #parentId: string | undefined
  readonly #root = newSpanId()
  /** Wall clock at the beginning, in milliseconds. */
  #epoch = 0
  #begin: (RunEvent & { kind: 'begin' }) | undefined
  #counts = { inputs: 0, errors: 0 }
  /** The first one that nothing handled. */
  #fault: string | undefined
  readonly #providers = new Map<string, string>()
  readonly #plumbs = new Set<string>()
  /** Messages: the spans inside need the id before the span has ended, and some come after it; they say which conversation it is. */
  readonly #messageIds = new Map<string, OpenMessage>()
  /** What agents are told before their messages, by process. */
  readonly #instructions = new Map<string, string>()
  readonly #spans = new SpanBuilder({
    message: (span) => this.#message(span),
    modelCall: (call) => this.#modelCall(call),
    failedCall: (call) => this.#failedCall(call),
    toolCall: (call) => this.#toolCall(call),
  })

  constructor(exporter: BatchSpanExporter, { parent, capturesContent }: SpanSettings) {
    this.#capturesContent = capturesContent
    this.#exporter = exporter
    this.#traceId = parent?.traceId ?? randomBytes(16).toString('hex')
    this.#parentId = parent?.spanId
  }

  get traceId(): string {
    return this.#traceId
  }

  /** That of the run itself, for what is started in it. */
  get traceparent(): string {
    return traceparentOf(this.#traceId, this.#root)
  }

  on(event: RunEvent): void {
    if (event.kind === 'begin') {
      this.#epoch = Date.parse(event.time) - event.ms
      this.#begin = event
      for (const { name, provider } of event.nodes) if (provider !== undefined) this.#providers.set(name, provider)
    } else if (event.kind === 'spawned' && event.runs === 'plumb') this.#plumbs.add(event.process)
    else if (event.kind === 'input') this.#counts.inputs++
    else if (event.kind === 'fault' && !event.isHandled) {
      this.#counts.errors++
      this.#fault ??= event.fault.error
    }
    if (event.kind === 'telemetry' && this.#capturesContent) this.#notePrompt(event.process, event.telemetry)
    this.#spans.on(event)
    if (event.kind === 'end') this.#end(event)
  }

  #notePrompt(process: string, telemetry: AgentTelemetry): void {
    if (telemetry.kind === 'prompt' && typeof telemetry.system === 'string') this.#instructions.set(process, telemetry.system)
  }

  #end({ ms, status, stoppedBy }: RunEvent & { kind: 'end' }): void {
    if (!this.#begin) return
    const { spec, binding } = this.#begin
    this.#add({
      spanId: this.#root,
      parentId: this.#parentId,
      name: `invoke_workflow ${binding}`,
      kind: 'internal',
      start: this.#begin.ms,
      end: ms,
      attributes: {
        'gen_ai.operation.name': 'invoke_workflow',
        'gen_ai.agent.name': binding,
        'error.type': status === 0 ? undefined : (this.#fault ?? '_OTHER'),
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

  #message({ process, n, seq, sent, start, end, input, output, fault }: MessageSpan): void {
    const isPlumb = this.#plumbs.has(process)
    const operation = isPlumb ? 'invoke_workflow' : 'invoke_agent'
    const id = this.#idOf(process, n)
    // A nested plumb may give several outputs for one message.
    const spanId = id.isUsed ? newSpanId() : id.spanId
    id.isUsed = true
    this.#add({
      spanId,
      parentId: this.#root,
      name: `${operation} ${process}`,
      kind: 'internal',
      start,
      end,
      attributes: {
        'gen_ai.operation.name': operation,
        'gen_ai.agent.name': process,
        ...(isPlumb ? {} : { ...this.#providerOf(process), 'gen_ai.conversation.id': this.#conversationOf(process, id.conversation) }),
        'gen_ai.system_instructions': this.#instructionsOf(process),
        'gen_ai.input.messages': this.#content(input, (text) => [messageOf('user', asSaid(text))]),
        'gen_ai.output.messages': this.#content(output, (text) => [{ ...messageOf('assistant', asSaid(text)), finish_reason: 'stop' }]),
        'plumb.seq': seq === 0 ? undefined : seq,
        'plumb.waited_ms': Math.round(start - sent),
        'error.type': fault?.error,
      },
      ...(fault ? { error: this.#why(fault.error, fault.detail) } : {}),
    })
  }

  #modelCall({ process, agent, model, provider, finish, start, end, tokens, message, ...told }: ModelCallSpan): void {
    const { read, written } = readAndWritten(tokens)
    this.#add({
      spanId: newSpanId(),
      parentId: this.#parentOf(process, message?.n, told.conversation),
      name: `chat ${model}`,
      kind: 'client',
      start,
      end,
      attributes: {
        'gen_ai.operation.name': 'chat',
        ...this.#providerOf(process, provider),
        'gen_ai.agent.name': agent,
        'gen_ai.conversation.id': this.#conversationOf(process, told.conversation),
        'gen_ai.request.model': model,
        'gen_ai.response.model': told.responseModel ?? model,
        'gen_ai.response.id': told.responseId,
        'gen_ai.response.finish_reasons': finish === undefined ? undefined : [finish],
        // The conventions count what came from a cache as input too, and what was thought as output.
        'gen_ai.usage.input_tokens': read,
        'gen_ai.usage.output_tokens': written,
        'gen_ai.usage.cache_read.input_tokens': tokens.cache_read,
        'gen_ai.usage.cache_write.input_tokens': tokens.cache_creation,
        'gen_ai.usage.reasoning.output_tokens': told.reasoning > 0 ? told.reasoning : undefined,
        'gen_ai.system_instructions': this.#instructionsOf(process),
        'gen_ai.input.messages': this.#content(told.exchange?.input, (messages) => messages),
        'gen_ai.output.messages': this.#content(told.exchange?.output, (messages) => messages),
      },
    })
  }

  #failedCall({ process, agent, model, error, start, end, message, conversation }: FailedCallSpan): void {
    this.#add({
      spanId: newSpanId(),
      parentId: this.#parentOf(process, message?.n, conversation),
      name: `chat ${model}`,
      kind: 'client',
      start,
      end,
      attributes: {
        'gen_ai.operation.name': 'chat',
        ...this.#providerOf(process),
        'gen_ai.agent.name': agent,
        'gen_ai.conversation.id': this.#conversationOf(process, conversation),
        'gen_ai.request.model': model,
        'error.type': error,
        'gen_ai.system_instructions': this.#instructionsOf(process),
      },
      error,
    })
  }

  #toolCall({ process, agent, id, tool, start, end, isError, input, envelope, context, message, error, detail }: ToolCallSpan): void {
    this.#add({
      spanId: context?.span ?? newSpanId(),
      parentId: this.#parentOf(process, message?.n),
      name: `execute_tool ${tool}`,
      kind: 'internal',
      start,
      end,
      attributes: {
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': tool,
        'gen_ai.tool.call.id': id,
        'gen_ai.tool.type': 'function',
        'gen_ai.tool.call.arguments': this.#content(input, (value) => value),
        'gen_ai.tool.call.result': this.#content(envelope?.ok ? envelope.result : undefined, (value) => value),
        'gen_ai.agent.name': agent,
        'gen_ai.conversation.id': this.#conversationOf(process, message && this.#idOf(process, message.n).conversation),
        ...(context?.mcp ? mcpAttributes(context.mcp, envelope?.error?.mcp_code) : {}),
        'plumb.tool.attempts': envelope?.attempts,
        'plumb.tool.cached': envelope?.cached,
        'plumb.tool.parent': envelope?.parent ?? undefined,
        'error.type': isError ? (error ?? '_OTHER') : undefined,
      },
      events: (envelope?.stages ?? []).map(({ stage, note }) => ({
        name: `plumb.tool.${stage}`,
        time: this.#epoch + end,
        attributes: this.#capturesContent ? { 'plumb.tool.note': note } : {},
      })),
      ...(isError ? { error: this.#why(error, detail) } : {}),
    })
  }

  /** As JSON; undefined where it is not to be sent, or there is none. */
  #content<T>(value: T | undefined, form: (value: T) => unknown): string | undefined {
    return this.#capturesContent && value !== undefined ? JSON.stringify(form(value)) : undefined
  }

  /** An error may hold what was said: without content its code is all that is told. */
  #why(code: string | undefined, detail: string | undefined): string {
    return (this.#capturesContent ? detail : code) ?? code ?? 'the tool answered with an error'
  }

  #instructionsOf(process: string): string | undefined {
    return this.#content(this.#instructions.get(process) || undefined, (content) => [
      { type: 'text', content: truncate(content, MAX_TEXT) },
    ])
  }

  // The span of the message; where that is unknown, the span of the run.
  #parentOf(process: string, n: number | undefined, conversation?: string): string {
    if (n === undefined) return this.#root
    const message = this.#idOf(process, n)
    message.conversation ??= conversation
    return message.spanId
  }

  #idOf(process: string, n: number): OpenMessage {
    const key = `${process} ${n}`
    const known = this.#messageIds.get(key)
    if (known) return known
    const made: OpenMessage = { spanId: newSpanId(), isUsed: false, conversation: undefined }
    this.#messageIds.set(key, made)
    if (this.#messageIds.size > MAX_IDS) this.#messageIds.delete(this.#messageIds.keys().next().value as string)
    return made
  }

  #providerOf(process: string, provider = this.#providers.get(process)): SpanAttributes {
    return { 'gen_ai.provider.name': providerName(provider) }
  }

  /** The key of the conversation; else one for each agent and run. */
  #conversationOf(process: string, key: string | undefined): string {
    return key === undefined ? `${this.#traceId}/${process}` : keyText(key)
  }

  /** Times are milliseconds since the beginning of the run. */
  #add(span: Omit<OtlpSpan, 'traceId'>): void {
    this.#exporter.add({ ...span, traceId: this.#traceId, start: this.#epoch + span.start, end: this.#epoch + span.end })
  }
}

const messageOf = (role: 'user' | 'assistant', content: string) => ({ role, parts: [{ type: 'text', content }] })

/** A server's tool is called as MCP has it, in the span of the tool: the conventions want none of its own beside that. */
const mcpAttributes = ({ protocol, transport, host, port, id }: McpNote, code: unknown): SpanAttributes => ({
  'mcp.method.name': 'tools/call',
  'mcp.protocol.version': protocol,
  'jsonrpc.request.id': id,
  'network.transport': transport,
  'network.protocol.name': transport === 'tcp' ? 'http' : undefined,
  'server.address': host,
  'server.port': port,
  'rpc.status_code': typeof code === 'number' ? String(code) : undefined,
})

/** In characters. */
const MAX_TEXT = 4096
const MAX_KEY = 200

/** JSON as the model is told it: a text as itself, also one that was cut. */
const asSaid = (json: string): string => {
  if (!json.startsWith('"')) return json
  for (const [text, cut] of [
    [json, ''],
    [`${json.replace(/\u2026$/, '').replace(/\\(?:u[\da-fA-F]{0,3})?$/, '')}"`, '…'],
  ] as const) {
    try {
      return String(JSON.parse(text)) + cut
    } catch {
      // It was cut.
    }
  }
  return json
}

/** A text without its quotes. */
const keyText = (json: string): string => {
  try {
    const value = JSON.parse(json) as unknown
    return (typeof value === 'string' ? value : json).slice(0, MAX_KEY)
  } catch {
    return json.slice(0, MAX_KEY)
  }
}
