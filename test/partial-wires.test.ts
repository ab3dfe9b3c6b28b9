// Answers while they grow, by the executables: over each wire, through a stream that breaks, an answer that does not fit, and rounds of tools.

import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import t, { type Test } from 'tap'
import { open, partialOf } from '../packages/client/src/index.js'
import { scaled } from '../packages/wire/test/patience.js'
import { bash, makeTestDirectory, TEST_PATH } from '../packages/wire/test/shell.js'
import { eventsOf, serve } from './serving.js'
import { openTalkingModel, type TalkingModel, type Turn } from './talking-model.js'
import type { Wire } from './talking-wires.js'

const PROVIDERS: Readonly<Record<Wire, string>> = {
  messages: 'provider: "anthropic"',
  chat: 'provider: "openai", wire: "chat"',
  responses: 'provider: "openai", wire: "responses"',
}
const specOf = (wire: Wire, url: string, more = ''): string => `
type Triage = { team: "billing" | "tech", tags: [string] }
let lookup : { name: string } -> string = tool { mock: "found" }
@serve let triage : !string -> !Triage = agent {
  ${PROVIDERS[wire]}, model: "m", endpoint: "${url}${wire === 'messages' ? '' : '/v1'}"
  partial: true, amnesiac: true, max_retries: 1, transport_retries: 1, tools: [lookup]${more}
}
let main : !string -> !Triage = triage
`
const ENV = { PATH: TEST_PATH, HOME: '/nonexistent', PLUMB_ERRORS: 'json', OPENAI_API_KEY: 'sk-test', ANTHROPIC_API_KEY: 'sk-test' }

interface Told {
  readonly kind: 'partial' | 'output' | 'error'
  readonly seq?: number
  readonly agent?: string
  readonly value?: unknown
  readonly open?: readonly string[]
}

/** What was told, in its order. */
class Telling {
  readonly all: Told[] = []
  readonly #waiting = new Set<() => void>()

  add(told: Told): void {
    this.all.push(told)
    for (const look of this.#waiting) look()
  }

  /** Resolves when so many fit. */
  until(fits: (told: Told) => boolean, count = 1): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`told: ${JSON.stringify(this.all)}`)), scaled(30_000))
      const look = (): void => {
        if (this.all.filter(fits).length < count) return
        this.#waiting.delete(look)
        clearTimeout(timer)
        resolve()
      }
      this.#waiting.add(look)
      look()
    })
  }
}

type Way = (t: Test, spec: string, inputs: readonly string[], telling: Telling, args?: readonly string[]) => Promise<void>

const linesOf = async (stream: Readable, take: (line: Record<string, unknown>) => void): Promise<void> => {
  for await (const line of createInterface({ input: stream })) take(JSON.parse(line) as Record<string, unknown>)
}

const byAgent: Way = async (_t, spec, inputs, telling, args = []) => {
  const cwd = makeTestDirectory({ 'a.plumb': spec })
  const child = spawn(join(process.cwd(), 'packages/plumb-agent/bin/plumb-agent'), ['--telemetry', ...args, 'a.plumb'], {
    cwd,
    env: ENV,
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
  })
  child.stdin?.end(inputs.map((input) => `${JSON.stringify(input)}\n`).join(''))
  await Promise.all([
    linesOf(child.stdio[3] as Readable, (told) => told.kind === 'partial' && telling.add(told as unknown as Told)),
    linesOf(child.stdout as Readable, (value) => telling.add({ kind: 'output', value })),
    linesOf(child.stderr as Readable, ({ error }) => error && telling.add({ kind: 'error' })),
  ])
}

const byClient = async (target: Parameters<typeof open>[0], inputs: readonly string[], telling: Telling): Promise<void> => {
  const client = await open(target)
  for await (const item of client.stream('triage', inputs, { events: ['partial'] })) {
    const part = partialOf(item)
    if (part) telling.add({ ...(item.event as object), seq: item.seq } as Told)
    else telling.add(item.value === undefined ? { kind: 'error' } : { kind: 'output', value: item.value, seq: item.seq })
  }
  await client.close()
}

const byPlumb: Way = (_t, spec, inputs, telling, args = []) =>
  byClient(
    {
      args,
      spec: 'a.plumb',
      cwd: makeTestDirectory({ 'a.plumb': spec }),
      env: ENV,
      plumb: join(process.cwd(), 'packages/plumb/bin/plumb'),
    },
    inputs,
    telling,
  )

const byServer: Way = async (_t, spec, inputs, telling) => {
  const server = await serve({ 'a.plumb': spec }, { env: ENV })
  await byClient({ url: server.url }, inputs, telling)
  await server.stop()
}

const WAYS: Readonly<Record<string, Way>> = { 'plumb-agent': byAgent, plumb: byPlumb, 'plumb-serve': byServer }

const [HALF, REST] = ['{"team": "billing", "tags": ["ur', 'gent"]}']
const WHOLE = { team: 'billing', tags: ['urgent'] }
const isHalf = ({ value }: Told): boolean => JSON.stringify(value) === '{"team":"billing","tags":["ur"]}'

/** Each attempt says half, which is seen before it goes on. */
const half = async (model: TalkingModel, telling: Telling, count: number, before = ''): Promise<Turn> => {
  const turn = await model.turn()
  turn.think('hm')
  turn.say(`${before}${HALF}`)
  await telling.until(isHalf, count)
  return turn
}

const talk = async (model: TalkingModel, telling: Telling): Promise<void> => {
  const broken = await half(model, telling, 1)
  broken.cut()
  const unfit = await half(model, telling, 2)
  unfit.say('gent"], "more": 1}')
  unfit.end()
  const calling = await half(model, telling, 3)
  calling.call('lookup', { name: 'x' })
  calling.end()
  const last = await half(model, telling, 4, 'Here it is:\n```json\n')
  last.say(`${REST}\n\`\`\``)
  last.end()
}

/** What the model says, and what is told meanwhile, until both are over; one that ends before all is said has failed. */
const both = async (told: Promise<void>, said: Promise<void>, telling: Telling): Promise<void> => {
  let isSaid = false
  const saying = said.then(() => {
    isSaid = true
  })
  const telled = told.then(() => {
    if (!isSaid) throw new Error(`it has ended: ${JSON.stringify(telling.all)}`)
  })
  await Promise.race([saying, telled])
  await telled
}

const checkTold = (t: Test, all: readonly Told[], seq: number, what: string): void => {
  const partials = all.filter(({ kind }) => kind === 'partial')
  t.match(partials, new Array(partials.length).fill({ seq, agent: 'triage' }), what)
  t.equal(all.at(-1)?.kind, 'output', `${what}: nothing behind it`)
  t.strictSame(all.at(-1)?.value, WHOLE, what)
  t.strictSame([partials.at(-1)?.value, partials.at(-1)?.open], [WHOLE, []], `${what}: the last is the output`)
  const begun = partials.flatMap((one, i) => (one.value === undefined ? [i] : []))
  t.equal(begun.length, 3, `${what}: each further attempt begins with an empty one`)
  for (const i of begun) t.strictSame(partials[i]?.open, [''], what)
  t.equal(partials.filter(({ open }) => open?.length === 0).length, 1, `${what}: no other is final`)
}

for (const wire of ['messages', 'chat', 'responses'] as const)
  for (const [by, way] of Object.entries(WAYS))
    t.test(`${wire} by ${by}`, async (t) => {
      const model = await openTalkingModel(wire)
      t.teardown(() => model.close())
      const telling = new Telling()
      const said = talk(model, telling)
      await both(way(t, specOf(wire, model.url), ['x'], telling), said, telling)
      checkTold(t, telling.all, 1, `${wire} by ${by}`)
    })

/** What is told of each input, in its order. */
const bySeq = (all: readonly Told[]): Record<string, string[]> => {
  const told: Record<string, string[]> = {}
  for (const { kind, seq, value, open = [] } of all) {
    const text = kind === 'partial' ? `${JSON.stringify(value) ?? ''} ${open.join()}` : `${kind} ${JSON.stringify(value) ?? ''}`
    const key = String(seq ?? 0)
    told[key] = [...(told[key] ?? []), text]
  }
  return told
}

t.test('behind via, by plumb and by plumb-serve', async (t) => {
  for (const [by, way] of Object.entries(WAYS)) {
    if (by === 'plumb-agent') continue
    const model = await openTalkingModel('chat')
    t.teardown(() => model.close())
    const telling = new Telling()
    const said = talk(model, telling)
    await both(way(t, specOf('chat', model.url, ', via: ["sh", "-c"]'), ['x'], telling), said, telling)
    checkTold(t, telling.all, 1, `via by ${by}`)
  }
})

const LISTS = (wire: Wire, url: string): string => `
@serve let triage : !string -> ![string] = agent {
  ${PROVIDERS[wire]}, model: "m", endpoint: "${url}${wire === 'messages' ? '' : '/v1'}"
  amnesiac: true, concurrency: 2, unordered: true, max_retries: 0, transport_retries: 0
}
let main : !string -> ![string] = triage
`

t.test('several at once, wrapped as structured output wants it, and turned on by the command line', async (t) => {
  for (const wire of ['messages', 'chat', 'responses'] as const)
    for (const [by, way] of Object.entries(WAYS)) {
      if (by === 'plumb-serve') continue
      const model = await openTalkingModel(wire)
      t.teardown(() => model.close())
      const telling = new Telling()
      const talking = async (): Promise<void> => {
        const turns = [await model.turn(), await model.turn()]
        const of = (input: string): Turn => turns.find(({ body }) => JSON.stringify(body).includes(input)) as Turn
        const grown = (text: string) => telling.until(({ value }) => JSON.stringify(value) === text)
        of('second').say('{"value": ["b')
        await grown('["b"]')
        of('first').say('{"value": ["a')
        await grown('["a"]')
        of('second').say('b"]}')
        of('second').end()
        await telling.until(({ kind }) => kind === 'output')
        of('first').say('a", ')
        await grown('["aa"]')
        of('first').cut()
      }
      await both(way(t, LISTS(wire, model.url), ['first', 'second'], telling, ['--partial']), talking(), telling)
      const { 1: first = [], 2: second = [] } = bySeq(telling.all.filter(({ kind }) => kind === 'partial'))
      t.strictSame(second, ['["b"] ,/0', '["bb"] '], `${wire} by ${by}`)
      t.strictSame(first, ['["a"] ,/0', '["aa"] '], `${wire} by ${by}: no end of what failed`)
      t.strictSame(telling.all.filter(({ kind }) => kind === 'error').length, 1, `${wire} by ${by}`)
    }
})

const PROGRAM = `#!/usr/bin/env node
const { createInterface } = require('node:readline')
const { writeSync } = require('node:fs')
let seq = 0
const tell = (text, open) => writeSync(3, '{"kind":"partial","value":{"text":"' + text + '","big":1.50},"open":' + open + ',"seq":' + seq + '}\\n')
const write = (line) => writeSync(1, JSON.stringify({ seq, ...line }) + '\\n')
createInterface({ input: process.stdin }).on('line', () => {
  seq++
  for (const text of ['one', 'two']) {
    tell(text.slice(0, 1), '["","/text"]')
    tell(text, '[]')
    write({ value: { text } })
  }
  write({ done: true })
})
`
const TWICE = `
type Note = { text: string }
let pair : !string -> !Note = agent { command: ["./pair.sh"], answers: "numbered" }
let inner : !string -> !Note = plumb(input, output) { input ; filter(value != "not me") ; pair ; output }
@serve let triage : !string -> !Note = plumb(input, output) { input ; filter(value != "no") ; inner ; output }
let main : !string -> !Note = triage
`

t.test('two outputs of one input, by a program behind others, which is sent fewer inputs', async (t) => {
  const files = { 'a.plumb': TWICE, 'pair.sh': PROGRAM }
  const cwd = makeTestDirectory(files)
  const server = await serve(files)
  const here = { spec: 'a.plumb', cwd, env: ENV, plumb: join(process.cwd(), 'packages/plumb/bin/plumb') }
  const inputs = ['no', 'a', 'not me', 'no', 'b']
  for (const [by, target] of [['plumb', here] as const, ['plumb-serve', { url: server.url }] as const]) {
    const telling = new Telling()
    await byClient(target, inputs, telling)
    const told = bySeq(telling.all)
    t.strictSame(Object.keys(told), ['2', '5'], by)
    const of = (isOutput: boolean) => Object.values(told).map((one) => one.filter((text) => text.startsWith('output') === isOutput))
    const partials = [
      '{"text":"o","big":1.5} ,/text',
      '{"text":"one","big":1.5} ',
      '{"text":"t","big":1.5} ,/text',
      '{"text":"two","big":1.5} ',
    ]
    t.strictSame(of(false), [partials, partials], by)
    t.strictSame(of(true), new Array(2).fill(['output {"text":"one"}', 'output {"text":"two"}']), by)
  }
  await server.stop()
  const recording = await serve(files, { args: ['--record', 'runs'] })
  const headers = { prefer: 'respond-async', 'content-type': 'application/x-ndjson' }
  const body = inputs.map((one) => `"${one}"\n`).join('')
  const { headers: run } = await recording.call('/triage?events=partial', body, { headers })
  const { text } = await recording.call(`${run.location}/events`)
  const seqs = eventsOf(text).flatMap(({ event, data }) => (event === 'partial' ? [data.seq] : []))
  t.strictSame(seqs, [2, 2, 2, 2, 5, 5, 5, 5], 'in a run that is recorded')
  await recording.stop()
  const raw = await bash(
    'plumb run --telemetry a.plumb 3> told; grep partial told',
    { directory: cwd },
    inputs.map((one) => `"${one}"\n`).join(''),
  )
  t.match(raw.out, '"big":1.50},"open":["","/text"],"seq":5}', 'a line keeps its bytes, but the number')
})
