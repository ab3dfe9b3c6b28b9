// local + remote, on models behind HTTP (plumbing(5), Errors as data): the server of the first dies while it has questions open.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import t from 'tap'
import { envIn, makeTestDirectory } from '../../wire/test/shell.js'
import { openCountingModel } from './fixtures/counting-model.js'

const PLUMB = resolve('packages/plumb/bin/plumb')
const TEXTS = Array.from({ length: 12 }, (_, i) => `m${i + 1}`)
const CONCURRENCY = 4
const ANSWERED = TEXTS.slice(0, 3)

const agentAt = (url: string): string =>
  `agent { provider: "openai", model: "m", endpoint: "${url}", stream: false, transport_retries: 0, amnesiac: true, concurrency: ${CONCURRENCY} }`

/** What is asked, by the form around `local + remote`, and what comes of it. */
const FORMS = {
  alone: { main: '!string -> !string = local + remote', input: TEXTS, output: TEXTS.map((text) => `${text} (1)`) },
  'on a list': { main: '![string] -> ![string] = each(local + remote)', input: [TEXTS], output: [TEXTS.map((text) => `${text} (1)`)] },
  'beside its question': {
    main: '!string -> !(string, string) = (id * (local + remote)) ; barrier',
    input: TEXTS,
    output: TEXTS.map((text) => [text, `${text} (1)`]),
  },
  'in a nested plumb': {
    main: '!string -> !string = inner ; id\nlet inner : !string -> !string = plumb(from, to) { from ; local + remote ; to }',
    input: TEXTS,
    output: TEXTS.map((text) => `${text} (1)`),
  },
}

for (const [name, { main, input, output }] of Object.entries(FORMS)) {
  t.test(`the server of the first of two models dies: nothing is lost or asked twice, and the order stays, ${name}`, async (t) => {
    const [local, remote] = [await openCountingModel(), await openCountingModel()]
    t.teardown(() => [local, remote].forEach((model) => void model.close()))
    local.allow = (text) => ANSWERED.includes(text)
    const spec = `let local : !string -> !string = ${agentAt(local.url)}\nlet remote : !string -> !string = ${agentAt(remote.url)}\nlet main : ${main}\n`
    const directory = makeTestDirectory({ 'a.plumb': spec })
    const child = spawn(PLUMB, ['a.plumb'], { cwd: directory, env: { ...envIn(directory), OPENAI_API_KEY: 'sk-CANARY' }, stdio: 'pipe' })
    const ran = { out: '', err: '' }
    child.stdout.on('data', (chunk) => {
      ran.out += chunk
    })
    child.stderr.on('data', (chunk) => {
      ran.err += chunk
    })
    child.stdin.end(input.map((value) => `${JSON.stringify(value)}\n`).join(''))
    await local.whenHeld(CONCURRENCY)
    local.close()
    const [status] = await once(child, 'close')
    t.equal(ran.out, output.map((value) => `${JSON.stringify(value)}\n`).join(''))
    t.equal(ran.err, '')
    t.equal(status, 0)
    t.strictSame([...local.answered].sort(), ANSWERED, 'what it answered is not asked again')
    t.strictSame(remote.asked.map(({ text }) => text).sort(), TEXTS.filter((text) => !ANSWERED.includes(text)).sort(), 'and all else, once')
  })
}
