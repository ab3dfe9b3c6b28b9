// long
// plumb-mcp tools, call, prompts, resources: what they print and how they end.

import { spawn } from 'node:child_process'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { resolve } from 'node:path'
import t from 'tap'
import { processes, until } from '../../wire/test/processes.js'
import { openPlace, SERVER } from './server.js'

const HOSTILE = resolve('packages/plumb-tool/test/fixtures/mcp/hostile.cjs')
const EVERYTHING = resolve('packages/plumb-tool/node_modules/@modelcontextprotocol/server-everything/dist/index.js')

const place = openPlace({})
t.teardown(place.remove)

interface Ended {
  readonly out: string
  readonly err: string
  readonly status: number | NodeJS.Signals | null
}

const start = (args: readonly string[], input = '', env: Record<string, string> = {}) => {
  const child = spawn(SERVER, args, { cwd: place.directory, env: { ...place.env, ...env }, stdio: 'pipe' })
  const ended: { out: string; err: string } = { out: '', err: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    ended.out += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    ended.err += text
  })
  child.stdin.end(input)
  const done = new Promise<Ended>((resolve) => child.on('close', (status, signal) => resolve({ ...ended, status: signal ?? status })))
  return { child, done }
}
const run = (args: readonly string[], input?: string, env?: Record<string, string>) => start(args, input, env).done

const node = (how: string) => ['--', process.execPath, HOSTILE, how]
const lines = (text: string) =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
const heard = (text: string) => ({ content: [{ type: 'text', text: `heard: ${text}` }] })

t.test('tools: one a line, as models see them; the list is kept for a while', async (t) => {
  const first = await run(['tools', ...node('well')])
  t.match(first, { err: '', status: 0 })
  t.strictSame(lines(first.out)[0], { name: 'echo', description: 'as its name says', input_schema: { type: 'object' } })
  t.match(
    lines(first.out).find(({ name }) => name === 'fits'),
    { output_schema: { required: ['n'] } },
  )
  t.strictSame(await run(['tools', ...node('well')]), first)
  t.match(await run(['tools', '--cache-ttl', '0', ...node('names')]), {
    out: /^\{"name":"a:b",/,
    err: /"bad_reply".*a tool .*is left out: there is a tool 'twice' already/,
    status: 0,
  })
  t.match(await run(['tools', ...node('circle')]), { out: /"one".*\n.*"two"/, err: /does not end: cursor 'again' came twice/, status: 0 })
})

t.test('a tool that runs as a task alone is marked, and not called', async (t) => {
  const server = ['--', process.execPath, EVERYTHING]
  const { out } = await run(['tools', ...server])
  const marked = lines(out).filter((tool) => 'needs_task' in tool)
  t.match(marked, [{ name: 'simulate-research-query', needs_task: true }])
  t.equal(marked.length, 1)
  t.match(await run(['call', 'simulate-research-query', '{"topic":"x"}', ...server]), {
    out: '',
    err: /"cannot_run".*runs as a task alone/,
    status: 2,
  })
})

t.test('call: once, or for each line', async (t) => {
  const once = await run(['call', 'echo', '{"text":"hi"}', ...node('well')])
  t.strictSame([lines(once.out), once.err, once.status], [[heard('hi')], '', 0])
  t.match(await run(['call', 'fits', ...node('well')]), { out: '{"content":[],"structured":{"n":1}}\n', status: 0 })
  const each = await run(['call', 'echo', '-', ...node('well')], '{"text":"1"}\n\nno JSON\n{"text":"2"}')
  t.strictSame([lines(each.out), each.status], [[heard('1'), heard('2')], 1])
  t.match(lines(each.err), [{ error: 'invalid_json', line: 3, seq: 2 }])
  const cases: [string[], string][] = [
    [['fail'], "tool_crashed: 'fail' failed: no ink"],
    [['nosuch'], "unknown_tool: the server has no tool 'nosuch', but echo, hang,"],
    [['echo', '5'], "input_type_mismatch: the input of tool 'echo' of MCP server 'node' is not a JSON object"],
    [['echo', '{'], 'invalid_json: the input is not JSON'],
    [['misfit'], "bad_reply: the answer of tool 'misfit' of MCP server 'node' does not fit its output schema"],
    [['--timeout', '0.5', 'hang'], "timeout: tool 'hang' of MCP server 'node' did not answer within 0.5 s"],
  ]
  for (const [words, said] of cases) {
    const { out, err, status } = await run(['call', ...words, ...node('well')])
    const [{ error, detail }] = lines(err)
    t.equal(`${error}: ${detail}`.slice(0, said.length), said)
    t.strictSame([out, status], ['', 1])
  }
})

t.test('call: what the server writes to stderr is part of the error; all of it is shown with --verbose', async (t) => {
  const key = ['--env', 'SECRET_TOKEN=sk-CANARY-of-the-server']
  const call = async (name: string, args: readonly string[] = [], env = {}) =>
    run(['call', ...key, ...args, name, ...node('well')], '', env)
  const gone = await call('die')
  t.match(lines(gone.err), [{ error: 'mcp_dead', detail: /it ended with status 7; its stderr ends with: listed 1 \| out of ink$/ }])
  const failed = await call('complain')
  t.strictSame(lines(failed.err), [
    {
      error: 'tool_crashed',
      category: 'internal',
      detail: "'complain' failed: no; its stderr ends with: 2: *** | 3: | 4: | 5: | 6:",
      content: heard('').content.map((block) => ({ ...block, text: 'no' })),
    },
  ])
  const all = 'listed 1\n1:\n2: ***\n3:\n4:\n5:\n6:\n'
  const verbose = [
    await call('complain', ['--verbose']),
    await call('complain', ['-v']),
    await call('complain', [], { PIPELINE_DEBUG: '1' }),
  ]
  for (const { err, status } of verbose) {
    t.ok(err.startsWith(all), err)
    t.match(lines(err.slice(all.length)), [{ error: 'tool_crashed', detail: "'complain' failed: no" }])
    t.equal(status, 1)
  }
  t.notMatch(JSON.stringify([gone, failed, verbose]), /CANARY/)
})

t.test('call: an error of a server of ours is that error', async (t) => {
  const place = openPlace({ 't.plumb': '@tool true\nlet price : { pieces: int } -> number = map(10 / pieces)\n' })
  t.teardown(place.remove)
  const call = (input: string) => run(['call', 'price', input, '--', SERVER, `${place.directory}/t.plumb`])
  t.match(lines((await call('{"pieces":"x"}')).err), [{ error: 'input_type_mismatch', category: 'invalid', path: '.pieces' }])
  t.match(lines((await call('{"pieces":0}')).err), [{ error: 'evaluation_failed', category: 'invalid' }])
  t.match(await call('{"pieces":"5"}'), { out: /"structured"|"text":"2"/, err: '', status: 0 })
})

t.test('what is asked in the wrong way', async (t) => {
  const cases: [string[], string][] = [
    [['tools'], "usage: which server? 'tools' ends with its URL, or with '--' and the command that starts it"],
    [
      ['tools', 'nowhere'],
      "usage: which server? 'tools' ends with its URL, and 'nowhere' is not one, or with '--' and the command that starts it",
    ],
    [['tools', '--'], "usage: no command is given behind '--', as in 'plumb-mcp tools -- ./server.sh'"],
    [['call', 'http://a/'], "usage: 'call' takes NAME [JSON | -] before the server, and was given none"],
    [['resources', 'a:b', 'c', 'http://a/'], "usage: 'resources' takes [URI] before the server, and was given 'a:b c'"],
    [['tools', '--env', 'A=b', 'http://a/'], 'usage: --env is for servers that are started'],
    [
      ['tools', '--env', 'NO_SUCH', '--', 'x'],
      "usage: option '-e, --env <variable>' argument 'NO_SUCH' is invalid: the environment has no NO_SUCH: set it, or write NO_SUCH=VALUE",
    ],
    [['tools', '--token-env', 'A', '--', 'x'], 'usage: --token-env is for servers that are reached by URL'],
    [
      ['tools', '--token-env', 'NO_SUCH', 'http://a/'],
      'missing_key: the environment has no NO_SUCH, which token_env names for the MCP server at a',
    ],
    [['tools', '--auth', 'x', 'http://a/'], "usage: --auth is 'query', not 'x'"],
    [['tools', '--transport', 'x', 'http://a/'], "usage: --transport is 'sse' or 'ws', not 'x'"],
    [
      ['tools', '--timeout', '0', 'http://a/'],
      "usage: option '--timeout <seconds>' argument '0' is invalid: write a number of seconds over 0",
    ],
    [['tools', '--tiemout', '1', 'http://a/'], "unknown_option: unknown option '--tiemout'; did you mean '--timeout'?"],
    [['tools', '--', './no-such-server'], "file_not_found: program './no-such-server' does not exist"],
    [
      ['prompts', 'x', '{"a":1}', ...node('well')],
      'input_type_mismatch: the arguments of a prompt are a JSON object of strings, such as {"city":"Rome"}',
    ],
  ]
  for (const [args, said] of cases) {
    const { out, err, status } = await run(args)
    const [{ error, detail }] = lines(err)
    t.equal(`${error}: ${detail}`.slice(0, said.length), said)
    t.strictSame([out, status], ['', error === 'input_type_mismatch' ? 1 : 2])
  }
})

t.test('prompts and resources of a real server', async (t) => {
  const everything = ['--', process.execPath, EVERYTHING]
  const [listed, prompt, resources, resource, missing, none] = await Promise.all([
    run(['prompts', ...everything]),
    run(['prompts', 'args-prompt', '{"city":"Rome"}', ...everything]),
    run(['resources', ...everything]),
    run(['resources', 'demo://resource/dynamic/blob/1', ...everything]),
    run(['resources', 'demo://nosuch', ...everything]),
    run(['prompts', ...node('well')]),
  ])
  t.match(lines(listed.out), [{ name: 'simple-prompt' }, { name: 'args-prompt', arguments: [{ name: 'city', required: true }, {}] }])
  t.match(lines(prompt.out), [{ messages: [{ role: 'user', content: { type: 'text', text: "What's weather in Rome?" } }] }])
  t.match(lines(resources.out)[0], { uri: /^demo:/, media_type: 'text/markdown' })
  t.match(lines(resources.out).at(-1), { uri_template: /^demo:/ })
  t.match(lines(resource.out), [{ uri: 'demo://resource/dynamic/blob/1', data: /^[A-Za-z0-9+/=]+$/ }])
  t.match(missing, { out: '', err: /not found/, status: 1 })
  t.match(none, { out: '', err: '', status: 0 })
})

t.test('by URL, with a token that is never shown', async (t) => {
  const server = createServer((request, response) => {
    const isKnown = request.headers.authorization === 'Bearer CANARY-known'
    response.writeHead(isKnown ? 500 : 401).end(`no, ${request.headers.authorization}`)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  t.teardown(() => server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`
  const ask = async (token: string) => (await run(['tools', '--token-env', 'KEY_OF_IT', url], '', { KEY_OF_IT: token })).err
  t.match(lines(await ask('CANARY-other')), [{ error: 'unauthorized', detail: /\(401\): no, Bearer \*\*\*$/ }])
  t.match(lines(await ask('CANARY-known')), [{ error: 'connection_failed', detail: /status 500: no, Bearer \*\*\*$/ }])
  t.match(lines((await run(['tools', url.replace('http', 'ws')])).err), [{ error: 'connection_failed' }])
})

t.test('by URL, with further headers, and with the scope that is asked for', async (t) => {
  const seen: { path: string; headers: IncomingHttpHeaders; body: string }[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (text: string) => {
      body += text
    })
    request.on('end', () => {
      const { url: path = '', headers } = request
      const origin = `http://${headers.host}`
      seen.push({ path, headers, body })
      const json = (value: unknown) => response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value))
      if (path.startsWith('/.well-known/oauth-protected-resource'))
        return json({ resource: `${origin}/mcp`, authorization_servers: [origin], scopes_supported: ['all'] })
      if (path === '/.well-known/oauth-authorization-server') return json({ issuer: origin, token_endpoint: `${origin}/token` })
      if (path === '/token') return json({ access_token: 'CANARY-token', token_type: 'bearer' })
      const isIn = headers.authorization === 'Bearer CANARY-token' || headers['x-key'] === 'CANARY-key'
      if (!isIn) return response.writeHead(401).end()
      const { id, method } = JSON.parse(body === '' ? '{}' : body)
      if (method === 'tools/list') return json({ jsonrpc: '2.0', id, result: { tools: [{ name: 'echo', inputSchema: {} }] } })
      if (method !== 'server/discover') return response.writeHead(id === undefined ? 202 : 404).end()
      const result = { resultType: 'complete', supportedVersions: ['2026-07-28'], capabilities: { tools: {} } }
      return json({ jsonrpc: '2.0', id, result })
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  t.teardown(() => server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`
  const env = { KEY_OF_IT: 'CANARY-key', ID_OF_IT: 'id', SECRET_OF_IT: 'CANARY-secret' }
  const headers = ['--header', 'X-Tenant=acme=1', '--header', 'X-Trace=2', '--header-env', 'X-Key=KEY_OF_IT']
  t.match(await run(['tools', ...headers, url], '', env), { out: /^\{"name":"echo"/, err: '', status: 0 })
  t.ok(seen.length > 0 && seen.every(({ headers }) => headers['x-tenant'] === 'acme=1' && headers['x-trace'] === '2'))
  const asked = async (...scope: readonly string[]) => {
    const client = ['--client-id-env', 'ID_OF_IT', '--client-secret-env', 'SECRET_OF_IT']
    const { out, err, status } = await run(['tools', ...client, ...scope, url], '', env)
    t.strictSame([out.split(',')[0], err, status], ['{"name":"echo"', '', 0])
    return new URLSearchParams(seen.findLast(({ path }) => path === '/token')?.body).get('scope')
  }
  t.equal(await asked(), 'all')
  t.equal(await asked('--scope', 'mail.read mail.send'), 'mail.read mail.send')
  const refused = async (...words: readonly string[]) => {
    const { error, detail } = lines((await run(words, '', env)).err)[0]
    return `${error}: ${detail}`
  }
  t.match(await refused('tools', '--header', 'X-Tenant', url), /^usage: .*'X-Tenant' is invalid: write NAME=VALUE/)
  t.match(await refused('tools', '--header-env', 'X-Key=NO_SUCH', url), /^missing_key: .*NO_SUCH, which headers_env names for 'X-Key'/)
  for (const option of ['--header', '--header-env', '--scope'])
    t.equal(await refused('tools', option, 'a=b', '--', 'x'), `usage: ${option} is for servers that are reached by URL`)
})

t.test('a signal ends it, and the server with it', async (t) => {
  const { child, done } = start(['call', 'hang', ...node('2025-03-26')])
  const server = () => processes().some(({ args }) => args.endsWith('hostile.cjs 2025-03-26'))
  t.ok(await until(server))
  child.kill('SIGTERM')
  t.match(await done, { out: '', err: '', status: 'SIGTERM' })
  t.notOk(server())
})
