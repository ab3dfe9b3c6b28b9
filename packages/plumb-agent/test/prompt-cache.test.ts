// What of a prompt is read from the provider's cache, counted as Anthropic documents it: entries are written at the marks, and found at a mark
// or in the 20 blocks before it. A token is four bytes.

import t, { type Test } from 'tap'
import type { ChatMessage, ContentBlock, ModelRequest } from '../src/provider/provider.js'
import { json, openClient, openStub } from './fixtures/provider/stub.js'

const LOOK_BACK = 20
const MAX_MARKS = 4

interface Block {
  readonly cache_control?: unknown
  readonly defer_loading?: boolean
}

interface Body {
  readonly tools?: readonly Block[]
  readonly system?: readonly Block[]
  readonly messages: readonly { readonly role: string; readonly content: readonly Block[] }[]
}

const blocksOf = ({ tools = [], system = [], messages }: Body): readonly Block[] => [
  ...tools.filter(({ defer_loading }) => !defer_loading),
  ...system,
  ...messages.flatMap(({ role, content }) => content.map((block) => ({ role, ...block }))),
]

/** Takes the bodies of one conversation one after the other. */
const openCache = () => {
  const entries = new Set<string>()
  return (body: Body): { readonly read: number; readonly whole: number; readonly marks: number } => {
    const prefixes: { key: string; length: number; isMarked: boolean }[] = []
    let key = ''
    for (const { cache_control, ...block } of blocksOf(body)) {
      key += `${JSON.stringify(block)}\n`
      prefixes.push({ key, length: key.length, isMarked: cache_control !== undefined })
    }
    let read = 0
    for (const [at, { isMarked }] of prefixes.entries()) {
      if (!isMarked) continue
      const found = prefixes.slice(Math.max(0, at - LOOK_BACK), at + 1).findLast((prefix) => entries.has(prefix.key))
      read = Math.max(read, found?.length ?? 0)
    }
    for (const prefix of prefixes) if (prefix.isMarked) entries.add(prefix.key)
    const marks = prefixes.filter(({ isMarked }) => isMarked).length
    return { read: Math.floor(read / 4), whole: Math.floor(key.length / 4), marks }
  }
}

const TOOLS = Array.from({ length: 12 }, (_, i) => ({
  name: `tool_${i}`,
  description: 'Looks something up. '.repeat(20),
  input_schema: { type: 'object' },
}))
const said = (i: number): ChatMessage[] => [
  { role: 'user', content: `Question ${i}? ${'word '.repeat(60)}` },
  { role: 'assistant', content: `Answer ${i}. ${'word '.repeat(60)}` },
]

const send = async (t: Test, questions: readonly Partial<ModelRequest>[]) => {
  const { url, received } = await openStub(t, [json({}, 400)])
  const { ask } = openClient(t, 'anthropic', url)
  for (const question of questions) await ask(question)
  const count = openCache()
  return received.map(({ body }) => count(body))
}

const LONG = Array.from({ length: 40 }, (_, i) => said(i)).flat()
const input = (text: string): ChatMessage => ({ role: 'user', content: text })
const system = 'Be brief. '.repeat(200)

t.test('the second input of a long conversation reads what the first one wrote', async (t) => {
  for (const tools of [[], TOOLS]) {
    const [first, second, third] = await send(t, [
      { system, tools, history: LONG, turn: [input('one')] },
      { system, tools, history: [...LONG, ...said(40)], turn: [input('two')] },
      { system, tools, history: [...LONG, ...said(40), ...said(41)], turn: [input('three')] },
    ])
    t.equal(first?.read, 0)
    for (const next of [second, third]) {
      t.ok(next && next.read >= 0.9 * next.whole, `${next?.read} of ${next?.whole} tokens, with ${tools.length} tools`)
      t.ok(next && next.marks <= MAX_MARKS, `${next?.marks} marks`)
    }
  }
})

t.test('each round of tools reads the rounds before it', async (t) => {
  const round = (i: number): ChatMessage[] => [
    { role: 'assistant', content: [{ type: 'tool_use', id: `t${i}`, name: 'tool_1', input: {} }] satisfies ContentBlock[] },
    {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: `t${i}`, content: 'found '.repeat(2000), is_error: false }] satisfies ContentBlock[],
    },
  ]
  const turns = [0, 1, 2, 3].map((n) => [input('go'), ...Array.from({ length: n }, (_, i) => round(i)).flat()])
  const counts = await send(
    t,
    turns.map((turn) => ({ system, tools: TOOLS, history: LONG, turn })),
  )
  for (const [i, { read }] of counts.entries()) {
    const before = counts[i - 1]?.whole
    if (before !== undefined) t.ok(read >= 0.99 * before, `${read} of the ${before} tokens before round ${i}`)
  }
})

t.test('more than fifty tools are searched for, and are not part of the prompt', async (t) => {
  const { url, received } = await openStub(t, [
    json(
      {
        type: 'error',
        error: { type: 'invalid_request_error', message: 'tools.0.type: tool_search_tool_bm25_20251119 is not supported by this model' },
      },
      400,
    ),
    json({}, 400),
  ])
  const { ask, reported } = openClient(t, 'anthropic', url)
  const many = Array.from({ length: 51 }, (_, i) => ({ name: `fs:tool_${i}`, description: 'x', input_schema: { type: 'object' } }))
  await ask({ system: '', tools: many })
  const [deferred, whole] = received.map(({ body }) => body.tools)
  t.equal(deferred.length, 52)
  t.match(deferred[0], { type: 'tool_search_tool_bm25_20251119', name: 'tool_search_tool_bm25', cache_control: { type: 'ephemeral' } })
  t.match(deferred[1], { name: 'fs__tool_0', defer_loading: true })
  t.ok(deferred.slice(1).every((tool: Block) => tool.defer_loading && tool.cache_control === undefined))
  // A model that has no search is asked again with all of them.
  t.equal(whole.length, 51)
  t.ok(whole.every((tool: Block) => tool.defer_loading === undefined))
  t.match(
    reported.filter(({ kind }) => kind !== 'failed'),
    [{ kind: 'concession', what: 'tool search' }],
  )
  received.length = 0
  await ask({ tools: many.slice(1) })
  t.equal(received[0]?.body.tools.length, 50)
})
