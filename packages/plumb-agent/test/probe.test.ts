// --probe: what servers on loopback take, and what is reported before they are asked.

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import { bash, envIn, makeTestDirectory, TEST_PATH } from '../../wire/test/shell.js'
import { data, JSON_TYPE, STREAM } from './fixtures/provider/stub.js'

// biome-ignore lint/suspicious/noExplicitAny: bodies are looked into freely
type Body = any

interface Reply {
  readonly status?: number
  readonly message?: object
  readonly pieces?: readonly string[]
  readonly finish?: string
  readonly usage?: object | null
}

const USAGE = { prompt_tokens: 20, completion_tokens: 3, total_tokens: 23 }

/** Speaks Chat Completions; any other path is 404. */
const serve = async (t: Test, answer: (body: Body) => Reply) => {
  const asked: Body[] = []
  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      if (!request.url?.endsWith('/chat/completions')) return response.writeHead(404, JSON_TYPE).end('{"error":{"message":"no such path"}}')
      const body = JSON.parse(Buffer.concat(parts).toString())
      asked.push(body)
      const { status = 200, message, pieces = ['banana'], finish = 'stop', usage = USAGE } = answer(body)
      if (status !== 200) return response.writeHead(status, JSON_TYPE).end(JSON.stringify({ error: message }))
      if (body.stream) {
        const chunks = pieces.map((content) => ({ choices: [{ index: 0, delta: { content }, finish_reason: null }] }))
        const last = { choices: [{ index: 0, delta: {}, finish_reason: finish }], ...(usage ? { usage } : {}) }
        return response.writeHead(200, STREAM).end(data(...chunks, last))
      }
      const said = message ?? { role: 'assistant', content: pieces.join('') }
      const whole = { choices: [{ index: 0, message: said, finish_reason: finish }], ...(usage ? { usage } : {}) }
      return response.writeHead(200, JSON_TYPE).end(JSON.stringify(whole))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return { asked, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1` }
}

const FILES = {
  'two.plumb': 'let a : !string -> !int = agent { model: "m", max_tokens: 40 }\nlet b : !string -> !int = agent { model: "n" }',
  'prices.json': '{"m":{"input":1,"output":10}}',
}

const probe = async (url: string, args: string) => {
  const directory = makeTestDirectory(FILES)
  const env = { ...envIn(makeTestDirectory()), PATH: TEST_PATH, PLUMB_ENDPOINT: url, OPENAI_API_KEY: 'sk-CANARY' }
  const { out, err, status } = await bash(`plumb-agent --probe ${args}`, { directory, env })
  const found: Body = out === '' ? undefined : JSON.parse(out)
  const results = Object.fromEntries((found?.findings ?? []).map((one: Body) => [one.what, one.result]))
  return { found, results, err, status }
}

const call = (number: number) => ({ id: `c${number}`, type: 'function', function: { name: 'pick', arguments: `{"number":${number}}` } })

/** What fits the schema that is asked for. */
const fitting = ({ properties: { value, ripe } }: Body): string => {
  if (ripe) return '{"ripe":true}'
  if (value.prefixItems) return '{"value":[true,1]}'
  if (value.enum ?? value.anyOf?.[0]?.const) return '{"value":"left"}'
  return `{"value":${value.type === 'array' ? '[true]' : value.type === 'object' ? '{"a":1}' : '1'}}`
}

const OPENAI = '--provider openai --model m'

t.test('a server that takes all of it', async (t) => {
  const { url, asked } = await serve(t, ({ response_format, tools, max_tokens, max_completion_tokens }) => {
    if (response_format) return { pieces: [fitting(response_format.json_schema.schema)] }
    if (tools) return { message: { role: 'assistant', content: null, tool_calls: [call(1), call(2)] }, finish: 'tool_calls' }
    return { pieces: ['one ', 'two'], finish: (max_tokens ?? max_completion_tokens) === 16 ? 'length' : 'stop' }
  })
  const { found, results, status, err } = await probe(url, `${OPENAI} --prices prices.json`)
  t.equal(status, 0)
  t.strictSame(new Set(Object.values(results)), new Set(['yes', 'refused']), err)
  t.strictSame(
    Object.keys(results).filter((what) => results[what] === 'refused'),
    ['speaks responses'],
  )
  t.match(found, { provider: 'openai', model: 'm', url: `${url}/chat/completions`, usage: { output_tokens: 48 }, requests: 17 })
  t.equal(asked.length, 16)
  t.match(
    err,
    /^plumb-agent: asks openai, model m: 17 requests, at most \d+ tokens in and \d+ out, \$0\.\d+\n/,
    'the cost is reported first',
  )
  t.match(err, /^enforces tuple {7}yes$/m)
})

t.test('a server that takes hardly anything', async (t) => {
  const refuse = (message: string): Reply => ({ status: 400, message: { message } })
  const { url } = await serve(t, (body) => {
    if (body.reasoning_effort) return refuse('reasoning_effort is not known')
    if (body.tools) return refuse('this model has no tools')
    if (body.temperature !== undefined) return refuse('temperature cannot be set')
    if (JSON.stringify(body.response_format ?? '').includes('prefixItems')) return refuse('response_format: prefixItems is not known')
    if (Array.isArray(body.messages.at(-1).content)) return { status: 500, message: { message: 'image input is not supported' } }
    return { usage: null }
  })
  const { results, status } = await probe(url, OPENAI)
  t.equal(status, 0)
  t.match(results, {
    answers: 'yes',
    'counts tokens': 'no',
    'holds max_tokens': 'unknown',
    streams: 'no',
    'counts in streams': 'no',
    'enforces record': 'no',
    'enforces tuple': 'refused',
    'calls tools': 'refused',
    'tools with a schema': 'refused',
    'takes effort': 'refused',
    'takes temperature': 'refused',
    'takes images': 'refused',
    'speaks responses': 'refused',
  })
})

t.test('no answer to the first question is an error, and nothing more is asked', async (t) => {
  const { url, asked } = await serve(t, () => ({ status: 401, message: { message: 'who are you' } }))
  const refused = await probe(url, OPENAI)
  t.match(refused, { status: 1, found: undefined, err: /"error":"unauthorized".*OPENAI_API_KEY.*who are you/ })
  t.notMatch(refused.err, /CANARY/)
  t.equal(asked.length, 1)
  t.match(await probe('http://127.0.0.1:9/v1', OPENAI), { status: 1, err: /"error":"connection_failed"/ })
})

t.test('of a spec, one agent is asked for, with its max_tokens', async (t) => {
  const { url, asked } = await serve(t, () => ({}))
  t.match(await probe(url, '--provider openai two.plumb'), { status: 2, err: /choose one with --agent/ })
  t.match(await probe(url, '--provider openai --agent a two.plumb'), { status: 0, found: { model: 'm' } })
  t.ok(asked.every((body) => (body.max_completion_tokens ?? body.max_tokens) <= 40))
  t.match(await probe(url, '--provider openai'), { status: 2, err: /no model is given/ })
})

t.test('a limit of money holds for it, and ELIZA costs nothing', async (t) => {
  const { url, asked } = await serve(t, () => ({}))
  t.match(await probe(url, `${OPENAI} --prices prices.json --max-cost 0.000001`), { status: 1, err: /"error":"budget_spent"/ })
  t.equal(asked.length, 0)
  t.match(await probe('', '--provider eliza --model doctor'), { status: 0, found: { requests: 0, cost: 0 } })
})
