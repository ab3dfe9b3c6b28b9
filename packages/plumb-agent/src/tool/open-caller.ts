// Opens the way to run tools: an external dispatcher, over fds 4 and 5 or in envelopes; else a dispatcher that the agent starts itself.

import { errorAnswer, type Fault, FDS, fault, isFileInput, openInput, readControl, type ToolCaller } from '@plumb/wire'
import type { Outlets } from '../io/outlets.js'
import type { ChildDispatcher } from './child-dispatcher.js'
import { DispatchClient } from './client.js'

/** Answers in envelopes on stdin. */
export interface EnvelopedAnswers {
  receive(message: unknown): void
  /** No more come. */
  end(): unknown
  /** Answers to the open calls are behind more input than may be held. */
  onBacklog(): unknown
}

export interface OpenCaller {
  readonly caller: ToolCaller
  readonly answers: EnvelopedAnswers
  /** The reader of the requests is gone. */
  readonly onRequestsClosed: () => void
  readonly close: () => Promise<void>
}

export interface OpenCallerParts {
  readonly fds: ReadonlySet<number>
  readonly outlets: Pick<Outlets, 'writeToolRequest'>
  /** Started for its first call. */
  readonly own: ChildDispatcher
  readonly report: (fault: Fault) => void
  /** Answers in envelopes cannot be read now: see `EnvelopedAnswers.onBacklog`. */
  readonly isBacklogged: () => boolean
}

/** Calls can be sent to an external dispatcher, and its answers can be read. */
export const hasExternalDispatcher = (fds: ReadonlySet<number>, isMux: boolean): boolean =>
  isMux || (fds.has(FDS.tool_req) && fds.has(FDS.tool_resp))

const ENDS = {
  answers: 'fd 5, on which tool calls are answered, has ended',
  stream: 'the stream on which tool calls are answered has ended',
  requests: 'the calls on fd 4 are no longer read',
} as const

/** Why calls fail once they are not answered any more, in the detail of their `tool_crashed`: their effect is unknown. */
export const ANSWERS_END: ReadonlySet<string> = new Set(Object.values(ENDS))

export const openCaller = ({ fds, outlets, own, report, isBacklogged }: OpenCallerParts): OpenCaller => {
  const { writeToolRequest } = outlets
  if (!writeToolRequest) return { caller: own, answers: noCallsOpen(report), onRequestsClosed: () => {}, close: () => own.close() }

  const answers = fds.has(FDS.tool_resp) ? openInput(FDS.tool_resp) : undefined
  const isRecorded = answers !== undefined && isFileInput(answers)
  const client = new DispatchClient({ send: writeToolRequest, onFault: report, isRecorded })
  const end = (why: string) => {
    const open = client.end(fault('tool_crashed', why))
    if (open > 0 && !isRecorded)
      report(fault('tool_crashed', `${why}, with ${open} ${open === 1 ? 'call' : 'calls'} open`, { port: 'tool_resp' }))
  }
  if (answers) {
    readControl(
      answers,
      (message) => client.receive(message),
      (error) => client.refuse(error),
      () => end(ENDS.answers),
    )
  }
  const isEnveloped = answers === undefined
  return {
    caller: {
      call: async (request, timeoutMs, signal) =>
        isEnveloped && isBacklogged() ? errorAnswer(request.id, BACKLOGGED) : client.call(request, timeoutMs, signal),
    },
    answers: {
      receive: (message) => client.receive(message),
      end: () => isEnveloped && end(ENDS.stream),
      onBacklog: () => isEnveloped && client.failOpen(BACKLOGGED),
    },
    onRequestsClosed: () => end(ENDS.requests),
    close: async () => {
      answers?.destroy()
    },
  }
}

const BACKLOGGED = fault('overflow', 'more than 16 MiB of input wait before the answer of this call; take answers on fd 5')

/** For an agent that sends no calls over its stdin. */
export const noCallsOpen = (report: (fault: Fault) => void): EnvelopedAnswers => ({
  receive: () => report(fault('input_type_mismatch', 'an answer to a tool call came, and none was made', { port: 'tool_resp' })),
  end: () => {},
  onBacklog: () => {},
})
