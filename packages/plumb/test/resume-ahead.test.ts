// long
// A resumed run asks what is new before it gives the recorded answers in front of it, and is in all else the run that asks in turn: the one
// without an index of its record. A model on loopback holds its answers back until it is told to give them.

import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join, resolve } from 'node:path'
import t, { type Test } from 'tap'
import { readIndexLine, sumOf, writeIndexLine } from '../../runtime/src/record/answer-index.js'
import { scaled } from '../../wire/test/patience.js'
import { envIn, makeTestDirectory } from '../../wire/test/shell.js'

const PLUMB = resolve('packages/plumb/bin/plumb')

/** It refuses what begins with `bad`, numbers its answers, and holds them back while a test says so. */
class Model {
  asked: string[] = []
  most = 0
  holds: (text: string) => boolean = () => false
  #held: { readonly text: string; readonly response: ServerResponse }[] = []
  #inFlight = 0
  #whenAsked: (() => void)[] = []

  readonly server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { messages } = JSON.parse(Buffer.concat(chunks).toString('utf8'))
      const text = messages.at(-1).content as string
      this.asked.push(text.slice(0, 20))
      this.most = Math.max(this.most, ++this.#inFlight)
      if (this.holds(text)) this.#held.push({ text, response })
      else this.#answer(text, response)
      for (const notify of this.#whenAsked.splice(0)) notify()
    })
  })

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/v1`
  }

  /** Resolves when it has been asked that. */
  async isAsked(text: string): Promise<void> {
    while (!this.asked.includes(text)) await new Promise<void>((done) => this.#whenAsked.push(done))
  }

  /** It never answers these, not even to an agent that outlives its run for a moment. */
  drop(): void {
    this.holds = () => false
    for (const { response } of this.#held.splice(0)) response.destroy()
    this.#inFlight = 0
  }

  release(): void {
    this.holds = () => false
    for (const { text, response } of this.#held.splice(0)) this.#answer(text, response)
  }

  #answer(text: string, response: ServerResponse): void {
    this.#inFlight--
    const isBad = text.startsWith('bad')
    response.writeHead(isBad ? 400 : 200, { 'content-type': 'application/json' })
    const message = { role: 'assistant', content: `to ${text}` }
    const usage = { prompt_tokens: 10, completion_tokens: 5 }
    const answer = { model: 'm', choices: [{ finish_reason: 'stop', message }], usage }
    response.end(isBad ? '{"error":{"message":"no"}}' : JSON.stringify(answer))
  }
}

interface Place {
  readonly model: Model
  readonly directory: string
}

const AGENT = (url: string, more: string) =>
  `agent { provider: "openai", model: "m", endpoint: "${url}", stream: false, transport_retries: 0, amnesiac: true${more} }`

const SPECS: Readonly<Record<string, (url: string) => string>> = {
  one: (url) => `let main : !string -> !string = ${AGENT(url, ', concurrency: 4')}`,
  'one at a time': (url) => `let main : !string -> !string = ${AGENT(url, '')}`,
  unordered: (url) => `let main : !string -> !string = ${AGENT(url, ', concurrency: 4, unordered: true')}`,
  'with defaults': (url) => `
    let a : !{ text: string, more: int = 1 } -> !string = ${AGENT(url, ', concurrency: 4')}
    let main : !{ text: string, more: int = 1 } -> !string = a`,
  'with others behind it': (url) => `
    let a : !string -> !string = ${AGENT(url, ', concurrency: 4')}
    let b : !string -> !string = ${AGENT(url, ', concurrency: 4')}
    let main : !string -> !string = plumb(input, output) { input ; a ; filter(not contains(value, "m2")) ; b ; output }`,
}

/** From a file, which is never slow, or `pipe`. */
const start = (t: Test, { model, directory }: Place, args: readonly string[], inputs: readonly string[] | 'pipe') => {
  const file = join(directory, 'inputs')
  if (inputs !== 'pipe') writeFileSync(file, inputs.map((input) => `${input}\n`).join(''))
  const command = inputs === 'pipe' ? 'exec "$@"' : `exec "$@" < '${file}'`
  const env = { ...envIn(directory), OPENAI_API_KEY: 'k' }
  const child = spawn('bash', ['--norc', '-c', command, 'bash', PLUMB, ...args, 'a.plumb'], { cwd: directory, env, stdio: 'pipe' })
  t.teardown(() => child.kill('SIGKILL'))
  let err = ''
  child.stderr.on('data', (chunk) => {
    err += chunk
  })
  child.stdin.on('error', () => {})
  const before = model.asked.length
  const ended = once(child, 'close').then(([status, signal]) => ({
    err,
    status: (status ?? signal) as number | string,
    asked: model.asked.slice(before).sort(),
  }))
  return { child, ended }
}

const linesOf = (text: string): string[] => text.split('\n').filter((line) => line !== '')

const textOf = async ({ stdout }: ChildProcessWithoutNullStreams): Promise<string> => {
  let text = ''
  for await (const chunk of stdout.setEncoding('utf8')) text += chunk
  return text
}

const run = async (t: Test, place: Place, args: readonly string[], inputs: readonly string[]) => {
  const { child, ended } = start(t, place, args, inputs)
  const out = await textOf(child)
  return { out: linesOf(out), ...(await ended) }
}

const set = async (t: Test, spec: string, inputs: readonly string[], args: readonly string[] = []): Promise<Place> => {
  const model = new Model()
  await new Promise<void>((listening) => model.server.listen(0, '127.0.0.1', listening))
  t.teardown(() => {
    model.server.closeAllConnections()
    model.server.close()
  })
  const directory = makeTestDirectory({ 'a.plumb': (SPECS[spec] as (url: string) => string)(model.url) })
  const recorded = await run(t, { model, directory }, ['--record', 'rec', ...args], inputs)
  t.equal(recorded.status, inputs.some((input) => input.includes('"bad')) ? 1 : 0, recorded.err)
  model.most = 0
  return { model, directory }
}

const quoted = (texts: readonly string[]): string[] => texts.map((text) => JSON.stringify(text))

const count = (n: number, name = 'm'): string[] => Array.from({ length: n }, (_, i) => `${name}${i + 1}`)

const replaced = (texts: readonly string[], others: Readonly<Record<number, string>>): string[] =>
  texts.map((text, i) => others[i + 1] ?? text)

/** Changes a byte of the recorded answer to the n-th input. */
const damage = ({ directory }: Place, seq: number): void => {
  const file = join(directory, 'rec', 'answers.jsonl')
  const text = readFileSync(file, 'utf8')
  writeFileSync(file, text.replace(new RegExp(`("seq":${seq},.*)to m`), '$1to M'))
}

const withoutTimes = (line: string): string =>
  JSON.stringify(JSON.parse(line), (key, value: unknown) => (/ms$|seconds|per_second|rate/.test(key) ? undefined : value))

const filesIn = (record: string): Record<string, string[]> =>
  Object.fromEntries(
    readdirSync(record)
      .filter((name) => /^\d.*\.jsonl$/.test(name))
      .map((name) => [name, linesOf(readFileSync(join(record, name), 'utf8'))]),
  )

const RECORDED = count(30)

interface Situation {
  readonly spec?: string
  readonly recorded?: readonly string[]
  readonly inputs: readonly string[]
  readonly args?: readonly string[]
  readonly damaged?: readonly number[]
  readonly isUnordered?: boolean
}

const NEW = { 5: 'n5', 12: 'bad 12', 20: 'n20', 21: 'n21', 30: 'n30' }

const SITUATIONS: Readonly<Record<string, Situation>> = {
  'new at the end': { inputs: quoted([...RECORDED, 'n31', 'n32']) },
  'new among them, one of which is refused': { inputs: quoted(replaced(RECORDED, NEW)) },
  'refused last': { inputs: quoted([...RECORDED, 'n31', 'bad 32']) },
  'an agent that answers one at a time': { spec: 'one at a time', inputs: quoted(replaced(RECORDED, NEW)) },
  'answers in any order': { spec: 'unordered', inputs: quoted(replaced(RECORDED, NEW)), isUnordered: true },
  'more new than are asked at a time': { inputs: quoted([...RECORDED, ...count(20, 'n')]) },
  'lines that are none': {
    inputs: [...quoted(RECORDED.slice(0, 9)), '', '{', '7', ...quoted(RECORDED.slice(12)), '"n"', '  ', '8', '"bad"'],
  },
  'an envelope among them': { inputs: [...quoted(RECORDED), '{"__port":"input","msg":"n31"}', '"n32"'] },
  'a damaged answer in front': { inputs: quoted([...RECORDED, 'n31', 'n32']), damaged: [3, 17] },
  'and new ones behind it': { inputs: quoted(replaced(RECORDED, NEW)), damaged: [3, 6, 22] },
  'in any order': { spec: 'unordered', inputs: quoted(replaced(RECORDED, NEW)), damaged: [3, 6], isUnordered: true },
  'equal questions': {
    recorded: replaced(RECORDED, { 2: 'same', 9: 'same', 28: 'same' }),
    inputs: quoted([...replaced(RECORDED, { 2: 'same', 9: 'same', 15: 'same', 28: 'same' }), 'same', 'same']),
  },
  'equal questions, one of whose answers is damaged': {
    recorded: replaced(RECORDED, { 2: 'm', 9: 'm', 28: 'm' }),
    inputs: quoted([...replaced(RECORDED, { 2: 'm', 9: 'm', 15: 'm', 28: 'm' }), 'm', 'm']),
    damaged: [9],
  },
  'what was refused': { recorded: replaced(RECORDED, { 4: 'bad 4' }), inputs: quoted([...replaced(RECORDED, { 4: 'bad 4' }), 'n31']) },
  'the first error ends it': { inputs: quoted([...RECORDED, 'bad 31']), args: ['--fail-fast'] },
  'inputs that fail are kept': { inputs: quoted(replaced(RECORDED, NEW)), args: ['--rejects', 'rejects'] },
  'a budget that is spent': { spec: 'one at a time', inputs: quoted([...RECORDED, 'n31', 'n32']), args: ['--max-calls', '31'] },
  'text as it is': { inputs: [...RECORDED, 'n31', 'bad'], args: ['-R'] },
  'processes behind it': { spec: 'with others behind it', inputs: quoted(replaced(RECORDED, NEW)) },
  'inputs with defaults': {
    spec: 'with defaults',
    recorded: RECORDED.map((text) => JSON.stringify({ text })),
    inputs: [...RECORDED, 'n31', 'bad'].map((text) => JSON.stringify({ text })),
  },
}

for (const [name, { spec = 'one', recorded, inputs, args = [], damaged = [], isUnordered = false }] of Object.entries(SITUATIONS)) {
  t.test(name, async (t) => {
    const isRaw = args.includes('-R')
    const before = recorded ?? RECORDED
    const place = await set(t, spec, isRaw || before[0]?.startsWith('{') ? before : quoted(before), isRaw ? ['-R'] : [])
    for (const seq of damaged) damage(place, seq)
    cpSync(join(place.directory, 'rec'), join(place.directory, 'slow'), { recursive: true })
    rmSync(join(place.directory, 'slow', 'answers.index'))
    const resume = async (record: string) => {
      const ran = await run(t, place, ['--resume', record, '--summary', 'json', ...args], inputs)
      const rejects = args.includes('--rejects') ? readFileSync(join(place.directory, 'rejects'), 'utf8') : ''
      const err = linesOf(ran.err).map(withoutTimes).sort()
      const files = filesIn(join(place.directory, record))
      return { ...ran, out: isUnordered ? ran.out.sort() : ran.out, err, rejects, files: isUnordered ? {} : files }
    }
    const [slow, fast] = [await resume('slow'), await resume('rec')]
    t.same(fast, slow)
    const again = await resume('rec')
    t.same([again.out, again.asked.filter((text) => !text.startsWith('bad'))], [fast.out, []], 'nothing is asked twice')
    t.ok(place.model.most <= 4, `${place.model.most} at a time`)
  })
}

/** More than pipes and buffers hold, and than is kept in memory of what is read ahead. */
const LONG = count(60).map((text) => `${text} ${'.'.repeat(100_000)}`)

/** Resumed with more inputs, while its output is not read. */
const resumeUnread = async (t: Test, texts: readonly string[], more: readonly string[], holds = false) => {
  const place = await set(t, 'one', quoted(texts))
  place.model.holds = () => holds
  const inputs = quoted([...texts, ...more])
  const started = start(t, place, ['--resume', 'rec'], inputs)
  return { place, inputs, ...started, out: [...texts, ...more].map((text) => JSON.stringify(`to ${text}`)) }
}

/** Until the record holds the answer to that. */
const isKept = async ({ directory }: Place, text: string): Promise<void> => {
  const kept = join(directory, 'rec', 'kept-answers')
  const until = Date.now() + scaled(30_000)
  const holds = () =>
    readdirSync(kept).some((name) => name.endsWith('.jsonl') && readFileSync(join(kept, name), 'utf8').includes(`to ${text}`))
  while (!holds()) {
    if (Date.now() > until) throw new Error(`the answer to ${text} is not kept`)
    await new Promise((later) => setTimeout(later, 10))
  }
}

t.test('what is new is asked before the recorded answers are read, and its answer waits for them', async (t) => {
  const { place, child, ended, out } = await resumeUnread(t, LONG, ['n1', 'n2', 'n3', 'n4', 'n5', 'n6'])
  await place.model.isAsked('n4')
  t.same(linesOf(await textOf(child)), out)
  const { status, asked } = await ended
  t.same([status, asked], [0, count(6, 'n')])
  t.ok(place.model.most <= 4, `${place.model.most} at a time`)
})

t.test('killed before recorded answers are read, when the new one is kept: it is not asked again', async (t) => {
  const { place, child, ended, inputs, out } = await resumeUnread(t, LONG, ['n1'])
  await isKept(place, 'n1')
  child.kill('SIGKILL')
  await ended
  const again = await run(t, place, ['--resume', 'rec'], inputs)
  t.same([again.out, again.status, again.asked], [out, 0, []])
})

t.test('killed while the new one is in flight: it is asked again', async (t) => {
  const { place, child, ended, inputs, out } = await resumeUnread(t, LONG, ['n1'], true)
  await place.model.isAsked('n1')
  child.kill('SIGKILL')
  await ended
  place.model.drop()
  const again = await run(t, place, ['--resume', 'rec'], inputs)
  t.same([again.out, again.status, again.asked], [out, 0, ['n1']])
})

t.test('its reader leaves: what was asked early is kept', async (t) => {
  const { place, child, ended, inputs, out } = await resumeUnread(t, LONG, count(10, 'n'))
  await isKept(place, 'n4')
  child.stdout.destroy()
  const { status, err, asked } = await ended
  t.same([status, err, asked], [0, '', count(4, 'n')])
  const again = await run(t, place, ['--resume', 'rec'], inputs)
  t.same([again.out, again.asked], [out, count(10, 'n').slice(4).sort()])
})

t.test('stopped by a signal while the new one is in flight: its answer is waited for, and not asked for again', async (t) => {
  const { place, child, ended, inputs, out } = await resumeUnread(t, LONG, ['n1'], true)
  await place.model.isAsked('n1')
  child.kill('SIGINT')
  await once(child.stderr, 'data')
  place.model.release()
  const some = linesOf(await textOf(child))
  t.same([(await ended).status, some], ['SIGINT', out.slice(0, some.length)])
  const again = await run(t, place, ['--resume', 'rec'], inputs)
  t.same([again.out, again.status, again.asked], [out, 0, []])
})

t.test('an input that comes slowly is answered as it comes', async (t) => {
  const place = await set(t, 'one', quoted(RECORDED))
  const { child, ended } = start(t, place, ['--resume', 'rec'], 'pipe')
  let out = ''
  child.stdout.setEncoding('utf8')
  for (const text of ['m1', 'm2', 'n3', 'm4']) {
    child.stdin.write(`${JSON.stringify(text)}\n`)
    while (!out.includes(`to ${text}"`)) out += (await once(child.stdout, 'data'))[0]
  }
  child.stdin.end()
  t.same([(await ended).status, (await ended).asked], [0, ['n3']])
})

t.test('a thousand answers wait behind one that is slow, and another is new behind them', async (t) => {
  const texts = count(1500)
  const place = await set(t, 'one', quoted(texts))
  damage(place, 1300)
  place.model.holds = (text) => text === 'n1'
  const inputs = quoted(replaced(texts, { 1: 'n1', 1400: 'n1400' }))
  const { child, ended } = start(t, place, ['--resume', 'rec'], inputs)
  await place.model.isAsked('n1400')
  place.model.release()
  t.same(
    linesOf(await textOf(child)),
    inputs.map((input) => `"to ${JSON.parse(input)}"`),
  )
  t.same([(await ended).status, (await ended).asked], [0, ['n1', 'n1400']])
})

t.test('a change anywhere in a line of the index is noticed', (t) => {
  const key = { hash: 'a1'.repeat(32), nth: 3, place: 'main.a' }
  const one = { offset: 123_456, bytes: 789, output: 300, sum: '0123456789abcdef', digest: 'b2'.repeat(16), key }
  const line = Buffer.from(writeIndexLine(one))
  t.same(readIndexLine(line), one)
  const unnoticed = [...line.keys()].filter((at) => readIndexLine(Buffer.from(line.map((byte, i) => (i === at ? byte ^ 1 : byte)))))
  t.same(unnoticed, [])
  t.end()
})

t.test('a sum is that of the bytes, wherever they stand', (t) => {
  for (const length of [0, 1, 3, 4, 7, 8, 9, 12, 15, 16, 150]) {
    const bytes = Uint8Array.from({ length }, (_, i) => (i * 89 + 201) & 0xff)
    const sums = [0, 1, 2, 3].map((at) => {
      const around = new Uint8Array(length + 4)
      around.set(bytes, at)
      return sumOf(around.subarray(at, at + length))
    })
    t.same(new Set(sums).size, 1, `${length} bytes`)
  }
  t.end()
})
