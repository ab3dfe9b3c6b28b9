// The calls of one turn of a model, in the order of a protocol.

import type { Walk } from '@plumb/tool/protocol/walk'
import { type Fault, isRecord, mapLimit } from '@plumb/wire'
import type { ChatMessage, ToolResult, ToolUse } from '../provider/provider.js'

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
    if (result) advance(walk, use.name, result)
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

/** A chain has made the calls that its result names, also where it has failed in the end. */
export const advance = (walk: Walk, tool: string, { is_error, calls = [] }: Pick<ToolResult, 'is_error' | 'calls'>): void => {
  if (!is_error || calls.length > 0) walk.made(tool)
  for (const call of calls) walk.made(call)
}

/** Walks the calls of a memory that another process has kept. */
export const walkMemory = (walk: Walk, messages: readonly ChatMessage[]): void => {
  const names = new Map<unknown, string>()
  for (const { content } of messages) {
    if (!Array.isArray(content)) continue
    for (const block of content as readonly unknown[]) {
      if (!isRecord(block)) continue
      if (block.type === 'tool_use' && typeof block.name === 'string') names.set(block.id, block.name)
      const name = block.type === 'tool_result' ? names.get(block.tool_use_id) : undefined
      if (name === undefined) continue
      names.delete(block.tool_use_id)
      const calls = Array.isArray(block.calls) ? block.calls.filter((call) => typeof call === 'string') : []
      advance(walk, name, { is_error: block.is_error === true, calls })
    }
  }
}
