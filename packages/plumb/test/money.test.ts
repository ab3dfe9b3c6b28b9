// long
// What a run may spend in dollars: whichever agent asks, the model bills no more, and what was paid for is delivered.

import { resolve } from 'node:path'
import t, { type Test } from 'tap'
import { bash, envIn, makeTestDirectory } from '../../wire/test/shell.js'
import { type CountingModel, openCountingModel } from './fixtures/counting-model.js'
import { lines, makeShell } from './shell.js'

const BIN = ['plumb', 'plumb-agent', 'plumb-tool'].map((name) => resolve(`packages/${name}/bin`)).join(':')
const VIA = ', via: ["/bin/sh", "-c"], env: ["PATH", "OPENAI_API_KEY"]'
const TOOL = 'type N = { n: int }\n@tool true\nlet double : N -> N = map({ n: n * 2 })\n'

/** A cent for each answer, and at most two: 1,000 tokens out at 10 dollars a million, and a request of less than 1,000 bytes at 10 too. */
const PRICES = { 'cent.json': '{"m":{"input":10,"output":10},"gpt-4o":{"input":10,"output":10}}' }
const CENT = { prompt_tokens: 100, completion_tokens: 900 }

const agent = (url: string, more = '') =>
  `agent { provider: "openai", model: "m", endpoint: "${url}", stream: false, transport_retries: 0, max_tokens: 1000, amnesiac: true${more} }`

const spend = async (t: Test, spec: (url: string) => string, script: string, input: string, set: Partial<CountingModel> = {}) => {
  const model = Object.assign(await openCountingModel(), { usage: CENT }, set)
  t.teardown(() => model.close())
  const directory = makeTestDirectory({ ...PRICES, 'a.plumb': TOOL + spec(model.url) })
  const env: NodeJS.ProcessEnv = { ...envIn(makeTestDirectory()), OPENAI_API_KEY: 'sk-CANARY' }
  const { out, err, status } = await bash(script, { directory, env: { ...env, PATH: `${BIN}:${env.PATH}` } }, input)
  const faults = err.split('\n').flatMap((line) => (/^\{"(error|warning)"/.test(line) ? [JSON.parse(line)] : []))
  const billed = (model.asked.length * (CENT.prompt_tokens + CENT.completion_tokens)) / 1e5
  return { out, err, status, faults, model, billed, delivered: out.split('\n').length - 1 }
}

const INPUT = lines(...Array.from({ length: 12 }, (_, i) => `q${i}`))

t.test('agents at once, nested, elsewhere and in loops of tools share what there is', async (t) => {
  const spec = (url: string) => `
    let near : !string -> !string = ${agent(url, ', concurrency: 4')}
    let far : !string -> !string = ${agent(url, `${VIA}, concurrency: 4`)}
    let deep : !string -> !string = ${agent(url, ', concurrency: 4')}
    let inner : !string -> !string = plumb(input, output) { input ; deep ; output }
    let main : !string -> !string = plumb(input, output) { input ; near ; output
 input ; far ; output
 input ; inner ; output }`
  const spent = await spend(t, spec, 'plumb --prices cent.json --max-cost 0.15 a.plumb', INPUT)
  t.ok(spent.billed <= 0.15 && spent.billed >= 0.12, `${spent.billed} dollars`)
  t.equal(spent.delivered, spent.model.asked.length, 'all that was paid for is delivered')
  t.match(spent, { status: 1, faults: [{ error: 'budget_spent', cost: spent.billed }] })
  for (const where of ['', VIA]) {
    const one = (url: string) => `let main : !string -> !string = ${agent(url, `${where}, concurrency: 4`)}`
    const counted = await spend(t, one, 'plumb --prices cent.json --max-cost 0.05 a.plumb', INPUT)
    t.match(counted, { faults: [{ error: 'budget_spent', calls: counted.model.asked.length }] }, `what was not sent is not a call ${where}`)
  }

  const looping = (url: string) => `let main : !string -> !string = ${agent(url, ', tools: [double]')}`
  const loop = await spend(t, looping, 'plumb --prices cent.json --max-cost 0.05 a.plumb', lines('a'), { calls: 'double' })
  t.ok(loop.billed <= 0.05 && loop.billed >= 0.03, `${loop.billed} dollars`)
  t.match(loop, { status: 1, out: '', faults: [{ error: 'budget_spent', seq: 1 }] })

  const alone = await spend(t, looping, 'plumb-agent --prices cent.json --max-cost 0.05 a.plumb', INPUT)
  t.ok(alone.billed <= 0.05 && alone.billed >= 0.03, `${alone.billed} dollars`)
  t.equal(alone.delivered, alone.model.asked.length)
  t.match(alone, { status: 1, faults: [{ error: 'budget_spent' }] })
})

t.test('an agent with max_cost stops, and the others go on', async (t) => {
  const spec = (url: string) => `
    let poor : !string -> !string = ${agent(url, ', max_cost: 0.03')}
    let rich : !string -> !string = ${agent(url)}
    let main : !string -> !string = plumb(input, output) { input ; poor ; map("poor") ; output
 input ; rich ; map("rich") ; output }`
  const spent = await spend(t, spec, 'plumb --prices cent.json a.plumb', INPUT)
  t.equal((spent.out.match(/rich/g) ?? []).length, 12)
  const poor = (spent.out.match(/poor/g) ?? []).length
  t.ok(poor > 0 && poor <= 3, `${poor} answers`)
  t.equal(spent.faults.length, 12 - poor)
  t.match(spent, { status: 1, faults: [{ error: 'budget_spent', limit: 'max_cost', seq: poor + 1 }] })
})

t.test('max_cost of an agent in a module of a module holds over its processes', async (t) => {
  const model = Object.assign(await openCountingModel(), { usage: CENT })
  t.teardown(() => model.close())
  const directory = makeTestDirectory({
    ...PRICES,
    'deep.plumb': `let poor : !string -> !string = ${agent(model.url, ', max_cost: 0.03')}`,
    'mid.plumb': 'use "./deep.plumb" as Deep\nlet step : !string -> !string = plumb(input, output) { input ; Deep.poor ; output }',
    'a.plumb':
      'use "./mid.plumb" as Mid\nlet main : !string -> !string = plumb(input, output) { input ; Mid.step ; output\n input ; Mid.step ; output }',
  })
  const env = { ...envIn(makeTestDirectory()), OPENAI_API_KEY: 'sk-CANARY' }
  const ran = await bash('plumb --prices cent.json a.plumb', { directory, env: { ...env, PATH: `${BIN}:${process.env.PATH}` } }, INPUT)
  t.match(ran, { status: 1, err: /"error":"budget_spent".*"limit":"max_cost"/ })
  t.ok(model.asked.length >= 1 && model.asked.length <= 3, `${model.asked.length} cents of 3`)
})

t.test('PLUMB_BUDGET holds over the calls of tools that were started by hand', async (t) => {
  const priced = (url: string) => agent(url).replace('"m"', '"gpt-4o"')
  const spec = (url: string) => `let asks : !string -> !string = ${priced(url)}\nlet ask : string -> string = tool { process: asks }`
  const requests = Array.from({ length: 6 }, (_, i) => `{"id":"${i}","name":"ask","input":"q${i}"}\n`).join('')
  const spent = await spend(t, spec, 'PLUMB_BUDGET=0.03 plumb-tool a.plumb serve', requests)
  const asked = spent.model.asked.length
  t.ok(asked >= 1 && asked <= 3, `${asked} requests of 0.00925 dollars`)
  t.equal((spent.out.match(/budget_spent/g) ?? []).length, 6 - asked)
  t.equal((await spend(t, spec, 'plumb-tool a.plumb serve', requests)).model.asked.length, 6)
})

t.test('a program gets what is left, counted by what it reports, and ended', async (t) => {
  const { shell } = makeShell({
    ...PRICES,
    'reported.plumb': 'let main : !string -> !string = agent { command: ["sh", "-c", "echo \\"\\\\\\"$PLUMB_BUDGET\\\\\\"\\""] }\n',
    'spends.sh': `while read -r line; do echo '{"kind":"usage","input_tokens":0,"output_tokens":1000,"model":"m"}' >&3; echo "$line"; done\n`,
    'odd.sh': `while read -r line; do echo '{"kind":"usage","input_tokens":0,"output_tokens":1,"model":"no such"}' >&3; echo "$line"; done\n`,
    'spends.plumb': 'let main : !string -> !string = agent { command: ["sh", "spends.sh"], sandbox: false }\n',
    'odd.plumb': 'let main : !string -> !string = agent { command: ["sh", "odd.sh"], sandbox: false }\n',
  })
  t.match(await shell('plumb --max-cost 0.25 reported.plumb', lines('a')), { out: '"0.25"\n' })
  // Its answers may be read before what it reports of them: of 8 at once, and of what is in the pipes.
  const many = lines(...Array.from({ length: 500 }, (_, i) => `${i}`))
  const spent = await shell('plumb --prices cent.json --max-cost 0.03 spends.plumb', many)
  const delivered = spent.out.split('\n').length - 1
  t.ok(delivered >= 3 && delivered < 500, `${delivered} answers, of which at most 8 were with it at once`)
  t.match(spent.err, /"error":"budget_spent"/)
  const odd = await shell('plumb --prices cent.json --max-cost 5 odd.plumb', INPUT)
  t.match(odd.err, /"warning":"usage_unknown".*no price is known for 'no such'.*\n.*"error":"budget_spent"/)
})

t.test('a model without a price, a bill over its reserve, an agent elsewhere that cannot start', async (t) => {
  const spec = (url: string) => `let main : !string -> !string = ${agent(url)}`
  for (const run of ['plumb --max-cost 1 a.plumb', 'plumb-agent --max-cost 1 a.plumb']) {
    const none = await spend(t, spec, run, lines('a'))
    t.match(
      none,
      { status: 2, out: '', faults: [{ error: 'config_invalid', detail: /no price is known for model 'm'.*--prices.*price_as/ }] },
      run,
    )
    t.equal(none.model.asked.length, 0)
  }
  const free = await spend(
    t,
    () => 'let main : !string -> !string = agent { provider: "eliza", model: "doctor" }',
    'plumb --max-cost 0.000000001 a.plumb',
    lines('a'),
  )
  t.match(free, { status: 0, faults: [] })
  const over = await spend(t, spec, 'plumb --prices cent.json --max-cost 5 a.plumb', INPUT, {
    usage: { prompt_tokens: 10, completion_tokens: 90_000 },
  })
  t.equal(over.model.asked.length, 1)
  t.match(over, { status: 1, faults: [{ warning: 'usage_unknown' }, { error: 'budget_spent' }] })
  for (const run of ['plumb --max-calls 1 a.plumb', 'plumb --prices cent.json --max-cost 1 a.plumb']) {
    const lost = await spend(
      t,
      (url) => `let main : !string -> !string = ${agent(url, ', via: ["/bin/sh", "-c"]').replace(url, 'https://api.openai.com')}`,
      run,
      lines('a'),
    )
    t.match(lost, { status: 2, out: '', faults: [{ error: 'missing_key' }] }, run)
  }
})

t.test('a provider is asked no more often in a minute than the rate says, by all agents together', async (t) => {
  const two = (more: string) => (url: string) =>
    `
    let near : !string -> !string = ${agent(url, `${more}, concurrency: 4`)}
    let far : !string -> !string = ${agent(url, `${more}${VIA}, concurrency: 4`)}
    let main : !string -> !string = plumb(input, output) { input ; near ; output\n input ; far ; output }`
  const runs = [
    { spec: two(''), run: 'plumb --rate openai=3 --deadline 3 a.plumb' },
    { spec: two(', rate: { requests: 3 }'), run: 'plumb --deadline 3 a.plumb' },
    { spec: two(''), run: 'plumb --rate openai=/5000 --deadline 3 a.plumb' },
  ]
  for (const [i, { spec, run }] of runs.entries()) {
    const limited = await spend(t, spec, run, INPUT)
    t.equal(limited.delivered, limited.model.asked.length, run)
    if (i < 2) t.equal(limited.model.asked.length, 3, run)
    else
      t.ok(
        limited.model.asked.length >= 2 && limited.model.asked.length <= 4,
        `${limited.model.asked.length} requests of 1,000 tokens each, and one reserved`,
      )
  }
  const other = await spend(t, two(''), 'plumb --rate anthropic=1 a.plumb', INPUT)
  t.match(other, { status: 0, delivered: 24 }, 'that of another provider is not its')
  const wrong = await spend(t, two(''), 'plumb --rate openai a.plumb', INPUT)
  t.match(wrong, { status: 2, faults: [{ error: 'usage' }] })
})

t.test('what a run had spent when it stopped counts when it is gone on with', async (t) => {
  const spec = (url: string) => `let main : !string -> !string = ${agent(url)}`
  const script = `for dollars in 0.04 0.04 0.08; do
    mode=--resume; [ -e rec ] || mode=--record
    plumb --prices cent.json $mode rec --max-cost $dollars a.plumb < in.jsonl | wc -l
  done`
  const spent = await spend(t, spec, `cat > in.jsonl; ${script}`, INPUT)
  t.ok(spent.billed <= 0.08 && spent.billed >= 0.06, `${spent.billed} dollars`)
  const [first = 0, same = 0, more = 0] = spent.out.split('\n').map(Number)
  t.equal(same, first, 'the same limit gives nothing more')
  t.equal(more, spent.model.asked.length, 'and nothing is asked twice')
  t.match(spent.faults, [{ cost: first / 100 }, { cost: first / 100 }, { cost: more / 100 }])
  const version = await spend(t, spec, 'plumb --version; plumb-agent --version', '')
  t.match(version.out, /^(\d+\.\d+\.\d+\nprices: @pydantic\/genai-prices [^\n]*\n){2}$/)
})
