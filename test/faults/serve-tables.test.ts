// long
// plumb-serve with its runs in PostgreSQL: they outlive it, workers and people elsewhere help, and two servers are as one.

import t from 'tap'
import { type Serving, serve } from '../serving.js'
import { openTalkingModel } from '../talking-model.js'
import { type Cluster, noPostgres, openCluster } from './postgres.js'
import { openScene } from './scene.js'

const KEY = { ANTHROPIC_API_KEY: 'k-0123456789' }
const ASYNC = { prefer: 'respond-async' }
const SPEC = `@serve let review : !string -> !{ stars: int } = agent { provider: "person", prompt: "How good is it?" }
@serve let bot : !string -> !string = agent { provider: "eliza", model: "doctor", tools: [refund] }
let refund : { amount: int } -> string = tool { mock: "refunded", approval: "ask" }
@serve let inc : !int -> !int = map(if value > 9 then fail("large") else value + 1)
@serve let sum : !int -> !int = plumb(input, output) { input ; inner ; output }
let inner : !int -> !int = plumb(input, output) { input ; fold(state + value, from: 0) ; output }
`

let cluster: Cluster
t.teardown(() => cluster?.remove())

const take = async (server: Serving, path: string, body: string, more: Record<string, string> = {}): Promise<string> => {
  const taken = await server.call(path, body, { headers: { ...ASYNC, ...more } })
  if (taken.status !== 202) throw new Error(taken.text)
  return taken.headers.location ?? ''
}

const ended = async (server: Serving, location: string) => {
  for (;;) {
    const { json } = await server.call(location)
    if (json.ended !== undefined) return json
    await new Promise((done) => setTimeout(done, 50))
  }
}

const outputs = async (server: Serving, location: string): Promise<string> => {
  await ended(server, location)
  return (await server.call(`${location}/outputs`)).text
}

const first = async (server: Serving): Promise<Record<string, unknown>> => {
  for (;;) {
    const [question] = JSON.parse((await server.call('/pending')).text) as Record<string, unknown>[]
    if (question) return question
    await new Promise((done) => setTimeout(done, 50))
  }
}

t.test('runs in tables: fault 127', { skip: noPostgres }, async (t) => {
  cluster = await openCluster()
  const model = await openTalkingModel()
  t.teardown(() => model.close())
  const scene = openScene({}, { env: { PLUMB_ON: cluster.url }, mayLeave: /plumb-/ })
  const talks = `@serve let talks : !string -> !string = agent { provider: "anthropic", model: "claude-x", endpoint: "${model.url}", stream: false }\n`
  const files = { 'a.plumb': SPEC + talks }
  const options = { args: ['--lazy', '--on', cluster.url], env: KEY }
  await t.rejects(serve(files, options), /cannot_run.*engine --on URL --init/)
  await scene.bash('plumb engine --init')
  const server = await serve(files, options)

  const lines = await take(server, '/inc', '1\n10\n\nno\n3\n', { 'content-type': 'application/x-ndjson' })
  t.match(await ended(server, lines), { state: 'done', inputs: 4, outputs: 2, errors: 2 })
  const told = (await outputs(server, lines)).trim().split('\n')
  t.match(
    told.map((line) => JSON.parse(line) as object).sort((a, b) => (a as { seq: number }).seq - (b as { seq: number }).seq),
    [
      { seq: 1, value: 2 },
      { seq: 2, error: { error: 'rejected' } },
      { seq: 3, error: { error: 'invalid_json' } },
      { seq: 4, value: 4 },
    ],
  )
  t.equal((await server.call(`${lines}/outputs?from=4`)).text.trim(), told[3])
  t.match(server.err(), /runs of 'sum' are worked in the server itself/)
  t.equal(await outputs(server, await take(server, '/sum', '5')), '{"seq":1,"value":5}\n')

  // People answer by the server, and from elsewhere.
  const asked = await take(server, '/review', '"a poem"')
  const question = await first(server)
  t.match(question, { kind: 'person', agent: 'review', prompt: 'How good is it?', input: 'a poem' })
  t.match((await server.call(asked)).json, { state: 'waiting' })
  t.equal((await server.call(`/pending/${question.id}`, '{"answer":{"stars":"x"}}')).status, 422)
  t.equal((await server.call(`/pending/${question.id}`, '{"answer":{"stars":4}}')).status, 200)
  t.equal(await outputs(server, asked), '{"seq":1,"value":{"stars":4}}\n')
  const skipped = await take(server, '/review', '"b"')
  await server.call(`/pending/${(await first(server)).id}`, '{"skip":"no time"}')
  t.match(JSON.parse(await outputs(server, skipped)), { error: { error: 'answer_refused', detail: /gave no answer: no time$/ } })
  const called = await take(server, '/bot', JSON.stringify('call refund {"amount":5}'))
  t.match(await first(server), { kind: 'approval', input: { tool: 'refund', input: { amount: 5 } } })
  const run = called.replace('/runs/', 'serve-')
  const id = JSON.parse((await scene.bash(`plumb pending --on "$PLUMB_ON" ${run} --json`)).out).id
  t.equal((await scene.bash(`plumb answer --on "$PLUMB_ON" ${run} ${id} true`)).status, 0)
  t.match(await outputs(server, called), /refunded/i)
  t.strictSame(JSON.parse((await server.call('/pending')).text), [], 'what was answered elsewhere waits here no more')

  // With another input, held against the type of the tool in the tables too.
  const corrected = await take(server, '/bot', JSON.stringify('call refund {"amount":7}'))
  const edit = async (amount: unknown) => server.call(`/pending/${(await first(server)).id}`, JSON.stringify({ edit: { amount } }))
  t.equal((await edit('x')).status, 200)
  t.match(await first(server), { input: { input: { amount: 7 } }, wrong: /amount/ })
  t.equal((await edit(8)).status, 200)
  const asked8 = await first(server)
  t.match(asked8, { input: { input: { amount: 8 } }, wrong: undefined })
  await server.call(`/pending/${asked8.id}`, '{"answer":true}')
  t.match(await outputs(server, corrected), /refunded/i)
  const listed = await take(server, '/bot', JSON.stringify('call refund {"amount":9}'))
  await first(server)
  const of = listed.replace('/runs/', 'serve-')
  const [call] = (await scene.bash(`plumb approvals --on "$PLUMB_ON" ${of} | pick _.id`)).out.split('\n')
  t.match(await scene.bash(`plumb approve --on "$PLUMB_ON" --edit '{"amount":"x"}' ${of} ${call}`), {
    status: 1,
    err: /input_type_mismatch/,
  })
  t.equal((await scene.bash(`plumb approve --on "$PLUMB_ON" --edit '{"amount":10}' ${of} ${call}`)).status, 0)
  t.match(await outputs(server, listed), /refunded/i)

  // A run that is stopped, a second server, and a kill in the middle.
  const [talk, other] = [await take(server, '/talks', '"one"'), await take(server, '/talks', '"two"', { 'idempotency-key': 'k' })]
  const turns = [await model.turn(), await model.turn()]
  const second = await serve(files, options)
  const mistaken = await second.call('/talks', '"three"', { headers: { ...ASYNC, 'idempotency-key': 'k' } })
  t.match(mistaken, { status: 422, json: { error: 'input_changed' } }, 'also by the server that has not seen it yet')
  t.equal(await take(second, '/talks', '"two"', { 'idempotency-key': 'k' }), other, 'a key is one on both')
  t.match(await second.call('/talks', '"three"', { headers: { ...ASYNC, 'idempotency-key': 'k' } }), { status: 422 })
  t.match((await second.call(talk, undefined, { method: 'DELETE' })).json, { state: 'cancelled' })
  t.match(await ended(server, talk), { state: 'cancelled' }, 'and is so on the first')
  await server.stop('SIGKILL')
  await Promise.all(turns.map(({ dropped }) => dropped))
  const again = await model.turn()
  again.say('fine')
  again.end()
  t.equal(await outputs(second, other), '{"seq":1,"value":"fine"}\n')
  t.match((await second.call(other)).json, { state: 'done', outputs: 1, errors: 0, tokens: Number })

  // Conversations are in the tables too.
  const say = async (at: Serving, text: string, more: Record<string, string> = { 'plumb-conversation': 'c1' }) => {
    const answer = at.call('/talks', JSON.stringify(text), { headers: more })
    const turn = await model.turn()
    turn.say('yes')
    turn.end()
    await answer
    return turn.body.messages.length
  }
  t.equal(await say(second, 'a'), 1)
  const third = await serve(files, options)
  while ((await say(third, 'b')) === 1) t.comment('its memory is on its way')
  t.equal((await third.call('/conversations/c1', undefined, { method: 'DELETE' })).status, 204)
  t.equal(await say(third, 'c'), 1)
  await Promise.all([second.stop(), third.stop()])

  const last = await serve(files, { ...options, args: [...options.args, '--keep-results', '1'] })
  t.equal(await outputs(last, other), '{"seq":1,"value":"fine"}\n', 'what has ended is there')
  await cluster.crash()
  t.match(await last.call('/inc', '1', { headers: ASYNC }), {
    status: 503,
    json: { error: 'engine_unavailable' },
    headers: { 'retry-after': /\d/ },
  })
  t.equal((await last.call('/inc', '1')).text, '2', 'what needs no database goes on')
  await cluster.start()
  t.equal(await outputs(last, await take(last, '/inc', '5')), '{"seq":1,"value":6}\n')
  await last.stop()
  await t.rejects(serve(files, { ...options, args: [...options.args, '--record', 'runs'] }), /exclude each other/)

  // Limits hold for all servers of these bindings, their workers, and the next start.
  const limited = (calls: number) => serve(files, { ...options, args: [...options.args, '--max-calls', String(calls)] })
  const [one, two] = await Promise.all([limited(3), limited(3)])
  t.equal((await one.call('/bot', '"I am sad"')).status, 200)
  t.match(await outputs(one, await take(one, '/bot', '"I am sad"')), /"value"/)
  t.match(await outputs(two, await take(two, '/bot', '"I am sad"')), /"value"/)
  const over = /"budget_spent".*3 calls are made, as many as --max-calls allows/
  t.match(await outputs(one, await take(one, '/bot', '"I am sad"')), over)
  t.match(await two.call('/bot', '"I am sad"'), { status: 402, text: over })
  await Promise.all([one.stop(), two.stop()])
  const next = await limited(4)
  t.equal((await next.call('/bot', '"I am sad"')).status, 200, 'a higher limit goes on')
  t.equal((await next.call('/bot', '"I am sad"')).status, 402, 'with what was spent')
  await next.stop()
})
