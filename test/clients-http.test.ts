// Both clients against a plumb-serve: the same calls, streams, conversations, errors and tokens as over the pipe.

import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { open, PlumbError } from '../packages/client/src/index.js'
import { scaled } from '../packages/wire/test/patience.js'
import { makeTestDirectory, TEST_PATH } from '../packages/wire/test/shell.js'
import { literalBlocks } from './man-page.js'
import { type Serving, serve } from './serving.js'

const TOKEN = 'token-0123456789abcdef'
const SPEC = `
type T = { n: int, t: string }
@serve "/doubled" let twice : !T -> !T = map({ n: 2 * n, t })
@serve let many : !int -> !int = filter(value > 1)
@serve let slow : !int -> !int = agent { command: ["sh", "-c", "while read l; do sleep 60; done"], amnesiac: true }
@serve let bot : !string -> !string = agent { provider: "eliza", model: "doctor" }
`
const SCRIPT = `
import asyncio, sys, threading, plumb
url, token = sys.argv[1:]
def told(work):
    try:
        return work()
    except plumb.PlumbError as error:
        return error.error, error.category
with plumb.open(url, token=token) as c:
    print(c.call("twice", {"n": 2**50, "t": "\\u00e9"}), c.call("many", 1), c.call("many", 5))
    print(told(lambda: c.call("twice", {"n": 1.5, "t": ""})), told(lambda: c.call("none", 1))[0], c.try_call("twice", 1)["ok"])
    print(sorted((item["seq"], item.get("value", item.get("error", {}).get("error"))) for item in c.stream("many", [1, 2, "x", 3]))[-1])
    k = c.conversation("k")
    print(k.call("bot", "Men are all alike") != k.call("bot", "Men are all alike"))
print(told(lambda: plumb.open(url, token="token-of-somebody-else").call("many", 2))[0])
async def later():
    async with await plumb.aio.open(url, token=token) as c:
        print([one["n"] for one in await asyncio.gather(*(c.call("twice", {"n": n, "t": ""}) for n in range(3)))])
asyncio.run(later())
c = plumb.open(url, token=token)
threading.Timer(0.2, c.close).start()
print(told(lambda: c.call("slow", 1)))
`

const serving = async (t: Test): Promise<Serving> => {
  const server = await serve({ 'a.plumb': SPEC }, { args: ['--token-env', 'TOKEN'], env: { TOKEN } })
  t.teardown(() => server.stop())
  return server
}

t.test('in TypeScript', async (t) => {
  const { url } = await serving(t)
  const c = await open({ url, token: TOKEN })
  t.strictSame(await c.call('twice', { n: 2 ** 50, t: '\u00e9' }), { n: 2 ** 51, t: '\u00e9' })
  t.strictSame([await c.call('many', 1), await c.call('many', 5)], [[], [5]])
  await t.rejects(c.call('twice', { n: 1.5, t: '' }), { name: 'PlumbError', error: 'input_type_mismatch', category: 'invalid' })
  t.match(await c.tryCall('twice', 1), { ok: false, error: { error: 'input_type_mismatch' } })
  const items = []
  for await (const item of c.stream('many', [1, 2, 'x', 3])) items.push(item)
  t.match(
    items.sort((a, b) => a.seq - b.seq),
    [
      { seq: 2, value: 2 },
      { seq: 3, error: { error: 'input_type_mismatch' } },
      { seq: 4, value: 3 },
    ],
  )
  const k = c.conversation('k')
  t.not(await k.call('bot', 'Men are all alike'), await k.call('bot', 'Men are all alike'), 'it remembers')
  await c.close()
  await t.rejects(c.call('many', 2), PlumbError, 'it is closed')
  const refused = await open({ url, token: 'token-of-somebody-else' })
    .then((other) => other.call('many', 2))
    .catch((error: unknown) => error)
  t.match(refused, { name: 'PlumbError', error: 'unauthorized' })
})

t.test('in TypeScript, once an agent has died', async (t) => {
  const dies = 'agent { command: ["sh", "-c", "while read l; do [ $l = 9 ] && exit 3; echo $l; done"], amnesiac: true }'
  const spec = { 's.plumb': `let dies : !int -> !int = ${dies}\nlet main : !int -> !int = dies` }
  const server = await serve({ 'a.plumb': `@serve ${spec['s.plumb'].split('\n')[0]}` })
  t.teardown(() => server.stop())
  const plumb = join(process.cwd(), 'packages/plumb/bin/plumb')
  for (const way of [{ url: server.url }, { spec: 's.plumb', cwd: makeTestDirectory(spec), plumb }]) {
    const c = await open(way)
    t.equal(await c.call('dies', 1), 1)
    await t.rejects(c.call('dies', 9), { name: 'PlumbError', error: 'child_failed' })
    t.equal(await c.call('dies', 2), 2, 'the connection goes on')
    await c.close()
  }
})

const noPython = spawnSync('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 10))']).status === 0 ? false : 'no Python 3.10'

t.test('in Python', { skip: noPython }, async (t) => {
  const { url } = await serving(t)
  const env = { PATH: TEST_PATH, PYTHONPATH: join(process.cwd(), 'python'), PYTHONDONTWRITEBYTECODE: '1' }
  const { stdout, stderr } = spawnSync('python3', ['-c', SCRIPT, url, TOKEN], { env, encoding: 'utf8', timeout: scaled(60_000) })
  t.equal(stderr, '')
  t.strictSame(stdout.trim().split('\n'), [
    "{'n': 2251799813685248, 't': '\u00e9'} [] [5]",
    "('input_type_mismatch', 'invalid') unknown_name False",
    '(4, 3)',
    'True',
    'unauthorized',
    '[0, 2, 4]',
    "('cancelled', 'unavailable')",
  ])
})

t.test('the program that plumb-clients(7) shows runs its spec, or calls a server of it', { skip: noPython }, async (t) => {
  const page = readFileSync('man/plumb-clients.7', 'utf8')
  const [spec = ''] = literalBlocks(page)
  const [typescript = ''] = literalBlocks(page, 'TypeScript')
  const [python = ''] = literalBlocks(page, 'Python')
  const server = await serve({ 'desk.plumb': spec })
  t.teardown(() => server.stop())
  const at = makeTestDirectory({ 'desk.plumb': spec })
  const env = { PATH: TEST_PATH, PYTHONPATH: join(process.cwd(), 'python'), PYTHONDONTWRITEBYTECODE: '1' }
  const run = (words: readonly string[], input: string): string => {
    const [program = '', ...args] = words
    const { stdout, stderr } = spawnSync(program, args, { cwd: at, env, input, encoding: 'utf8', timeout: scaled(60_000) })
    t.equal(stderr, '', words.join(' '))
    return stdout
  }
  run(['plumb', 'types', '-o', 'desk.ts', 'desk.plumb'], '')
  run(['plumb', 'types', '--to', 'python', '-o', 'desk.py', 'desk.plumb'], '')
  const bundled = (text: string): string => {
    const how = ['--bundle', '--platform=node', '--format=esm', '--loader=ts', '--log-level=error']
    return run([join(process.cwd(), 'node_modules/.bin/esbuild'), `--alias:@plumb-lang/client=${CLIENT}`, ...how], text)
  }
  const open = typescript.replace("{ spec: 'desk.plumb' }", `{ url: '${server.url}' }`)
  t.not(open, typescript)
  const tickets = "[{ id: 2, text: 'later' }, { id: 3, text: 'NOW' }]"
  for (const text of [typescript, open]) {
    const script = bundled(`const tickets = ${tickets} as never[]\n${text}`)
    t.equal(run(['node', '--input-type=module'], script), 'true\n1 false\n2 true\n', text)
  }
  const listed = tickets.replaceAll('id:', '"id":').replaceAll('text:', '"text":')
  for (const text of [python, python.replace('"desk.plumb"', `"${server.url}"`)]) {
    const out = run(['python3', '-'], `tickets = ${listed}\n${text}`)
    t.equal(out, "True\n{'id': 2, 'urgent': False} None\n{'id': 3, 'urgent': True} None\n", text)
  }
})

const CLIENT = join(process.cwd(), 'packages/client/src/index.ts')
