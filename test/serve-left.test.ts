// Clients that go away in the middle: their runs are cancelled, and the agents that live between requests go on living.

import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import t, { type Test } from 'tap'
import { processes, until } from '../packages/wire/test/processes.js'
import { type Asking, type Serving, serve } from './serving.js'
import { openTalkingModel, type TalkingModel, type Turn } from './talking-model.js'

const specOf = (url: string): string => {
  const agent = (more: string) => `agent { provider: "anthropic", model: "claude-x", endpoint: "${url}"${more} }`
  return `@serve let bot : !string -> !string = ${agent('')}
@serve let nest : !string -> !string = plumb(input, output) { input ; inner ; output }
let inner : !string -> !string = ${agent('')}
@serve let both : !string -> !string = ${agent(', concurrency: 2, amnesiac: true')}
let wait : { arguments?: [string] } -> string = tool { command: "sleep 4711" }
@serve let loud : !string -> !string = agent { command: ["sh", "loud.sh"], amnesiac: true, sandbox: false }
@serve let worker : !string -> !string = ${agent(', tools: [wait]')}
`
}
// It answers each line with 400,000 characters.
const LOUD = 'x=$(head -c 400000 /dev/zero | tr \'\\0\' x)\nwhile read -r line; do echo "\\"$x\\""; done\n'
const LINES = { 'content-type': 'application/x-ndjson' }
const SLEEPS = /\bsleep 4711\b/

let [server, model]: [Serving, TalkingModel] = [] as never
t.before(async () => {
  model = await openTalkingModel()
  const given = { args: ['--grant', 'exec,model'], env: { ANTHROPIC_API_KEY: 'k-0123456789' } }
  server = await serve({ 'a.plumb': specOf(model.url), 'loud.sh': LOUD }, given)
})
t.teardown(async () => {
  await server.stop()
  model.close()
})

const agents = (): readonly number[] =>
  processes()
    .filter(({ parent, args }) => parent === server.child.pid && args.includes('plumb-agent'))
    .map(({ pid }) => pid)

/** Sends it, waits for `began`, and goes away. Resolves when the server has seen that, and no more than `left` runs are in hand. */
const leave = async (path: string, body: string, began: () => Promise<unknown>, more: Asking = {}, left = 0): Promise<void> => {
  const before = server.log().length
  const away = new AbortController()
  const asked = server.call(path, body, { ...more, signal: away.signal }).catch(() => 'left')
  await began()
  away.abort()
  await asked
  await until(() => server.log().length > before)
  while ((await inHand()) > left) await new Promise((done) => setTimeout(done, 20))
}

const inHand = async (): Promise<number> =>
  [...(await server.call('/metrics')).text.matchAll(/^plumb_in_flight\{.*\} (\d+)$/gm)].reduce((sum, [, n]) => sum + Number(n), 0)

/** It waits until what it writes is read: it does nothing any more, and has not answered all. */
const isBlocked = async (pid: number): Promise<void> => {
  const written = (): string => /wchar: \d+/.exec(readFileSync(`/proc/${pid}/io`, 'utf8'))?.[0] ?? ''
  for (let [before, same] = ['', 0]; same < 20; same = written() === before ? same + 1 : 0) {
    before = written()
    await inHand()
    await new Promise((done) => setTimeout(done, 20))
  }
}

/** The next request, which nothing that was left behind comes before. */
const next = async (t: Test, path: string, more?: Asking): Promise<Turn> => {
  const asked = server.call(path, '"next"', more)
  const turn = await model.turn()
  t.match(JSON.stringify(turn.body.messages.at(-1)), /"next"/, `${path}: what is asked next`)
  turn.say('here')
  turn.end()
  t.match(await asked, { status: 200, text: '"here"' }, path)
  return turn
}

t.test('an agent drops the answer, and lives', async (t) => {
  const before = agents()
  for (const path of ['/bot', '/nest']) {
    for (const said of ['', 'begun']) {
      let turn: Turn | undefined
      await leave(path, '"leave"', async () => {
        turn = await model.turn()
        turn.say(said)
      })
      await turn?.dropped
      t.equal((await next(t, path)).body.messages.length, 1, 'nothing is remembered of it')
    }
  }
  t.strictSame(agents(), before, 'no process ended, and none was started')
})

t.test('so does one that had more lines than it was answering', async (t) => {
  const before = agents()
  const asked = '"a"\n'.repeat(40)
  const [first] = [model.turn()]
  await leave('/bot', asked, () => first, { headers: LINES })
  await leave('/both', asked, () => Promise.all([model.turn(), model.turn()]), { headers: LINES })
  for (const path of ['/bot', '/both']) await next(t, path)
  t.strictSame(agents(), before)
})

t.test('a request beside it is not touched', async (t) => {
  const held = server.call('/bot', '"stay"')
  const turn = await model.turn()
  await leave('/bot', '"leave"', () => model.turn(), {}, 1)
  turn.say('stayed')
  turn.end()
  t.match(await held, { status: 200, text: '"stayed"' })
  const before = agents()
  await next(t, '/bot')
  t.strictSame(agents(), before)
})

t.test('a conversation goes on from where it was', async (t) => {
  const of = { headers: { 'plumb-conversation': 'c' } }
  const before = agents()
  await next(t, '/bot', of)
  await leave('/bot', '"leave"', () => model.turn(), of)
  t.equal((await next(t, '/bot', of)).body.messages.length, 3, 'one exchange, and what is said now')
  t.strictSame(agents(), before)
})

t.test('a call that an agent waits for is ended', async (t) => {
  const before = agents()
  const began = async () => {
    const turn = await model.turn()
    turn.call('wait', {})
    turn.end()
    t.ok(await until(() => processes().some(({ args }) => SLEEPS.test(args))), 'the command runs')
  }
  await leave('/worker', '"leave"', began)
  t.ok(await until(() => processes().every(({ args }) => !SLEEPS.test(args))), 'and is ended')
  await next(t, '/worker')
  t.strictSame(agents(), before)
})

t.test('answers that nobody reads, of a process that is killed, hold no place', async (t) => {
  const asked = '"a"\n'.repeat(100)
  const head = `host: localhost\r\ncontent-type: application/x-ndjson\r\ncontent-length: ${asked.length}`
  const socket = connect(server.port, '127.0.0.1')
  socket.write(`POST /loud HTTP/1.1\r\n${head}\r\n\r\n${asked}`)
  await new Promise((readable) => socket.once('readable', readable))
  const loud = processes().find(({ parent, args }) => parent === server.child.pid && args.includes('loud.sh'))
  t.ok(loud, 'it runs')
  await isBlocked(loud?.pid ?? 0)
  process.kill(loud?.pid ?? 0, 'SIGKILL')
  await until(() => !processes().some(({ pid }) => pid === loud?.pid))
  t.equal(await inHand(), 1)
  socket.destroy()
  while ((await inHand()) > 0) await new Promise((done) => setTimeout(done, 20))
  t.match(await server.call('/loud', '"a"'), { status: 200 })
})

t.test('an agent that does not drop it is ended', async (t) => {
  const stopped = agents()
  const began = async () => {
    await model.turn()
    for (const pid of stopped) process.kill(pid, 'SIGSTOP')
  }
  await leave('/bot', '"leave"', began)
  for (const pid of agents()) if (stopped.includes(pid)) process.kill(pid, 'SIGCONT')
  t.ok(stopped.some((pid) => !agents().includes(pid)))
  await next(t, '/bot')
})

t.test('SIGTERM ends it, whatever its processes and clients do', async (t) => {
  const ending = await serve(
    { 'a.plumb': specOf(model.url), 'loud.sh': LOUD },
    { args: ['--grace', '1', '--grant', 'exec,model'], env: { ANTHROPIC_API_KEY: 'k-0123456789' } },
  )
  const children = () => processes().filter(({ parent }) => parent === ending.child.pid)
  const held = ending.call('/bot', '"held"').catch(() => undefined)
  await model.turn()
  const asked = '"a"\n'.repeat(100)
  for (const path of ['/loud', '/bot']) {
    const socket = connect(ending.port, '127.0.0.1').on('error', () => {})
    t.teardown(() => socket.destroy())
    socket.write(
      `POST ${path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/x-ndjson\r\ncontent-length: ${2 * asked.length}\r\n\r\n${asked}`,
    )
  }
  await model.turn()
  const ours = children()
  const [killed] = ours.filter(({ args }) => args.includes('loud.sh'))
  process.kill(killed?.pid ?? 0, 'SIGKILL')
  for (const { pid, args } of ours) if (args.includes('plumb-agent')) process.kill(pid, 'SIGSTOP')
  t.equal(await ending.stop(), 'SIGTERM')
  await held
  const left = new Set(ours.map(({ pid }) => pid))
  t.ok(await until(() => processes().every(({ pid }) => !left.has(pid))), 'nothing is left')
})
