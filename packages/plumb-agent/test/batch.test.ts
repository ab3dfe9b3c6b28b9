// long
// Questions in batches, by both APIs: what is sent, how often, what comes out, in which order, and what is said of what goes wrong.

import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import t, { type Test } from 'tap'
import { bash, envIn, makeTestDirectory } from '../../wire/test/shell.js'
import { type BatchServer, openBatchServer } from './fixtures/provider/batch-server.js'
import { openClient } from './fixtures/provider/stub.js'

const BIN = ['plumb', 'plumb-agent', 'plumb-tool'].map((name) => resolve(`packages/${name}/bin`)).join(':')

const WIRES = {
  messages: { provider: 'anthropic', more: '' },
  chat: { provider: 'openai', more: ', wire: "chat"' },
  responses: { provider: 'openai', more: ', wire: "responses"' },
} as const

const specOf = (wire: keyof typeof WIRES, type = 'string', more = '') =>
  `let main : !string -> !${type} = agent { provider: "${WIRES[wire].provider}", model: "m"${WIRES[wire].more}, amnesiac: true, lane: "batch"${more} }\n`

interface Ran {
  readonly out: readonly unknown[]
  readonly err: string
  readonly faults: readonly { readonly [key: string]: unknown }[]
  readonly status: number | null | undefined
}

const open = async (t: Test, set: Partial<BatchServer> = {}) => {
  const server = Object.assign(await openBatchServer(), set)
  t.teardown(() => server.close())
  const directory = makeTestDirectory()
  const env: NodeJS.ProcessEnv = {
    ...envIn(makeTestDirectory()),
    ANTHROPIC_API_KEY: 'sk-CANARY',
    OPENAI_API_KEY: 'sk-CANARY',
    PLUMB_ENDPOINT: server.url,
  }
  const run = async (files: Readonly<Record<string, string>>, script: string, input: string): Promise<Ran> => {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text)
    const ran = await bash(script, { directory, env: { ...env, PATH: `${BIN}:${env.PATH}` } }, input)
    const faults = ran.err.split('\n').flatMap((line) => (/^\{"(error|warning)"/.test(line) ? [JSON.parse(line)] : []))
    const out = ran.out.split('\n').filter((line) => line !== '')
    return { out: out.map((line) => JSON.parse(line)), err: ran.err, faults, status: ran.status }
  }
  return { server, run }
}

const numbered = (count: number) => Array.from({ length: count }, (_, i) => `q${i}`)
const inputOf = (texts: readonly string[]) => texts.map((text) => `${JSON.stringify(text)}\n`).join('')
const answersOf = (texts: readonly string[]) => texts.map((text) => `re ${text}`)
const once = (texts: readonly string[]) => new Map(texts.map((text) => [text, 1]))

type Wire = keyof typeof WIRES

/** In this process, where waits take no time. */
const askAll = async (t: Test, wire: Wire, set: Partial<BatchServer>, texts: readonly string[], config: object = {}) => {
  const server = Object.assign(await openBatchServer(), set)
  t.teardown(() => server.close())
  const { provider } = WIRES[wire]
  const more = { ...(provider === 'openai' ? { wire } : {}), ...config }
  const { ask, reported, waits } = openClient(t, provider, server.url, more, { quietMs: 5, wallMs: Date.now }, { lane: 'batch' })
  const answers = await Promise.all(texts.map((text) => ask({ turn: [{ role: 'user', content: text }] })))
  const said = answers.map((answer) =>
    answer.ok ? answer.value.content.map((block) => (block.type === 'text' ? block.text : block.type)).join('') : answer.error,
  )
  return { server, answers, said, reported, waits }
}

const REFUSED = { status: 400, type: 'invalid_request_error', message: 'no such thing' } as const
const TEXTS = numbered(9)

/** Those that have another answer. */
const butFor = (others: Readonly<Record<string, object>>) => TEXTS.map((text) => others[text] ?? `re ${text}`)

const isMade = /POST .*batches$/

for (const wire of Object.keys(WIRES) as Wire[]) {
  t.test(`${wire}: all in one batch, by whatever order its results come`, async (t) => {
    const { server, said, reported, waits } = await askAll(t, wire, { looks: 8 }, TEXTS)
    t.same(said, answersOf(TEXTS))
    t.same(
      server.batches.map(({ entries }) => entries.length),
      [9],
    )
    t.notOk(
      server.batches[0]?.entries.some(({ body }) => body.stream),
      'a batch takes nothing that streams',
    )
    t.same(
      waits,
      [1, 2, 4, 8, 16, 32, 60, 60, 60].map((seconds) => seconds * 1000),
    )
    t.match(reported.filter(({ kind }) => kind === 'batch').at(-1), { requests: 9, done: 9, status: /ended|completed/ })
  })

  t.test(`${wire}: one is refused in the middle, one expires, some are cancelled`, async (t) => {
    const { server, said } = await askAll(
      t,
      wire,
      {
        outcomeOf: ({ said }, times) => {
          if (said === 'q4') return REFUSED
          if (said === 'q2' && times < 3) return 'EXPIRED'
          return /[67]/.test(said) && times === 1 ? 'CANCELLED' : `re ${said}`
        },
      },
      TEXTS,
    )
    t.match(said, butFor({ q4: { error: 'provider_refused', detail: /no such thing/ } }))
    t.same(server.submitted(), new Map([...once(TEXTS), ['q2', 3], ['q6', 2], ['q7', 2]]))
  })

  t.test(`${wire}: too large, it is halved`, async (t) => {
    const { server, said } = await askAll(
      t,
      wire,
      {
        before: (what, response, bytes) => {
          if (!/POST .*(messages.batches|files)$/.test(what) || bytes <= 2_000) return false
          response.writeHead(413, { 'content-type': 'application/json' })
          response.end('{"error":{"type":"request_too_large","message":"too large"}}')
          return true
        },
      },
      [...TEXTS, 'x'.repeat(3_000)],
    )
    t.match(said, [...answersOf(TEXTS), { error: 'provider_refused', status: 413 }])
    t.same(server.submitted(), once(TEXTS))
  })

  t.test(`${wire}: results that are cut off are read again, and those that are not there are reported`, async (t) => {
    const { server, said } = await askAll(
      t,
      wire,
      { cuts: [700, 0], outcomeOf: ({ said }) => (said === 'q3' ? 'MISSING' : `re ${said}`) },
      TEXTS,
    )
    t.match(said, butFor({ q3: { error: 'bad_reply' } }))
    t.same(server.submitted(), once(TEXTS))
  })

  t.test(`${wire}: no answer to what was sent: it is looked for, and made again only where it is not there`, async (t) => {
    const lost = { before: 1, after: 1 }
    const lose = (when: 'before' | 'after') => (what: string, response: { readonly socket: { destroy(): void } | null }) => {
      if (!isMade.test(what) || lost[when]-- !== 1) return false
      response.socket?.destroy()
      return true
    }
    const { server, said } = await askAll(t, wire, { before: lose('before'), after: lose('after') }, TEXTS)
    t.same(said, answersOf(TEXTS))
    t.same(server.submitted(), once(TEXTS))
  })

  t.test(`${wire}: a key that is refused, and a server that is away, are one cause`, async (t) => {
    const refuse: BatchServer['before'] = (_, response) => {
      response.writeHead(401, { 'content-type': 'application/json' })
      response.end('{"error":{"type":"authentication_error","message":"invalid key"}}')
      return true
    }
    const { answers } = await askAll(t, wire, { before: refuse }, TEXTS)
    t.match(
      answers,
      TEXTS.map(() => ({ ok: false, refusal: 'final', isShared: true, error: { error: 'unauthorized' } })),
    )
    t.equal(new Set(answers.map((answer) => !answer.ok && answer.error)).size, 1)

    const breakOff: BatchServer['before'] = (_, response) => {
      response.socket?.destroy()
      return true
    }
    const away = await askAll(t, wire, { before: breakOff }, TEXTS)
    t.match(
      away.answers,
      TEXTS.map(() => ({ ok: false, isShared: true, error: { error: 'connection_failed' } })),
    )
  })

  t.test(`${wire}: a batch that is there no longer is sent again`, async (t) => {
    let gone = 1
    const { said } = await askAll(
      t,
      wire,
      {
        before: (what, response) => {
          if (!/GET .*batches.:id$/.test(what) || gone-- !== 1) return false
          response.writeHead(404, { 'content-type': 'application/json' })
          response.end('{"error":{"type":"not_found_error","message":"no such batch"}}')
          return true
        },
      },
      TEXTS,
    )
    t.same(said, answersOf(TEXTS))
  })
}

t.test('what OpenAI finds in a file stops none but the requests of these lines', async (t) => {
  const { server, said } = await askAll(
    t,
    'chat',
    {
      refuse: (entries) => {
        const line = entries.findIndex(({ said }) => said === 'q2') + 1
        return line === 0 ? undefined : [{ code: 'invalid_request', message: 'that is not a request', line }]
      },
    },
    TEXTS,
  )
  t.match(said, butFor({ q2: { error: 'provider_refused', detail: /that is not a request/ } }))
  t.same(server.submitted(), once(TEXTS.filter((text) => text !== 'q2')))
})

t.test('more than may wait at once: half of it, and the rest behind', async (t) => {
  const refuse: BatchServer['refuse'] = (entries) =>
    entries.length > 3 ? [{ code: 'token_limit_exceeded', message: 'Enqueued token limit reached' }] : undefined
  const { server, said } = await askAll(t, 'responses', { refuse }, TEXTS)
  t.same(said, answersOf(TEXTS))
  t.same(server.submitted(), once(TEXTS))
  const money = { refuse: () => [{ code: 'billing_hard_limit_reached', message: 'Billing hard limit has been reached' }] }
  const spent = await askAll(t, 'chat', money, TEXTS)
  t.match(
    spent.answers,
    TEXTS.map(() => ({ ok: false, isShared: true, error: { detail: /hard limit/ } })),
  )
})

t.test('what stands in the way of a temperature is left out of the next batch', async (t) => {
  const outcomeOf: BatchServer['outcomeOf'] = ({ said, body }) =>
    body.temperature === undefined ? `re ${said}` : { ...REFUSED, message: 'temperature is not supported' }
  const server = Object.assign(await openBatchServer(), { outcomeOf })
  t.teardown(() => server.close())
  const { ask } = openClient(t, 'anthropic', server.url, {}, { quietMs: 5 }, { lane: 'batch' })
  const answers = await Promise.all(TEXTS.map((text) => ask({ temperature: 0.5, turn: [{ role: 'user', content: text }] })))
  t.ok(answers.every(({ ok }) => ok))
  t.same(
    server.headers.map((headers) => headers['anthropic-version']),
    ['2023-06-01', '2026-10-21'],
  )
})

t.test('bad lines, answers that do not fit, and answers of any order', async (t) => {
  const { server, run } = await open(t, {
    outcomeOf: ({ body }) => {
      const asked = JSON.stringify(body)
      if (/q7\\?"/.test(asked)) return 'never'
      return /q[26]\\?"/.test(asked) && !/not accepted/.test(asked) ? 'none' : '{"value":7}'
    },
  })
  const input = `${inputOf(TEXTS.slice(0, 4))}{}\n${inputOf(TEXTS.slice(4))}`
  const ran = await run({ 'a.plumb': specOf('messages', 'int', ', max_retries: 2') }, 'plumb-agent a.plumb', input)
  t.match(ran, {
    status: 1,
    faults: [
      { error: 'input_type_mismatch', seq: 5 },
      { error: 'output_type_mismatch', seq: 9 },
    ],
  })
  t.same(ran.out, Array(8).fill(7))
  t.same(
    server.batches.map(({ entries }) => entries.length),
    [9, 3, 1],
  )
})

t.test('an input that waits for an answer gets it', async (t) => {
  const { server, run } = await open(t)
  const script =
    'mkfifo in out; plumb-agent a.plumb <in >out & exec 8>in 9<out; for i in 1 2; do echo "\\"q$i\\"" >&8; IFS= read -r line <&9; echo "$line"; done; exec 8>&-; wait $!'
  const ran = await run({ 'a.plumb': specOf('messages') }, script, '')
  t.match(ran, { status: 0, out: ['re q1', 're q2'] })
  t.equal(server.batches.length, 2)
})

t.test('--lane batch is for all agents that do not say theirs', async (t) => {
  const { server, run } = await open(t)
  const plain = specOf('messages').replace(', lane: "batch"', '')
  t.match(await run({ 'a.plumb': plain }, 'plumb-agent --lane batch a.plumb', inputOf(['a'])), { status: 0, out: ['re a'] })
  t.match(await run({ 'a.plumb': plain }, 'plumb --lane batch a.plumb', inputOf(['b'])), { status: 0, out: ['re b'] })
  t.equal(server.batches.length, 2)

  const elsewhere = specOf('messages').replace('lane: "batch"', 'via: ["/bin/sh", "-c"], env: ["ANTHROPIC_API_KEY", "PLUMB_ENDPOINT"]')
  t.match(await run({ 'a.plumb': elsewhere }, 'plumb --lane batch a.plumb', inputOf(['c'])), {
    status: 2,
    out: [],
    faults: [{ error: 'config_invalid', detail: /runs elsewhere.*lane: "now"/ }],
  })
  const said = elsewhere.replace('via:', 'lane: "batch", via:')
  t.match(await run({ 'a.plumb': said }, 'plumb a.plumb', ''), { status: 2, err: /'lane: "batch"' and 'via' exclude each other/ })
  const now = elsewhere.replace('via:', 'lane: "now", via:')
  t.match(await run({ 'a.plumb': now }, 'plumb --lane batch a.plumb', ''), { status: 0, err: '' })
  t.equal(server.batches.length, 2)

  const remembers = plain.replace(', amnesiac: true', '')
  const refused = { status: 2, out: [], faults: [{ error: 'config_invalid', detail: /lane: "now"/ }] }
  t.match(await run({ 'a.plumb': remembers }, 'plumb-agent --lane batch a.plumb', inputOf(['d'])), refused)
  t.match(await run({ 'a.plumb': remembers }, 'plumb --lane batch a.plumb', inputOf(['d'])), refused)
  const alone = remembers.replace('model: "m"', 'model: "m", lane: "now"')
  t.match(await run({ 'a.plumb': alone }, 'plumb-agent --check --lane batch a.plumb', ''), { status: 0 })
  t.match(await run({ 'a.plumb': specOf('messages') }, 'plumb-agent --lane tomorrow a.plumb', ''), {
    status: 2,
    faults: [{ error: 'usage' }],
  })
})
