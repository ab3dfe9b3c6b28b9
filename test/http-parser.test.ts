// V8 compiles undici's parser of HTTP/1 once, by its baseline compiler, however much is read (scripts/build/undici.mjs).

import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'
import t from 'tap'
import { scaled } from '../packages/wire/test/patience.js'

const ANSWERS = 50
const TEXT = 'words of an answer '.repeat(5000)

t.test('what an agent reads of its model', async (t) => {
  const server = createServer((request, response) => {
    const content = [{ type: 'text', text: TEXT }]
    const body = { type: 'message', role: 'assistant', content, stop_reason: 'end_turn', usage: { input_tokens: 1, output_tokens: 1 } }
    request.resume().on('end', () => response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body)))
  })
  t.teardown(() => server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const spec = `let main : !string -> !string = agent { provider: "anthropic", model: "m", endpoint: "${endpoint}", amnesiac: true }`
  // Lines of V8 come between the answers.
  const args = ['--trace-wasm-compilation-times', 'packages/plumb-agent/bin/plumb-agent', '-e', spec]
  const run = promisify(execFile)(process.execPath, args, {
    env: { PATH: process.env.PATH, ANTHROPIC_API_KEY: 'none' },
    maxBuffer: 2 * ANSWERS * TEXT.length,
    timeout: scaled(60_000),
  })
  run.child.stdin?.end('"hello"\n'.repeat(ANSWERS))
  const { stdout } = await run
  t.equal(stdout.split(TEXT).length - 1, ANSWERS)
  const compilers = new Set(Array.from(stdout.matchAll(/Compiled function \S+ using (\w+)/g), ([, compiler]) => compiler))
  t.strictSame([...compilers], ['Liftoff'])
})
