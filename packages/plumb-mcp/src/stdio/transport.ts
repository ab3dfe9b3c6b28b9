// The transport on stdin and stdout: a message a line. A malformed message is answered with an error, and the lines after it are processed.

import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'
import { type Fault, fault, isRecord, LineReader, type LineSink, type LineSource, LineWriter, parseJson, preview } from '@plumb/wire'
import { INVALID_REQUEST, PARSE_ERROR } from '../server/rpc-error.js'

export interface StdioOptions {
  readonly input: LineSource
  readonly output: LineSink
  /** Bytes. */
  readonly maxLine: number
  readonly report: (error: Fault) => void
}

export interface StdioTransport extends Transport {
  /** Resolves at the end of the input. */
  readonly ended: Promise<void>
  /** Resolves when the output is no longer read. */
  readonly broken: Promise<void>
  /** Resolves when no request waits for its answer. */
  answered(): Promise<void>
  /** Resolves when all messages are written, or cannot be. */
  flush(): Promise<void>
}

export const openStdioTransport = ({ input, output, maxLine, report }: StdioOptions): StdioTransport => {
  let hasStarted = false
  const pending = new Set<string | number>()
  const whenAnswered: (() => void)[] = []
  const settle = (id: string | number): void => {
    pending.delete(id)
    if (pending.size === 0) for (const resolve of whenAnswered.splice(0)) resolve()
  }
  let end = (): void => {}
  let give = (): void => {}
  const ended = new Promise<void>((resolve) => {
    end = resolve
  })
  const broken = new Promise<void>((resolve) => {
    give = resolve
  })
  const refuse = (error: Fault, code: number, id?: unknown): void => {
    report(error)
    const known = typeof id === 'string' || typeof id === 'number' ? id : null
    writer.writeText(JSON.stringify({ jsonrpc: '2.0', id: known, error: { code, message: error.detail } }))
  }
  const take = (message: unknown): void => {
    const flaw = flawOf(message)
    if (flaw !== undefined)
      return refuse(fault('bad_envelope', `line ${reader.line} ${flaw}`, { line: reader.line }), INVALID_REQUEST, idOf(message))
    const { id, method, params } = message as { id?: string | number; method?: string; params?: { requestId?: string | number } }
    if (method !== undefined && id !== undefined) pending.add(id)
    if (method === 'notifications/cancelled' && id === undefined && params?.requestId !== undefined) {
      // The SDK would cancel the next request with this id.
      if (!pending.has(params.requestId)) return
      // A cancelled request is not answered.
      settle(params.requestId)
    }
    transport.onmessage?.(message as JSONRPCMessage)
  }
  const takeLine = (): void => {
    if (reader.fault) return refuse(reader.fault, PARSE_ERROR)
    const parsed = parseJson(reader.buf, reader.start, reader.end, reader.isLast)
    if (!parsed.ok) return refuse({ ...parsed.error, line: reader.line }, PARSE_ERROR)
    // Batches were in one revision: each message of a batch is answered on its own line.
    if (Array.isArray(parsed.value) && parsed.value.length > 0) for (const message of parsed.value) take(message)
    else take(parsed.value)
  }
  const advance = (): void => {
    while (hasStarted && !writer.isFull && reader.next()) takeLine()
    if (reader.hasEnded) end()
  }
  const reader = new LineReader(input, { maxLine, onReadable: advance })
  const writer = new LineWriter(output, {
    onDrain: advance,
    onClosed: give,
    onFault: (error) => {
      report(error)
      give()
    },
  })
  const transport: StdioTransport = {
    ended,
    broken,
    answered: () => (pending.size === 0 ? Promise.resolve() : new Promise((resolve) => whenAnswered.push(resolve))),
    start: async () => {
      hasStarted = true
      advance()
    },
    send: async (message) => {
      if ('id' in message && message.id !== undefined && !('method' in message)) settle(message.id)
      writer.writeText(JSON.stringify(message))
    },
    close: async () => {
      reader.stop()
      transport.onclose?.()
    },
    flush: () => writer.end(),
  }
  return transport
}

const flawOf = (message: unknown): string | undefined => {
  if (!isRecord(message)) return 'is not a JSON-RPC message: that is an object'
  const { jsonrpc, id, method, params } = message
  if (jsonrpc !== '2.0') return `is not a JSON-RPC message: it has not "jsonrpc":"2.0"`
  if (id !== undefined && typeof id !== 'string' && !Number.isSafeInteger(id) && !('error' in message))
    return "has an 'id' that is neither a string nor a whole number"
  // The SDK silently drops messages with more, and their sender would wait for ever.
  const members = method === undefined ? ['result', 'error'] : ['method', 'params']
  const stray = Object.keys(message).find((key) => key !== 'jsonrpc' && key !== 'id' && !members.includes(key))
  if (method === undefined && !('result' in message || 'error' in message)) return "has neither a 'method' nor a 'result'"
  if (method !== undefined && typeof method !== 'string') return "has a 'method' that is not a string"
  if (stray !== undefined) return `has a member '${preview(stray)}', which no such message has`
  if (params !== undefined && !isRecord(params)) return "has 'params' that are not an object"
  return isMeta(params?._meta) ? undefined : "has an invalid '_meta'"
}

const isMeta = (meta: unknown): boolean => {
  if (meta === undefined) return true
  if (!isRecord(meta)) return false
  const { progressToken, [RELATED_TASK]: task } = meta
  const isToken = progressToken === undefined || typeof progressToken === 'string' || Number.isSafeInteger(progressToken)
  return isToken && (task === undefined || (isRecord(task) && typeof task.taskId === 'string'))
}

const RELATED_TASK = 'io.modelcontextprotocol/related-task'

const idOf = (message: unknown): unknown => (typeof message === 'object' && message !== null ? (message as { id?: unknown }).id : undefined)
