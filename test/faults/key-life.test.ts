// long
// Keys that live a short time, over a while: 200 inputs through two agents, each with a JWT that is asked for again before it expires, some of
// which are taken back before that. None that has expired is ever sent, and none again that was refused.
//
// PLUMB_SECONDS: how long the inputs take to come, default 8. PLUMB_SECONDS=3600 is an hour, in which a key is good for three minutes.

import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { join, resolve } from 'node:path'
import t from 'tap'
import { openScene } from './scene.js'

// Tests run in the root.
const stub: { textAnswer(text: string): string } = createRequire(resolve('package.json'))('./scripts/stub-model.cjs')

const SECONDS = Number(process.env.PLUMB_SECONDS ?? 8)
const INPUTS = 200
/** A key is used until a minute before it expires. */
const MARGIN = 60
const LIFE = Math.max(1, SECONDS / 20)
/** So many requests after it was first used a key is taken back. */
const TAKEN_BACK = 50

const GET_KEY = `#!/usr/bin/env node
const { appendFileSync, mkdirSync, rmdirSync } = require('node:fs')
const asking = 'asking.' + process.ppid
try { mkdirSync(asking) } catch { appendFileSync('overlaps', 'x') }
appendFileSync('calls', process.ppid + '\\n')
const part = (value) => Buffer.from(JSON.stringify(value)).toString('base64url')
const exp = Math.ceil(Date.now() / 1000) + ${MARGIN} + ${Math.round(LIFE)}
console.log([part({ alg: 'none' }), part({ exp, jti: process.pid }), 'sig'].join('.'))
rmdirSync(asking)
`
const agent = (url: string): string =>
  `agent { provider: "anthropic", model: "m", endpoint: "${url}", key_command: ["./getkey"], amnesiac: true, transport_retries: 0 }`
const specOf = (url: string): string => `let one : !string -> !string = ${agent(url)}
let two : !string -> !string = ${agent(url)}
let main : !string -> !string = one ; two
`

interface Asked {
  readonly key: string
  readonly why: 'good' | 'taken back' | 'refused before' | 'expired' | 'no key'
}

const openModel = async () => {
  const asked: Asked[] = []
  const uses = new Map<string, number>()
  const judge = (key: string): Asked['why'] => {
    const [, payload = ''] = key.split('.')
    if (payload === '') return 'no key'
    const { exp } = JSON.parse(Buffer.from(payload, 'base64url').toString()) as { exp: number }
    if (exp * 1000 < Date.now()) return 'expired'
    const used = (uses.get(key) ?? 0) + 1
    uses.set(key, used)
    if (used > TAKEN_BACK) return 'refused before'
    return used === TAKEN_BACK ? 'taken back' : 'good'
  }
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      const key = String(request.headers['x-api-key'] ?? '')
      const why = judge(key)
      asked.push({ key, why })
      if (why === 'good') return void response.writeHead(200, { 'content-type': 'text/event-stream' }).end(stub.textAnswer('ok'))
      response.writeHead(401, { 'content-type': 'application/json' }).end(JSON.stringify({ error: { message: `no ${key}` } }))
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const close = (): void => {
    server.closeAllConnections()
    server.close()
  }
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked, close }
}

t.test(`${INPUTS} inputs in ${SECONDS} s, with keys of ${LIFE} s`, { timeout: (SECONDS + 120) * 1000 }, async (t) => {
  const { url, asked, close } = await openModel()
  t.teardown(close)
  const scene = openScene({ getkey: GET_KEY, 'a.plumb': specOf(url) })
  const run = scene.start(['plumb', '-R', '--record', 'rec', 'a.plumb'])
  for (let i = 0; i < INPUTS; i++) {
    run.write(`${i}\n`)
    await new Promise((done) => setTimeout(done, (SECONDS * 1000) / INPUTS))
  }
  run.child.stdin?.end()
  t.strictSame(await run.ended, { status: 0, signal: null }, run.reported(2))
  t.equal(run.reported(1), '"ok"\n'.repeat(INPUTS))
  const count = (why: Asked['why']): number => asked.filter((one) => one.why === why).length
  t.equal(count('good'), 2 * INPUTS)
  t.strictSame([count('expired'), count('refused before'), count('no key')], [0, 0, 0])
  const calls = readFileSync(join(scene.work, 'calls'), 'utf8').trim().split('\n')
  t.equal(calls.length, new Set(asked.map(({ key }) => key)).size, `each of ${calls.length} keys was asked for once`)
  t.ok(calls.length > 4 && count('taken back') + calls.length > 6, `${count('taken back')} were taken back`)
  t.equal(new Set(calls).size, 2, 'by the two agents')
  const record = await scene.bash('grep -rlF "eyJ" rec || true; ls overlaps 2>/dev/null || true')
  t.equal(record.out, '', 'no key in the record, and one call at a time')
  t.strictSame(await scene.leftovers(), [])
})
