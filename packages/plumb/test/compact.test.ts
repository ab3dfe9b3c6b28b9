// long
// Mem.compact against a scripted server: a memory that is too long is replaced by its summary, a bad summary changes nothing, and nothing
// that was said is ever lost.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { scaled } from '../../wire/test/patience.js'
import { processes } from '../../wire/test/processes.js'
import { makeShell } from './shell.js'

const LIMIT_MS = scaled(100_000)
const wired = (worker: string) => `use mem
let worker : (!string, !Mem.CtrlCmd) -> (!string, !json) = agent { prompts: ["./facts.md"]${worker} }
let main : !string -> (!string, !Mem.CtrlResp) = plumb(input, output, replies) {
  let c : !Mem.CtrlResp = channel
  let t : !json = channel
  let k : !Mem.CtrlCmd = channel
  spawn worker(input=input, ctrl_in=k, output=output, ctrl_out=c, telemetry=t)
  spawn Mem.compact(ctrl_out=c, telemetry=t, ctrl_in=k)
  c ; replies
}
`
const { makeTestDirectory, table, env } = makeShell({
  'facts.md': 'The trains are blue.',
  'main.plumb': wired(''),
  'own.plumb': wired(', provider: "eliza", model: "doctor"'),
  'hand.plumb': `use mem
let main : (!Mem.CtrlResp, !json) -> !Mem.CtrlCmd = plumb(ctrl_out, telemetry, ctrl_in) {
  spawn Mem.compact(ctrl_out=ctrl_out, telemetry=telemetry, ctrl_in=ctrl_in)
}
`,
})

interface Asked {
  readonly system: string
  readonly messages: string
}
interface Reply {
  readonly status?: number
  readonly text: string
  readonly tokens?: number
  readonly stop?: string
  readonly waitMs?: number
}

const event = (type: string, rest: object): string => `event: ${type}\ndata: ${JSON.stringify({ type, ...rest })}\n\n`

const stream = ({ text, tokens = 100, stop = 'end_turn' }: Reply): string =>
  [
    event('message_start', {
      message: {
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        model: 'm',
        content: [],
        usage: { input_tokens: tokens, output_tokens: 1 },
      },
    }),
    event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
    event('content_block_delta', { index: 0, delta: { type: 'text_delta', text } }),
    event('content_block_stop', { index: 0 }),
    event('message_delta', { delta: { stop_reason: stop, stop_sequence: null }, usage: { output_tokens: 1 } }),
    event('message_stop', {}),
  ].join('')

/** `summarise` answers the second agent, `work` the one whose memory it is. */
const openServer = async (t: Test, work: (asked: Asked) => Reply, summarise: (asked: Asked) => Reply) => {
  const worked: Asked[] = []
  const summarised: Asked[] = []
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part)
    const { system, messages } = JSON.parse(Buffer.concat(parts).toString())
    const asked = { system: JSON.stringify(system), messages: JSON.stringify(messages) }
    const isSummary = asked.system.includes('memory of another assistant')
    const reply = isSummary ? summarise(asked) : work(asked)
    ;(isSummary ? summarised : worked).push(asked)
    const { status = 200, text, waitMs = 0 } = reply
    if (waitMs > 0) await sleep(waitMs)
    response.writeHead(status, { 'content-type': status === 200 ? 'text/event-stream' : 'application/json' })
    response.end(
      status === 200 ? stream(reply) : JSON.stringify({ type: 'error', error: { type: 'invalid_request_error', message: text } }),
    )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close().closeAllConnections())
  return { worked, summarised, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

/** The pipeline, spoken to line by line. */
const open = (t: Test, url: string) => {
  const child = spawn('plumb', ['main.plumb'], {
    cwd: makeTestDirectory(),
    env: { ...env, PLUMB_PROVIDER: 'anthropic', PLUMB_MODEL: 'm', PLUMB_ENDPOINT: url, ANTHROPIC_API_KEY: 'sk-canary' },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  const timer = setTimeout(() => child.kill('SIGKILL'), LIMIT_MS)
  t.teardown(() => clearTimeout(timer))
  let err = ''
  child.stderr.setEncoding('utf8').on('data', (text) => {
    err += text
  })
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  const next = async (): Promise<Line> => {
    const { value, done } = await lines.next()
    return done ? {} : JSON.parse(value)
  }
  return {
    pid: child.pid ?? 0,
    say: (...texts: string[]) => child.stdin.write(texts.map((text) => `${JSON.stringify(text)}\n`).join('')),
    /** Reads on until one is as wanted; undefined where the pipeline ends before. */
    until: async (isWanted: (line: Line) => boolean) => {
      for (let line = await next(); line.__port !== undefined; line = await next()) if (isWanted(line)) return line
      return undefined
    },
    end: async () => {
      child.stdin.end()
      const [status] = await once(child, 'close')
      return { status, err }
    },
  }
}

interface Line {
  readonly __port?: string
  readonly msg?: { readonly kind?: string }
}

const isAnswer = ({ __port }: Line): boolean => __port === 'output'
const isResumed = ({ msg }: Line): boolean => msg?.kind === 'resumed'

const modes: readonly (readonly [name: string, summary: Reply, isGood: boolean, status: number])[] = [
  ['a summary takes the place of the memory', { text: 'They spoke of w1 and w2.' }, true, 0],
  ['an empty summary changes nothing', { text: ' \n' }, false, 0],
  ['a summariser that is refused changes nothing', { status: 400, text: 'no' }, false, 1],
  ['a summary that was cut changes nothing', { text: 'They sp', stop: 'max_tokens' }, false, 1],
]

t.test('a memory that has outgrown its window', async (t) => {
  for (const [name, summary, isGood, status] of modes) {
    const work = ({ messages }: Asked): Reply => ({
      text: 'yes',
      tokens: messages.includes('w2') && !messages.includes('w3') ? 200_000 : 100,
    })
    const { worked, summarised, url } = await openServer(t, work, () => summary)
    const { say, until, end } = open(t, url)
    say('w1')
    t.ok(await until(isAnswer), `${name}: the first answer`)
    say('w2')
    t.ok(await until(isResumed), `${name}: resumed`)
    say('w3')
    t.ok(await until(isAnswer), `${name}: it goes on`)
    const ended = await end()
    t.equal(ended.status, status, `${name}: ${ended.err}`)
    t.match(summarised[0]?.messages, /w1.*w2/, `${name}: the whole memory was read`)
    const last = worked.at(-1)
    t.match(last?.messages, isGood ? /spoke of w1 and w2.*w3/ : /w1.*yes.*w2.*yes.*w3/, name)
    t.equal(last?.messages.includes('spoke'), isGood, name)
    t.match(last?.system, /facts\.md.*The trains are blue/, `${name}: pinned documents stay`)
    t.notMatch(ended.err, /sk-canary/)
  }
})

t.test('no word is lost, however many calls outgrow the window at once', async (t) => {
  const words = Array.from({ length: 12 }, (_, i) => `w${i}`)
  const found = ({ messages }: Asked) => [...new Set(messages.match(/w[0-9]+/g) ?? [])]
  const { worked, summarised, url } = await openServer(
    t,
    ({ messages }) => ({ text: 'yes', tokens: messages.split('"role"').length > 7 ? 200_000 : 100 }),
    (asked) => ({ text: found(asked).join(' ') }),
  )
  const { say, until, end } = open(t, url)
  for (let i = 0; i < words.length; i += 3) {
    say(...words.slice(i, i + 3))
    for (let n = 0; n < 3; n++) t.ok(await until(isAnswer))
  }
  const { status, err } = await end()
  t.equal(status, 0, err)
  t.ok(summarised.length > 0)
  t.strictSame(worked.at(-1) && found(worked.at(-1) as Asked), words)
})

const WORDS = Array.from({ length: 24 }, (_, i) => `w${i}`)
const TRIALS = Number(process.env.PLUMB_TRIALS ?? 6)
const foundIn = (asked: Asked | undefined) => [...new Set(asked?.messages.match(/w[0-9]+/g) ?? [])]

t.test(`no word is lost when every call outgrows the window and cycles overlap, ${TRIALS} times`, async (t) => {
  const trial = async (n: number) => {
    let sets = 0
    const { worked, summarised, url } = await openServer(
      t,
      () => ({ text: 'yes', tokens: 200_000 }),
      (asked) => ({ text: foundIn(asked).join(' '), waitMs: (n % 4) * 2 }),
    )
    const { say, until, end } = open(t, url)
    say(...WORDS)
    let answers = 0
    const count = (line: Line) => {
      if (line.msg?.kind === 'memory_set') sets++
      return isAnswer(line) && ++answers === WORDS.length
    }
    await until(count)
    const ended = end()
    // On a busy machine all are answered before the first summary is set.
    await until(count)
    const { status, err } = await ended
    t.equal(status, 0, `trial ${n}: ${err}`)
    t.equal(answers, WORDS.length, `trial ${n}: all are answered`)
    t.strictSame(
      worked.map(foundIn),
      WORDS.map((_, i) => WORDS.slice(0, i + 1)),
      `trial ${n}: what was said before is in every call`,
    )
    t.ok(summarised.length > 0 && sets > 0, `trial ${n}: ${sets} of ${summarised.length} summaries became the memory`)
  }
  for (let n = 0; n < TRIALS; n += 2) await Promise.all([trial(n), trial(n + 1)])
})

/** Agents of this name among the descendants of a process. */
const pidsOf = (agent: string, ancestor: number): number[] => {
  const all = processes()
  const below = new Set([ancestor])
  for (let size = 0; size < below.size; ) {
    size = below.size
    for (const { pid, parent } of all) if (below.has(parent)) below.add(pid)
  }
  return all.filter(({ pid, args }) => below.has(pid) && `${args} `.includes(`--agent ${agent} `)).map(({ pid }) => pid)
}

t.test('a summariser that is killed takes no other process with it, and the agent goes on', async (t) => {
  let ancestor = 0
  let killed = 0
  const { worked, url } = await openServer(
    t,
    () => ({ text: 'yes', tokens: 200_000 }),
    () => {
      for (const pid of pidsOf('summarise', ancestor)) {
        process.kill(pid, 'SIGKILL')
        killed++
      }
      return { text: 'too late' }
    },
  )
  const { pid, say, until, end } = open(t, url)
  ancestor = pid
  for (const word of ['w1', 'w2', 'w3']) {
    say(word)
    t.ok(await until(isAnswer), `${word} is answered while the input is open`)
  }
  say('w4', 'w5')
  const { status, err } = await end()
  t.equal(killed, 1)
  t.equal(status, 1)
  t.match(err, /"error":"child_failed".*SIGKILL/)
  t.strictSame(worked.map(foundIn).at(-1), ['w1', 'w2', 'w3', 'w4', 'w5'], 'and the memory is as it was')
})

const say = (port: string, msg: object) => JSON.stringify({ __port: port, msg })
const usage = (tokens: object) => say('telemetry', { kind: 'usage', output_tokens: 1, model: 'm', ms: 1, ...tokens })
const memory = (...messages: object[]) => say('ctrl_out', { kind: 'memory', messages })
const hand = (...lines: string[]) => ({ run: 'PLUMB_PROVIDER=eliza PLUMB_MODEL=doctor plumb hand.plumb', in: `${lines.join('\n')}\n` })

table('its protocol, by hand', {
  'the cache is part of what is sent': {
    ...hand(
      usage({ input_tokens: 150_000 }),
      usage({ input_tokens: 1, cache_read_tokens: 140_000, cache_creation_tokens: 10_000 }),
      usage({ input_tokens: 900_000, paused: true }),
      say('telemetry', { kind: 'output', value: { input_tokens: 900_000 } }),
    ),
    out: '{"pause":true}\n',
  },
  'each reply leads to the next command': {
    ...hand(say('ctrl_out', { kind: 'paused' })),
    out: '{"get_memory":true}\n',
  },
  'what is there to summarise is set': {
    ...hand(memory({ role: 'user', content: 'My mother takes care of me.' })),
    out: /^\{"set_memory":\[\{"role":"user","content":"[^"]*"\},\{"role":"assistant","content":"[^"]*"\}\],"if_memory":\[\{"role":"user","content":"My mother takes care of me\."\}\],"resume":true\}\n$/,
  },
  'an empty memory, and one that was refused': {
    ...hand(
      memory(),
      say('ctrl_out', { kind: 'error', error: 'input_type_mismatch', category: 'invalid', detail: 'x' }),
      say('ctrl_out', { kind: 'error', error: 'memory_changed', category: 'denied', detail: 'x' }),
    ),
    out: '{"resume":true}\n{"resume":true}\n',
  },
  'a summariser without a provider ends it before anything is paused for ever': {
    run: `mkfifo in; exec 8<>in; echo '"Men are all alike."' >&8; plumb own.plumb <in >out; echo "$?"`,
    out: '2\n',
    errors: [{ error: 'missing_option' }, { error: 'missing_option' }],
    status: 0,
  },
})
