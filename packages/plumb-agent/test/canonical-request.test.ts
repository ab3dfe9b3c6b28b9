// The hash of a request, which is carried from one to the next, beside that of the whole request.

import { hashOf } from '@plumb/ledger/kept'
import { fail, isRecord } from '@plumb/wire'
import fc from 'fast-check'
import t from 'tap'
import { holds, runs } from '../../wire/test/property.js'
import { CanonicalRequests } from '../src/kept/canonical-request.js'
import type { ChatMessage, ModelRequest, Provider } from '../src/provider/provider.js'

const provider: Provider = { settings: { endpoint: 'e' }, answer: async () => fail('timeout', 'never') }

const requestOf = (history: readonly ChatMessage[], turn: readonly ChatMessage[]): ModelRequest => ({
  ...{ system: 'Be brief.', context: undefined, tools: [], parallelToolCalls: true, model: 'm', temperature: undefined },
  ...{
    effort: undefined,
    hasMismatch: false,
    schemaInPrompt: false,
    emit: () => {},
    log: () => {},
    input: { kind: 'string' },
    output: { kind: 'int' },
  },
  history,
  turn,
})

const nested = (depth: number): unknown => (depth === 0 ? 1 : [nested(depth - 1)])

// The library that draws them cannot print them.
const deepened = ({ role, content }: ChatMessage): ChatMessage => ({
  role,
  content: Array.isArray(content)
    ? (content.map((block) =>
        isRecord(block) && typeof block.depth === 'number' ? { ...block, input: nested(block.depth) } : block,
      ) as ChatMessage['content'])
    : content,
})

// Ids that come again, in one message and in later ones; text, inputs of calls, and what cannot be hashed alone.
const content = fc.oneof(
  fc.string(),
  fc.array(
    fc.oneof(
      fc.record({ type: fc.constant('text'), text: fc.string() }),
      fc.record({ type: fc.constant('tool_use'), id: fc.constantFrom('a', 'b', 'c', 'd'), name: fc.string(), input: fc.jsonValue() }),
      fc.record({ type: fc.constant('tool_result'), tool_use_id: fc.constantFrom('a', 'b', 'e'), content: fc.string() }),
      fc.record({ type: fc.constant('thinking'), thinking: fc.string(), signature: fc.string() }),
      fc.record({ type: fc.constant('tool_use'), id: fc.constant('deep'), depth: fc.constantFrom(20, 1500) }),
    ),
    { maxLength: 3 },
  ),
)
const message = fc.record({ role: fc.constantFrom('user', 'assistant'), content }) as fc.Arbitrary<ChatMessage>

type Step = 'keep' | 'set' | 'cut' | 'retry'
const step = fc.record({
  what: fc.constantFrom<Step>('keep', 'keep', 'keep', 'set', 'cut', 'retry'),
  turn: fc.array(message, { minLength: 1, maxLength: 3 }),
})

t.test('it is that of the whole request, however the conversation goes on', async (t) => {
  await holds(
    t,
    fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
      const requests = new CanonicalRequests({ provider, providerName: 'stub' })
      let history: ChatMessage[] = []
      return steps.every(({ what, turn: drawn }) => {
        const turn = drawn.map(deepened)
        const request = requests.of(requestOf(history, turn))
        const call = { call: { name: 'f', input: '{}' } }
        const within = { ...call, within: { name: 'chain', input: '1' } }
        const [whole, early] = [request.value(), request.hash]
        if (what === 'keep') history.push(...turn)
        if (what === 'set') history = [...turn]
        if (what === 'cut') history = history.slice(1)
        // The conversation has gone on before its calls are kept.
        const isRight =
          early === hashOf(whole) &&
          hashOf(request.value()) === early &&
          [call, within].every((members) => request.followedBy(members).hash === hashOf({ after: whole, ...members }))
        return isRight && request.followedBy(call).hash === hashOf(request.followedBy(call).value())
      })
    }),
    { numRuns: runs(400) },
  )
})

t.test('it is as older records have it, and ids do not count', async (t) => {
  const requests = new CanonicalRequests({ provider, providerName: 'stub' })
  const ask = (id: string) =>
    requests.of(
      requestOf([{ role: 'assistant', content: [{ type: 'tool_use', id, name: 'f', input: {} }] }], [{ role: 'user', content: 'x' }]),
    )
  t.equal(ask('toolu_1').hash, ask('call_9').hash)
  t.strictSame(ask('toolu_1').value(), {
    messages: [
      { role: 'assistant', content: [{ type: 'tool_use', id: 1, name: 'f', input: {} }] },
      { role: 'user', content: 'x' },
    ],
    ...{ provider: 'stub', model: 'm', system: 'Be brief.', tools: [], schema: { type: 'integer' } },
    settings: { endpoint: 'e', temperature: undefined, effort: undefined, parallel_tool_calls: true, schema_in_prompt: false },
  })
})
