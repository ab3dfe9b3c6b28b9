// The calls of one turn of a model, in the order of a protocol.

import type { Walk } from '@plumb/tool/protocol/walk'
import { type Fault, mapLimit } from '@plumb/wire'
import type { ToolResult, ToolUse } from '../provider/provider.js'

/** The tool that runs chains of the others. */
export const COMPOSE = 'compose'

export interface TurnParts<T> {
  /** Free calls that are made at once. */
  readonly parallel: number
  readonly call: (use: ToolUse) => Promise<T>
  readonly refuse: (use: ToolUse, why: Fault) => T
  /** Undefined: it has none yet, and nothing behind it can be judged. */
  readonly resultOf: (answer: T) => ToolResult | undefined
}

/** One answer for each call, in their order; fewer, where one has no result yet. */
export const answerTurn = async <T>(uses: readonly ToolUse[], walk: Walk, parts: TurnParts<T>): Promise<readonly T[]> => {
  const answers = new Map<ToolUse, T>()
  let refused: string | undefined
  let isWaiting = false
  const inOrder = async (use: ToolUse): Promise<void> => {
    if (isWaiting) return
    const why = refused === undefined ? walk.judge(use.name) : walk.of.refusalBehind(walk.at, use.name, refused)
    if (why) {
      refused ??= use.name
      answers.set(use, parts.refuse(use, why))
      return
    }
    const answer = await parts.call(use)
    const result = parts.resultOf(answer)
    answers.set(use, answer)
    if (result) walk.after(use.name, result)
    else isWaiting = true
  }
  // A chain makes calls that are not free, whatever `compose` itself is.
  const isFree = ({ name }: ToolUse): boolean => name !== COMPOSE && walk.of.isFree(name)
  const atOnce = async (use: ToolUse): Promise<void> => void answers.set(use, await parts.call(use))
  const each = async (some: readonly ToolUse[]): Promise<void> => {
    for (const use of some) await (isFree(use) ? atOnce(use) : inOrder(use))
  }
  if (parts.parallel === 1) await each(uses)
  else await Promise.all([each(uses.filter((use) => !isFree(use))), mapLimit(uses.filter(isFree), parts.parallel, atOnce)])
  return uses.flatMap((use) => (answers.has(use) ? [answers.get(use) as T] : []))
}
