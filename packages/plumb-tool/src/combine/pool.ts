// A pool spreads calls over equal tools; a retryable failure goes to the next.

import { isRetryable } from '@plumb/wire'
import type { Tool } from '../call/tool.js'
import { choiceOf } from './choice.js'
import type { Run } from './run.js'

export type PoolOrder = 'round-robin' | 'least-busy'

export const poolOf = (tools: readonly Pick<Tool, 'run'>[], by: PoolOrder): Run => {
  const members = tools.map(counted)
  let next = 0
  return (input, call) => {
    const first = next
    next = (next + 1) % members.length
    const rotated = [...members.slice(first), ...members.slice(0, first)]
    // A stable order: of equally busy ones the first in turn.
    const order = by === 'least-busy' ? rotated.sort((a, b) => a.busy - b.busy) : rotated
    return choiceOf(order, isRetryable)(input, call)
  }
}

const counted = (tool: Pick<Tool, 'run'>) => {
  const member = {
    busy: 0,
    run: (async (input, call) => {
      member.busy++
      try {
        return await tool.run(input, call)
      } finally {
        member.busy--
      }
    }) satisfies Run as Run,
  }
  return member
}
