// long
// The programs of packages/plumb/examples/clients: two servers, a page in a browser, and a notebook, with a model that streams.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { noBrowser, openBrowser } from '../packages/wire/test/browser.js'
import { scaled } from '../packages/wire/test/patience.js'
import { makeTestDirectory, TEST_PATH } from '../packages/wire/test/shell.js'
import { openTalkingModel } from './talking-model.js'

const EXAMPLES = 'packages/plumb/examples/clients'

/** The examples, beside the client as npm would have installed it. */
const installed = (): string => {
  const at = makeTestDirectory()
  for (const name of readdirSync(EXAMPLES)) cpSync(join(EXAMPLES, name), join(at, name))
  const library = join(at, 'node_modules/@plumb-lang/client')
  mkdirSync(library, { recursive: true })
  writeFileSync(join(library, 'package.json'), '{"type":"module","exports":"./index.js"}')
  const how = ['--bundle', '--platform=node', '--format=esm', `--outfile=${join(library, 'index.js')}`, '--log-level=error']
  const made = spawnSync('node_modules/.bin/esbuild', [join(process.cwd(), 'packages/client/src/index.ts'), ...how], { encoding: 'utf8' })
  if (made.status !== 0) throw new Error(made.stderr)
  return at
}

const envWith = (more: Readonly<Record<string, string>>) => ({
  PATH: TEST_PATH,
  HOME: '/nonexistent',
  PYTHONPATH: join(process.cwd(), 'python'),
  PYTHONDONTWRITEBYTECODE: '1',
  ...more,
})
const ELIZA = { PLUMB_PROVIDER: 'eliza', PLUMB_MODEL: 'doctor' }
const modelAt = (url: string) => ({ PLUMB_PROVIDER: 'anthropic', PLUMB_MODEL: 'm', PLUMB_ENDPOINT: url, ANTHROPIC_API_KEY: 'sk-test' })

/** Its address, from its first line. */
const addressOf = (child: ChildProcess): Promise<string> =>
  new Promise((resolve, reject) => {
    let out = ''
    const timer = setTimeout(() => reject(new Error(`it said ${out}`)), scaled(60_000))
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      out += text
      if (!out.includes('\n')) return
      clearTimeout(timer)
      resolve(out.trim())
    })
  })

const start = async (t: Test, words: readonly string[], cwd: string, env: Readonly<Record<string, string>>): Promise<string> => {
  const [program = '', ...args] = words
  const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = new Promise((resolve) => child.on('close', resolve))
  t.teardown(async () => {
    child.kill()
    await ended
  })
  return addressOf(child)
}

const noPython = spawnSync('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 10))']).status === 0 ? false : 'no Python 3.10'

/** The answer comes in two pieces, the second of them once the first was seen. */
const streams = async (t: Test, words: readonly string[]): Promise<void> => {
  const model = await openTalkingModel()
  t.teardown(() => model.close())
  const url = await start(t, [...words, '0'], installed(), envWith(modelAt(model.url)))
  const asked = fetch(`${url}/chat`, { method: 'POST', body: 'How are you?' })
  const turn = await model.turn()
  t.match(turn.body, { messages: [{ role: 'user' }] })
  turn.say('Fine, ')
  const { body } = await asked
  const decoder = new TextDecoder()
  const pieces: string[] = []
  for await (const piece of body ?? []) {
    pieces.push(decoder.decode(piece))
    if (pieces.length > 1) continue
    turn.say('thank you.')
    turn.end()
  }
  t.equal(pieces[0], 'Fine, ')
  t.equal(pieces.join(''), 'Fine, thank you.')
}

t.test('a server of Node', (t) => streams(t, [process.execPath, 'server.mjs']))

t.test('a server of Python', { skip: noPython }, async (t) => {
  await streams(t, ['python3', 'server.py'])
  const url = await start(t, ['python3', 'server.py', '0'], installed(), envWith(ELIZA))
  const answer = await fetch(`${url}/answer`, { method: 'POST', body: 'Men are all alike.' })
  t.strictSame(await answer.json(), { ok: true, value: 'IN WHAT WAY' })
})

t.test('a page in a browser', { skip: noBrowser }, async (t) => {
  const model = await openTalkingModel()
  t.teardown(() => model.close())
  const url = await start(t, [process.execPath, 'server.mjs', '0'], installed(), envWith(modelAt(model.url)))
  const browser = await openBrowser(t)
  const page = await browser.newPage()
  await page.goto(url)
  await page.getByLabel('Question').fill('How are you?')
  await page.keyboard.press('Enter')
  const turn = await model.turn()
  turn.say('Fine, ')
  await page.getByText('Fine,').waitFor({ timeout: scaled(30_000) })
  turn.say('thank you.')
  turn.end()
  await page.getByText('Fine, thank you.').waitFor({ timeout: scaled(30_000) })
  t.equal(await page.locator('#answer').textContent(), 'Fine, thank you.')
})

t.test('a notebook', { skip: noPython }, async (t) => {
  const at = installed()
  const { stdout, stderr } = spawnSync('python3', ['notebook.py'], { cwd: at, env: envWith(ELIZA), encoding: 'utf8' })
  t.equal(stderr, '')
  t.equal(stdout, `IN WHAT WAY\nCounter({'value': 2, 'error': 1})\n['IN WHAT WAY', 'WHAT RESEMBLANCE DO YOU SEE']\n`)
})
