// long
// A recorded run that was killed goes on without paying twice: a model on loopback counts.

import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, lstatSync, readdirSync, readFileSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { scaled } from '../../wire/test/patience.js'
import { envIn, makeTestDirectory } from '../../wire/test/shell.js'
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
  readonly directory: string
}

const set = async (t: Test, spec: string): Promise<Setting> => {
  const model = await openCountingModel()
  t.teardown(() => model.close())
  return { model, directory: makeTestDirectory({ 'a.plumb': (SPECS[spec] as (url: string) => string)(model.url), 'in.jsonl': INPUT }) }
}

let runs = 0

/** Each run has a key of its own: what it started may outlive it for a moment, and ask. */
const start = ({ model, directory }: Setting, args: readonly string[], input = INPUT) => {
  const key = `sk-CANARY-${++runs}`
  const env = { ...envIn(directory), OPENAI_API_KEY: key }
  const child = spawn(PLUMB, [...args, 'a.plumb'], { cwd: directory, env, stdio: 'pipe' })
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

interface Kept {
  readonly place: string
  /** What it was asked. */
  readonly text: string
}

/** What the record keeps of models: the text of each answer is its question, and how many messages there were. */
const keptIn = (record: string): Kept[] => {
  const store = join(record, 'kept-answers')
  const files = existsSync(store) ? readdirSync(store).filter((name) => name.endsWith('.jsonl')) : []
  const lines = files.flatMap((name) => readFileSync(join(store, name), 'utf8').split('\n').slice(0, -1))
  return lines.map((line) => {
    const { place, answer } = JSON.parse(line)
    return { place, text: answer.answer.content[0].text.replace(/ \(\d+\)$/, '') }
  })
}

const whenRecorded = async (record: string, count: number): Promise<void> => {
  while (keptIn(record).length < count) await sleep(POLL_MS)
}

const POLL_MS = 5

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
      const { model, directory } = setting
      const record = join(directory, 'rec')
      model.allow = (text) => indexOf(text) < sealed
      const { child, ended } = start(setting, ['--record', 'rec'])
      await model.whenHeld(Math.min(most, COUNT - sealed))
      await whenRecorded(record, sealed)
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
  const { model, directory } = setting
  const record = join(directory, 'rec')
  const sealedNow = () =>
    keptIn(record)
      .map(({ place, text }) => `${place.replace('inner~', '')} ${JSON.stringify(text)}`)
      .sort()
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
  // The second signal does not wait for an answer that is still in a pipe.
  await whenRecorded(join(setting.directory, 'rec'), 3)
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
  const { out, status } = await run(setting, ['--resume', 'rec', '--max-calls', '8'])
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

const refusedBy = (pid: number | undefined) => ({ error: 'record_invalid', detail: new RegExp(`written by process ${pid}:`), pid })

t.test('a record of a release that kept an index of its answers, and blanked those it would write again', async (t) => {
  const setting = await set(t, 'amnesiac')
  const { model, directory } = setting
  t.equal((await run(setting, ['--record', 'rec'])).status, 0)
  const [answers, index] = ['answers.jsonl', 'answers.index'].map((name) => join(directory, 'rec', name)) as [string, string]
  const lines = readFileSync(answers, 'utf8').split('\n')
  writeFileSync(answers, [' '.repeat(lines[0]?.length ?? 0), ...lines.slice(1)].join('\n'))
  writeFileSync(index, `${lines[0]?.length} 1 1 0123456789abcdef\n`)
  const resumed = await run(setting, ['--resume', 'rec'])
  t.same([resumed.status, resumed.err, resumed.asked, outputs(resumed.out).length], [0, '', [], COUNT])
  t.equal(model.answered.length, COUNT)
  t.notOk(existsSync(index), 'its index is not that of what is written now')
  t.equal((await run(setting, ['--record', 'rec'], '')).status, 0, 'another run replaces it')
})

for (const count of [2, 3]) {
  t.test(`${count} at once: one has the record, the others are refused`, async (t) => {
    const setting = await set(t, 'amnesiac')
    const { model, directory } = setting
    for (const words of [
      ['--record', 'rec'],
      ['--resume', 'rec'],
    ]) {
      model.allow = () => false
      if (words[0] === '--resume')
        for (const name of ['answers.jsonl', 'kept-answers']) rmSync(join(directory, 'rec', name), { recursive: true })
      const before = model.answered.length
      const runs = Array.from({ length: count }, () => start(setting, words))
      const ends: (Awaited<(typeof runs)[number]['ended']> & { pid: number | undefined })[] = []
      const losers = new Promise<void>((done) => {
        for (const { child, ended } of runs) void ended.then((end) => ends.push({ ...end, pid: child.pid }) === count - 1 && done())
      })
      await losers
      const winner = runs.find(({ child }) => !ends.some(({ pid }) => pid === child.pid))
      for (const { status, err, out } of [...ends]) {
        t.equal(status, 2)
        t.equal(out, '')
        t.match(JSON.parse(err), refusedBy(winner?.child.pid), `${words[0]}: it says who has it`)
      }
      model.allow = () => true
      model.release()
      t.match(await winner?.ended, { status: 0, err: '' })
      t.equal(model.answered.length - before, COUNT, 'nothing is paid for twice')
      t.equal(keptIn(join(directory, 'rec')).length, COUNT)
    }
  })
}

t.test('a run that was put off does not replace the record of one that has overtaken it', async (t) => {
  const { directory } = await set(t, 'amnesiac')
  writeFileSync(join(directory, 'id.plumb'), 'let main : !string -> !string = id\n')
  writeFileSync(
    join(directory, 'wait.cjs'),
    `require('node:fs').writeFileSync('waits', '')
const cell = new Int32Array(new SharedArrayBuffer(4))
for (let i = 0; i < 6000 && !require('node:fs').existsSync('go'); i++) Atomics.wait(cell, 0, 0, 10)\n`,
  )
  const ran = spawnSync(
    'bash',
    [
      '-c',
      `NODE_OPTIONS='--require ./wait.cjs' ${PLUMB} --record rec id.plumb <in.jsonl >late 2>late-errors & pid=$!
until test -e waits; do sleep 0.01; done
${PLUMB} --record rec id.plumb <in.jsonl >out; cp -r rec kept; touch go; wait $pid; echo $?; diff -r rec kept && cat late late-errors`,
    ],
    { cwd: directory, env: envIn(directory), encoding: 'utf8', timeout: scaled(60_000) },
  )
  const [status, error = '{}', ...rest] = ran.stdout.trimEnd().split('\n')
  t.equal(status, '2', ran.stderr)
  t.match(JSON.parse(error), { error: 'record_invalid', detail: /after this one was started/ })
  t.same(rest, [])
})

t.test('the locks of runs that are gone', async (t) => {
  const setting = await set(t, 'amnesiac')
  const { directory } = setting
  writeFileSync(join(directory, 'id.plumb'), 'let main : !string -> !string = id\n')
  const rec = join(directory, 'rec')
  const lock = join(rec, 'lock')
  const plumb = (more: object = {}) =>
    spawnSync(PLUMB, ['--record', 'rec', 'id.plumb'], {
      cwd: directory,
      env: { ...envIn(directory), ...more },
      input: INPUT,
      encoding: 'utf8',
      timeout: scaled(60_000),
    })
  // Killed before its nth call about the lock, while it takes over that of another.
  writeFileSync(
    join(directory, 'kill.cjs'),
    `const fs = require('node:fs')
let left = Number(process.env.KILL_AT)
for (const name of ['symlinkSync', 'readlinkSync', 'renameSync', 'unlinkSync']) {
  const call = fs[name]
  fs[name] = (...paths) => {
    if (/(rec|fd\\/\\d+)\\/lock/.test(paths.join()) && --left === 0) process.kill(process.pid, 'SIGKILL')
    return call(...paths)
  }
}\n`,
  )
  plumb()
  const gone = spawnSync('sh', ['-c', 'echo $$'], { encoding: 'utf8' }).stdout.trim()
  const numbering = existsSync('/proc/self/ns/pid') ? readlinkSync('/proc/self/ns/pid') : ''
  const boot = existsSync('/proc/sys/kernel/random/boot_id') ? readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim() : ''
  let killed = 0
  for (let at = 1; at < 20; at++) {
    rmSync(lock, { force: true })
    symlinkSync(`${gone} 1 ${boot} ${numbering} ${hostname()}`, lock)
    const { signal } = plumb({ NODE_OPTIONS: '--require ./kill.cjs', KILL_AT: String(at) })
    if (signal === null) break
    killed++
    t.match(plumb(), { status: 0, stderr: '', stdout: INPUT }, `killed at its call ${at}`)
    t.notOk(lstatSync(lock, { throwIfNoEntry: false }), 'the lock has gone')
  }
  t.ok(killed >= 6, `${killed} places`)

  const cases: Readonly<Record<string, readonly [text: string, status: number]>> = {
    'of this number, which another process has now': [`${process.pid} 1 ${boot} ${numbering} ${hostname()}`, boot === '' ? 2 : 0],
    'from before the machine was restarted': [`${process.pid} 1 other-boot ${numbering} ${hostname()}`, boot === '' ? 2 : 0],
    'of another machine': [`${process.pid} 1 other-boot ${numbering} elsewhere`, 2],
    'of a process that cannot be asked when it began': [`${process.pid} at1 ${boot} ${numbering} ${hostname()}`, 2],
    'that says nothing': ['x', 0],
  }
  for (const [name, [text, status]] of Object.entries(cases)) {
    rmSync(lock, { force: true })
    symlinkSync(text, lock)
    const ran = plumb()
    t.equal(ran.status, status, `${name}: ${ran.stderr}`)
    if (status === 2) t.match(JSON.parse(ran.stderr), { error: 'record_invalid', pid: process.pid })
    if (name === 'of another machine') t.match(ran.stderr, /if it has ended, remove 'rec\/lock'/)
  }
})
