// A recorded run that was killed goes on without paying twice: a model on loopback counts.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, watch } from 'node:fs'
import { join, resolve } from 'node:path'
import t, { type Test } from 'tap'
import { envIn, layFolder } from '../../wire/test/shell.js'
import { type CountingModel, openCountingModel } from './fixtures/counting-model.js'

const PLUMB = resolve('packages/plumb/bin/plumb')

const AGENT = (url: string, more: string) =>
  `agent { provider: "openai", model: "m", endpoint: "${url}", stream: false, transport_retries: 0${more} }`

const PARALLEL = (url: string) => `
  let a : !string -> !string = ${AGENT(url, ', amnesiac: true, concurrency: 4')}
  let b : !string -> !string = ${AGENT(url, ', amnesiac: true, concurrency: 4')}
  let inner : !string -> !string = plumb(input, output) { input ; b ; output }
  let main : !string -> !string = plumb(input, output) { input ; (a * b * inner) ; output }`

const SPECS: Readonly<Record<string, (url: string) => string>> = {
  amnesiac: (url) => `let main : !string -> !string = ${AGENT(url, ', amnesiac: true, concurrency: 4')}`,
  remembering: (url) => `let main : !string -> !string = ${AGENT(url, '')}`,
  parallel: PARALLEL,
  pipeline: (url) => `
    let first : !string -> !string = ${AGENT(url, ', amnesiac: true, concurrency: 3')}
    let second : !string -> !string = ${AGENT(url, '')}
    let inner : !string -> !string = plumb(input, output) { input ; map(value + "!") ; second ; output }
    let third : !string -> !string = ${AGENT(url, ', amnesiac: true')}
    let main : !string -> !string = plumb(input, output) { input ; first ; (inner * third) ; barrier ; map(text(value)) ; output }`,
}

const COUNT = 8
const TEXTS = Array.from({ length: COUNT }, (_, i) => `m${i + 1}`)
const INPUT = TEXTS.map((text) => `${JSON.stringify(text)}\n`).join('')

interface Setting {
  readonly model: CountingModel
  readonly folder: string
}

const set = async (t: Test, spec: string): Promise<Setting> => {
  const model = await openCountingModel()
  t.teardown(() => model.close())
  return { model, folder: layFolder({ 'a.plumb': (SPECS[spec] as (url: string) => string)(model.url), 'in.jsonl': INPUT }) }
}

let runs = 0

/** Each run has a key of its own: what it started may outlive it for a moment, and ask. */
const start = ({ model, folder }: Setting, args: readonly string[], input = INPUT) => {
  const key = `sk-CANARY-${++runs}`
  const env = { ...envIn(folder), OPENAI_API_KEY: key }
  const child = spawn(PLUMB, [...args, 'a.plumb'], { cwd: folder, env, stdio: 'pipe' })
  const ran = { out: '', err: '' }
  child.stdout.on('data', (chunk) => {
    ran.out += chunk
  })
  child.stderr.on('data', (chunk) => {
    ran.err += chunk
  })
  child.stdin.on('error', () => {})
  child.stdin.end(input)
  const ended = once(child, 'close').then(([status]) => ({ ...ran, status: status as number | null }))
  const asked = (): string[] => model.asked.filter((one) => one.key === key).map(({ text }) => text)
  return { child, ended, asked }
}

const run = async (setting: Setting, args: readonly string[], input?: string) => {
  const { ended, asked } = start(setting, args, input)
  return { ...(await ended), asked: asked() }
}

interface Answer {
  readonly process: string
  readonly input?: string
  readonly output?: string
  readonly remembered?: unknown
}

/** Of an agent that remembers, those with which the record also has what it remembers: the others are asked again. */
const answersIn = (folder: string, remembering: string): Answer[] => {
  const path = join(folder, 'answers.jsonl')
  const lines = existsSync(path) ? readFileSync(path, 'utf8').split('\n') : []
  const said = lines.filter((line) => line.endsWith('}')).map((line) => JSON.parse(line) as Answer)
  const answers = said.filter(({ output }) => output !== undefined)
  const rounds = said.filter(({ remembered }) => remembered !== undefined).length
  const whole = answers.filter(({ process }) => process === remembering).slice(0, rounds)
  return answers.filter((answer) => answer.process !== remembering || whole.includes(answer))
}

const whenRecorded = async (record: string, count: number, remembering = ''): Promise<void> => {
  const watcher = watch(record)
  await new Promise<void>((done) => {
    const look = () => answersIn(record, remembering).length >= count && done()
    watcher.on('change', look)
    look()
  })
  watcher.close()
}

const indexOf = (text: string): number => Number(/m(\d+)/.exec(text)?.[1]) - 1

const outputs = (out: string): unknown[] =>
  out
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as unknown)

/** By text, how often it was answered in full. */
const timesAnswered = ({ answered }: CountingModel): number[] =>
  [...new Set(answered)].map((text) => answered.filter((a) => a === text).length)

for (const spec of ['amnesiac', 'remembering']) {
  const most = spec === 'amnesiac' ? 4 : 1
  for (const sealed of [0, 3, COUNT - 1]) {
    t.test(`${spec}: killed with ${sealed} of ${COUNT} answers recorded, nothing is paid for twice`, async (t) => {
      const setting = await set(t, spec)
      const { model, folder } = setting
      const record = join(folder, 'rec')
      model.allow = (text) => indexOf(text) < sealed
      const { child, ended } = start(setting, ['--record', 'rec'])
      await model.whenHeld(Math.min(most, COUNT - sealed))
      await whenRecorded(record, sealed, spec === 'remembering' ? 'main' : '')
      child.kill('SIGKILL')
      await ended

      model.allow = () => true
      const resumed = await run(setting, ['--resume', 'rec'])
      t.equal(resumed.status, 0, resumed.err)
      const expected = TEXTS.map((text, i) => `${text} (${spec === 'amnesiac' ? 1 : 2 * i + 1})`)
      t.same(outputs(resumed.out), expected, 'all outputs, as if it had never stopped')
      t.same(resumed.asked.sort(), TEXTS.slice(sealed), 'only what was missing was asked')
      t.same(timesAnswered(model), Array(COUNT).fill(1), 'each was answered once')
      t.same(outputs(readFileSync(join(record, '02-main-output.jsonl'), 'utf8')), expected, 'the record holds each output once')

      const again = await run(setting, ['--resume', 'rec'])
      t.same(outputs(again.out), expected, 'again')
      t.equal(model.answered.length, COUNT, 'for nothing')
    })
  }
}

t.test('killed again and again, whenever an answer was given', async (t) => {
  const setting = await set(t, 'pipeline')
  const { model, folder } = setting
  const record = join(folder, 'rec')
  const records = [record, join(record, 'inner')]
  const sealedNow = () => records.flatMap((folder) => answersIn(folder, 'second').map(({ process, input }) => `${process} ${input}`)).sort()
  let left = 2
  model.allow = () => left-- > 0
  for (let round = 0; round < 5; round++) {
    const sealed = sealedNow()
    const { child, ended, asked } = start(setting, round === 0 ? ['--record', 'rec'] : ['--resume', 'rec'])
    await model.whenHeld(1)
    child.kill('SIGKILL')
    const { err } = await ended
    t.equal(err, '', 'nothing was wrong')
    const askedNow = asked().map((text) => JSON.stringify(text))
    for (const one of sealed.filter((one) => one.startsWith('first ')))
      t.notOk(askedNow.includes(one.slice('first '.length)), `${one} is not asked again`)
    t.same(
      sealedNow().filter((one) => sealed.includes(one)),
      sealed,
      'what was recorded stays',
    )
    left = 4
  }
  model.allow = () => true
  const sealed = sealedNow()
  const { out, status, err, asked } = await run(setting, ['--resume', 'rec'])
  t.equal(status, 0, err)
  const expected = TEXTS.map((text, i) => JSON.stringify([`${text} (1)! (${2 * i + 1})`, `${text} (1) (1)`]))
  t.same(outputs(out), expected)
  // A nested plumb may have recorded one more before it went.
  const wanted = TEXTS.flatMap((text) => [`first "${text}"`, `second "${text} (1)!"`, `third "${text} (1)"`])
  const missing = wanted.filter((one) => !sealed.includes(one)).map((one) => one.slice(one.indexOf(' ') + 1))
  const texts = asked.map((text) => JSON.stringify(text))
  t.same([...new Set(texts)], texts, 'nothing twice')
  t.same(
    texts.filter((text) => !missing.includes(text)),
    [],
    'nothing that was recorded',
  )
})

t.test('stopped by a signal, then resumed', async (t) => {
  const setting = await set(t, 'remembering')
  const { model } = setting
  model.allow = (text) => indexOf(text) < 3
  const { child, ended } = start(setting, ['--record', 'rec'])
  await model.whenHeld(1)
  child.kill('SIGINT')
  child.kill('SIGINT')
  const stopped = await ended
  t.equal(stopped.status, null)
  model.allow = () => true
  const { out } = await run(setting, ['--resume', 'rec'])
  t.equal(outputs(out).length, COUNT)
  t.same(timesAnswered(model), Array(COUNT).fill(1))
})

t.test('a budget that was spent, then another', async (t) => {
  const setting = await set(t, 'amnesiac')
  const { model } = setting
  const first = await run(setting, ['--record', 'rec', '--max-calls', '3', '--rejects', 'rejects'])
  t.equal(model.asked.length, 3, 'no call more than the budget')
  t.match(JSON.parse(first.err), { error: 'budget_spent', calls: 3, unanswered: 5 })
  t.equal(outputs(first.out).length, 3)
  const { out, status } = await run(setting, ['--resume', 'rec', '--max-calls', '5'])
  t.same(
    outputs(out),
    TEXTS.map((text) => `${text} (1)`),
  )
  t.equal(status, 0)
  t.same(timesAnswered(model), Array(COUNT).fill(1))
})

t.test('calls that processes make at once are counted together, before they are made', async (t) => {
  const setting = await set(t, 'parallel')
  const { out, err, status } = await run(setting, ['--max-calls', '10'])
  t.equal(setting.model.asked.length, 10)
  t.equal(outputs(out).length, 10, 'what was paid for is delivered')
  t.match(JSON.parse(err), { error: 'budget_spent', calls: 10, unanswered: 3 * COUNT - 10 })
  t.equal(status, 1)
})

t.test('what is new in the input is asked, and no more', async (t) => {
  const setting = await set(t, 'amnesiac')
  await run(setting, ['--record', 'rec'])
  const { out } = await run(setting, ['--resume', 'rec'], `"new"\n${INPUT}`)
  t.same(
    outputs(out),
    ['new', ...TEXTS].map((text) => `${text} (1)`),
  )
  t.equal(setting.model.asked.length, COUNT + 1)
})
