// Questions for people by both clients: answered, skipped, and a call whose input is edited, also of a run that is kept.

import { spawnSync } from 'node:child_process'
import { resolve } from 'node:path'
import t, { type Test } from 'tap'
import { type Connection, open, type Question } from '../packages/client/src/index.js'
import { scaled } from '../packages/wire/test/patience.js'
import { TEST_PATH } from '../packages/wire/test/shell.js'
import { type Serving, serve } from './serving.js'

const SPEC = `
let pay : { arguments: [string] } -> string = tool { command: "echo paid", approval: "ask" }
@serve let bot : !string -> !string = agent { provider: "eliza", model: "doctor", tools: [pay] }
@serve let review : !string -> !string = agent { provider: "person", prompt: "Rewrite it" }
`
const CALL = 'call pay {"arguments":["100"]}'

const serving = async (t: Test, args: readonly string[] = []): Promise<Serving> => {
  const server = await serve({ 'a.plumb': SPEC }, { args: ['--grant', 'exec', ...args] })
  t.teardown(() => server.stop())
  return server
}

/** The question that waits. */
const questionOf = async (c: Connection): Promise<Question> => {
  for (;;) {
    const [question] = await c.pending()
    if (question) return question
  }
}

/** What does not fit changes nothing; what does is asked about again, and is what runs. */
const editIn = async (t: Test, c: Connection): Promise<void> => {
  const first = await questionOf(c)
  t.match(first, { kind: 'approval', input: { tool: 'pay', input: { arguments: ['100'] } } })
  await first.edit({ arguments: 7 })
  await t.rejects(first.edit({ arguments: ['1'] }), { name: 'PlumbError', category: 'not_found' }, 'it was settled')
  const unchanged = await questionOf(c)
  t.match(unchanged, { input: { input: { arguments: ['100'] } }, wrong: /arguments/ })
  await unchanged.edit({ arguments: ['20'] })
  const changed = await questionOf(c)
  t.match(changed, { kind: 'approval', input: { tool: 'pay', input: { arguments: ['20'] } } })
  t.not(changed.id, unchanged.id)
  await changed.answer(true)
}

t.test('in TypeScript', async (t) => {
  const { url } = await serving(t)
  const c = await open({ url })
  t.teardown(() => c.close())
  const asked = c.call('bot', CALL)
  await editIn(t, c)
  const said = await asked
  t.match(said, /paid.*20/i)
  t.notMatch(said, /paid 100/i)
  const written = c.call('review', 'a poem')
  const question = await questionOf(c)
  t.match(question, { kind: 'person', prompt: 'Rewrite it', input: 'a poem' })
  await t.rejects(question.edit('a song'), { name: 'PlumbError', error: 'usage' }, 'a question has no input to change')
  await t.rejects(question.answer(7), { name: 'PlumbError', error: 'input_type_mismatch' })
  await question.answer('a song')
  t.equal(await written, 'a song')
  const skipped = c.tryCall('review', 'a poem')
  await (await questionOf(c)).skip('no time')
  t.match(await skipped, { ok: false, error: { error: 'answer_refused', message: /no time/ } })
})

t.test('in TypeScript, of a run that is kept', async (t) => {
  const server = await serving(t, ['--record', 'runs'])
  const c = await open({ url: server.url })
  t.teardown(() => c.close())
  const { headers } = await server.call('/bot', JSON.stringify(CALL), { headers: { prefer: 'respond-async' } })
  await editIn(t, c)
  let text = ''
  while (text === '') text = (await server.call(`${headers.location}/outputs`)).text
  t.match(JSON.parse(text), { seq: 1, value: /paid.*20/i })
  t.notMatch(text, /paid 100/i)
})

const SCRIPT = `
import asyncio, sys, threading, plumb
url = sys.argv[1]
def first(c):
    while True:
        for one in c.pending():
            return one
def told(work):
    try:
        return work()
    except plumb.PlumbError as error:
        return error.error
with plumb.open(url) as c:
    answers = []
    asking = threading.Thread(target=lambda: answers.append(c.call("bot", 'call pay {"arguments":["100"]}')))
    asking.start()
    one = first(c)
    print(one.kind, one.input["input"])
    one.edit({"arguments": 7})
    one = first(c)
    print(one["input"]["input"], "wrong" in one.fields)
    one.edit({"arguments": ["20"]})
    one = first(c)
    print(one.input["input"], "wrong" in one.fields)
    one.answer(True)
    asking.join()
    print("20" in answers[0], "paid 100" in answers[0].lower())
    asking = threading.Thread(target=lambda: answers.append(c.call("review", "a poem")))
    asking.start()
    one = first(c)
    print(told(lambda: one.edit("a song")), told(lambda: one.answer(7)), told(lambda: one.answer("a song")))
    asking.join()
    print(answers[1])
async def later():
    async with await plumb.aio.open(url) as c:
        asking = asyncio.create_task(c.try_call("review", "a poem"))
        questions = []
        while not questions:
            questions = await c.pending()
        print(questions[0].prompt, questions[0]["input"])
        try:
            await questions[0].answer(7)
        except plumb.PlumbError as error:
            print(error.error)
        questions[0].skip("no time")
        print((await asking)["error"]["error"])
asyncio.run(later())
`

const noPython = spawnSync('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 10))']).status === 0 ? false : 'no Python 3.10'

t.test('in Python', { skip: noPython }, async (t) => {
  const { url } = await serving(t)
  const { stdout, stderr } = spawnSync('python3', ['-c', SCRIPT, url], {
    env: { PATH: TEST_PATH, PYTHONPATH: resolve('python'), PYTHONDONTWRITEBYTECODE: '1' },
    encoding: 'utf8',
    timeout: scaled(60_000),
  })
  t.equal(
    stdout,
    [
      "approval {'arguments': ['100']}",
      "{'arguments': ['100']} True",
      "{'arguments': ['20']} False",
      'True False',
      'usage input_type_mismatch None',
      'a song',
      'Rewrite it a poem',
      'input_type_mismatch',
      'answer_refused',
      '',
    ].join('\n'),
    stderr,
  )
})
