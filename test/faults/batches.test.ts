// long
// Many lines in batches, with kill -9 at each step on the way of a batch: it is sent once, and each line answered once, in order. Also
// stopped by a signal, and with the money that there is spent. PLUMB_LINES is how many lines.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { type BatchServer, openBatchServer } from '../../packages/plumb-agent/test/fixtures/provider/batch-server.js'
import { scaled } from '../../packages/wire/test/patience.js'
import { runningIn } from './leftovers.js'
import { openScene, type Scene } from './scene.js'

const LINES = Number(process.env.PLUMB_LINES ?? 400)
t.setTimeout(scaled(170_000))

const TEXTS = Array.from({ length: LINES }, (_, i) => `line ${i}`)
const INPUT = TEXTS.map((text) => `${JSON.stringify(text)}\n`).join('')
const OUTPUT = TEXTS.map((text) => `${JSON.stringify(`re ${text}`)}\n`).join('')

const WIRES = { messages: 'provider: "anthropic"', chat: 'provider: "openai", wire: "chat"' } as const

const specOf = (wire: keyof typeof WIRES) =>
  `let main : !string -> !string = agent { ${WIRES[wire]}, model: "m", amnesiac: true, lane: "batch" }\n`

const openRun = async (t: Test, spec: string, texts = INPUT): Promise<{ readonly server: BatchServer; readonly scene: Scene }> => {
  const server = await openBatchServer()
  t.teardown(() => server.close())
  const env = { PLUMB_ENDPOINT: server.url }
  const scene = openScene({ 'a.plumb': spec, 'in.jsonl': texts }, { env, mayLeave: /./ })
  t.teardown(() => killAll(scene))
  return { server, scene }
}

const killAll = (scene: Scene): void => {
  for (const { pid } of runningIn(scene.directory)) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // It has ended by itself.
    }
  }
}

type Hook = (what: string) => 'kill' | 'go on'

/** Runs it until the hook says so, or to its end. */
const runUntil = async (
  { server, scene }: { readonly server: BatchServer; readonly scene: Scene },
  command: string,
  at: { readonly before?: Hook; readonly after?: Hook },
) => {
  const strike = (hook: Hook | undefined) => (what: string, response: { readonly socket: { destroy(): void } | null }) => {
    if (hook?.(what) !== 'kill') return false
    killAll(scene)
    response.socket?.destroy()
    return true
  }
  server.before = strike(at.before)
  server.after = strike(at.after)
  const started = scene.start(['bash', '-c', `exec ${command} < in.jsonl`])
  const ended = await started.ended
  return { ...ended, out: started.reported(1), err: started.reported(2) }
}

const isMade = (what: string): boolean => /^POST .*batches$/.test(what)
const isPolled = (what: string): boolean => /^GET .*batches.:id$/.test(what)
const isRead = (what: string): boolean => /results$|-output.content$/.test(what)

const when = (is: (what: string) => boolean, nth = 1): Hook => {
  let times = 0
  return (what) => (is(what) && ++times === nth ? 'kill' : 'go on')
}

for (const wire of Object.keys(WIRES) as (keyof typeof WIRES)[]) {
  for (const [first, next] of [
    ['plumb --record rec a.plumb', 'plumb --resume rec a.plumb'],
    ['plumb-agent --cache kept a.plumb', 'plumb-agent --cache kept a.plumb'],
  ] as const) {
    t.test(`${wire}, ${first}: kill -9 at each step, and nothing is sent twice`, async (t) => {
      const run = await openRun(t, specOf(wire))
      const { server } = run
      server.looks = 1
      t.match(await runUntil(run, first, { before: when(isMade) }), { signal: 'SIGKILL', out: '' }, 'before it has arrived')
      t.equal(server.batches.length, 0)
      t.match(await runUntil(run, next, { after: when(isMade) }), { signal: 'SIGKILL', out: '' }, 'before it is confirmed')
      t.equal(server.batches.length, 1)
      t.match(await runUntil(run, next, { before: when(isPolled, 2) }), { signal: 'SIGKILL', out: '' }, 'while it waits')
      server.cuts = [Math.ceil(LINES * 40)]
      const cut = await runUntil(run, next, { before: when(isRead, 2) })
      t.match(cut, { signal: 'SIGKILL' }, 'amid the results')
      const done = await runUntil(run, next, {})
      t.match(done, { status: 0, err: '' })
      t.equal(done.out === OUTPUT, true, 'each line is answered, in order')
      t.same(
        [...server.submitted().values()].filter((times) => times !== 1),
        [],
        'nothing is sent twice',
      )
      t.equal(server.submitted().size, LINES)
      t.equal(server.batches.length, 1)
      const asked = server.asked.length
      const again = await runUntil(run, next, {})
      t.equal(again.out === OUTPUT, true)
      t.equal(server.asked.length, asked, 'all is kept')
    })
  }
}

t.test('a signal leaves the batch where it is, says so once, and it is gone on with', async (t) => {
  const run = await openRun(t, specOf('messages'))
  const { server, scene } = run
  server.looks = 100
  const started = scene.start(['bash', '-c', 'exec plumb --record rec a.plumb < in.jsonl'])
  await new Promise<void>((resolve) => {
    server.before = (what) => {
      if (isPolled(what)) resolve()
      return false
    }
  })
  process.kill(started.pid, 'SIGTERM')
  const { signal } = await started.ended
  const reported = started
    .reported(2)
    .split('\n')
    .filter((line) => line !== '')
  t.equal(signal, 'SIGTERM')
  const said = reported.map((line) => JSON.parse(line))
  const left = said.filter(({ warning }) => warning !== undefined)
  t.match(left, [{ warning: 'batch_left', batch: 'msgbatch_1' }])
  t.equal(left.length, 1)
  t.ok(said.every(({ warning, error }) => warning !== undefined || error === 'cancelled'))
  server.looks = 0
  for (const made of server.batches) made.looks = 0
  const done = await runUntil(run, 'plumb --resume rec a.plumb', {})
  t.match(done, { status: 0, err: '' })
  t.equal(done.out === OUTPUT, true)
  t.equal(server.batches.length, 1)
})

t.test('money: never over, at half the price, and a higher limit goes on', async (t) => {
  const texts = TEXTS.slice(0, 100)
  const run = await openRun(
    t,
    specOf('messages').replace('lane', 'max_tokens: 100, lane'),
    texts.map((text) => `${JSON.stringify(text)}\n`).join(''),
  )
  const { server, scene } = run
  // Of each: 100 tokens in and 50 out, at half of ten dollars a million.
  const cent = 150 * 5e-6
  const prices = join(scene.work, 'prices.json')
  await scene.bash(`echo '{"m":{"input":10,"output":10}}' > ${prices}`)
  const limit = 50 * cent
  const first = await runUntil(run, `plumb --prices prices.json --max-cost ${limit} --record rec a.plumb`, {})
  const billed = () => server.submitted().size * cent
  t.equal(first.status, 1)
  t.ok(billed() <= limit && billed() >= limit / 2, `${billed()} of ${limit} dollars`)
  t.equal(first.out.split('\n').length - 1, server.submitted().size, 'what was paid for is delivered')
  t.match(JSON.parse(first.err.split('\n').at(-2) ?? ''), { error: 'budget_spent' })
  const done = await runUntil(run, 'plumb --prices prices.json --max-cost 10 --resume rec a.plumb', {})
  t.match(done, { status: 0 })
  t.equal(done.out.split('\n').length - 1, 100)
  t.same(
    [...server.submitted().values()].filter((times) => times !== 1),
    [],
  )
  t.ok(readFileSync(prices, 'utf8'))
})
