// A server whose tools have an order: each session walks it, and requests without a session walk it together.

import { join } from 'node:path'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js'
import t from 'tap'
import { serve } from '../src/index.js'
import { call, newClient, openPlace } from './server.js'

const place = openPlace({
  't.plumb': `protocol Refund = { look: loop, verify: { refund: loop, look: loop }, end }
protocol Talk = send string . recv string . end
protocol Far = { look: { away: end } }
let look : {} -> string = tool { mock: "there it is" }
let verify : {} -> string = tool { mock: "it is right" }
let refund : {} -> string = tool { mock: "paid" }
let fails : {} -> string = tool { failing: "invalid" }
protocol Tries = { fails: { refund: loop, end }, verify: { refund: loop, end }, end }
`,
})
t.teardown(() => place.remove())

const start = async (protocol: string) => {
  const served = await serve({ http: 0, wantsToken: false, builtins: [], specs: [join(place.directory, 't.plumb')], protocol })
  if (!served.ok) throw new Error(served.error.detail)
  t.teardown(() => served.value.close())
  return served.value.url as string
}

const session = async (url: string) => {
  const client = newClient()
  await client.connect(new StreamableHTTPClientTransport(new URL(url)) as Parameters<typeof client.connect>[0])
  t.teardown(() => client.close())
  return client
}

const listed = async (client: ReturnType<typeof newClient>): Promise<string> => {
  const { tools } = await client.listTools()
  return ['look', 'verify', 'refund'].filter((name) => tools.some((tool) => tool.name === name)).join(' ')
}

t.test('each session has a walk of its own, and is told when it moves', async (t) => {
  const url = await start('Refund')
  const [one, other] = [await session(url), await session(url)]
  const told = new Promise<void>((resolve) => {
    one.setNotificationHandler(ToolListChangedNotificationSchema, () => resolve())
  })
  t.equal(await listed(one), 'look verify')
  t.match(await call(one, 'refund'), { isError: true, error: 'protocol_violation', text: /'refund' may not be called now/ })
  t.match(await call(one, 'verify'), { text: 'it is right' })
  await told
  t.equal(await listed(one), 'look refund')
  t.match(await call(other, 'refund'), { error: 'protocol_violation' }, 'another session is where it was')
  t.match(await call(one, 'refund'), { text: 'paid' })
  t.match(await call(one, 'refund'), { error: 'protocol_violation' })
  t.match(await call(one, 'check', { source: 'let a : int -> int = map(value)' }), { text: /^ok/ }, 'what it does not name is free')
  const [verified, paid, again] = await Promise.all(['verify', 'refund', 'refund'].map((name) => call(one, name)))
  t.strictSame([verified?.text, paid?.text, again?.error], ['it is right', 'paid', 'protocol_violation'], 'each waits for the one before')
})

t.test('a call that fails leaves the walk where it was', async (t) => {
  const client = await session(await start('Tries'))
  t.match(await call(client, 'fails'), { isError: true })
  t.match(await call(client, 'refund'), { error: 'protocol_violation' })
})

t.test('requests without sessions have one walk', async (t) => {
  const url = await start('Refund')
  let id = 0
  const ask = async (method: string, params: Record<string, unknown>) => {
    const key = 'io.modelcontextprotocol/'
    const _meta = {
      [`${key}protocolVersion`]: '2026-07-28',
      [`${key}clientCapabilities`]: {},
      [`${key}clientInfo`]: { name: 'x', version: '1' },
    }
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': method,
        ...(typeof params.name === 'string' ? { 'mcp-name': params.name } : {}),
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: ++id, method, params: { ...params, _meta } }),
    })
    return (await response.json()) as { readonly result: Record<string, unknown> }
  }
  const outcomes: unknown[] = []
  for (const name of ['refund', 'verify', 'refund'])
    outcomes.push((await ask('tools/call', { name, arguments: {} })).result.isError === true)
  t.strictSame(outcomes, [true, false, false])
  const { result } = await ask('tools/list', {})
  t.equal(result.ttlMs, 0)
  t.notOk((result.tools as { name: string }[]).some(({ name }) => name === 'refund'))
})

t.test('a gateway judges whole chains', async (t) => {
  const served = await serve({ http: 0, wantsToken: false, gateway: true, specs: [join(place.directory, 't.plumb')], protocol: 'Refund' })
  if (!served.ok) throw new Error(served.error.detail)
  t.teardown(() => served.value.close())
  const client = await session(served.value.url as string)
  const run = (chain: string) => call(client, 'compose', { chain, input: {} })
  t.match(await run('refund'), { error: 'protocol_violation', text: /nothing of the chain was run/ })
  t.match(await run('look ; map({}) ; verify'), { text: 'it is right' })
  t.match(await run('refund ; map({}) ; refund'), { error: 'protocol_violation' })
  t.match(await run('refund'), { text: 'paid' })
})

t.test('what is no protocol of these tools is told', async (t) => {
  for (const name of ['Refunds', 'Talk', 'Far']) {
    const served = await serve({ http: 0, wantsToken: false, builtins: [], specs: [join(place.directory, 't.plumb')], protocol: name })
    t.notOk(served.ok, name)
  }
})
