// Keys that a command gives, by the executables: in a module, behind via, in a server, in a chat. Each key is good for two requests; no key is sent
// again once it was refused, no process asks twice at once, and no key is in anything that is told or kept.

import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { openCollector } from '../packages/wire/test/collector.js'
import { bash, makeTestDirectory, TEST_PATH } from '../packages/wire/test/shell.js'
import { GET_KEY, KEY, type KeyedModel, openKeyedModel } from './keyed-model.js'
import { serve } from './serving.js'

const agent = (url: string, command: string, more = ''): string =>
  `agent { provider: "anthropic", model: "m", endpoint: "${url}", key_command: ["${command}"], transport_retries: 0${more} }`
const filesFor = (url: string): Record<string, string> => ({
  'm/Agents.plumb': `let answerer : !string -> !string = ${agent(url, './getkey')}\n`,
  'm/getkey': GET_KEY,
  'a.plumb': 'use "./m/Agents.plumb"\n@serve let main : !string -> !string = Agents.answerer\n',
  'far.plumb': `let main : !string -> !string = ${agent(url, 'getkey', ', via: ["./ssh", "host"]')}\n`,
  'many.plumb': `let main : !string -> !string = ${agent(url, 'getkey', ', amnesiac: true, concurrency: 4')}\n`,
  ssh: '#!/bin/sh\nshift\ncd / && exec env -i PATH="$PATH" sh -c "$*"\n',
})

/** Files that hold a key. */
const withKeys = (directory: string): readonly string[] =>
  readdirSync(directory, { recursive: true, encoding: 'utf8' }).filter((name) => {
    const path = join(directory, name)
    return statSync(path).isFile() && !name.endsWith('getkey') && readFileSync(path, 'latin1').includes(KEY)
  })

const check = (t: Test, directory: string, { asked }: KeyedModel, told: readonly string[], what: string): void => {
  const calls = readFileSync(join(directory, 'm/calls'), 'utf8').trim().split('\n')
  const keys = new Set(asked.map(({ key }) => key))
  t.equal(calls.length, keys.size, `${what}: each key was asked for once, and sent`)
  t.ok(keys.size > 2, `${what}: ${keys.size} keys`)
  t.notOk(existsSync(join(directory, 'm/overlaps')), `${what}: one call at a time`)
  t.strictSame(withKeys(directory), [], `${what}: no key in a file`)
  for (const text of told) t.notMatch(text, KEY, `${what}: no key in what is told`)
}

/** None comes after its refusal: of a process that asks one thing after the other. */
const checkOrder = (t: Test, { asked }: KeyedModel, what: string): void => {
  const old = asked.filter(({ isOld }) => isOld)
  t.strictSame(old, [], `${what}: no key is sent again once it was refused`)
}

const LINES = 'printf "%s\\n" 1 2 3 4 5 6 7'
const SEVEN = '"ok"\n'.repeat(7)
/** `uses`: of each key; where it is not 2, several requests are in hand at once. */
const ROWS: readonly (readonly [what: string, script: string, out: string, uses?: number])[] = [
  ['an agent of a module, recorded and traced', `${LINES} | plumb --record rec --trace trace.json -R a.plumb`, SEVEN],
  ['from another directory', `d=$PWD; cd /; ${LINES} | plumb -R --telemetry "$d/a.plumb" 3> "$d/told"`, SEVEN],
  ['behind via', `PATH=$PWD/m:$PATH; ${LINES} | plumb --record rec --trace trace.json -R far.plumb`, SEVEN],
  [
    'plumb-agent alone, with four requests in hand',
    'PATH=$PWD/m:$PATH; seq 40 | plumb-agent -R --telemetry many.plumb 3> told',
    '"ok"\n'.repeat(40),
    8,
  ],
  ['plumb-chat', `(${LINES}; echo /quit) | plumb-chat a.plumb`, 'ok\n'.repeat(7)],
  ['nested, with kept answers', `${LINES} | plumb --cache kept -R -e 'use "./a.plumb" as A let main : !string -> !string = A.main'`, SEVEN],
]

for (const [what, script, out, uses = 2] of ROWS)
  t.test(what, async (t) => {
    const model = await openKeyedModel(t, (_, used) => used < uses)
    const collector = await openCollector(t)
    const directory = makeTestDirectory(filesFor(model.url))
    const env = {
      ...{ PATH: TEST_PATH, HOME: directory, LANG: 'C.UTF-8', PIPELINE_DEBUG: '1' },
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: 'true',
    }
    const ran = await bash(script, { directory, env })
    t.match(ran, { out, status: 0 }, ran.err)
    if (uses === 2) checkOrder(t, model, what)
    check(t, directory, model, [ran.out, ran.err, JSON.stringify(collector.spans())], what)
  })

t.test('plumb-serve, requests one after the other and at once', async (t) => {
  const model = await openKeyedModel(t, (_, uses) => uses < 2)
  const directory = makeTestDirectory(filesFor(model.url))
  const server = await serve(
    { 'b.plumb': 'use "./m/Agents.plumb"\n@serve let main : !string -> !string = Agents.answerer\n' },
    { directory },
  )
  for (let i = 0; i < 7; i++) t.match(await server.call('/main', '"x"'), { status: 200, json: 'ok' }, `request ${i}`)
  checkOrder(t, model, 'one after the other')
  const answers = await Promise.all(Array.from({ length: 8 }, () => server.call('/main', '"x"')))
  t.strictSame(
    answers.map(({ status }) => status),
    new Array(8).fill(200),
    'at once',
  )
  await server.stop()
  check(t, directory, model, [server.err(), JSON.stringify(server.log()), ...answers.map(({ text }) => text)], 'plumb-serve')
})

t.test('a key that is refused for good is in no error', async (t) => {
  const model = await openKeyedModel(t, () => false)
  const directory = makeTestDirectory(filesFor(model.url))
  const env = { PATH: TEST_PATH, HOME: directory, LANG: 'C.UTF-8', PIPELINE_DEBUG: '1' }
  const ran = await bash(`${LINES} | plumb --record rec --trace trace.json -R a.plumb`, { directory, env })
  t.match(ran, { out: '', err: /did not accept the key that '\.\/getkey' gave \(401\).*invalid x-api-key \*\*\*/, status: 1 })
  t.equal(model.asked.length, 2, 'it is asked for again once')
  t.strictSame(withKeys(directory), [])
  t.notMatch(ran.err, KEY)
  const server = await serve({}, { directory, args: ['a.plumb'] })
  const first = await server.call('/main', '"x"')
  t.match(first, { status: 401, json: { error: 'unauthorized' } })
  const before = model.asked.length
  await server.call('/main', '"x"')
  t.ok(model.asked.length > before, 'the next request asks again')
  await server.stop()
  t.notMatch([first.text, server.err(), JSON.stringify(server.log())].join(), KEY)
})
