// A call that asks a person in the middle, or takes long: its request is answered with the questions (`input_required`), it waits, and the
// client sends the request again with the answers and the handle that it was given, or it becomes a task. What has run is not run again.

import { randomUUID } from 'node:crypto'
import { isRecord, sha256Of } from '@plumb/wire'
import { APPROVAL_TIMEOUT_MS, enteredIn } from '../server/consent.js'
import type { FormQuestion, Notification, Params, RequestContext } from '../server/method.js'
import { INVALID_PARAMS, RpcError } from '../server/rpc-error.js'
import type { RunningCall, ServerTasks } from './tasks.js'

type Send = RequestContext['sendNotification']

/** What a call gets instead of a request: it may outlive several of them. */
export interface RoundContext {
  readonly signal: AbortSignal
  readonly sendNotification: Send
  readonly ask: RequestContext['ask']
}

export interface ServerRounds {
  /** Begins a call. Resolves to its result, or to the questions that it waits for. */
  begin(params: Params, request: RoundRequest, run: (context: RoundContext) => Promise<object>): Promise<object>
  /** Continues one. Rejects with an `RpcError` if there is none with that handle, or it was another's. */
  goOn(handle: unknown, params: Params, request: RoundRequest): Promise<object>
}

export interface RoundRequest {
  /** The client no longer waits. */
  readonly signal: AbortSignal
  readonly send: Send
  /** Makes a task of a call that takes long. Undefined: the client knows none. */
  readonly toTask?: ServerTasks['create'] | undefined
}

interface Held extends RunningCall {
  readonly print: string
  readonly questions: Map<string, { readonly form: FormQuestion; readonly answer: (entered: Params | undefined) => void }>
  send: Send | undefined
  count: number
}

/** For a client that knows tasks (ms). */
const TASK_AFTER_MS = 5000

export const openServerRounds = (taskAfterMs = TASK_AFTER_MS): ServerRounds => {
  const held = new Map<string, Held>()

  const turn = async (call: Held, { signal, send, toTask }: RoundRequest): Promise<object> => {
    const onAbort = (): void => call.stop()
    signal.addEventListener('abort', onAbort, { once: true })
    if (signal.aborted) onAbort()
    call.send = send
    let timer: NodeJS.Timeout | undefined
    const pausing = new Promise<undefined>((resolve) => {
      call.wake = () => {
        if (call.questions.size > 0) resolve(undefined)
      }
      call.wake()
      if (toTask) timer = setTimeout(() => resolve(undefined), taskAfterMs)
    })
    const result = await Promise.race([call.done, pausing]).finally(() => {
      clearTimeout(timer)
      signal.removeEventListener('abort', onAbort)
      call.send = undefined
    })
    if (result) return result
    if (call.questions.size === 0) return toTask?.(call) ?? turn(call, { signal, send })
    const handle = randomUUID()
    held.set(handle, call)
    const forget = (): void => void held.delete(handle)
    call.done.then(forget, forget)
    return { resultType: 'input_required', inputRequests: requestsOf(call), requestState: handle }
  }

  return {
    begin: (params, request, run) => {
      const stop = new AbortController()
      const questions: Held['questions'] = new Map()
      const ask: RoundContext['ask'] = (form, signal) =>
        new Promise((resolve) => {
          const key = `approval-${++call.count}`
          const answer = (entered: Params | undefined): void => {
            clearTimeout(timer)
            signal.removeEventListener('abort', refuse)
            questions.delete(key)
            call.wake()
            resolve(entered)
          }
          const refuse = (): void => answer(undefined)
          const timer = setTimeout(refuse, APPROVAL_TIMEOUT_MS)
          signal.addEventListener('abort', refuse, { once: true })
          if (signal.aborted) return refuse()
          questions.set(key, { form, answer })
          call.wake()
        })
      // Between two requests no progress can be reported.
      const sendNotification = async (notification: Notification): Promise<void> => call.send?.(notification)
      const call: Held = {
        print: printOf(params),
        questions,
        done: Promise.resolve().then(() => run({ signal: stop.signal, sendNotification, ask })),
        stop: () => stop.abort(),
        asks: () => (questions.size === 0 ? undefined : requestsOf(call)),
        answer: (responses) => {
          for (const [key, entered] of readAnswers(responses)) questions.get(key)?.answer(entered)
        },
        send: undefined,
        wake: () => {},
        count: 0,
      }
      return turn(call, request)
    },
    goOn: async (handle, params, request) => {
      const call = typeof handle === 'string' ? held.get(handle) : undefined
      if (!call || call.print !== printOf(params))
        throw new RpcError(INVALID_PARAMS, "no call waits under this 'requestState': it has ended, or was another one; make the call again")
      call.answer(params.inputResponses)
      // A handle is valid once.
      held.delete(handle as string)
      return turn(call, request)
    },
  }
}

const requestsOf = ({ questions }: Held): object =>
  Object.fromEntries([...questions].map(([key, { form }]) => [key, { method: 'elicitation/create', params: { mode: 'form', ...form } }]))

const readAnswers = (responses: unknown): readonly (readonly [string, Params | undefined])[] => {
  if (responses === undefined) return []
  if (!isRecord(responses)) throw new RpcError(INVALID_PARAMS, "'inputResponses' takes an object")
  return Object.entries(responses).map(([key, response]) => {
    if (!isRecord(response) || typeof response.action !== 'string')
      throw new RpcError(INVALID_PARAMS, "an answer in 'inputResponses' has no 'action'")
    return [key, enteredIn(response)] as const
  })
}

const printOf = ({ name, arguments: input = {} }: Params): string => sha256Of(JSON.stringify([name, input]))
