// The dispatcher, and the command that is it alone: every request is answered once, whatever becomes of it.

import { errorAnswer, fail, IdempotencyCache, RESULT_DROPPED, type Result, succeed, type ToolAnswer } from '@plumb/wire'
import t from 'tap'
import type { Tool } from '../src/call/tool.js'
import type { JsonText } from '../src/json-text.js'
import type { Registry } from '../src/registry/registry.js'
import { openDispatcher } from '../src/serve/dispatcher.js'
import { makeTool, openPromise, openSession, turn } from './call-session.js'
import { shell, table } from './tool-shell.js'

const registryOf = (tools: Readonly<Record<string, Tool>>): Registry => {
  const all = new Map(Object.entries(tools).map(([name, tool]) => [name, { tool, plan: { name } }]))
  return {
    get: (name: string) => all.get(name),
    list: () => [...all.values()],
    nameOf: () => '',
    isInternal: (name: string) => name === 'inner',
  } as unknown as Registry
}

const contentOf = ({ content }: ToolAnswer) => JSON.parse(content)

t.test('8 at once, the others in turn, answered as they end', async (t) => {
  const gates: ReturnType<typeof openPromise<Result<JsonText>>>[] = []
  let running = 0
  let most = 0
  const slow = makeTool(async () => {
    const gate = openPromise<Result<JsonText>>()
    gates.push(gate)
    most = Math.max(most, ++running)
    const result = await gate.promise
    running--
    return result
  })
  const dispatcher = openDispatcher({ registry: registryOf({ slow }), session: openSession() })
  const answered: string[] = []
  const answers = Array.from({ length: 20 }, async (_, i) => {
    const answer = await dispatcher.answer({ id: `${i}`, name: 'slow', input: '{}' })
    answered.push(answer.id)
    return answer
  })
  await turn()
  t.equal(gates.length, 8)
  gates[3]?.resolve(succeed('3'))
  await turn()
  t.strictSame(answered, ['3'])
  t.equal(gates.length, 9, 'the next one took its place')
  for (let i = 0; i < gates.length; i++) {
    gates[i]?.resolve(succeed('1'))
    await turn()
  }
  t.strictSame(
    (await Promise.all(answers)).map(({ id }) => id),
    Array.from({ length: 20 }, (_, i) => `${i}`),
  )
  t.equal(most, 8)
})

t.test('faults 76, 77: a repeated id gets the first answer again and runs nothing', async (t) => {
  const probe = makeTool((input, _call, count) => succeed(`[${input},${count}]`))
  const broken = makeTool(() => fail('overloaded', 'away'))
  const dispatcher = openDispatcher({ registry: registryOf({ probe, broken }), session: openSession() })
  const ask = (id: string, name: string, input: JsonText) => dispatcher.answer({ id, name, input })
  const [first, again] = await Promise.all([ask('a', 'probe', '1'), ask('a', 'probe', '2')])
  t.strictSame(first, { id: 'a', content: '[1,1]', is_error: false })
  t.strictSame(again, first)
  t.strictSame(await ask('a', 'broken', '3'), first, 'whatever it is a repetition of')
  t.strictSame(await ask('b', 'probe', '4'), { id: 'b', content: '[4,2]', is_error: false })
  t.match(await ask('c', 'broken', '1'), { id: 'c', is_error: true })
  await ask('c', 'broken', '1')
  t.equal(broken.runs, 1)
})

t.test('what is not there, and what is only for the spec itself', async (t) => {
  const dispatcher = openDispatcher({ registry: registryOf({ search: makeTool() }), session: openSession() })
  for (const [name, detail] of [
    ['serch', /did you mean 'search'/],
    ['inner', /@tool true/],
    ['x', /there are search/],
  ] as const) {
    const answer = await dispatcher.answer({ id: name, name, input: '{}' })
    t.ok(answer.is_error)
    t.match(contentOf(answer), { error: 'unknown_tool', category: 'not_found', detail })
  }
})

t.test('closing stops what runs', async (t) => {
  const patient = makeTool(
    (_, { signal }) => new Promise((resolve) => signal.addEventListener('abort', () => resolve(fail('cancelled', '')))),
  )
  const dispatcher = openDispatcher({ registry: registryOf({ patient }), session: openSession() })
  const answers = Array.from({ length: 10 }, (_, i) => dispatcher.answer({ id: `${i}`, name: 'patient', input: '{}' }))
  await turn()
  await dispatcher.close()
  t.ok((await Promise.all(answers)).every((answer) => contentOf(answer).error === 'cancelled'))
  t.equal(patient.runs, 8, 'those that waited were not begun')
  t.match(contentOf(await dispatcher.answer({ id: 'late', name: 'patient', input: '{}' })), { error: 'cancelled' })
})

t.test('memory of ids is bounded, and nothing runs twice for what was forgotten of an answer', async (t) => {
  const answers = new IdempotencyCache<ToolAnswer>({
    maxCharacters: 64 * 1024 * 1024,
    lengthOf: ({ content }) => content.length,
    dropped: (id) => errorAnswer(id, RESULT_DROPPED),
  })
  const big = 'x'.repeat(8 * 1024 * 1024)
  let runs = 0
  const ask = (id: string, content: string) =>
    answers.get(id, async () => {
      runs++
      return { id, content, is_error: false }
    })
  for (let i = 0; i < 12; i++) await ask(`big ${i}`, big)
  await turn()
  t.equal((await ask('big 11', '')).content.length, big.length)
  t.match(JSON.parse((await ask('big 0', '')).content), { error: 'overflow', detail: /not run again/ })
  t.equal(runs, 12)
  for (let i = 0; i < 12_501; i++) await ask(`${i}`, '1')
  await ask('12500', '1')
  t.equal(runs, 12_513)
  await ask('0', '1')
  t.equal(runs, 12_514, 'the oldest id is forgotten')
})

const SPEC = `type N = { n: int }
@tool true
let double : N -> N = map({ n: n * 2 })
@tool true
let size : string -> int = map(length(value))
@tool true
let same : json -> json = id
let nap : { arguments?: [string] } -> string = tool { command: "sleep", timeout: 20 }
let append : { arguments?: [string] } -> string = tool { command: "./append.sh", sandbox: { write: ["."] } }
let bot : !string -> !string = agent { provider: "eliza", model: "doctor", tools: [double] }
`
const request = (id: string, name: string, input: unknown) => `${JSON.stringify({ id, name, input })}\n`
const FILES = { 't.plumb': SPEC, 'append.sh': '#!/bin/sh\necho "$1" >> log\n', late: request('c', 'double', { n: 1 }) }

t.test('serve', async (t) => {
  const answer = (id: string, content: string) => `${JSON.stringify({ id, content, is_error: false })}\n`
  await table(
    t,
    {
      'numbers keep their digits': {
        run: 'plumb-tool t.plumb serve',
        in: '{"id":"a","name":"same","input":{"n": 12345678901234567890, "m":1.50}}',
        out: answer('a', '{"n": 12345678901234567890, "m":1.50}'),
      },
      '1, 2, 3: lines that are not requests': {
        run: 'plumb-tool t.plumb serve',
        in: `nonsense\n\n[1]\n{"id":"x"}\n{"id":7,"name":"double","input":{}}\n${request('a', 'size', { input: 'four' })}{"id":"b"`,
        out: /^\{"id":"x",.*'name'.*"is_error":true\}\n\{"id":"a","content":"4","is_error":false\}\n$/,
        errors: [
          { error: 'invalid_json', line: 1 },
          { error: 'input_type_mismatch', detail: /'id'/, line: 3 },
          { error: 'input_type_mismatch', detail: /'name'/, line: 4 },
          { error: 'input_type_mismatch', detail: /'id'/, line: 5 },
          { error: 'truncated_line', line: 7 },
        ],
      },
      'a line over the limit': {
        run: 'plumb-tool --max-line 100 t.plumb serve',
        in: `${request('a', 'size', 'x'.repeat(200))}${request('b', 'size', 'xx')}`,
        out: answer('b', '2'),
        errors: [{ error: 'line_too_long', line: 1 }],
      },
      'on the descriptors of an agent': {
        run: 'plumb-tool t.plumb serve --fds 4,5 4<<<\'{"id":"a","name":"double","input":{"n":3}}\' 5> out; cat out',
        out: answer('a', '{"n":6}'),
      },
      'one of them': {
        run: 'plumb-tool t.plumb serve --fds 5 5> out; cat out',
        in: request('a', 'double', { n: 3 }),
        out: answer('a', '{"n":6}'),
      },
      'descriptors that are not open': {
        run: 'plumb-tool t.plumb serve --fds 4,5 5> out',
        errors: [{ error: 'fd_invalid', detail: /4< requests/ }],
        status: 2,
      },
      'descriptors of something else': { run: 'plumb-tool t.plumb serve --fds 6', errors: [{ error: 'fd_invalid' }], status: 2 },
      'what one agent may call': {
        run: "plumb-tool t.plumb serve --agent bot | pick '[_.id, _.is_error]'",
        in: request('a', 'double', { n: 1 }) + request('b', 'size', 'x'),
        out: /^(\["a",false\]\n\["b",true\]\n|\["b",true\]\n\["a",false\]\n)$/,
      },
      'a side effect happens once for each id': {
        run: 'plumb-tool t.plumb serve > out; sort log | uniq -c | tr -s " "; wc -l < out',
        in: ['a', 'b', 'a', 'a', 'b'].map((id) => request(id, 'append', { arguments: [id] })).join(''),
        out: ' 1 a\n 1 b\n5\n',
      },
      'answers that cannot be written': {
        run: 'plumb-tool t.plumb serve > /dev/full',
        in: request('a', 'double', { n: 1 }),
        errors: [{ error: 'write_failed' }],
      },
      'a reader that goes away ends it, quietly and with what runs': {
        run: `until_there () { until [ -e "$1" ]; do sleep 0.02; done; }
          { cat; until_there away; cat late; until_there status; } | { plumb-tool t.plumb serve; echo $? > status; } | { head -n 1; exec 0<&-; echo > away; }
          cat status; until [ "$(running 'sleep 31.4159')" = 0 ]; do sleep 0.02; done`,
        in: request('a', 'double', { n: 1 }) + request('b', 'nap', { arguments: ['31.4159'] }),
        out: /^\{"id":"a".*\n0\n$/,
      },
    },
    FILES,
  )
})

t.test('a signal stops the work, which is answered so, and is what it dies of', async (t) => {
  const script = `mkfifo req
plumb-tool t.plumb serve < req > out & pid=$!
exec 8> req
echo '{"id":"a","name":"nap","input":{"arguments":["27.1828"]}}' >&8
until [ "$(running 'sleep 27.1828')" = 1 ]; do sleep 0.02; done
kill -TERM $pid
wait $pid; echo $?
pick '[_.id, _.is_error, JSON.parse(_.content).error]' < out
until [ "$(running 'sleep 27.1828')" = 0 ]; do sleep 0.02; done; echo gone`
  const { out, err } = await shell(script, FILES)
  t.equal(out, '143\n["a",true,"cancelled"]\ngone\n')
  t.equal(err.split('\n').filter((line) => line.startsWith('{')).length, 0, err)
})

t.test('8: a flood of requests with a slow reader is answered whole', async (t) => {
  const count = 3000
  const text = 'y'.repeat(1000)
  const requests = Array.from({ length: count }, (_, i) => request(`${i}`, 'same', text)).join('')
  const { out, status } = await shell('plumb-tool t.plumb serve | (sleep 0.5; pick _.id) | sort -n | uniq | wc -l', FILES, requests)
  t.equal(out.trim(), String(count))
  t.equal(status, 0)
})
