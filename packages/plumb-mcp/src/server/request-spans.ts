// A span for each request of a client, by OpenTelemetry's conventions for MCP, for a collector that the environment names. Loaded for one
// alone.

import { randomBytes } from 'node:crypto'
import { BatchSpanExporter, type OtlpSettings, readOtlpSettings, type SpanAttributes } from '@plumb/tool/otlp'
import { newSpanId, parentOf, type SpanPlace, traceparentOf } from '@plumb/tool/otlp/trace-context'
import { isRecord, map, preview, type Result, succeed } from '@plumb/wire'
import type { Catalogue } from './catalogue.js'
import { toRpcError } from './rpc-error.js'

type Params = Readonly<Record<string, unknown>>

export interface SpannedRequest {
  readonly id: string | number
  /** One that the server knows. */
  readonly method: string
  readonly params: Params
  /** The revision, once the request is answered. */
  readonly protocol: () => string | undefined
  readonly catalogue: Catalogue
  /** The header of its HTTP request that names a span; what stands in `_meta` is nearer to the call. */
  readonly header: string | undefined
}

export interface RequestSpans {
  /** Sends the span of a request once `work` is done, and hands on what that throws. */
  around<T extends object | undefined>(request: SpannedRequest, work: (traceparent: string) => Promise<T>): Promise<T>
  /** Sends the last of them, within some seconds. */
  finish(): Promise<void>
}

/** Undefined: no spans are wanted. */
export const openRequestSpans = (isHttp: boolean, warn: (text: string) => void): Result<RequestSpans | undefined> => {
  const settings = readOtlpSettings(process.env)
  if (!settings) return succeed(undefined)
  return map(settings, (found) => found.url && spansTo(new BatchSpanExporter(found, found.url, warn), found, isHttp))
}

const spansTo = (exporter: BatchSpanExporter, settings: OtlpSettings, isHttp: boolean): RequestSpans => ({
  around: async (request, work) => {
    const [inMeta, around] = [placeIn(request.params), parentOf(request.header) ?? settings.parent]
    const parent = inMeta ?? around
    if (parent?.isSampled === false) return work(traceparentOf(parent.traceId, parent.spanId, false))
    const links = inMeta && around && around.spanId !== inMeta.spanId ? [around] : []
    const [traceId, spanId, start] = [parent?.traceId ?? randomBytes(16).toString('hex'), newSpanId(), Date.now()]
    const end = (outcome: Outcome): void => {
      const { name, attributes } = aboutOf(request, settings.capturesContent)
      exporter.add({
        ...{ traceId, spanId, parentId: parent?.spanId, name, kind: 'server', start, end: Date.now(), links },
        attributes: { ...attributes, ...transportOf(isHttp), ...outcome.attributes },
        ...(outcome.error === undefined ? {} : { error: outcome.error }),
      })
    }
    try {
      const result = await work(traceparentOf(traceId, spanId))
      end(outcomeOf(result ?? {}, request.method, settings.capturesContent))
      return result
    } catch (error) {
      end(refusalOf(error, settings.capturesContent))
      throw error
    }
  },
  finish: () => exporter.end(),
})

/** The span that the client names, as W3C has it. */
const placeIn = ({ _meta }: Params): SpanPlace | undefined =>
  isRecord(_meta) && typeof _meta.traceparent === 'string' ? parentOf(_meta.traceparent) : undefined

const transportOf = (isHttp: boolean): SpanAttributes =>
  isHttp ? { 'network.transport': 'tcp', 'network.protocol.name': 'http' } : { 'network.transport': 'pipe' }

const MAX_URI = 200

/** Of the names that a client gives, those that the server knows alone: others may be any number. */
const aboutOf = (
  { id, method, params, protocol, catalogue }: SpannedRequest,
  hasContent: boolean,
): { readonly name: string; readonly attributes: SpanAttributes } => {
  const given = typeof params.name === 'string' ? params.name : undefined
  const tool = method === 'tools/call' && given !== undefined && catalogue.tool(given).ok ? given : undefined
  const prompt = method === 'prompts/get' && catalogue.prompts().some(({ name }) => name === given) ? given : undefined
  const target = tool ?? prompt
  return {
    name: target === undefined ? method : `${method} ${target}`,
    attributes: {
      'mcp.method.name': method,
      'mcp.protocol.version': protocol(),
      'jsonrpc.request.id': preview(String(id)),
      'gen_ai.operation.name': method === 'tools/call' ? 'execute_tool' : undefined,
      'gen_ai.tool.name': tool,
      'gen_ai.prompt.name': prompt,
      'mcp.resource.uri': typeof params.uri === 'string' ? preview(params.uri, MAX_URI) : undefined,
      'gen_ai.tool.call.arguments': hasContent && tool !== undefined ? JSON.stringify(params.arguments ?? {}) : undefined,
    },
  }
}

interface Outcome {
  readonly attributes: SpanAttributes
  readonly error?: string
}

const outcomeOf = (result: object, method: string, hasContent: boolean): Outcome => {
  const { isError, content } = result as { readonly isError?: unknown; readonly content?: unknown }
  const said = hasContent && method === 'tools/call' && isError !== true ? JSON.stringify(result) : undefined
  return isError === true
    ? { attributes: { 'error.type': 'tool_error' }, error: hasContent ? preview(textIn(content), MAX_URI) : FAILED }
    : { attributes: { 'gen_ai.tool.call.result': said } }
}

const textIn = (content: unknown): string => {
  const [first] = Array.isArray(content) ? content : []
  return isRecord(first) && typeof first.text === 'string' ? first.text : FAILED
}

const FAILED = 'the tool answered with an error'

/** What the caller did wrong is no error of the server: no JSON, no request, an unknown method, wrong params, no such resource. */
const OF_CALLERS = new Set([-32700, -32600, -32601, -32602, -32002])

const refusalOf = (error: unknown, hasContent: boolean): Outcome => {
  const { code, message } = toRpcError(error)
  const status = { 'rpc.status_code': String(code) }
  if (OF_CALLERS.has(code)) return { attributes: status }
  return { attributes: { ...status, 'error.type': String(code) }, error: hasContent ? message : `error ${code}` }
}
