// The client of the official SDK that has all revisions, against our server: on stdio and on HTTP, in the newest and in an older revision.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { Client, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import t from 'tap'
import { openPlace, SERVER } from './server.js'

const SPEC = `@tool true
let double : { n: int } -> { n: int } = map({ n: n * 2 })
let numbers : {} -> [int] = tool { mock: [1, 2] }
let asked : { why?: string } -> string = tool { mock: "agreed", approval: "ask" }
`

const place = openPlace({ 't.plumb': SPEC })
t.teardown(() => place.remove())
const { directory, env } = place

const address = async (): Promise<URL> => {
  const child = spawn(SERVER, ['--http', '0', 't.plumb'], { cwd: directory, env, stdio: ['ignore', 'ignore', 'pipe'] })
  t.teardown(async () => {
    child.kill()
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  })
  let said = ''
  for await (const chunk of child.stderr) {
    said += chunk
    const [url] = /http:\/\/127\.0\.0\.1:\d+\/mcp/.exec(said) ?? []
    if (url !== undefined) return new URL(url)
  }
  throw new Error(said)
}

const WAYS: Readonly<Record<string, () => Promise<Transport>>> = {
  stdio: async () => new StdioClientTransport({ command: SERVER, args: ['t.plumb'], cwd: directory, env, stderr: 'ignore' }),
  HTTP: async () => new StreamableHTTPClientTransport(await address()),
}

for (const [way, open] of Object.entries(WAYS)) {
  for (const [mode, revision] of [
    ['auto', '2026-07-28'],
    ['legacy', '2025-11-25'],
  ] as const) {
    t.test(`${way}, ${mode}`, async (t) => {
      const client = new Client({ name: 'test', version: '1' }, { capabilities: { elicitation: {} }, versionNegotiation: { mode } })
      const questions: string[] = []
      client.setRequestHandler('elicitation/create', async ({ params }) => {
        questions.push(params.message)
        return { action: questions.length === 1 ? 'accept' : 'decline' }
      })
      await client.connect(await open())
      t.equal(client.getNegotiatedProtocolVersion(), revision)
      const { tools } = await client.listTools()
      t.equal(tools.find(({ name }) => name === 'numbers')?.outputSchema !== undefined, mode === 'auto')
      t.match(await client.callTool({ name: 'double', arguments: { n: 21 } }), { structuredContent: { n: 42 } })
      t.match(
        await client.callTool({ name: 'numbers', arguments: {} }),
        mode === 'auto' ? { structuredContent: [1, 2] } : { content: [{ text: '[1,2]' }] },
      )
      t.match(await client.callTool({ name: 'asked', arguments: { why: 'x' } }), { content: [{ text: 'agreed' }] })
      t.match(await client.callTool({ name: 'asked', arguments: {} }), { isError: true })
      t.match(questions, [/'asked'.*"why":"x"/, /'asked'/])
      await client.close()
    })
  }
}
