// The tools of an agent, and those of one without any: nothing is opened, and a call of a model is answered with an error.

import { type Fault, fault, succeed } from '@plumb/wire'
import type { AskPerson } from './approvals.js'
import { failure, noSuchTool } from './result.js'
import type { Servers } from './server-catalogue.js'
import type { Tools } from './tools.js'

/** Answers in envelopes on stdin. */
export interface EnvelopedAnswers {
  receive(message: unknown): void
  /** No more come. */
  end(): unknown
  /** Answers to the open calls are after more input than may be held. */
  onBacklog(): unknown
}

export interface AgentTools extends Tools {
  readonly answers: EnvelopedAnswers
  /** The reader of the requests has closed. */
  readonly onRequestsClosed: () => void
  /** Asks where the calls are answered. Undefined: nobody is asked there. */
  readonly askPerson?: AskPerson
  readonly close: () => Promise<void>
}

/** For an agent that sends no calls over its stdin. */
export const noCallsOpen = (report: (fault: Fault) => void): EnvelopedAnswers => ({
  receive: () => report(fault('input_type_mismatch', 'an answer to a tool call came, and none was made', { port: 'tool_resp' })),
  end: () => {},
  onBacklog: () => {},
})

export const NO_TOOLS: Tools = {
  offers: () => [],
  answer: async (calls) => succeed(calls.map(({ id, name }) => failure(id, noSuchTool(name, [])))),
}

export const noTools = (report: (fault: Fault) => void): AgentTools => ({
  ...NO_TOOLS,
  answers: noCallsOpen(report),
  onRequestsClosed: () => {},
  close: async () => {},
})

/** For an agent without MCP servers. */
export const NO_SERVERS: Servers = { offered: () => new Map(), own: undefined, renew: () => {} }
