// Reads an answer from the chunks of a completion: text, thinking and calls, assembled from their pieces.

import { isRecord } from '@plumb/wire'
import type { Failure, ReplyFailures } from '../../http/failure.js'
import { at, listAt, numberAt, textAt } from '../../http/json-path.js'
import type { AnswerReader } from '../../protocol.js'
import type { ContentBlock, ModelRequest, TokenUsage } from '../../provider.js'
import { endingOf } from '../../reply/ending.js'
import { finishReply } from '../../reply/finish-reply.js'
import { replyFacts } from '../../reply/reply-facts.js'
import { errorIn } from '../../reply/server-words.js'
import type { WireNames } from '../../wire-names.js'
import { readTokenUsage, usageIn } from '../usage.js'
import { CallDrafts } from './call-drafts.js'
import { FieldDrafts } from './message-fields.js'

export const openReader = (
  { emit, tools }: Pick<ModelRequest, 'emit' | 'tools'>,
  names: WireNames,
  failures: ReplyFailures,
): AnswerReader => {
  const offered = tools.map(({ name }) => names.toWire(name))
  const calls = new CallDrafts((name) => offered.includes(name))
  const fields = new FieldDrafts()
  let text = ''
  let refusal = ''
  let thinking = ''
  let reason: string | undefined
  let usage: TokenUsage = { input_tokens: Number.NaN, output_tokens: Number.NaN, cache_read_tokens: 0, cache_creation_tokens: 0 }
  let isOver = false
  let [head, counted]: [unknown?, unknown?] = []

  const tellThinking = (): void => {
    if (thinking !== '') emit({ kind: 'thinking', text: thinking })
    thinking = ''
  }

  const takeDelta = (delta: unknown): void => {
    const said = readContent(at(delta, 'content'), fields)
    thinking += fields.take(delta) + said.thinking
    if (said.text !== '') {
      tellThinking()
      emit({ kind: 'text', delta: said.text })
    }
    text += said.text
    refusal += (textAt(delta, 'refusal') ?? '') + said.refusal
    calls.take(partsOf(at(delta, 'tool_calls')))
    const legacy = at(delta, 'function_call')
    if (legacy) calls.take([{ index: 0, function: legacy }])
  }

  // Some servers send the whole message, in place of a delta or once more at the end.
  const deltaOf = (choice: unknown): unknown => {
    const delta = at(choice, 'delta')
    if (delta || text + thinking + refusal !== '' || !calls.isEmpty) return delta
    return messageOf(choice)
  }

  const take = (chunk: unknown): Failure | undefined => {
    if (chunk === '[DONE]') {
      isOver = true
      return undefined
    }
    const error = errorIn(chunk)
    if (error) return failures.ofError(error)
    if (textAt(chunk, 'id') || textAt(chunk, 'model')) head ??= chunk
    // Only the first of several answers; a chunk with the usage alone has none.
    const choice = listAt(chunk, 'choices').find((one) => (numberAt(one, 'index') ?? 0) === 0)
    const used = usageIn(chunk, choice)
    if (used) [counted, usage] = [used, readTokenUsage(used)]
    if (choice === undefined) return undefined
    if (errorIn({ error: at(choice, 'error') })) return failures.ofError(choice)
    takeDelta(deltaOf(choice))
    // One that says that it went wrong is not taken back by a later one.
    if (endingOf(reason) !== 'broken') reason = textAt(choice, 'finish_reason') || reason
    return undefined
  }

  return {
    take,
    get isOver() {
      return isOver
    },
    // Servers that omit [DONE] have sent a finish reason, and then ended.
    finish: () => {
      if (!isOver && reason === undefined) return { ok: false, failure: failures.ofBroken('ended its reply before the answer was whole') }
      tellThinking()
      const kept = fields.finish()
      const content: ContentBlock[] = kept === undefined ? [] : [{ type: 'chat_fields', fields: kept }]
      if (text !== '') content.push({ type: 'text', text })
      if (refusal !== '') content.push({ type: 'text', text: refusal })
      content.push(...calls.finish(names))
      return finishReply({ content, usage, reply: replyFacts(head, counted), reason, isRefused: refusal !== '', offered }, failures)
    },
  }
}

/** Of Chat Completions, and of the API before it. */
const messageOf = (choice: unknown): unknown => at(choice, 'message') ?? at(choice, 'delta') ?? { content: at(choice, 'text') }

/** Where there is one, some servers leave the list out. */
const partsOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : isRecord(value) ? [value] : [])

/** Text, or parts, in which Mistral's models send their thinking too. */
const readContent = (content: unknown, fields: FieldDrafts): { text: string; thinking: string; refusal: string } => {
  const said = { text: '', thinking: '', refusal: '' }
  if (typeof content === 'string') said.text = content
  for (const part of partsOf(content)) {
    if (typeof part === 'string') said.text += part
    else if (textAt(part, 'type') === 'thinking') said.thinking += fields.takePart(part)
    else if (textAt(part, 'type') === 'refusal') said.refusal += textAt(part, 'refusal') ?? ''
    else said.text += textAt(part, 'text') ?? ''
  }
  return said
}

/** Converts a plain reply to the events of a stream. */
export const eventsOf = (completion: unknown): readonly unknown[] => {
  const choices = listAt(completion, 'choices').map((choice) => ({
    index: numberAt(choice, 'index') ?? 0,
    delta: messageOf(choice),
    finish_reason: textAt(choice, 'finish_reason'),
    error: at(choice, 'error'),
    usage: at(choice, 'usage'),
  }))
  return [
    { id: at(completion, 'id'), model: at(completion, 'model'), choices, usage: at(completion, 'usage') },
    ...(choices.length > 0 ? ['[DONE]'] : []),
  ]
}
