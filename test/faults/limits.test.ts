// long
// What a run by workers may spend: money and the rate of a provider hold over all of them, whichever is killed.

import t from 'tap'
import { openCountingModel } from '../../packages/plumb/test/fixtures/counting-model.js'
import { scaled } from '../../packages/wire/test/patience.js'
import { noPostgres, openCluster } from './postgres.js'
import { openScene, until } from './scene.js'

const WAIT_MS = scaled(40_000)
const ANSWER = { prompt_tokens: 10, completion_tokens: 4990 }
/** Of such an answer, at the prices below. */
const CENTS = 5
const NANODOLLARS = 10_000_000

t.test('money and rates over several workers', { skip: noPostgres }, async (t) => {
  const cluster = await openCluster()
  const model = Object.assign(await openCountingModel(), { usage: ANSWER })
  const agent = (more: string) => `
    let bot : !string -> !string = agent {
      provider: "openai", model: "m", endpoint: "${model.url}", stream: false, transport_retries: 0, amnesiac: true, ${more}
    }
    let main : !string -> !string = plumb(input, output) { input ; bot ; output }`
  const { bash, start, leftovers } = openScene(
    {
      'money.plumb': agent('concurrency: 4, max_tokens: 8000'),
      'own.plumb': agent('concurrency: 4, max_tokens: 8000, max_cost: 0.2'),
      'rate.plumb': agent('concurrency: 4, rate: { requests: 3 }'),
      'free.plumb': agent('concurrency: 4'),
      'prices.json': '{"m":{"input":10,"output":10}}',
      'in.jsonl': Array.from({ length: 40 }, (_, i) => `"text ${i}"\n`).join(''),
    },
    { env: { PLUMB_ON: cluster.url }, mayLeave: /plumb-/ },
  )
  await bash('plumb engine --init')
  const serve = (...words: string[]) => start(['plumb', 'work', ...words])
  const end = async (workers: readonly ReturnType<typeof serve>[]) => {
    for (const { child } of workers) child.kill('SIGTERM')
    await Promise.all(workers.map(({ ended }) => ended))
  }
  const spent = (run: string) =>
    Number(cluster.ask(`SELECT coalesce(sum(p.spent), 0) FROM plumb.balance p JOIN plumb.run r ON r.id = p.run WHERE r.name = '${run}'`))
  const numbered = (text: string) => text.split('\n').length - 1

  const workers = [1, 2, 3].map(() => serve('money.plumb'))
  const submit = (limit: string) =>
    bash(`plumb run --on "$PLUMB_ON" --run money --max-cost ${limit} --prices prices.json money.plumb < in.jsonl`)
  const first = await submit('0.50')
  t.match(first, { status: 1, err: /"error":"budget_spent".*max-cost/ })
  t.equal(numbered(first.out), model.asked.length, 'what was asked is answered')
  t.ok(model.asked.length >= 4 && model.asked.length * CENTS <= 50, `${model.asked.length} answers of 5 cents for 50`)
  const isCounted = () => spent('money') === model.asked.length * CENTS * NANODOLLARS
  t.ok(await until(isCounted, WAIT_MS), 'all of it is counted, and nothing else')
  model.allow = () => false
  const second = submit('0.90')
  await model.whenHeld(2)
  workers[0]?.child.kill('SIGKILL')
  model.allow = () => true
  model.release()
  t.match(await second, { status: 1, err: /budget_spent/ })
  t.ok(model.asked.length * CENTS <= 90, 'never over: what a dead worker had borrowed counts as spent')
  await end(workers.slice(1))

  const before = model.asked.length
  const owners = [serve('own.plumb'), serve('own.plumb')]
  const own = await bash('plumb run --on "$PLUMB_ON" --run own --prices prices.json --max-cost 100 own.plumb < in.jsonl')
  t.match(own, { status: 1, err: /"error":"budget_spent".*max_cost/ })
  t.ok(numbered(own.out) > 0 && (model.asked.length - before) * CENTS <= 20, 'the limit of an agent holds over all workers')
  t.equal(numbered(own.out) + numbered(own.err), 40, 'and what it does not answer has an error each')
  await end(owners)

  for (const words of [['rate.plumb'], ['--rate', 'openai=3', 'free.plumb']]) {
    const early = model.asked.length
    const runners = [serve(...words), serve(...words)]
    const name = `rate-${words.length}`
    const rated = start(['bash', '-c', `head -n 6 in.jsonl | plumb run --on "$PLUMB_ON" --run ${name} ${words.join(' ')}`])
    t.ok(await until(() => model.asked.length === early + 3, WAIT_MS))
    const counted = `SELECT count(*) FROM plumb.request q JOIN plumb.run r ON r.id = q.run WHERE r.name = '${name}'`
    t.equal(Number(cluster.ask(counted)), 3, words.join(' '))
    t.ok(await until(() => numbered(rated.reported()) === 3, WAIT_MS), 'three in this minute')
    cluster.ask("UPDATE plumb.request SET at = at - interval '2 minutes'")
    t.match(await rated.ended, { status: 0 }, 'and three in the next')
    t.equal(model.asked.length, early + 6)
    await end(runners)
  }
  model.close()
  await cluster.remove()
  t.strictSame(await leftovers(), [], 'nothing is left')
})
