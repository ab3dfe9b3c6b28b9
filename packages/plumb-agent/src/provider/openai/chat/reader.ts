// Reads an answer from the chunks of a completion: text and calls, assembled from their pieces.

import { randomUUID } from 'node:crypto'
import { readCallInput } from '../../call-input.js'
import type { Failure } from '../../http/failure.js'
import { at, listAt, numberAt, textAt } from '../../http/json-path.js'
import type { AnswerReader, Finished } from '../../protocol.js'
import type { ContentBlock, ModelRequest, TokenUsage } from '../../provider.js'
import type { WireNames } from '../../wire-names.js'
import { readTokenUsage } from '../usage.js'

interface Draft {
  id: string
  name: string
  arguments: string
}

export const openReader = ({ emit }: Pick<ModelRequest, 'emit'>, names: WireNames, fail: (error: unknown) => Failure): AnswerReader => {
  const calls = new Map<number, Draft>()
  let text = ''
  let refusal = ''
  let reason: string | undefined
  let usage: TokenUsage = { input_tokens: Number.NaN, output_tokens: Number.NaN, cache_read_tokens: 0, cache_creation_tokens: 0 }
  let isOver = false

  const take = (chunk: unknown): Failure | undefined => {
    if (chunk === '[DONE]') {
      isOver = true
      return undefined
    }
    const error = at(chunk, 'error')
    if (error) return fail(error)
    if (at(chunk, 'usage')) usage = readTokenUsage(at(chunk, 'usage'), 'prompt', 'completion')
    // Without final usage, and only the first of several answers.
    const choice = listAt(chunk, 'choices').find((one) => (numberAt(one, 'index') ?? 0) === 0)
    const delta = at(choice, 'delta')
    const said = textAt(delta, 'content') ?? ''
    if (said !== '') emit({ kind: 'text', delta: said })
    text += said
    refusal += textAt(delta, 'refusal') ?? ''
    for (const [position, call] of listAt(delta, 'tool_calls').entries()) grow(calls, numberAt(call, 'index') ?? position, call)
    reason = textAt(choice, 'finish_reason') ?? reason
    return undefined
  }

  return {
    take,
    get isOver() {
      return isOver
    },
    // Servers that omit [DONE] have sent a finish reason, and then ended.
    get isWhole() {
      return isOver || reason !== undefined
    },
    finish: () => {
      const content: ContentBlock[] = [...(text === '' ? [] : [{ type: 'text' as const, text }])]
      if (refusal !== '') content.push({ type: 'text', text: refusal })
      for (const [, call] of [...calls].sort(([a], [b]) => a - b)) content.push(toBlock(call, names))
      return { content, stop: stopOf(reason, refusal !== '', calls.size > 0), usage }
    },
  }
}

const grow = (calls: Map<number, Draft>, index: number, delta: unknown): void => {
  const draft = calls.get(index) ?? { id: '', name: '', arguments: '' }
  calls.set(index, draft)
  // Some servers repeat the id and the name with each piece.
  draft.id ||= textAt(delta, 'id') ?? ''
  draft.name ||= textAt(delta, 'function', 'name') ?? ''
  const piece = at(delta, 'function', 'arguments')
  draft.arguments += typeof piece === 'string' ? piece : piece ? JSON.stringify(piece) : ''
}

const toBlock = (call: Draft, names: WireNames): ContentBlock => ({
  type: 'tool_use',
  id: call.id || `call_${randomUUID()}`,
  name: names.toOwn(call.name),
  ...readCallInput(call.arguments),
})

const stopOf = (reason: string | undefined, isRefused: boolean, hasCalls: boolean): Finished['stop'] => {
  if (isRefused || reason === 'content_filter') return 'refused'
  if (reason === 'length') return 'tokens'
  return hasCalls ? 'tool_use' : 'end'
}

/** Converts a plain reply to the events of a stream. */
export const eventsOf = (completion: unknown): readonly unknown[] => {
  const choices = listAt(completion, 'choices').map((choice) => ({
    index: numberAt(choice, 'index') ?? 0,
    delta: at(choice, 'message'),
    finish_reason: textAt(choice, 'finish_reason'),
  }))
  return [{ choices, usage: at(completion, 'usage') }, ...(choices.length > 0 ? ['[DONE]'] : [])]
}
