// Questions for people: of agents whose model is a person, and of calls that need consent. And what describes the server: OpenAPI, and the page.

import Ajv from 'ajv/dist/2020'
import t from 'tap'
import { until } from '../packages/wire/test/processes.js'
import { type Serving, serve } from './serving.js'

const SPEC = `type Draft = { text: string, @min 1 @max 5 stars: int }
type Tree = { name: string, children?: [Tree] }
@serve let review : !string -> !Draft = agent { provider: "person", prompt: "How good is it?" }
@serve let chain : !string -> !string = review ; map(upper(text))
@serve let bot : !string -> !string = agent { provider: "eliza", model: "doctor", tools: [refund] }
@serve "/a/tree" @description "A tree as it is" let tree : !Tree -> !Tree = id
@serve let evens : !int -> !int = filter(value % 2 = 0)
@tool true let refund : { amount: int } -> string = tool { mock: "refunded", approval: "ask" }
@tool true let inc : { n: int } -> int = map(n + 1)
@serve let either : (!int, !string) -> !string = plumb(a, b, out) {
  a ; map($"{value}") ; out
  b ; out
}
let hidden : { n: int } -> int = map(n)
`

interface Question {
  readonly id: string
  readonly kind: string
  readonly agent: string
  readonly prompt: string
  readonly input: unknown
  readonly schema: object
  readonly digest: string
  readonly wrong?: string
}

const pendingOf = async (server: Serving, name: string): Promise<readonly Question[]> =>
  JSON.parse((await server.call('/pending', undefined, as(name))).text) as Question[]

const as = (name: string) => ({ headers: { authorization: `Bearer ${name}-0123456789abcdef` } })

t.test('people are asked: fault 126', async (t) => {
  const tokens = ['boss', 'ann', 'bob'].map((name) => ({ name, token: `${name}-0123456789abcdef`, answers: name === 'boss' }))
  const server = await serve({ 'a.plumb': SPEC, 'tokens.json': JSON.stringify(tokens) }, { args: ['--tokens', 'tokens.json', '--tools'] })
  t.teardown(() => server.stop())
  const first = async (name: string): Promise<Question> => {
    let found: readonly Question[] = []
    while (found.length === 0) found = await pendingOf(server, name)
    return found[0] as Question
  }
  const answer = (name: string, id: string, body: unknown) => server.call(`/pending/${id}`, JSON.stringify(body), as(name))

  const asked = server.call('/chain', '"a poem"', as('ann'))
  const question = await first('ann')
  t.match(question, {
    kind: 'person',
    agent: 'review',
    binding: 'chain',
    prompt: 'How good is it?',
    input: 'a poem',
    since: /Z$/,
    digest: /^[0-9a-f]{64}$/,
  })
  t.ok(new Ajv().compile(question.schema)({ text: 'a', stars: 3 }))
  t.strictSame(await pendingOf(server, 'bob'), [], "not another token's")
  t.equal((await answer('bob', question.id, { answer: { text: 'a', stars: 3 } })).status, 404)
  t.match(await answer('ann', question.id, { answer: { text: 'a', stars: 9 } }), { status: 422, json: { error: 'input_type_mismatch' } })
  t.match(await answer('ann', question.id, 'yes'), { status: 400, json: { error: 'usage' } })
  t.equal((await answer('boss', question.id, { answer: { text: 'fine', stars: 3 } })).status, 200, 'who answers for all may too')
  t.match(await asked, { status: 200, text: '"FINE"' })
  t.equal((await answer('ann', question.id, { answer: { text: 'b', stars: 3 } })).status, 404, 'once')

  const skipped = server.call('/review', '"a"', as('ann'))
  await answer('ann', (await first('ann')).id, { skip: 'no time' })
  t.match(await skipped, { status: 403, json: { error: 'answer_refused', detail: /no time/ } })

  const away = new AbortController()
  const left = server.call('/review', '"b"', { ...as('ann'), signal: away.signal }).catch(() => 'left')
  await first('ann')
  away.abort()
  await left
  while ((await pendingOf(server, 'boss')).length > 0) await new Promise((done) => setTimeout(done, 20))
  t.pass('a question goes with its request')

  t.match(await server.call('/inc', '{"n":1}', as('ann')), { status: 200, text: '2' })
  t.match(await server.call('/hidden', '{"n":1}', as('ann')), { status: 404 })
  const called = server.call('/refund', '{"amount":7}', as('ann'))
  const direct = await first('boss')
  t.match(direct, { kind: 'approval', input: { tool: 'refund', input: { amount: 7 } } })
  await answer('boss', direct.id, { answer: true })
  t.match(await called, { status: 200, text: '"refunded"' })

  for (const [decision, shown] of [
    [true, /REFUNDED/i],
    [false, /denied|approval_required/i],
  ] as const) {
    const taken = await server.call('/bot', JSON.stringify('call refund {"amount":5}'), {
      headers: { ...as('ann').headers, prefer: 'respond-async' },
    })
    const location = taken.headers.location ?? ''
    const call = await first('boss')
    t.match(call, { kind: 'approval', agent: 'bot', input: { tool: 'refund', input: { amount: 5 } }, schema: { type: 'boolean' } })
    t.match((await server.call(location, undefined, as('ann'))).json, { state: 'waiting' })
    t.strictSame(await pendingOf(server, 'ann'), [], 'a call is decided on by those who answer for all')
    t.equal((await answer('ann', call.id, { answer: true })).status, 404)
    t.equal((await answer('boss', call.id, { answer: 'yes' })).status, 422)
    t.equal((await answer('boss', call.id, { answer: decision, why: 'so' })).status, 200)
    const outcome = async () => (await server.call(`${location}/outputs`, undefined, as('ann'))).text
    let text = ''
    while (text === '') text = await outcome()
    t.match(text, shown)
  }

  const edited = server.call('/bot', JSON.stringify('call refund {"amount":5}'), as('ann'))
  const call = await first('boss')
  t.match(await answer('boss', call.id, { edit: { amount: 6 }, answer: true }), { status: 400, json: { error: 'usage' } })
  t.equal((await answer('ann', call.id, { edit: { amount: 6 } })).status, 404)
  t.equal((await answer('boss', call.id, { edit: { amount: 'x' } })).status, 200)
  const unchanged = await first('boss')
  t.match(unchanged, { kind: 'approval', input: { input: { amount: 5 } }, wrong: /amount/ }, 'what does not fit changes nothing')
  t.equal((await answer('boss', unchanged.id, { edit: { amount: 6 } })).status, 200)
  const changed = await first('boss')
  t.match(changed, { kind: 'approval', input: { input: { amount: 6 } }, wrong: undefined })
  t.equal((await answer('boss', changed.id, { answer: true })).status, 200)
  t.match((await edited).text, /REFUNDED/i)
  const asking = server.call('/review', '"c"', as('ann'))
  const person = await first('ann')
  t.match(await answer('ann', person.id, { edit: 'x' }), { status: 422, json: { error: 'usage' } }, 'a question has no input to change')
  await answer('ann', person.id, { skip: '' })
  await asking
})

t.test('OpenAPI and the page', async (t) => {
  const server = await serve({ 'a.plumb': SPEC }, { args: ['--lazy'] })
  t.teardown(() => server.stop())
  const { text } = await server.call('/openapi.json')
  const document = JSON.parse(text) as {
    paths: Record<string, Record<string, { operationId: string; requestBody?: { content: Record<string, { schema: object }> } }>>
    components: { schemas: object }
  }
  t.strictSame(Object.keys(document.paths).slice(0, 5), ['/review', '/chain', '/bot', '/a/tree', '/evens'])
  t.match(document.paths['/a/tree']?.post, { operationId: 'tree', summary: 'A tree as it is' })
  const codesOf = (name: string): string => JSON.stringify((document.components.schemas as Record<string, object>)[`${name}.problem`])
  t.match([codesOf('tree'), codesOf('review'), codesOf('chain')], [/input_type_mismatch/, /answer_refused/, /evaluation_failed/])
  t.notMatch(codesOf('tree'), /answer_refused|rejected|unpaired|syntax_error|unknown_port/)
  const cut = await server.call('/evens', '{"a":', { headers: { 'content-type': 'application/x-ndjson' } })
  const lost = await server.call('/either', '{"__port":"none","msg":1}')
  for (const [name, told] of [
    ['evens', (JSON.parse(cut.text) as { error: { error: string } }).error.error],
    ['either', lost.json.error],
  ] as const)
    t.match(codesOf(name), `"${told}"`, `${told} of ${name}`)
  const ids = Object.values(document.paths).flatMap((path) => Object.values(path).flatMap(({ operationId }) => operationId ?? []))
  t.equal(new Set(ids).size, ids.length, 'operation ids are apart')
  const references = [...text.matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)].map(([, name = '']) => name)
  t.strictSame(
    references.filter((name) => !Object.hasOwn(document.components.schemas, name)),
    [],
    'each reference leads somewhere',
  )
  const ajv = new Ajv({ strict: false }).addSchema({ ...document, $id: 'doc' })
  const fits = ajv.compile({ $ref: 'doc#/paths/~1a~1tree/post/requestBody/content/application~1json/schema' })
  t.strictSame([fits({ name: 'a', children: [{ name: 'b' }] }), fits({ name: 'a', children: [{}] })], [true, false])
  const page = await server.call('/')
  t.match(page, { status: 200, headers: { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': /default-src 'none'/ } })
  t.notMatch(page.text, /\b(src|href)=["']|https?:\/\//, 'nothing is fetched from elsewhere')
  t.notMatch(page.text, /review|How good/, 'it holds nothing of the spec')
  t.ok(await until(() => server.log().some(({ path }) => path === '/')))
})

t.test('a run with a record asks people too', async (t) => {
  const server = await serve({ 'a.plumb': SPEC }, { args: ['--lazy', '--record', 'runs'] })
  t.teardown(() => server.stop())
  const first = async (): Promise<Question> => {
    let found: readonly Question[] = []
    while (found.length === 0) found = JSON.parse((await server.call('/pending')).text) as Question[]
    return found[0] as Question
  }
  const answer = (id: string, given: unknown) => server.call(`/pending/${id}`, JSON.stringify({ answer: given }))
  for (const [path, input, wrong, given, output] of [
    ['/chain', 'a poem', { text: 'a', stars: 9 }, { text: 'fine', stars: 3 }, '"FINE"'],
    ['/bot', 'call refund {"amount":5}', 'yes', true, '"refunded"'],
  ] as const) {
    const { headers } = await server.call(path, JSON.stringify(input), { headers: { prefer: 'respond-async' } })
    const { id } = await first()
    t.equal((await answer(id, wrong)).status, 422)
    t.match((await answer(id, 'yes')).text, /"detail":"\S+( \S+)*"/, 'words have one space between them')
    t.equal((await answer(id, given)).status, 200)
    let text = ''
    while (text === '') text = (await server.call(`${headers.location}/outputs`)).text
    t.equal(text, `{"seq":1,"value":${output}}\n`)
  }
})

t.test('what comes in is untrusted where a spec speaks of labels', async (t) => {
  const served = (label: string) => `type Note = { body: string }
let other : !untrusted string -> !untrusted string = id
let print : { arguments?: [string] } -> string = tool { command: "printf %s", effects: ["exec"] }
@serve let read : !${label}Note -> !${label}int = map(length(body))
@serve let told : !Note -> !string = map({ arguments: [${label === '' ? 'body' : '"x"'}] }) ; map(print)`
  await t.rejects(serve({ 'a.plumb': served('') }), /untrusted/)
  const server = await serve({ 'a.plumb': served('untrusted ') }, { args: ['--lazy'] })
  t.teardown(() => server.stop())
  const { paths, components } = (await server.call('/openapi.json')).json as {
    paths: object
    components: { schemas: Record<string, object> }
  }
  t.match(JSON.stringify([paths, components]), /"x-plumb-label":"untrusted"/)
})
