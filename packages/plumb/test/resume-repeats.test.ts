// long
// A resumed run that gives recorded answers again without asking its agents does what one does that asks them all: from one record, killed
// anywhere, once with its index and once without. The seed of all that is random is printed.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join, resolve } from 'node:path'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { readIndexLine, writeIndexLine } from '../../runtime/src/record/answer-index.js'
import { holds, runs } from '../../wire/test/property.js'
import { envIn, makeTestDirectory } from '../../wire/test/shell.js'

const PLUMB = resolve('packages/plumb/bin/plumb')

/** It numbers its answers to equal questions, refuses `bad` for good, and may be away for `away`. */
class Model {
  asked: string[] = []
  /** Questions that are answered before it holds all others. */
  left = 0
  isAway = true
  /** Of the run that is answered: what a killed one has started may outlive it for a moment. */
  key = ''
  readonly #held: ServerResponse[] = []
  onHeld: () => void = () => {}

  readonly server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      if (request.headers.authorization !== `Bearer ${this.key}`) return void response.destroy()
      const { messages } = JSON.parse(Buffer.concat(chunks).toString('utf8'))
      this.#answer(messages.at(-1).content as string, response)
    })
  })

  #answer(text: string, response: ServerResponse): void {
    if (this.left-- <= 0) {
      this.#held.push(response)
      return this.onHeld()
    }
    const nth = this.asked.push(text) && this.asked.filter((other) => other === text).length
    const status = text.includes('bad') ? 400 : text.includes('away') && this.isAway ? 503 : 200
    response.writeHead(status, { 'content-type': 'application/json' })
    if (status !== 200) return void response.end('{"error":{"message":"no"}}')
    const message = { role: 'assistant', content: `${text} #${nth}` }
    const usage = { prompt_tokens: 10, completion_tokens: 5 }
    response.end(JSON.stringify({ model: 'm', choices: [{ finish_reason: 'stop', message }], usage }))
  }

  drop(): void {
    for (const response of this.#held.splice(0)) response.destroy()
  }
}

const AGENT = (url: string, more: string) =>
  `!string -> !string = agent { provider: "openai", model: "m", endpoint: "${url}", stream: false, transport_retries: 0${more} }`
const FORGETS = ', amnesiac: true, concurrency: 4'

const SPECS: Readonly<Record<string, (url: string) => string>> = {
  one: (url) => `let main : ${AGENT(url, FORGETS)}`,
  unordered: (url) => `let main : ${AGENT(url, `${FORGETS}, unordered: true`)}`,
  'with one that remembers': (url) => `
    let a : ${AGENT(url, FORGETS)}
    let b : ${AGENT(url, '')}
    let main : !string -> !string = plumb(input, output) { input ; map(value + "!") ; a ; b ; filter(not contains(value, "m2")) ; output }`,
  'joined by a barrier': (url) => `
    let a : ${AGENT(url, FORGETS)}
    let b : ${AGENT(url, '')}
    let main : !string -> !(string, string, string) = plumb(input, output) { input ; (a * b * id) ; barrier ; output }`,
  'with a nested plumb': (url) => `
    let a : ${AGENT(url, FORGETS)}
    let inner : !string -> !string = plumb(input, output) { input ; a ; output }
    let main : !string -> !string = plumb(input, output) { input ; a ; inner ; output }`,
  'that falls back': (url) => `
    let a : ${AGENT(url, FORGETS)}
    let b : ${AGENT(url, ', amnesiac: true')}
    let main : !string -> !string = plumb(input, output) { input ; (a + b) ; output }`,
}

interface Ran {
  readonly out: string[]
  readonly err: string[]
  readonly status: number | null
  readonly asked: string[]
  readonly files: Readonly<Record<string, string[]>>
}

const linesOf = (text: string): string[] => text.split('\n').filter((line) => line.trim() !== '')

const filesIn = (record: string): Record<string, string[]> =>
  Object.fromEntries(
    readdirSync(record)
      .filter((name) => /^(\d.*|answers)\.jsonl$/.test(name))
      .map((name) => [name, linesOf(readFileSync(join(record, name), 'utf8')).sort()]),
  )

const withoutTimes = (line: string): string =>
  JSON.stringify(JSON.parse(line), (key, value: unknown) => (/ms$|seconds|per_second|rate/.test(key) ? undefined : value))

interface Answered {
  readonly process: string
  readonly seq: number
  readonly output?: string
}

const answersIn = (lines: readonly string[]): Answered[] =>
  lines.flatMap((line): Answered[] => {
    try {
      const one = JSON.parse(line)
      return one.output === undefined ? [] : [one]
    } catch {
      return []
    }
  })

/** What agents that forget had answered before the kill is still the answer to that input, and no answer is given twice. */
const wrongAnswers = (lines: readonly string[], before: readonly Answered[]): string | undefined => {
  const now = answersIn(lines)
  const lost = before.filter(
    ({ process, seq, output }) => process !== 'b' && !now.some((n) => n.process === process && n.seq === seq && n.output === output),
  )
  const outputs = now.map(({ output }) => output)
  const isRight = lost.length === 0 && new Set(outputs).size === outputs.length
  return isRight ? undefined : JSON.stringify({ lost, now, before }, null, 1)
}

const DAMAGES = ['none', 'torn', 'shifted', 'other bytes', 'answers', 'older'] as const

/** Changes the index, or the answers that it is of. */
const damage = (record: string, kind: (typeof DAMAGES)[number], at: number): void => {
  const [index, answers] = [join(record, 'answers.index'), join(record, 'answers.jsonl')]
  const bytes = readFileSync(index)
  const place = Math.floor(at * bytes.length)
  if (kind === 'torn') writeFileSync(index, bytes.subarray(0, place))
  if (kind === 'older') writeFileSync(index, bytes.subarray(bytes.indexOf(10, place) + 1))
  if (kind === 'other bytes') writeFileSync(index, Buffer.from(bytes.map((byte, i) => (i === place ? byte ^ 1 : byte))))
  if (kind === 'shifted') {
    const lines = linesOf(bytes.toString('latin1')).flatMap((line) => readIndexLine(Buffer.from(line)) ?? [])
    writeFileSync(index, lines.map((one) => `${writeIndexLine({ ...one, offset: one.offset + Math.round(at * 9) })}\n`).join(''))
  }
  if (kind !== 'answers') return
  const text = readFileSync(answers)
  const middle = Math.floor(at * text.length)
  writeFileSync(answers, Buffer.from(text.map((byte, i) => (i === middle && byte !== 10 ? byte ^ 1 : byte))))
}

const start = async (t: Test): Promise<Model & { url: string }> => {
  const model = new Model()
  await new Promise<void>((listening) => model.server.listen(0, '127.0.0.1', listening))
  t.teardown(() => {
    model.drop()
    model.server.closeAllConnections()
    model.server.close()
  })
  return Object.assign(model, { url: `http://127.0.0.1:${(model.server.address() as AddressInfo).port}/v1` })
}

const TEXTS = ['m1', 'm2', 'm3', 'm4', 'a "quoted"\n\\text', 'näher 🙂', 'bad', 'away']

/** All is answered, and all but the last, one of them three times; an index of other places, with equal questions that are asked early. */
const EXAMPLES: [string, string[], string[], (typeof DAMAGES)[number], number, [number, string][]][] = [
  ['one', TEXTS.slice(0, 6), ['m1'], 'none', 999, [[2, 'new']]],
  ['joined by a barrier', ['m1', 'm2', 'm1', 'm3', 'm1', 'm4'], [], 'torn', 800, []],
  ['with a nested plumb', ['m4', 'm1', 'away', 'm4', 'm3', 'away', 'bad', 'm3', 'm2', 'm1', 'm2'], ['m2', 'm2'], 'shifted', 800, []],
]

t.test('what is answered without asking is what asking gives', async (t) => {
  const model = await start(t)
  let repeated = 0
  let count = 0
  const run = (directory: string, args: readonly string[], texts: readonly string[]) => {
    model.key = `key-${++count}`
    const env = { ...envIn(directory), OPENAI_API_KEY: model.key }
    const child = spawn(PLUMB, [...args, 'a.plumb'], { cwd: directory, env, stdio: 'pipe' })
    const said = ['', '']
    child.stdout.on('data', (chunk) => {
      said[0] += chunk
    })
    child.stderr.on('data', (chunk) => {
      said[1] += chunk
    })
    child.stdin.on('error', () => {})
    child.stdin.end(texts.map((text) => `${JSON.stringify(text)}\n`).join(''))
    return { child, ended: once(child, 'close').then(([status]) => ({ said, status: status as number | null })) }
  }
  const resume = async (directory: string, record: string, texts: readonly string[], isSorted: boolean): Promise<Ran> => {
    const asked = model.asked
    model.asked = [...asked]
    model.left = Number.POSITIVE_INFINITY
    const { said, status } = await run(directory, ['--resume', record, '--summary', 'json'], texts).ended
    const askedNow = model.asked
      .slice(asked.length)
      .map((text) => text.replace(/#\d+/g, '#'))
      .sort()
    model.asked = asked
    const out = linesOf(said[0] ?? '')
    return {
      out: isSorted ? out.sort() : out,
      err: linesOf(said[1] ?? '')
        .map(withoutTimes)
        .sort(),
      status,
      asked: askedNow,
      files: filesIn(join(directory, record)),
    }
  }
  const fail = (words: string): never => {
    t.comment(words)
    throw new Error(words)
  }
  const property = fc.asyncProperty(
    fc.constantFrom(...Object.keys(SPECS)),
    fc.array(fc.constantFrom(...TEXTS), { minLength: 1, maxLength: 12 }),
    fc.array(fc.constantFrom(...TEXTS), { maxLength: 2 }),
    fc.constantFrom(...DAMAGES),
    fc.integer({ min: 0, max: 999 }),
    fc.array(fc.tuple(fc.nat(11), fc.constantFrom('new', 'new too', 'new and bad')), { maxLength: 3 }),
    async (name, texts, more, kind, thousandth, changes) => {
      const at = thousandth / 1000
      const directory = makeTestDirectory({ 'a.plumb': (SPECS[name] as (url: string) => string)(model.url) })
      model.asked = []
      model.isAway = true
      model.left = Math.ceil(at * texts.length * 2)
      const killed = run(directory, ['--record', 'rec'], texts)
      const held = new Promise<void>((done) => {
        model.onHeld = done
      })
      await Promise.race([held, killed.ended])
      killed.child.kill('SIGKILL')
      await killed.ended
      model.key = ''
      model.drop()
      model.isAway = false
      const index = join(directory, 'rec', 'answers.index')
      if (!existsSync(index)) return
      // A nested plumb may write to the first for a moment more.
      cpSync(join(directory, 'rec'), join(directory, 'fast'), { recursive: true })
      // In the place of others, whose answers go to the next equal questions.
      const changed = new Map(changes)
      const inputs = [...texts.map((text, i) => changed.get(i) ?? text), ...more]
      const gone = new Set([...changed.keys()].map((i) => texts[i]))
      const isAnsweredAgain = ({ seq }: Answered) => kind !== 'answers' && !gone.has(texts[seq - 1])
      const before = answersIn(filesIn(join(directory, 'fast'))['answers.jsonl'] ?? []).filter(isAnsweredAgain)
      damage(join(directory, 'fast'), kind, at)
      cpSync(join(directory, 'fast'), join(directory, 'slow'), { recursive: true })
      rmSync(join(directory, 'slow', 'answers.index'))
      const isSorted = name !== 'one' && name !== 'with one that remembers'
      const [slow, fast] = [await resume(directory, 'slow', inputs, isSorted), await resume(directory, 'fast', inputs, isSorted)]
      const [said, expected] = [fast, slow].map((ran) => JSON.stringify(ran, null, 1).replace(/#\d+/g, '#'))
      if (said !== expected) fail(`without asking: ${said}\nasked: ${expected}`)
      for (const [which, { files }] of Object.entries({ slow, fast })) {
        const wrong = wrongAnswers(files['answers.jsonl'] ?? [], before)
        if (wrong) fail(`${which}: ${wrong}`)
      }
      repeated += linesOf(readFileSync(join(directory, 'fast', 'events.jsonl'), 'utf8')).filter((line) =>
        line.includes('"replayed"'),
      ).length
      // And what that has left can be gone on with.
      const again = await resume(directory, 'fast', inputs, isSorted)
      if (again.out.length !== fast.out.length) throw new Error(`again: ${JSON.stringify({ again, fast }, null, 1)}`)
    },
  )
  const seed = process.env.PLUMB_SEED === undefined ? Date.now() % 2 ** 31 : Number(process.env.PLUMB_SEED)
  t.comment(`PLUMB_SEED=${seed}`)
  await holds(t, property, { numRuns: Number(process.env.PLUMB_TRIES ?? runs(6)), seed, examples: EXAMPLES, endOnFailure: true })
  t.ok(repeated > 0, `${repeated} answers were given without asking`)
})
