// Protocols where calls are made: a dispatcher that judges them, and what it cannot see.

import type { ToolProtocol } from '@plumb/lang'
import { type Dispatcher, errorAnswer, fault, type ToolRequest } from '@plumb/wire'
import type { Automaton } from '@plumb/wire/protocol'
import fc from 'fast-check'
import t from 'tap'
import { holds, runs } from '../../wire/test/property.js'
import { whyNotHeld } from '../src/protocol/not-held.js'
import { WalkedProtocol } from '../src/protocol/walk.js'
import { WalkedCalls } from '../src/protocol/walked-calls.js'
import { walkedDispatcher } from '../src/protocol/walked-dispatcher.js'
import { withoutCall } from '../src/protocol/without-call.js'

type Row = readonly [mayEnd: boolean, ...edges: (readonly [label: string, to: number])[]]

const automaton = (...rows: readonly Row[]): Automaton => ({
  name: 'P',
  start: 0,
  states: rows.map(([mayEnd, ...edges]) => ({ mayEnd, edges: edges.map(([label, to]) => ({ kind: 'call' as const, label, to })) })),
})
const REFUND = automaton([true, ['look', 0], ['verify', 1]], [false, ['refund', 2]], [true])
const walkOf = (of: Automaton, free?: readonly string[]) =>
  new WalkedProtocol({ automaton: of, isPerConversation: false, ...(free ? { free } : {}) } satisfies ToolProtocol).begin()

t.test('requests in the order in which they come; an id that comes again is no step', async (t) => {
  const made: string[] = []
  const first = new Map<string, ReturnType<Dispatcher['answer']>>()
  const answer = async ({ id, name }: ToolRequest) => {
    made.push(name)
    await new Promise(setImmediate)
    return name === 'fails' ? errorAnswer(id, fault('tool_crashed', 'it fails')) : { id, content: '"done"', is_error: false }
  }
  const inner: Dispatcher = {
    answer: (request) => {
      const known = first.get(request.id) ?? answer(request)
      first.set(request.id, known)
      return known
    },
    close: async () => {},
  }
  const calls = new WalkedCalls(walkOf(REFUND))
  let moves = 0
  calls.onMove(() => moves++)
  const dispatcher = walkedDispatcher(inner, () => calls)
  const names = ['refund', 'verify', 'free', 'refund', 'verify', 'refund']
  const ids = ['1', '2', '3', '4', '2', '5']
  const answers = await Promise.all(names.map((name, i) => dispatcher.answer({ id: ids[i] as string, name, input: '{}' })))
  t.strictSame(
    answers.map(({ is_error }) => is_error),
    [true, false, false, false, false, true],
  )
  t.strictSame([...made].sort(), ['free', 'refund', 'verify'])
  t.equal(moves, 2)
  t.match(JSON.parse(answers[5]?.content ?? ''), { error: 'protocol_violation', allowed: [], detail: /is at its end and allows no call/ })
  t.strictSame(await dispatcher.answer({ id: '1', name: 'refund', input: '{}' }), answers[0], 'a refusal is the first answer too')
})

const row = fc.tuple(
  fc.boolean(),
  fc.uniqueArray(fc.tuple(fc.constantFrom('a', 'b', 'compose'), fc.nat(3)), { selector: ([label]) => label }),
)

t.test('without the calls of one tool: what may have come may come', async (t) => {
  const property = fc.property(
    fc.array(row, { minLength: 4, maxLength: 4 }),
    fc.array(fc.constantFrom('a', 'b'), { maxLength: 8 }),
    (rows, calls) => {
      const whole = automaton(...rows.map(([mayEnd, edges]): Row => [mayEnd, ...edges]))
      const around = (states: ReadonlySet<number>): Set<number> => {
        const all = new Set(states)
        for (const state of all) for (const { label, to } of whole.states[state]?.edges ?? []) if (label === 'compose') all.add(to)
        return all
      }
      const seen = new WalkedProtocol({ automaton: withoutCall(whole, 'compose'), isPerConversation: false, free: [] }).begin()
      let states = around(new Set([0]))
      for (const call of calls) {
        const next = [...states].flatMap((state) =>
          (whole.states[state]?.edges ?? []).flatMap(({ label, to }) => (label === call ? [to] : [])),
        )
        if ((seen.judge(call) === undefined) !== next.length > 0) throw new Error(`at ${call}`)
        if (next.length === 0) continue
        states = around(new Set(next))
        seen.made(call)
      }
      const mayEnd = [...states].some((state) => whole.states[state]?.mayEnd)
      return (seen.unfinished === undefined) === mayEnd
    },
  )
  await holds(t, property, { numRuns: runs(2000) })
})

t.test('the calls of a memory, and tools that are really there', async (t) => {
  const walk = walkOf(REFUND)
  walk.throughMemory([
    { role: 'user', content: 'go' },
    {
      role: 'assistant',
      content: [
        { type: 'tool_use', id: '1', name: 'verify' },
        { type: 'tool_use', id: '2', name: 'refund' },
      ],
    },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: '1', is_error: false },
        { type: 'tool_result', tool_use_id: '2', is_error: true },
      ],
    },
    'odd',
    { content: [null, 3, { type: 'tool_result', tool_use_id: 'none' }] },
  ])
  t.equal(walk.at, 1)
  t.match(walk.unfinished, { detail: /a call of 'refund' is missing/ })
  const protocol: ToolProtocol = { automaton: REFUND, isPerConversation: false, free: ['skill', 'find'] }
  t.strictSame(
    whyNotHeld(protocol, 'bot', ['look', 'verify', 'lists', 'refunds']).map(({ detail }) => detail),
    [
      "protocol 'P' names 'refund', and agent 'bot' has no tool of that name: did you mean 'refunds'?",
      "'free' names 'find', and agent 'bot' has no tool of that name: it has look, verify, lists, refunds",
      "tool 'lists' of agent 'bot' occurs neither in protocol 'P' nor in 'free'",
      "tool 'refunds' of agent 'bot' occurs neither in protocol 'P' nor in 'free'",
    ],
  )
})
