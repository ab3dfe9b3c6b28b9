// Opens the way to run tools: an external dispatcher, over fds 4 and 5 or in envelopes; else a dispatcher that the agent starts itself.

import { errorAnswer, type Fault, FDS, fault, isFileInput, openInput, readControl, type ToolCaller } from '@plumb/wire'
import type { Outlets } from '../io/outlets.js'
import type { ChildDispatcher } from './child-dispatcher.js'
import { DispatchClient, ENDS } from './client.js'
import { type EnvelopedAnswers, noCallsOpen } from './no-tools.js'

export interface OpenCaller {
  readonly caller: ToolCaller
  readonly answers: EnvelopedAnswers
  /** The reader of the requests has closed. */
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
