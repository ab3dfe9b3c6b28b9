// tools/call: one call, with its place in the queue, its progress and its end, whether it is answered or cancelled.

import { type Fault, fault, isRecord, type Semaphore } from '@plumb/wire'
import { type McpToolResult, toError } from '../tools/answer.js'
import type { CallContext, ServedTool } from '../tools/served-tool.js'
import { askConsent } from './consent.js'
import { type Caller, type Method, type Params, type RequestContext, recordParam, textParam } from './method.js'
import { INVALID_PARAMS, rpcError } from './rpc-error.js'

export const callToolMethod: Method = async (client, params, request) => {
  const name = textParam(params, 'name')
  const tool = client.context.catalogue.tool(name)
  const input = recordParam(params, 'arguments')
  if (tool.ok) {
    const make = () => run(tool.value, input, client, request)
    return client.calls ? client.calls.call(name, make, ({ isError }) => !isError, toError) : make()
  }
  if (tool.error.error === 'unknown_tool') throw rpcError(INVALID_PARAMS, tool.error)
  return toError(tool.error)
}

const run = async (
  tool: ServedTool,
  input: Params,
  client: Caller,
  { signal, _meta, sendNotification, ask, traceparent }: RequestContext,
): Promise<McpToolResult> => {
  const { calls, permits } = client.context
  const stop = new AbortController()
  const onAbort = () => stop.abort()
  signal.addEventListener('abort', onAbort, { once: true })
  // It may have been cancelled before it began.
  if (signal.aborted) onAbort()
  const progress = openProgress(_meta?.progressToken, sendNotification)
  const notify = (message: string): void => {
    progress.report(message)
    client.log('info', message, sendNotification)
  }
  const { id, end } = calls.begin({
    ...{ notify, stop },
    approve: (asked) => askConsent(asked, (form) => ask(form, stop.signal)),
    answer: async (asked) => (await import('./person-form.js')).askPerson(asked, (form) => ask(form, stop.signal)),
  })
  try {
    const failure = await acquirePermit(permits, stop.signal)
    if (failure) return toError(failure)
    try {
      const of = { id, signal: stop.signal, progress: progress.report, calls: client.calls, traceparent }
      const answer = await tool.call(JSON.stringify(input), of)
      if (answer.isError) client.log('warning', { tool: tool.name, failed: answer.content }, sendNotification)
      else client.log('debug', { tool: tool.name, done: true }, sendNotification)
      return client.isStateless ? answer : asOlder(answer)
    } finally {
      permits.release()
    }
  } catch (error) {
    // Errors that tools throw are caught nearer to them.
    return toError(fault('internal', error instanceof Error ? (error.stack ?? error.message) : String(error)))
  } finally {
    signal.removeEventListener('abort', onAbort)
    progress.end()
    end()
  }
}

// Before 2026-07-28 structured content was an object.
const asOlder = ({ structuredContent, ...rest }: McpToolResult): McpToolResult =>
  isRecord(structuredContent) ? { ...rest, structuredContent } : rest

/** A client may send more calls than run at once; a call that is cancelled while it waits leaves the queue. */
const acquirePermit = async (permits: Semaphore, signal: AbortSignal): Promise<Fault | undefined> => {
  if (!signal.aborted && permits.waiting >= MAX_WAITING) return fault('overloaded', 'too many calls wait already: try again later')
  return (await permits.acquire(signal)) ? undefined : fault('cancelled', 'the call was cancelled before its turn came')
}

const MAX_WAITING = 10_000

/** Notifies a waiting client that the call still runs. */
const STILL_MS = 5000

interface Progress {
  readonly report: CallContext['progress']
  end(): void
}

const openProgress = (token: string | number | undefined, send: RequestContext['sendNotification']): Progress => {
  if (token === undefined) return { report: () => {}, end: () => {} }
  let progress = 0
  let isCounted = false
  const notify = (message: string, total?: number): void => {
    const params = { progressToken: token, progress, message, ...(total === undefined ? {} : { total }) }
    // Has no effect when the client has ended.
    send({ method: 'notifications/progress', params }).catch(() => {})
  }
  const report: CallContext['progress'] = (message, done, total) => {
    isCounted ||= done !== undefined
    if (isCounted && (done === undefined || done <= progress)) return
    progress = done ?? progress + 1
    notify(message, total)
  }
  const timer = setInterval(() => report('still at work'), STILL_MS).unref()
  return { report, end: () => clearInterval(timer) }
}
