// long
// kill -9 of plumb-serve at random moments while it takes and works runs: each run has one result, and no model is asked twice for one. What its
// processes have asked they keep, and then they end.
//
// PLUMB_RUNS: how many runs, default 30. PLUMB_MODEL_MS: the longest that the model takes. PLUMB_SEED: other moments; it is printed.

import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { until } from '../../packages/wire/test/processes.js'
import { makeFractions } from '../fuzz/random.js'
import { type Answer, type Serving, serve } from '../serving.js'
import { noPostgres, openCluster } from './postgres.js'
import { openScene } from './scene.js'

const RUNS = Number(process.env.PLUMB_RUNS ?? 30)
const SEED = Number(process.env.PLUMB_SEED ?? Date.now() % 2 ** 31)
const KILLS = 2
const CLIENTS = 8
/** Longer than children without anything in hand have. */
const MODEL_MS = Number(process.env.PLUMB_MODEL_MS ?? 2000)

interface CountingModel {
  readonly url: string
  /** How often each input came. */
  readonly asked: ReadonlyMap<string, number>
  close(): void
}

const openModel = async (random: () => number): Promise<CountingModel> => {
  const asked = new Map<string, number>()
  const model = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (piece) => {
      body += piece
    })
    request.on('end', () => {
      const { messages } = JSON.parse(body) as { messages: { content: string | { text: string }[] }[] }
      const content = messages[0]?.content
      const said = typeof content === 'string' ? content : (content?.[0]?.text ?? '')
      asked.set(said, (asked.get(said) ?? 0) + 1)
      const reply = {
        ...{ id: 'm', type: 'message', role: 'assistant', model: 'x', stop_reason: 'end_turn' },
        content: [{ type: 'text', text: `re ${said}` }],
        usage: { input_tokens: 1, output_tokens: 1 },
      }
      setTimeout(
        () => response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(reply)),
        Math.floor(random() * MODEL_MS),
      )
    })
  }).listen(0, '127.0.0.1')
  await new Promise((done) => model.once('listening', done))
  return { url: `http://127.0.0.1:${(model.address() as AddressInfo).port}`, asked, close: () => model.close() }
}

const spec = (url: string): string => `@serve let bot : !string -> !string = agent {
  provider: "anthropic", model: "claude-x", endpoint: "${url}", amnesiac: true, stream: false
}
`

/** Takes and works all runs, with kills between; `args`: where runs are kept. */
const workThrough = async (t: Test, args: readonly string[]): Promise<void> => {
  t.comment(`${RUNS} runs, PLUMB_SEED=${SEED}`)
  const random = makeFractions(SEED)
  const model = await openModel(random)
  const directory = mkdtempSync(join(tmpdir(), 'plumb-kills-'))
  t.teardown(() => {
    model.close()
    rmSync(directory, { recursive: true, force: true })
  })
  const files = { 'a.plumb': spec(model.url) }
  const open = () => serve(files, { args, env: { ANTHROPIC_API_KEY: 'k-0123456789' }, directory })
  let server: Promise<Serving> = open()
  t.teardown(async () => void (await (await server).stop()))
  const call = async (...words: Parameters<Serving['call']>): Promise<Answer> => {
    for (;;) {
      try {
        const answer = await (await server).call(...words)
        if (answer.status !== 503) return answer
      } catch {}
      await new Promise((done) => setTimeout(done, 20))
    }
  }
  const locations: string[] = []
  let next = 0
  const submit = async (): Promise<void> => {
    for (let i = next++; i < RUNS; i = next++) {
      const taken = await call('/bot', `"${i}"`, { headers: { prefer: 'respond-async', 'idempotency-key': `k${i}` } })
      if (taken.status !== 202) t.fail(taken.text)
      locations[i] = taken.headers.location ?? ''
    }
  }
  const submitting = Promise.all(Array.from({ length: CLIENTS }, submit))
  const marks = Array.from({ length: KILLS }, (_, i) => Math.ceil((RUNS * (i + random())) / KILLS) || 1)
  for (const mark of marks) {
    await until(() => model.asked.size >= mark, 600_000)
    await new Promise((done) => setTimeout(done, random() * MODEL_MS))
    await (await server).stop('SIGKILL')
    t.comment(`killed after ${model.asked.size} were asked`)
    server = open()
    await server
  }
  await submitting
  t.equal(new Set(locations).size, RUNS, 'each is a run of its own')
  for (const [i, location] of locations.entries()) {
    while ((await call(location)).json.ended === undefined) await new Promise((done) => setTimeout(done, 50))
    const { text } = await call(`${location}/outputs`)
    if (text !== `{"seq":1,"value":"re ${i}"}\n`) t.fail(`run ${i}: ${text}`)
  }
  t.equal(model.asked.size, RUNS, 'each input was asked')
  t.strictSame(
    [...model.asked].filter(([, times]) => times !== 1),
    [],
    'none twice',
  )
}

t.test('kills with --record: fault 128', (t) => workThrough(t, ['--record', 'runs']))

t.test('kills with --on: fault 128', { skip: noPostgres }, async (t) => {
  const cluster = await openCluster()
  t.teardown(() => cluster.remove())
  const scene = openScene({}, { env: { PLUMB_ON: cluster.url }, mayLeave: /plumb-/ })
  await scene.bash('plumb engine --init')
  await workThrough(t, ['--on', cluster.url])
})
