// What a provider streams: torn and whole deliveries come to the same answer, and whatever was sent, an answer is of known parts.

import { eventsOf as anthropicEvents, openReader as openAnthropic } from '../../../packages/plumb-agent/src/provider/anthropic/reader.js'
import { checkUsage } from '../../../packages/plumb-agent/src/provider/check-usage.js'
import { apiFailure, replyFailures } from '../../../packages/plumb-agent/src/provider/http/api-error.js'
import type { Failure, ReplyFailures } from '../../../packages/plumb-agent/src/provider/http/failure.js'
import { readJson } from '../../../packages/plumb-agent/src/provider/http/json-path.js'
import { ServerEvents } from '../../../packages/plumb-agent/src/provider/http/server-events.js'
import { eventsOf as openaiEvents, openReader as openOpenai } from '../../../packages/plumb-agent/src/provider/openai/chat/reader.js'
import {
  openReader as openResponses,
  eventsOf as responsesEvents,
} from '../../../packages/plumb-agent/src/provider/openai/responses/reader.js'
import type { AnswerReader } from '../../../packages/plumb-agent/src/provider/protocol.js'
import { readMessage } from '../../../packages/plumb-agent/src/provider/read-message.js'
import { wireNames } from '../../../packages/plumb-agent/src/provider/wire-names.js'
import { isCode, parseJson } from '../../../packages/wire/src/index.js'
import { makeRandom, type Random } from '../random.js'
import { must, type Target } from '../target.js'

const event = (value: object, name?: string): string => `${name === undefined ? '' : `event: ${name}\n`}data: ${JSON.stringify(value)}\n\n`

const ANTHROPIC = [
  { type: 'message_start', message: { id: 'm', role: 'assistant', usage: { input_tokens: 9, cache_read_input_tokens: 4 } } },
  { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '', signature: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'hm' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'signature_delta', signature: 'abc' } },
  { type: 'content_block_stop', index: 0 },
  { type: 'ping' },
  { type: 'content_block_start', index: 1, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: 'é\u2028😀' } },
  { type: 'content_block_start', index: 2, content_block: { type: 'tool_use', id: 't1', name: 'files__read', input: {} } },
  { type: 'content_block_delta', index: 2, delta: { type: 'input_json_delta', partial_json: '{"a":' } },
  { type: 'content_block_delta', index: 2, delta: { type: 'input_json_delta', partial_json: '1}' } },
  { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 5 } },
  { type: 'message_stop' },
].map((one) => event(one, one.type))

const OPENAI = [
  event({ choices: [{ index: 0, delta: { role: 'assistant', content: 'a' } }] }),
  event({ choices: [{ index: 0, delta: { tool_calls: [{ index: 0, id: 'c1', function: { name: 'f', arguments: '{"x"' } }] } }] }),
  event({ choices: [{ index: 0, delta: { tool_calls: [{ index: 0, function: { arguments: ':1}' } }] } }] }),
  event({ choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] }),
  event({ choices: [], usage: { prompt_tokens: 5, completion_tokens: 2, prompt_tokens_details: { cached_tokens: 3 } } }),
  'data: [DONE]\n\n',
]

const RESPONSES = [
  { type: 'response.created', response: { id: 'r', status: 'in_progress', output: [] } },
  { type: 'response.output_item.done', output_index: 0, item: { type: 'reasoning', id: 'rs', summary: [], encrypted_content: 'gAAA' } },
  { type: 'response.output_text.delta', output_index: 1, content_index: 0, delta: 'a' },
  {
    type: 'response.output_item.done',
    output_index: 1,
    item: { type: 'message', role: 'assistant', phase: 'commentary', content: [{ type: 'output_text', text: 'a' }] },
  },
  {
    type: 'response.output_item.done',
    output_index: 2,
    item: { type: 'function_call', call_id: 'c1', name: 'f', arguments: '{"x":1}' },
  },
  {
    type: 'response.completed',
    response: { status: 'completed', usage: { input_tokens: 5, output_tokens: 2, input_tokens_details: { cached_tokens: 3 } } },
  },
].map((one) => event(one, one.type))

const PLAIN = [
  { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' }, output: [{ type: 'message', content: [] }], usage: {} },
  {
    type: 'message',
    content: [
      { type: 'text', text: 'x' },
      { type: 'tool_use', id: 'i', name: 'n', input: { a: 1 } },
    ],
    stop_reason: 'end_turn',
    usage: { input_tokens: 1 },
  },
  {
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: 'x', refusal: null, tool_calls: [{ id: 'i', function: { name: 'f', arguments: '{}' } }] },
        finish_reason: 'stop',
      },
    ],
    usage: { prompt_tokens: 1 },
  },
  { error: { type: 'overloaded_error', message: 'later' } },
]

const told = replyFailures('host', 'KEY')
const FAILURES: ReplyFailures = {
  ofError: (error) => known(told.ofError(error)),
  ofBroken: (did) => known(told.ofBroken(did)),
}

const known = (failure: Failure): Failure => {
  must(isCode(failure.fault.error), 'a fault has no code of the table')
  must(JSON.stringify(failure.fault).length < 2000, 'an error is as long as what came')
  return failure
}

const READERS = [
  { open: openAnthropic, eventsOf: anthropicEvents },
  { open: openOpenai, eventsOf: openaiEvents },
  { open: openResponses, eventsOf: responsesEvents },
]
const NAMES = wireNames(['files:read', 'f'])

const PARTS = new Set(['text', 'thinking', 'redacted_thinking', 'tool_use', 'raw', 'item', 'chat_fields'])
const STOPS = new Set(['end', 'tool_use', 'tokens', 'refused'])

/** The answer, without the ids that are made up. */
const finish = (reader: AnswerReader): string => {
  const finished = reader.finish()
  if (!finished.ok) return JSON.stringify(finished.failure)
  const { content, stop, usage: reported } = finished.value
  must(STOPS.has(stop), `it stops with ${String(stop)}`)
  const { usage } = checkUsage(reported, { host: 'host', bytes: 1000, maxTokens: 100, isLimited: true })
  for (const count of Object.values(usage)) must(Number.isSafeInteger(count) && count >= 0, `it counts ${count} tokens`)
  // As it is kept, and shown to the next model.
  const kept = JSON.parse(JSON.stringify({ role: 'assistant', content }))
  for (const { type } of readMessage(kept).parts) must(PARTS.has(type), `there is a part ${type}`)
  return JSON.stringify({ content, stop, usage }).replaceAll(/"(call|toolu)_[0-9a-f-]{36}"/g, '"made up"')
}

const takeAll = (events: readonly string[], open: (typeof READERS)[number]['open']): string => {
  const reader = open({ emit: () => {}, tools: [] }, NAMES, FAILURES)
  for (const data of events) {
    const read = data === '[DONE]' ? { ok: true as const, value: data } : readJson(data)
    if (!read.ok) return `no JSON: ${data}`
    const failure = reader.take(read.value)
    if (failure) return JSON.stringify(failure)
    if (reader.isOver) break
  }
  return finish(reader)
}

const gather = (input: Buffer, random: Random | undefined): readonly string[] | 'unreadable' => {
  const events = new ServerEvents()
  const gathered: string[] = []
  try {
    for (let at = 0; at < input.length; ) {
      const to = random ? at + 1 + random.below(random.pick([2, 30])) : input.length
      gathered.push(...events.take(input.subarray(at, to)))
      at = to
    }
    gathered.push(...events.end())
  } catch (error) {
    must((error as { code?: string }).code === 'UNREADABLE', `it throws ${error}`)
    return 'unreadable'
  }
  return gathered
}

/** What the quick ways to text and to values are held against. */
const gatherSlowly = (input: Buffer): readonly string[] | 'unreadable' => {
  try {
    return gather(Buffer.from(new TextDecoder('utf-8', { fatal: true }).decode(input, { stream: true })), undefined)
  } catch {
    return 'unreadable'
  }
}

const readSlowly = (text: string): ReturnType<typeof readJson> => {
  const bytes = Buffer.from(text)
  return parseJson(bytes, 0, bytes.length, true)
}

// A last event that is not JSON counts where its end has been seen, and after a lone CR that depends on where it was cut.
const shown = (events: readonly string[] | 'unreadable'): string => {
  if (events === 'unreadable') return events
  const last = events.at(-1)
  return JSON.stringify(last === undefined || last === '[DONE]' || readJson(last).ok ? events : events.slice(0, -1))
}

export const events: Target = {
  name: 'events',
  seeds: [
    ANTHROPIC.join(''),
    OPENAI.join(''),
    RESPONSES.join(''),
    `: note\nretry: 5\nid: 7\r\n${OPENAI.join('').replaceAll('\n', '\r\n')}`,
    ...PLAIN.map((one) => JSON.stringify(one)),
  ],
  words: [
    ...[
      'data: ',
      'data:',
      'event: ',
      'event: error\n',
      'id: 1\n',
      ': comment\n',
      '\n\n',
      '\r\r',
      '\r\n\r\n',
      'data: [DONE]\n\n',
      '"index":0',
      '"type":',
    ],
    ...[
      '"message_start"',
      '"content_block_start"',
      '"content_block_delta"',
      '"content_block_stop"',
      '"message_delta"',
      '"message_stop"',
      '"error"',
    ],
    ...[
      '"pause_turn"',
      '"refusal"',
      '"max_tokens"',
      '"length"',
      '"content_filter"',
      '"usage":',
      '"delta":',
      '"choices":[',
      '"tool_calls":[',
      '"content":',
    ],
    ...['"server_tool_use"', '"web_search_tool_result"', '"input":', '"partial_json":', '"text"', '"id"', '"name"', '"arguments":'],
    ...ANTHROPIC,
    ...OPENAI,
  ],
  cases: 500,
  judge: async (input, random) => {
    const whole = gather(input, undefined)
    const torn = gather(input, makeRandom(random.below(2 ** 30)))
    must(shown(torn) === shown(whole), `torn ${torn}, whole ${whole}`)
    const slow = gatherSlowly(input)
    must(shown(slow) === shown(whole), `decoded first ${slow}, whole ${whole}`)
    for (const data of whole === 'unreadable' ? [] : whole)
      must(JSON.stringify(readJson(data)) === JSON.stringify(readSlowly(data)), `read in two ways: ${data}`)
    const text = input.toString('utf8')
    const plain = readJson(text)
    for (const { open, eventsOf } of READERS) {
      if (whole !== 'unreadable') takeAll(whole, open)
      if (!plain.ok) continue
      const reader = open({ emit: () => {}, tools: [] }, NAMES, FAILURES)
      for (const one of eventsOf(plain.value)) if (reader.take(one)) return
      finish(reader)
    }
    const refused = apiFailure({ host: 'h', keyHint: 'K', status: 400 + random.below(200), headers: {}, text, wallMs: 0 })
    must(isCode(refused.fault.error), 'a fault has no code of the table')
    must(JSON.stringify(refused.fault).length < 2000, 'an error is as long as what came')
  },
}
