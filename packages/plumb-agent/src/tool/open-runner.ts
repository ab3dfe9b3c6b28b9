// Who runs the tools of this agent: whoever reads fd 4 and writes fd 5, or speaks envelopes with us, else a program of our own.

import { type Fault, FDS, fault, isFileInput, openInput, readControl } from '@plumb/wire'
import type { Outlets } from '../io/outlets.js'
import type { OwnDispatcher } from './child-dispatcher.js'
import { Exchange, toAnswer } from './client.js'
import type { Dispatcher, EnvelopedAnswers } from './dispatcher.js'

export interface ToolRunner {
  readonly dispatcher: Dispatcher
  readonly answers: EnvelopedAnswers
  readonly close: () => Promise<void>
}

export interface ToolRunnerParts {
  readonly fds: ReadonlySet<number>
  readonly outlets: Pick<Outlets, 'writeToolRequest' | 'onToolsClosed'>
  /** Started for its first call. */
  readonly own: OwnDispatcher
  readonly report: (fault: Fault) => void
  /** What comes in envelopes cannot be read now: see `EnvelopedAnswers.starve`. */
  readonly isStarved: () => boolean
}

/** Whether somebody else runs the tools: there is a way to ask, and one to be answered. */
export const asksOthers = (fds: ReadonlySet<number>, isMux: boolean): boolean => isMux || (fds.has(FDS.tool_req) && fds.has(FDS.tool_resp))

export const openRunner = ({ fds, outlets, own, report, isStarved }: ToolRunnerParts): ToolRunner => {
  const { writeToolRequest } = outlets
  if (!writeToolRequest) return { dispatcher: own, answers: strangers(report), close: () => own.close() }

  const answers = fds.has(FDS.tool_resp) ? openInput(FDS.tool_resp) : undefined
  const isRecorded = answers !== undefined && isFileInput(answers)
  const exchange = new Exchange({ send: writeToolRequest, onFault: report, isRecorded })
  const end = (why: string) => {
    const open = exchange.end(fault('tool_crashed', why))
    if (open > 0 && !isRecorded)
      report(fault('tool_crashed', `${why}, with ${open} ${open === 1 ? 'call' : 'calls'} open`, { port: 'tool_resp' }))
  }
  outlets.onToolsClosed = () => end('nobody reads the calls on fd 4 any more')
  if (answers) {
    readControl(
      answers,
      (message) => exchange.receive(message),
      (error) => exchange.refuse(error),
      () => end('fd 5, on which tool calls are answered, has ended'),
    )
  }
  const isEnveloped = answers === undefined
  return {
    dispatcher: {
      ask: async (request, timeoutMs, signal) =>
        isEnveloped && isStarved() ? toAnswer(STARVED) : exchange.ask(request, timeoutMs, signal),
    },
    answers: {
      receive: (message) => exchange.receive(message),
      end: () => isEnveloped && end('the stream on which tool calls are answered has ended'),
      starve: () => isEnveloped && exchange.giveUp(STARVED),
    },
    close: async () => {
      answers?.destroy()
    },
  }
}

const STARVED = fault('overflow', 'more than 16 MiB of input wait before the answer of this call; take answers on fd 5')

/** Nobody has asked for them. */
export const strangers = (report: (fault: Fault) => void): EnvelopedAnswers => ({
  receive: () => report(fault('input_type_mismatch', 'an answer to a tool call came, and none was made', { port: 'tool_resp' })),
  end: () => {},
  starve: () => {},
})
