// Requests without a session: if an answer asks for input (`input_required`), it is given in a further request, and only the last answer is
// returned.

import type { RequestId } from '@modelcontextprotocol/sdk/types.js'
import { fault } from '@plumb/wire'
import { givenUp } from './guard.js'
import { LinkError } from './link.js'
import { type Request, type RpcAnswer, type RpcParams, readOutcome } from './revision.js'

export interface Rounds {
  readonly send: (request: Request) => Promise<void>
  readonly receive: (answer: RpcAnswer) => void
  /** Forgets the request of this id; returns the id under which it was last sent. */
  readonly cancel: (own: RequestId) => RequestId
  /** The id of the original request. */
  readonly ownId: (id: RequestId) => RequestId
}

export interface RoundsOptions {
  readonly send: (request: Request) => Promise<void>
  readonly give: (answer: RpcAnswer) => void
  /** For messages. */
  readonly server: string
  /** Ids of further requests. */
  readonly firstId: number
}

interface Round {
  readonly own: RequestId
  readonly count: number
  readonly request: Request
}

const MAX_ROUNDS = 10
/** Only these requests may be answered so. */
const MAY_ASK = ['tools/call', 'prompts/get', 'resources/read']

export const openRounds = ({ send, give, server, firstId }: RoundsOptions): Rounds => {
  const open = new Map<RequestId, Round>()
  let nextId = firstId

  const goOn = ({ own, count, request }: Round, more: RpcParams): void => {
    const { inputResponses: _, requestState: __, ...params } = request.params as RpcParams
    const id = nextId++
    const round: Round = { own, count: count + 1, request: { ...request, params: { ...params, ...more }, id } }
    open.set(id, round)
    send(round.request).catch((error: unknown) => {
      if (!open.delete(id)) return
      give(givenUp(own, error instanceof LinkError ? error.fault : fault('connection_failed', String(error), { server })))
    })
  }

  return {
    send: async (request) => {
      const { id, method } = request
      if (MAY_ASK.includes(method)) open.set(id, { own: id, count: 1, request })
      await send(request)
    },
    receive: (answer) => {
      const round = open.get(answer.id as RequestId)
      open.delete(answer.id as RequestId)
      const own = round?.own ?? (answer.id as RequestId)
      if ('error' in answer) return give({ ...answer, id: own })
      const outcome = readOutcome(answer.result)
      if (outcome.kind === 'result') return give({ ...answer, id: own, result: outcome.result as never })
      const wrong = (why: string): void => give(givenUp(own, fault('bad_reply', `an answer of MCP server '${server}' ${why}`, { server })))
      if (outcome.kind === 'wrong') wrong(outcome.why)
      else if (!round) wrong('asks for input where none can be given')
      else if (round.count >= MAX_ROUNDS) wrong(`asks for input again, after ${MAX_ROUNDS} times`)
      else goOn(round, outcome.params)
    },
    cancel: (own) => {
      const found = [...open].find(([, round]) => round.own === own)
      if (!found) return own
      open.delete(found[0])
      return found[0]
    },
    ownId: (id) => open.get(id)?.own ?? id,
  }
}
