// Reads an answer from the events of a message: blocks in their order, complete, with their signatures.

import { randomUUID } from 'node:crypto'
import { preview } from '@plumb/wire'
import { type CallInput, readCallInput } from '../call-input.js'
import type { Failure, ReplyFailures } from '../http/failure.js'
import { at, countAt, listAt, numberAt, textAt, valueAt } from '../http/json-path.js'
import { type AnswerReader, asJson } from '../protocol.js'
import type { ContentBlock, ModelRequest, TokenUsage } from '../provider.js'
import { finishReply } from '../reply/finish-reply.js'
import { replyFacts } from '../reply/reply-facts.js'
import { errorIn } from '../reply/server-words.js'
import type { WireNames } from '../wire-names.js'

type Emit = ModelRequest['emit']

interface Draft {
  /** Its first event. Undefined: pieces came before it, or without it. */
  readonly block: unknown
  text: string
  json: string
  signature: string
  /** It has ended. */
  isOver: boolean
}

type Asked = Pick<ModelRequest, 'emit' | 'tools'>

export const openReader = ({ emit, tools }: Asked, names: WireNames, failures: ReplyFailures): AnswerReader => {
  /** The newest at each index. */
  const drafts = new Map<number, Draft>()
  /** Those before them: some servers give all blocks one index. */
  const earlier: (readonly [index: number, draft: Draft])[] = []
  const usage = { ...UNCOUNTED }
  let stopReason: string | undefined
  let [message, counted]: [unknown?, unknown?] = []
  let isOver = false
  /** Pieces came of a block that is unknown, or a block began again. */
  let isTorn = false

  const take = (event: unknown): Failure | undefined => {
    const draft = drafts.get(numberAt(event, 'index') ?? -1)
    switch (textAt(event, 'type')) {
      case 'message_start':
        message = at(event, 'message')
        counted = at(message, 'usage')
        count(usage, counted)
        tellDropped(at(message, 'input_transformations'), emit)
        return undefined
      case 'content_block_start': {
        const begun = begin(at(event, 'content_block'), emit)
        const index = numberAt(event, 'index') ?? drafts.size
        if (draft?.isOver) earlier.push([index, draft])
        else isTorn ||= draft?.block !== undefined && !isUntouched(draft)
        drafts.set(index, draft?.block === undefined ? joined(draft, begun) : begun)
        return undefined
      }
      case 'content_block_delta': {
        const grown = draft ?? { block: undefined, text: '', json: '', signature: '', isOver: false }
        if (!draft) drafts.set(numberAt(event, 'index') ?? drafts.size, grown)
        grow(grown, at(event, 'delta'), emit)
        return undefined
      }
      case 'content_block_stop':
        if (draft && textAt(draft.block, 'type') === 'thinking' && draft.text !== '') emit({ kind: 'thinking', text: draft.text })
        if (draft) draft.isOver ||= draft.block !== undefined && !(isUntouched(draft) && GROWING.has(textAt(draft.block, 'type') ?? ''))
        return undefined
      case 'message_delta':
        stopReason = textAt(event, 'delta', 'stop_reason') || stopReason
        count(usage, at(event, 'usage'))
        if (at(event, 'usage', 'output_tokens_details')) counted = at(event, 'usage')
        return undefined
      case 'message_stop':
        isOver = true
        return undefined
      case 'ping':
        return undefined
      default: {
        // Future events of the API have a type of their own.
        const type = textAt(event, 'type')
        const error = type === undefined || type === 'error' || at(event, 'error') ? errorIn(event) : undefined
        return error ? failures.ofError(error) : undefined
      }
    }
  }

  return {
    take,
    get isOver() {
      return isOver
    },
    finish: () => {
      // Gateways that leave `message_stop` out have sent the reason, and then ended.
      if (!isOver && stopReason === undefined)
        return { ok: false, failure: failures.ofBroken('ended its reply before the answer was whole') }
      // Text needs no beginning; whose arguments came, nobody knows.
      isTorn ||= [...drafts.values()].some(({ block, json, signature }) => block === undefined && json + signature !== '')
      if (isTorn) return { ok: false, failure: failures.ofBroken('sent pieces of a block that does not begin, or begins twice') }
      const content = [...earlier, ...drafts].sort(([a], [b]) => a - b).flatMap(([, draft]) => end(draft, names))
      const offered = tools.map(({ name }) => names.toWire(name))
      const reply = replyFacts(message, counted)
      return finishReply({ content, reason: stopReason, usage: toUsage(usage), reply, offered }, failures)
    },
  }
}

const UNCOUNTED = { input_tokens: Number.NaN, output_tokens: Number.NaN, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 }

// Counts are cumulative: later ones replace earlier ones, unless they are null.
const count = (usage: typeof UNCOUNTED, said: unknown): void => {
  for (const key of Object.keys(usage) as (keyof typeof UNCOUNTED)[]) {
    const tokens = countAt(said, key)
    if (!Number.isNaN(tokens)) usage[key] = tokens
  }
}

const toUsage = ({ cache_read_input_tokens, cache_creation_input_tokens, ...counted }: typeof UNCOUNTED): TokenUsage => ({
  ...counted,
  cache_read_tokens: cache_read_input_tokens,
  cache_creation_tokens: cache_creation_input_tokens,
})

const begin = (block: unknown, emit: Emit): Draft => {
  const text = textAt(block, 'text') ?? textAt(block, 'thinking') ?? ''
  if (text !== '' && textAt(block, 'type') === 'text') emit({ kind: 'text', delta: text })
  return { block, text, json: '', signature: textAt(block, 'signature') ?? '', isOver: false }
}

// The model no longer sees what it thought before, since what stood before that is not the same any more (`thinking.ts`).
const tellDropped = (changes: unknown, emit: Emit): void => {
  const dropped = (Array.isArray(changes) ? changes : []).filter((change) => textAt(change, 'type') === 'thinking_dropped')
  if (dropped.length === 0) return
  const reasons = [...new Set(dropped.map((change) => textAt(change, 'reason') ?? 'no reason'))].join(', ')
  emit({
    kind: 'concession',
    what: 'earlier thinking',
    why: `the server left out ${dropped.length} blocks of it (${preview(reasons, 120)})`,
  })
}

/** Blocks that are nothing without their pieces. */
const GROWING: ReadonlySet<string> = new Set(['text', 'thinking'])

const isUntouched = ({ text, json, signature }: Draft): boolean => `${text}${json}${signature}` === ''

const joined = (before: Draft | undefined, begun: Draft): Draft =>
  before
    ? { ...begun, text: before.text + begun.text, json: before.json + begun.json, signature: before.signature + begun.signature }
    : begun

const grow = (draft: Draft, delta: unknown, emit: Emit): void => {
  const text = textAt(delta, 'text')
  if (text !== undefined && text !== '') emit({ kind: 'text', delta: text })
  draft.text += text ?? textAt(delta, 'thinking') ?? ''
  draft.json += textAt(delta, 'partial_json') ?? ''
  draft.signature += textAt(delta, 'signature') ?? ''
}

const end = ({ block, text, json, signature }: Draft, names: WireNames): ContentBlock[] => {
  switch (textAt(block, 'type')) {
    case 'text':
      return text === '' ? [] : [{ type: 'text', text }]
    case 'thinking':
      return [{ type: 'thinking', thinking: text, signature }]
    case 'redacted_thinking':
      return [{ type: 'redacted_thinking', data: textAt(block, 'data') ?? '' }]
    case 'tool_use': {
      const id = textAt(block, 'id') || `toolu_${randomUUID()}`
      return [{ type: 'tool_use', id, name: names.toOwn(textAt(block, 'name') ?? ''), ...inputOf(block, json) }]
    }
    case undefined:
      return block === undefined && text !== '' ? [{ type: 'text', text }] : []
    default:
      // Blocks of the API's own tools: they are sent back unchanged, and read-message recognises them.
      return [(json === '' ? block : { ...(block as object), input: inputOf(block, json).input }) as ContentBlock]
  }
}

/** The pieces of JSON so far, or the whole in a plain reply. */
const inputOf = (block: unknown, json: string): CallInput => {
  const input = at(block, 'input')
  // Some servers write its JSON in place of it.
  if (json.trim() === '' && typeof input === 'string') return readCallInput(input)
  return json.trim() === '' ? { input: asJson(input ?? {}) } : readCallInput(json)
}

/** Converts a plain reply to the events of a stream. */
export const eventsOf = (message: unknown, text = ''): readonly unknown[] => [
  { type: 'message_start', message },
  ...blocksOf(message).flatMap((content_block, index) => [
    { type: 'content_block_start', index, content_block },
    ...writtenInput(content_block, index, text),
    { type: 'content_block_stop', index },
  ]),
  { type: 'message_delta', delta: { stop_reason: textAt(message, 'stop_reason') }, usage: {} },
  ...(textAt(message, 'type') === 'message' || at(message, 'content') ? [{ type: 'message_stop' }] : []),
]

const blocksOf = (message: unknown): readonly unknown[] => {
  const text = textAt(message, 'content')
  return text === undefined ? listAt(message, 'content') : [{ type: 'text', text }]
}

const writtenInput = (block: unknown, index: number, text: string): readonly unknown[] => {
  if (textAt(block, 'type') !== 'tool_use' || textAt(block, 'input') !== undefined) return []
  const partial_json = valueAt(text, 'content', index, 'input')
  return partial_json === undefined ? [] : [{ type: 'content_block_delta', index, delta: { type: 'input_json_delta', partial_json } }]
}
