// Lists that a person reads or decides by: tables on a terminal, lines of JSON elsewhere.

import t from 'tap'
import { showLetters, showRuns } from '../../engine/src/show-runs.js'
import { spentIn } from '../../engine/src/spent.js'
import type { ListedCall } from '../../ledger/src/approval/journal.js'
import { showCalls } from '../../runtime/src/record/listed-calls.js'
import { showPending } from '../../runtime/src/record/pending.js'

const call = (more: object): ListedCall =>
  ({
    ...{ id: 'bb0b391b413f', tool: 'refund', input: '{"order":17,"dollars":45.50}', digest: 'd', process: 'solver' },
    ...{ why: 'w', since: '2026-11-29T06:03:11.000Z', state: 'waits', ...more },
  }) as ListedCall

t.test('calls that wait for a person', async (t) => {
  const as = { of: 'rec', isJson: false, isAll: false }
  const calls = [call({}), call({ id: '22', tool: 'send\u202e', input: '"x\u001b[2J"', state: 'in_doubt' })]
  t.equal(
    showCalls(calls, as, 80),
    `id            tool        arguments         asked by  since             state
bb0b391b413f  refund      {"order":17,      solver    2026-11-29
                          "dollars":45.50}            06:03Z
22            send\\u202e  "\\"x\\u001b[2J\\""  solver    2026-11-29        in doubt
                                                      06:03Z

plumb approve rec ID   allows one
plumb approve --deny --why TEXT rec ID   refuses it
`,
  )
  for (const columns of [72, 80, 200]) {
    const shown = showCalls([call({})], as, columns)
    for (const whole of ['bb0b391b413f', 'refund', '"order":17,', '"dollars":45.50}', 'solver']) t.match(shown, whole, `in ${columns}`)
  }
  t.equal(showCalls([], as, 80), 'no call waits for a person\n')
  t.equal(showCalls([], { ...as, isAll: true }, 80), 'no call has waited for a person\n')
  t.equal(showCalls([], as, undefined), '')
  for (const json of [showCalls(calls, as, undefined), showCalls(calls, { ...as, isJson: true }, 80)])
    t.match(
      json.split('\n')[0],
      /^{"id":"bb0b391b413f","tool":"refund","input":{"order":17,"dollars":45.50},"digest":"d",.*"state":"waits"}$/,
    )
  const decided = showCalls([call({ state: 'done' })], { ...as, isAll: true }, 80)
  t.match(decided, /done/)
  t.notMatch(decided, /plumb approve/, 'nothing is left to decide')
})

t.test('questions that wait for a person, with what they are about and what answers them', async (t) => {
  const schema = { type: 'object', properties: { text: { type: 'string' }, kind: { enum: ['send', 'hold'] } }, required: ['text', 'kind'] }
  const question = (id: string) =>
    call({
      id,
      kind: 'person',
      tool: 'review',
      process: 'review',
      input: JSON.stringify({ prompt: 'Approve it?\u202e', input: 'A reply', schema }),
    })
  const as = { of: 'rec', isJson: false, isAll: false }
  t.equal(
    showPending([question('21'), call({ id: '22' })], 'run', as, 80),
    `id  question                                         asked by  since
21  Approve it?\\u202e                                review    2026-11-29 06:03Z
    A reply
    answer: { text: string, kind: "send" | "hold" }

22  may 'refund' be called?                          solver    2026-11-29 06:03Z
    {"order":17,"dollars":45.50}
    answer: true or false

plumb answer rec ID ANSWER   answers one
plumb answer rec ID --skip   gives no answer
`,
  )
  t.equal(showPending([], 'run', as, 80), 'nothing waits for a person\n')
})

const part = (more: object) => ({
  ...{ part: '1 bot', holds: ['bot'], waiting: 1100, in_hand: 80, done: 2823, dropped: 0, failed: 3, parked: 0, rate: 41.2 },
  ...{ calls: 2900, tokens: 1_200_000, cost: 1.26, workers: 2, ...more },
})

t.test('runs by workers', async (t) => {
  const run = {
    name: 'night',
    state: 'open',
    taken: 4000,
    written: 2817,
    unread: 0,
    parts: [part({}), part({ part: '2 judge', holds: ['judge', 'scored', 'barrier'], failed: 0 })],
  }
  t.equal(
    showRuns([run, { ...run, name: 'x\u001b', unread: 5, parts: [], note: 'nobody serves it' }], 80),
    `night: open, 4000 taken, 2817 written
part     waiting  in hand  done  failed    rate  workers   cost  requests
1 bot       1.1k       80  2.8k       3  41.2/s        2  $1.26      2.9k
2 judge     1.1k       80  2.8k          41.2/s        2  $1.26      2.9k
2 judge stands for judge, scored, barrier

x\\u001b: open, 4000 taken, 2817 written, 5 unread
part
nobody serves it
`,
  )
  for (const columns of [40, 60, 80, 200])
    for (const line of showRuns([run], columns).split('\n')) t.ok([...line].length <= columns, `${columns}: ${line}`)
  t.equal(showRuns([], 80), 'no runs\n')
})

t.test('messages that failed', async (t) => {
  const fault = '{"error":"timeout","category":"unavailable","detail":"no answer\\u001b within 3 s"}'
  const letter = { origin: '17', part: '1', tries: '3', fault, value: '{"n": 9007199254740993}' }
  t.equal(
    showLetters([letter], { name: 'night', run: '--on URL night' }, 80),
    `input  part  tries  why                                  message
   17     1      3  no answer\\u001b within 3 s           {"n": 9007199254740993}
                    (timeout)

plumb retry --on URL night --origin INPUT   gives one out again
`,
  )
  t.equal(
    showLetters([letter], { name: 'night', run: 'night' }, undefined),
    `{"origin":17,"part":1,"tries":3,"fault":${fault},"value":{"n": 9007199254740993}}\n`,
  )
  t.equal(showLetters([], { name: 'night', run: 'night' }, 80), `no message of 'night' has failed\n`)
})

t.test('calls of tools that failed in a run by workers are counted', async (t) => {
  const result = { kind: 'tool_result', id: '1', name: 't', ms: 1, bytes: 1 } as const
  t.match(spentIn({ ...result, is_error: true }, undefined), { toolCalls: 1, failedCalls: 1 })
  t.match(spentIn({ ...result, is_error: false }, undefined), { toolCalls: 1, failedCalls: 0 })
  t.match(spentIn({ ...result, is_error: true, depth: 1 }, undefined), { toolCalls: 0, failedCalls: 0 }, 'one within another')
})
