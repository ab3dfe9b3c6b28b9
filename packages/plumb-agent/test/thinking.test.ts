// Thinking that stands in an answer: what is told of it, and that it is not part of the answer; and an answer that leaves no trace which a
// server would refuse.

import type { Type } from '@plumb/lang'
import t from 'tap'
import { readAnswer } from '../src/answer/read.js'
import { partThinking, withThinkingApart } from '../src/answer/thinking.js'
import { Memory } from '../src/conversation/memories.js'
import { Turn } from '../src/conversation/turn.js'
import type { TelemetryEvent } from '../src/io/telemetry.js'
import { wellFormed, writeBody } from '../src/io/written-json.js'
import { readMessages, withDistinctIds } from '../src/provider/memory-messages.js'
import type { ContentBlock } from '../src/provider/provider.js'

const STRING: Type = { kind: 'string' }
const NOTE: Type = {
  kind: 'record',
  fields: [
    { name: 'score', type: { kind: 'int' }, isOptional: false },
    { name: 'comment', type: STRING, isOptional: true },
  ],
}
const FINAL = '{"score":5,"comment":"final"}'
const FENCE = '```json\n{"score":1,"comment":"draft"}\n```\n'

t.test('a typed answer is what stands behind the thinking', async (t) => {
  const rows: readonly (readonly [text: string, json: string | null])[] = [
    [`<think>\nA first idea:\n${FENCE}No.\n</think>\n\n${FINAL}`, FINAL],
    [`<thinking>${FENCE}</thinking>${FINAL}`, FINAL],
    [`<thought>{"score":1}</thought>\n${FINAL}`, FINAL],
    [`<reasoning>{"score":1}</reasoning>${FINAL}`, FINAL],
    [`[THINK]{"score":1}[/THINK]${FINAL}`, FINAL],
    [`<seed:think>{"score":1}</seed:think>${FINAL}`, FINAL],
    // What is no tag of thinking is words around: two values are several.
    [`<analysis>${FENCE}</analysis>${FINAL}`, null],
    [`<analysis>none of it fits</analysis>${FINAL}`, FINAL],
    [`I think that {"score":1} is too low. ${FINAL}`, null],
    [`Hm, {"score":1}?\n${FENCE}\n</think>\n${FINAL}`, FINAL],
    [`<think>a</think>b</think>${FINAL}`, FINAL],
    ['<think>\nMaybe {"score":1,"comment":"draft"}, but', null],
    [`<think>${FINAL}</think>`, null],
    ['{"score":5,"comment":"a </think> tag"}', '{"score":5,"comment":"a </think> tag"}'],
    ['Here: {"score":5,"comment":"a </think> tag"}.', '{"score":5,"comment":"a </think> tag"}'],
    ['{"score":5,"comment":"<think>not</think>"}', '{"score":5,"comment":"<think>not</think>"}'],
    // A draft in a fence beside another value.
    [`${FENCE}No, rather ${FINAL}`, null],
    [`${FENCE}`, '{"score":1,"comment":"draft"}'],
    ['{"score":5,"comment":null}', '{"score":5}'],
  ]
  for (const [text, json] of rows) {
    const read = readAnswer(text, NOTE)
    t.equal(read.ok ? read.value.json : null, json, text)
  }
  for (const text of ['<think>\nMaybe {"score":1}, but', '<think>a</think> ', 'a</think>'])
    t.match(readAnswer(text, NOTE), { error: { detail: /^answer is thinking alone/ } }, text)
  t.match(readAnswer(`why</think>${FINAL}`, NOTE), { value: { thinking: 'why' } })
  t.match(readAnswer('{"score":5,"comment":null}', NOTE), { value: { repairs: ['null for an absent field'] } })
})

t.test('a string loses what it begins with, and nothing else', async (t) => {
  const rows: readonly (readonly [text: string, said: string])[] = [
    ['<think>hm</think>\n\nHello', 'Hello'],
    ['<think>hm', ''],
    ['Hello <think>x</think>', 'Hello <think>x</think>'],
    ['x</think>Hello', 'x</think>Hello'],
    ['<thinker>x', '<thinker>x'],
    ['  plain ', '  plain '],
  ]
  for (const [text, said] of rows) t.match(readAnswer(text, STRING), { ok: true, value: { json: JSON.stringify(said) } }, text)
  t.equal(partThinking('no'), undefined)
})

t.test('it is told as it comes, however it is cut', async (t) => {
  const told = (pieces: readonly string[], hasRetry = false): readonly (readonly [string, string])[] => {
    const events: [string, string][] = []
    const { emit, end } = withThinkingApart((event: TelemetryEvent) => {
      if (event.kind === 'text') events.push(['text', event.delta])
      if (event.kind === 'thinking') events.push(['thinking', event.text])
    })
    if (hasRetry) {
      emit({ kind: 'text', delta: '<think>lost' })
      emit({ kind: 'retry', attempt: 1, reason: 'cut', wait_ms: 0 })
    }
    for (const delta of pieces) emit({ kind: 'text', delta })
    end()
    const text = events.filter(([kind]) => kind === 'text').map(([, said]) => said)
    return [...events.filter(([kind]) => kind === 'thinking'), ['text', text.join('')] as const]
  }
  const whole = '\n<think>\nGrüße [x] > y\n</think>\n\nHello <b>'
  const expected = [
    ['thinking', 'Grüße [x] > y'],
    ['text', 'Hello <b>'],
  ]
  for (let at = 0; at <= whole.length; at++) t.strictSame(told([whole.slice(0, at), whole.slice(at)]), expected, `cut at ${at}`)
  t.strictSame(told([...whole]), expected)
  t.strictSame(told([...whole], true), expected)
  t.strictSame(told(['<think>', 'no end']), [
    ['thinking', 'no end'],
    ['text', ''],
  ])
  t.strictSame(told(['[', '1]']), [['text', '[1]']])
  t.strictSame(told(['<', 'div>']), [['text', '<div>']])
  t.strictSame(told(['']), [['text', '']])
})

t.test('nothing is remembered that a server refuses', async (t) => {
  const kept = (content: readonly ContentBlock[]) => new Turn('hi', new Memory([], undefined)).accepted(content).map(({ role }) => role)
  t.strictSame(kept([]), ['user'])
  t.strictSame(kept([{ type: 'text', text: ' \n' }]), ['user'])
  t.strictSame(kept([{ type: 'thinking', thinking: 'x', signature: 's' }]), ['user'])
  t.strictSame(kept([{ type: 'chat_fields', fields: { reasoning_content: 'x' } }]), ['user'])
  t.strictSame(kept([{ type: 'reasoning', id: 'r' } as unknown as ContentBlock]), ['user'])
  t.strictSame(kept([{ type: 'text', text: 'x' }]), ['user', 'assistant'])

  const use = (id: string): ContentBlock => ({ type: 'tool_use', id, name: 'look', input: {} })
  t.strictSame(
    withDistinctIds([use('a'), use('a'), use('a_2'), use('a')]).map((block) => (block as { id: string }).id),
    ['a', 'a_3', 'a_2', 'a_4'],
  )
  const result = (tool_use_id: string, content: string) => ({ type: 'tool_result', tool_use_id, content, is_error: false })
  const mended = readMessages(
    JSON.parse(
      JSON.stringify([
        { role: 'user', content: 'x' },
        { role: 'assistant', content: '' },
        { role: 'assistant', content: [use('a'), use('a')] },
        { role: 'user', content: [result('a', '1'), result('a', '2')] },
      ]),
    ),
  )
  t.match(mended, [
    { role: 'user' },
    { parts: [{ id: 'a' }, { id: 'a_2' }] },
    { parts: [{ tool_use_id: 'a' }, { tool_use_id: 'a_2', content: '2' }] },
  ])
})

t.test('half of a surrogate pair is written as U+FFFD', async (t) => {
  const rows: readonly (readonly [value: unknown, json: string])[] = [
    ['a\ud83d', '"a\ufffd"'],
    ['\udc00b', '"\ufffdb"'],
    ['😀', '"😀"'],
    ['\\ud83d', '"\\\\ud83d"'],
    [{ '\ud83dk': '\ud83d😀' }, '{"\ufffdk":"\ufffd😀"}'],
  ]
  for (const [value, json] of rows) t.equal(writeBody(value), json)
  t.equal(wellFormed('"\\ud83d\\ude00\\ud83d"'), '"\\ud83d\\ude00\ufffd"')
  t.equal(wellFormed('"\\\\ud83d"'), '"\\\\ud83d"')
})
