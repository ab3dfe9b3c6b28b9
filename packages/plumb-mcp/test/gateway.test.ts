// A gateway: a thousand tools behind three, in few tokens; servers that die, are slow, or have names alike; servers that others have written.

import { resolve } from 'node:path'
import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { encode } from 'gpt-tokenizer/encoding/o200k_base'
import t from 'tap'
import { call, connect, openPlace } from './server.js'

/** `node shop.cjs COUNT [late]`: so many tools, each of which gives a thing; `die` as the key ends it. */
const SHOP = `
const { createInterface } = require('node:readline')
const [count, late] = [Number(process.argv[2]), process.argv[3] === 'late']
const inputSchema = { type: 'object', properties: { key: { type: 'string', description: 'What it is called in the shop' } }, required: ['key'] }
const outputSchema = { type: 'object', properties: { id: { type: 'integer' }, label: { type: 'string' } }, required: ['id', 'label'] }
const tools = Array.from({ length: count }, (_, i) => ({ name: 'get-thing-' + i, description: 'Gets the things of aisle ' + i, inputSchema, outputSchema }))
tools.push({ name: 'a.b', inputSchema: { type: 'object' } }, { name: 'a_b', inputSchema: { type: 'object' } })
const say = (id, result) => console.log(JSON.stringify({ jsonrpc: '2.0', id, ...result }))
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params = {} } = JSON.parse(line)
  if (id === undefined) return
  if (method === 'initialize') {
    if (!late) say(id, { result: { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'shop', version: '1' } } })
  } else if (method === 'tools/list') say(id, { result: { tools } })
  else if (method === 'tools/call') {
    const { name, arguments: { key } } = params
    if (key === 'die') process.exit(3)
    const thing = { id: Number(name.split('-').pop()), label: key ?? name, unsaid: [1, 2, 3] }
    say(id, { result: { content: [{ type: 'text', text: JSON.stringify(thing) }], structuredContent: thing } })
  } else say(id, { error: { code: -32601, message: 'no such method' } })
})
`
const server = (...args: (string | number)[]): string =>
  `{ command: ${JSON.stringify(process.execPath)}, args: ${JSON.stringify(['shop.cjs', ...args.map(String)])}, sandbox: false, handshake_timeout: 600 }`
const published = (name: string, ...args: string[]): string =>
  `{ command: ${JSON.stringify(process.execPath)}, args: ${JSON.stringify([resolve(`packages/plumb-tool/node_modules/@modelcontextprotocol/${name}/dist/index.js`), ...args])}, sandbox: false, handshake_timeout: 600 }`

const place = openPlace({
  'shop.cjs': SHOP,
  'notes/a.txt': 'first\n',
  'notes/b.txt': 'second one\n',
  'thousand.plumb': `let shop = ${server(998)}\n`,
  'several.plumb': `let shop = ${server(2)}
let dying = ${server(2, 'other')}
`,
  'slow.plumb': `let shop = ${server(1)}\nlet late = ${server(1, 'late')}\nlet gone = { command: "node", args: ["no-such-file.cjs"], sandbox: false }
@tool true
@description "Twice a number"
let double : int -> int = map(value * 2)
`,
  'alike.plumb': `let one = { prefix: "the-shop", command: ${JSON.stringify(process.execPath)}, args: ["shop.cjs", "0"], sandbox: false }
let two = { prefix: "the_shop", command: ${JSON.stringify(process.execPath)}, args: ["shop.cjs", "0", "other"], sandbox: false }
`,
  'others.plumb': `let files = ${published('server-filesystem', '.')}\nlet everything = ${published('server-everything')}\n`,
  'wrong.plumb': 'let shop = { command: "node", arg: ["x"] }\n',
})
t.teardown(() => place.remove())

const open = async (spec: string, ...args: string[]): Promise<Client> => {
  const client = await connect(place, ['--gateway', '--grant', 'exec,net', ...args, spec])
  t.teardown(() => client.close())
  return client
}
const compose = (client: Client, chain: string, input?: unknown) =>
  call(client, 'compose', { chain, ...(input === undefined ? {} : { input }) })

t.test('a thousand tools in at most 1,500 tokens of definitions, and each of them found', async (t) => {
  const client = await open('thousand.plumb')
  const { tools } = await client.listTools()
  t.strictSame(
    tools.map(({ name }) => name),
    ['find', 'schema', 'compose'],
  )
  const tokens = encode(JSON.stringify(tools)).length
  t.comment(`${tokens} tokens (o200k_base)`)
  t.ok(tokens <= 1350, `${tokens} tokens: other tokenizers count up to a tenth more`)
  t.equal((await call(client, 'find')).text, 'shop: 1000 tools')
  const found = await call(client, 'find', { words: 'things of aisle 731' })
  t.match(found.text, /^shop\.get_thing_731 : \{ key: string \} -> \{ id: int, label: string \} {2}Gets the things of aisle 731\n?/)
  t.match((await call(client, 'find', { to: '{ id: int, label: string }' })).text, /and 980 more: say other words$/)
  t.match((await call(client, 'find', { from: 'int -> ' })).error, 'input_type_mismatch')
  const { text } = await call(client, 'schema', { names: ['shop.get_thing_731', 'shop.a_b_2'] })
  t.match(
    text.split('\n').map((line) => JSON.parse(line)),
    [
      { name: 'shop.get_thing_731', type: '{ key: string } -> { id: int, label: string }', input_schema: { required: ['key'] } },
      { name: 'shop.a_b_2' },
    ],
  )
  t.match((await call(client, 'schema', { names: ['shop.get_thong_7'] })).text, /did you mean 'shop\.get_thing_7'/)
  const chain = 'map([{ key: k } for k in value]) ; each(shop.get_thing_5 ; map(label)) ; map(join(value, "+"))'
  t.equal((await compose(client, chain, ['a', 'b'])).text, 'a+b')
  t.match(await compose(client, 'shop.get_thing_5 ; map(lable)', { key: 'a' }), { isError: true, text: /chain:1:24: error/ })
  t.match((await compose(client, 'each(shop.get_thing_1)', Array(65).fill({ key: 'a' }))).text, /tool_limit/)
})

t.test('a server that dies is an error of its tools only', async (t) => {
  const client = await open('several.plumb')
  await call(client, 'find')
  const [died, lives] = await Promise.all([
    compose(client, 'dying.get_thing_1', { key: 'die' }),
    compose(client, 'shop.get_thing_1', { key: 'a' }),
  ])
  t.equal(died.error, 'mcp_dead')
  t.strictSame(JSON.parse(lives.text), { id: 1, label: 'a' })
  t.equal((await compose(client, 'dying.get_thing_1', { key: 'a' })).error, 'mcp_dead')
  t.equal((await compose(client, '(dying.get_thing_1 + shop.get_thing_1) ; map(id)', { key: 'a' })).text, '1')
})

t.test('a server that is slow, or is not there, holds up no other', async (t) => {
  const client = await open('slow.plumb')
  t.match((await compose(client, 'shop.get_thing_0 ; map(id + 3) ; double', { key: 'a' })).text, '6')
  t.match(
    (await call(client, 'find', { words: 'aisle' })).text,
    /^shop\.get_thing_0 [\s\S]*\nstill being started: late\nnot there: gone: .*ended before the handshake/,
  )
  t.match((await call(client, 'find', { words: 'twice' })).text, /^double : int -> int {2}Twice a number/)
  t.match((await compose(client, 'gone.x ; double')).text, /no binding is named 'gone'[\s\S]*gone: MCP server 'gone' cannot be used/)
})

t.test('names never collide: those that would be one have a number', async (t) => {
  const client = await open('alike.plumb')
  t.equal((await call(client, 'find')).text, 'the_shop_2: 2 tools\nthe_shop: 2 tools')
  t.strictSame(
    JSON.parse((await compose(client, 'map({}) ; (the_shop.a_b * the_shop.a_b_2 * the_shop_2.a_b) ; map([v.label for v in value])')).text),
    ['a_b', 'a.b', 'a_b'],
  )
})

t.test('servers that others have written', async (t) => {
  const client = await open('others.plumb')
  const chain =
    'map([{ path: $"notes/{name}.txt" } for name in value]) ; each(files.read_text_file) ; map(length(join([r.content for r in value], "")))'
  t.equal((await compose(client, chain, ['a', 'b'])).text, '17')
  // A search does not wait for servers that are being started, a chain does.
  t.match((await call(client, 'find', { words: 'read text file' })).text, /^files\.read_text_file : \{ path: string/)
  t.match((await compose(client, 'everything.echo', { message: 'hello' })).text, /hello/)
  t.match((await compose(client, 'everything.get_sum', { a: 2, b: 3 })).text, /5/)
})

t.test('what is not granted is not started, and what cannot be a gateway says so', async (t) => {
  const client = await connect(place, ['--gateway', 'several.plumb'])
  t.match((await call(client, 'find')).text, /not there: shop: .*exec/)
  await client.close()
  await t.rejects(connect(place, ['--gateway']))
  await t.rejects(connect(place, ['--gateway', 'wrong.plumb']))
  await t.rejects(connect(place, ['--gateway', '--builtin', 'grep', 'slow.plumb']))
})
