// Requests to a server: each has a deadline and one answer, and none is sent once the server has ended.

import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import type { RequestOptions } from '@modelcontextprotocol/sdk/shared/protocol.js'
import { type Fault, fail, type Result, startDeadline, succeed } from '@plumb/wire'
import type { CallOptions } from './connection.js'
import { type FailedRequest, sdkFault } from './sdk-fault.js'
import { MAX_TIMEOUT_MS } from './wait-at-most.js'

export interface Life {
  /** Why the server has ended. */
  readonly dead: Fault | undefined
  readonly die: (why: Fault) => void
}

export interface McpQuestion extends Omit<FailedRequest, 'server' | 'about'> {
  readonly method: string
  readonly about: () => string
  readonly params?: Readonly<Record<string, unknown>>
}

export type SendRequest = (question: McpQuestion, options?: CallOptions) => Promise<Result<Readonly<Record<string, unknown>>>>

export interface RequestsOptions {
  readonly client: Client
  readonly life: Life
  /** For messages. */
  readonly server: string
  readonly timeoutMs: number
  /** What came and was no answer, so far. */
  readonly stray: () => Stray
}

export interface Stray {
  /** Lines on the stdout of a started server, and the last of them. */
  readonly lines: number
  readonly last: string
  /** Answers that belong to no request. */
  readonly unmatched: number
}

export const openRequests = async ({ client, life, server, timeoutMs, stray }: RequestsOptions): Promise<SendRequest> => {
  const { ResultSchema } = await import('./mcp-client.late.js')
  return async ({ method, params = {}, about, otherwise }, { signal, timeoutMs: ms = timeoutMs, onProgress } = {}) => {
    if (life.dead) return { ok: false, error: life.dead }
    if (signal?.aborted) return cancelled(about(), server)
    const stop = openStop()
    const before = stray()
    // Progress does not extend it: MCP requires an absolute limit.
    const forget = startDeadline(ms, () => stop.abort(LATE))
    const cancel = (): void => stop.abort(CANCELLED)
    signal?.addEventListener('abort', cancel, { once: true })
    try {
      const result = await client.request({ method, params }, ResultSchema, {
        signal: stop.signal as AbortSignal,
        timeout: MAX_TIMEOUT_MS,
        ...(onProgress ? { onprogress: onProgress as NonNullable<RequestOptions['onprogress']> } : {}),
      })
      return succeed(result)
    } catch (error) {
      if (stop.signal.reason === LATE) return late(about(), server, { ms, life, meanwhile: strayWords(before, stray()) })
      if (stop.signal.aborted) return cancelled(about(), server)
      const known = life.dead
      return { ok: false, error: known ?? sdkFault(error, { about: about(), otherwise, server }) }
    } finally {
      forget()
      signal?.removeEventListener('abort', cancel)
    }
  }
}

/** The part of an AbortSignal that the SDK uses: a real one costs a call a third of its time. */
const openStop = () => {
  let listen: (() => void) | undefined
  const signal = {
    aborted: false,
    reason: undefined as unknown,
    throwIfAborted: (): void => {},
    addEventListener: (_: string, listener: () => void): void => {
      listen = listener
    },
  }
  const abort = (reason: string): void => {
    if (signal.aborted) return
    signal.aborted = true
    signal.reason = reason
    listen?.()
  }
  return { signal: signal as Pick<AbortSignal, 'aborted' | 'reason'>, abort }
}

// The server gets this text.
const LATE = 'no answer came in time'
const CANCELLED = 'the answer is not wanted any more'

const cancelled = (about: string, server: string) => fail('cancelled', `${about} was cancelled`, { server })

/** What came in place of an answer, to stand behind it. */
export const strayWords = (before: Stray, { lines, last, unmatched }: Stray): string => {
  const [skipped, others] = [lines - before.lines, unmatched - before.unmatched]
  const was = skipped === 1 ? '1 line on its stdout was' : `${skipped} lines on its stdout were`
  return [
    skipped > 0 ? `; meanwhile ${was} not JSON-RPC, the last '${last}'` : '',
    others > 0 ? `; ${others === 1 ? 'an answer' : `${others} answers`} came with an id that belongs to no request` : '',
  ].join('')
}

interface Lateness {
  readonly ms: number
  readonly life: Life
  readonly meanwhile: string
}

const late = (about: string, server: string, { ms, life, meanwhile }: Lateness) => {
  const failure = fail('timeout', `${about} did not answer within ${ms / 1000} s${meanwhile}; its connection is closed`, { server })
  life.die(failure.error)
  return failure
}
