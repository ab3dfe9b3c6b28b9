// Replies that are cut, doubled, reordered and damaged by rules, from a seed, on each wire: what is not whole is neither given nor called,
// nothing throws, and nothing waits for ever. PLUMB_DAMAGED=20000 tries so many on each wire, PLUMB_SEED repeats a run.

import t from 'tap'
import { ANTHROPIC } from '../packages/plumb-agent/src/provider/anthropic/protocol.js'
import { Cancellation } from '../packages/plumb-agent/src/provider/cancellation.js'
import { exchange } from '../packages/plumb-agent/src/provider/exchange.js'
import { replyFailures } from '../packages/plumb-agent/src/provider/http/api-error.js'
import { DEFAULT_TIMING } from '../packages/plumb-agent/src/provider/http/timing.js'
import { CHAT_COMPLETIONS } from '../packages/plumb-agent/src/provider/openai/chat/protocol.js'
import { RESPONSES } from '../packages/plumb-agent/src/provider/openai/responses/protocol.js'
import type { Protocol } from '../packages/plumb-agent/src/provider/protocol.js'
import type { ModelRequest } from '../packages/plumb-agent/src/provider/provider.js'
import { wireNames } from '../packages/plumb-agent/src/provider/wire-names.js'
import { makeRandom, type Random } from './fuzz/random.js'

const { PLUMB_SEED, PLUMB_DAMAGED = '300' } = process.env
const seed = PLUMB_SEED === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(PLUMB_SEED)
const TRIES = Number(PLUMB_DAMAGED)

/** One event as it is written, and whether another place or another number of them would be another answer. */
interface Event {
  readonly data: object | string
  readonly kind: 'piece' | 'end' | 'other'
}

interface Wire {
  readonly protocol: Protocol
  readonly reply: (pieces: readonly string[], calls: readonly string[]) => readonly Event[]
  /** The event with the reason, with another one. */
  readonly withReason: (event: Event, reason: string | null) => Event
}

const piece = (data: object): Event => ({ data, kind: 'piece' })
const other = (data: object): Event => ({ data, kind: 'other' })
const halves = (text: string): readonly [string, string] => [text.slice(0, text.length >> 1), text.slice(text.length >> 1)]

const chunk = (delta: object, finish_reason: string | null = null) => ({ choices: [{ index: 0, delta, finish_reason }] })
const chat: Wire = {
  protocol: CHAT_COMPLETIONS,
  reply: (pieces, calls) => [
    other(chunk({ role: 'assistant', content: '' })),
    ...pieces.map((content) => piece(chunk({ content }))),
    ...calls.flatMap((text, index) => {
      const [first, second] = halves(text)
      return [
        piece(chunk({ tool_calls: [{ index, id: `c${index}`, type: 'function', function: { name: 'look', arguments: first } }] })),
        piece(chunk({ tool_calls: [{ index, function: { arguments: second } }] })),
      ]
    }),
    { data: chunk({}, calls.length > 0 ? 'tool_calls' : 'stop'), kind: 'end' },
    other({ choices: [], usage: { prompt_tokens: 1, completion_tokens: 2 } }),
    { data: '[DONE]', kind: 'other' },
  ],
  withReason: (event, reason) => ({ ...event, data: chunk({}, reason) }),
}

const messageItem = (pieces: readonly string[]) => ({
  type: 'message',
  id: 'm',
  role: 'assistant',
  content: [{ type: 'output_text', text: pieces.join('') }],
})
const responses: Wire = {
  protocol: RESPONSES,
  reply: (pieces, calls) => {
    const items = [
      messageItem(pieces),
      ...calls.map((text, i) => ({ type: 'function_call', id: `f${i}`, call_id: `c${i}`, name: 'look', arguments: text })),
    ]
    return [
      other({ type: 'response.created', response: { status: 'in_progress', output: [] } }),
      other({ type: 'response.output_item.added', output_index: 0, item: { ...messageItem([]), content: [] } }),
      ...pieces.map((delta) => other({ type: 'response.output_text.delta', output_index: 0, item_id: 'm', delta })),
      ...items.map((item, output_index) => other({ type: 'response.output_item.done', output_index, item })),
      { data: { type: 'response.completed', response: { status: 'completed', output: items, usage: {} } }, kind: 'end' },
    ]
  },
  withReason: (event, reason) => {
    const { response } = event.data as { response: object }
    return {
      ...event,
      data: { type: 'response.incomplete', response: { ...response, status: 'incomplete', incomplete_details: reason && { reason } } },
    }
  },
}

const anthropic: Wire = {
  protocol: ANTHROPIC,
  reply: (pieces, calls) => [
    other({ type: 'message_start', message: { usage: { input_tokens: 1 } } }),
    other({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
    ...pieces.map((text) => piece({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } })),
    other({ type: 'content_block_stop', index: 0 }),
    ...calls.flatMap((text, i) => [
      piece({ type: 'content_block_start', index: i + 1, content_block: { type: 'tool_use', id: `c${i}`, name: 'look', input: {} } }),
      ...halves(text).map((partial_json) =>
        piece({ type: 'content_block_delta', index: i + 1, delta: { type: 'input_json_delta', partial_json } }),
      ),
      other({ type: 'content_block_stop', index: i + 1 }),
    ]),
    {
      data: { type: 'message_delta', delta: { stop_reason: calls.length > 0 ? 'tool_use' : 'end_turn' }, usage: { output_tokens: 2 } },
      kind: 'end',
    },
    other({ type: 'message_stop' }),
  ],
  withReason: (event, reason) => ({ ...event, data: { type: 'message_delta', delta: { stop_reason: reason }, usage: {} } }),
}

const written = ({ data }: Event): string => (typeof data === 'string' ? `data: ${data}\n\n` : `data: ${JSON.stringify(data)}\n\n`)

interface Damaged {
  readonly what: string
  readonly bytes: Buffer
  readonly ends: 'orderly' | 'reset'
}

const BAD = [
  'error',
  'abort',
  'network_error',
  'insufficient_system_resource',
  'nobody_knows',
  '',
  null,
  'length',
  'content_filter',
] as const

const damage = (events: readonly Event[], wire: Wire, random: Random): Damaged => {
  const ends = random.oneIn(2) ? 'orderly' : 'reset'
  const asBytes = (list: readonly Event[]): Buffer => Buffer.from(list.map(written).join(''))
  const whole = asBytes(events)
  const at = random.below(events.length)
  const one = events[at] as Event
  const without = events.filter((_, i) => i !== at)
  const place = random.below(events.length)
  switch (random.below(7)) {
    case 0:
      return { what: 'cut', bytes: whole.subarray(0, random.below(whole.length)), ends }
    case 1:
      return {
        what: 'another reason',
        bytes: asBytes(events.map((event) => (event.kind === 'end' ? wire.withReason(event, random.pick(BAD)) : event))),
        ends: 'orderly',
      }
    case 2:
      return { what: 'doubled', bytes: Buffer.concat([whole, whole]), ends }
    case 3:
      // Of a piece, nobody could tell.
      return {
        what: 'an event twice',
        bytes: asBytes([...events.slice(0, at + 1), ...(one.kind === 'piece' ? [] : [one]), ...events.slice(at + 1)]),
        ends: 'orderly',
      }
    case 4:
      return {
        what: 'an event elsewhere',
        bytes: asBytes(one.kind === 'piece' ? events : [...without.slice(0, place), one, ...without.slice(place)]),
        ends: 'orderly',
      }
    case 5: {
      // Not to a keep-alive: nobody could tell.
      const [text, half] = [written(one), 'data: {'.length + random.below(written(one).length - 'data: {\n\n'.length)]
      return {
        what: 'an event cut in the middle',
        bytes: Buffer.from(
          events.map((event) => (event === one && typeof one.data !== 'string' ? `${text.slice(0, half)}\n\n` : written(event))).join(''),
        ),
        ends: 'orderly',
      }
    }
    default: {
      const bytes = Buffer.from(whole)
      const from = random.below(bytes.length)
      return {
        what: 'bytes that are no text',
        bytes: Buffer.concat([bytes.subarray(0, from), Buffer.from([0xff, 0xfe, 0x00]), bytes.subarray(from)]),
        ends: 'orderly',
      }
    }
  }
}

const failures = replyFailures('host', 'KEY')
const question = { emit: () => {}, tools: [] } as unknown as ModelRequest
const NAMES = wireNames(['look'])

/** As it comes from a connection, in pieces. */
const read = async ({ protocol }: Wire, { bytes, ends }: Damaged, random: Random) =>
  exchange(
    {
      protocol,
      host: 'host',
      keyHint: 'KEY',
      timing: DEFAULT_TIMING,
      log: () => {},
      connection: {
        proxy: undefined,
        dispatch: (_, listener) => {
          queueMicrotask(() => {
            try {
              listener.onHead(200, { 'content-type': 'text/event-stream' })
              for (let at = 0; at < bytes.length; ) {
                const to = at + 1 + random.below(random.pick([3, 400]))
                listener.onData(bytes.subarray(at, to))
                at = to
              }
              if (ends === 'orderly') listener.onEnd()
              else listener.onError(Object.assign(new Error('reset'), { code: 'ECONNRESET' }))
            } catch (error) {
              listener.onError(error)
            }
          })
          return () => {}
        },
      },
    },
    { path: '/', headers: {}, body: '' },
    protocol.openReader(question, NAMES, failures),
    new Cancellation(),
  )

t.comment(`seed ${seed}`)
for (const [name, wire] of Object.entries({ chat, responses, anthropic }))
  t.test(`${name}, ${TRIES} from seed ${seed}`, async (t) => {
    const counts = { whole: 0, refused: 0, cut: 0 }
    const wrong: string[] = []
    for (let i = 0; i < TRIES; i++) {
      const random = makeRandom(seed, name, i)
      const pieces = Array.from({ length: 1 + random.below(4) }, () => random.pick(['alpha ', 'Zoë 😀', '{"a":', '\n', 'x'.repeat(40)]))
      const calls = Array.from({ length: random.below(3) }, () => random.pick(['{"text":"A"}', '{"text":"日本"}', '{"n":1.5}']))
      const events = wire.reply(pieces, calls)
      const damaged = damage(events, wire, random)
      const answer = await read(wire, damaged, random)
      if (!answer.ok) {
        counts.refused++
        continue
      }
      const { content, stop } = answer.value
      if (stop === 'tokens' || stop === 'refused') {
        counts.cut++
        if (damaged.what !== 'another reason') wrong.push(`${i}: ${damaged.what} stops by ${stop}`)
        continue
      }
      counts.whole++
      const text = content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('')
      const made = content.flatMap((block) => (block.type === 'tool_use' ? [JSON.stringify(block.input)] : []))
      const isWhole = text === pieces.join('') && JSON.stringify(made) === JSON.stringify(calls)
      if (!isWhole)
        wrong.push(`${i}: ${damaged.what} gives ${JSON.stringify({ text, made })}, not ${JSON.stringify({ text: pieces.join(''), calls })}`)
    }
    t.strictSame(wrong.slice(0, 5), [], `${wrong.length} of ${TRIES}; ${JSON.stringify(counts)}`)
    t.ok(counts.whole > 0 && counts.refused > 0, JSON.stringify(counts))
  })
