// A server of MCP on stdio, and lines of a client: each request has one answer with its id, no answer is without a request, and after the
// worst of lines it is still there.

import { isUtf8 } from 'node:buffer'
import { EventEmitter } from 'node:events'
import { PassThrough, Writable } from 'node:stream'
import { openActiveCalls } from '../../../packages/plumb-mcp/src/server/active-calls.js'
import { openCatalogue } from '../../../packages/plumb-mcp/src/server/catalogue.js'
import { serveStdio } from '../../../packages/plumb-mcp/src/stdio/serve-stdio.js'
import { hintsOf, type ServedTool } from '../../../packages/plumb-mcp/src/tools/served-tool.js'
import { isCode, parseJson, Semaphore } from '../../../packages/wire/src/index.js'
import { must, type Target } from '../target.js'

const rpc = (...messages: readonly object[]): string => messages.map((one) => `${JSON.stringify({ jsonrpc: '2.0', ...one })}\n`).join('')

const HELLO = rpc(
  {
    id: 0,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: { elicitation: {} }, clientInfo: { name: 'x', version: '1' } },
  },
  { method: 'notifications/initialized' },
)

/** Of revision 2026-07-28. */
const META = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': { elicitation: {} } }
const TASKS = { ...META, 'io.modelcontextprotocol/clientCapabilities': { extensions: { 'io.modelcontextprotocol/tasks': {} } } }

const ECHO: ServedTool = {
  name: 'echo',
  description: 'gives back its input',
  inputSchema: { type: 'object' },
  annotations: hintsOf([]),
  effects: [],
  call: async (input, { progress }) => {
    progress('half', 1, 2)
    return { content: [{ type: 'text', text: input }] }
  },
}

const LAST = 'fuzz-last'
const MAX_LINE = 4000

interface Reported {
  readonly id?: string | number | null
  readonly method?: string
  readonly error?: unknown
  readonly result?: unknown
}

const converse = async (input: Buffer): Promise<readonly Reported[]> => {
  const stdin = new PassThrough()
  const texts: Buffer[] = []
  const stdout = new Writable({
    write: (chunk, _, done) => {
      texts.push(chunk)
      done()
    },
  })
  const authority = { grant: [], policy: [], context: {} }
  const calls = openActiveCalls()
  const catalogue = openCatalogue([ECHO], () => undefined, authority)
  const server = await serveStdio(
    { catalogue, files: undefined, calls, permits: new Semaphore(4), changes: new EventEmitter(), warn: () => {} },
    { input: stdin, output: stdout, maxLine: MAX_LINE, report: ({ error }) => must(isCode(error), `'${error}' is not a code`) },
  )
  stdin.end(Buffer.concat([input, Buffer.from(`\n${rpc({ id: LAST, method: 'ping' })}`)]))
  await server.finished
  await server.close()
  return Buffer.concat(texts)
    .toString('utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Reported)
}

interface Said {
  readonly jsonrpc?: unknown
  readonly id?: unknown
  readonly method?: unknown
}

/** What the client said, message by message; what is not JSON left out. */
const saidIn = (input: Buffer): Said[] =>
  input
    .toString('utf8')
    .split('\n')
    .flatMap((line) => {
      const bytes = Buffer.from(line.replace(/^\ufeff/, ''))
      const parsed = parseJson(bytes, 0, bytes.length)
      const value = parsed.ok ? parsed.value : []
      return (Array.isArray(value) ? value : [value]).map((one) => (one ?? {}) as Said)
    })

const isId = (id: unknown): boolean => typeof id === 'string' || Number.isSafeInteger(id)

export const mcpServer: Target = {
  name: 'mcp-server',
  seeds: [
    HELLO +
      rpc(
        { id: 1, method: 'tools/list' },
        { id: 2, method: 'tools/call', params: { name: 'echo', arguments: { a: 1 }, _meta: { progressToken: 't' } } },
      ),
    HELLO +
      rpc(
        { id: 'a', method: 'prompts/list', params: { cursor: 'x' } },
        { id: 'b', method: 'prompts/get', params: { name: 'p', arguments: { input: 'x' } } },
        { id: 'c', method: 'logging/setLevel', params: { level: 'debug' } },
      ),
    HELLO +
      rpc(
        {
          id: 1,
          method: 'completion/complete',
          params: { ref: { type: 'ref/prompt', name: 'p' }, argument: { name: 'input', value: 'x' } },
        },
        { method: 'notifications/cancelled', params: { requestId: 1, reason: 'x' } },
      ),
    HELLO +
      rpc(
        { id: 5, method: 'resources/list' },
        { id: 6, method: 'resources/read', params: { uri: 'file:///x' } },
        { id: 7, method: 'nothing' },
        { id: 3, result: {} },
        { id: null, error: { code: 1, message: 'x' } },
      ),
    rpc(
      { id: 1, method: 'server/discover', params: { _meta: META } },
      { id: 2, method: 'subscriptions/listen', params: { notifications: { toolsListChanged: true }, _meta: META } },
      { id: 3, method: 'tools/call', params: { name: 'echo', arguments: {}, _meta: META } },
      { id: 4, method: 'tools/call', params: { name: 'echo', arguments: {}, requestState: 'x', inputResponses: {}, _meta: META } },
    ),
    rpc(
      { id: 1, method: 'tools/call', params: { name: 'echo', arguments: {}, _meta: TASKS } },
      { id: 2, method: 'tasks/get', params: { taskId: 'x', _meta: TASKS } },
      { id: 3, method: 'tasks/update', params: { taskId: 'x', inputResponses: { a: { action: 'accept' } }, _meta: TASKS } },
      { id: 4, method: 'tasks/cancel', params: { taskId: 'x', _meta: META } },
      { id: 5, method: 'subscriptions/listen', params: { notifications: { taskIds: ['x'] }, _meta: TASKS } },
    ),
    `${HELLO}[${rpc({ id: 1, method: 'ping' }).trim()},${rpc({ id: 2, method: 'tools/list' }).trim()}]\nno json\n{"jsonrpc":"1.0"}\n[]\n{}\nnull\n`,
  ],
  words: [
    ...[
      '"jsonrpc":"2.0"',
      '"id":',
      '"method":',
      '"params":',
      '"result":{}',
      '"error":{"code":1,"message":"x"}',
      '"initialize"',
      '"ping"',
      '"tools/list"',
      '"tools/call"',
      '"echo"',
    ],
    ...[
      '"notifications/cancelled"',
      '"requestId":1',
      '"notifications/progress"',
      '"notifications/initialized"',
      '"_meta":{',
      `"_meta":${JSON.stringify(META)}`,
      '"server/discover"',
      '"subscriptions/listen"',
      '"requestState":',
      '"inputResponses":{',
      '"progressToken":',
      '"arguments":',
      '"name":',
      '"cursor":',
    ],
    ...[
      '"tasks/get"',
      '"taskId":',
      '"taskIds":[',
      '"sampling/createMessage"',
      '"elicitation/create"',
      '"roots/list"',
      '"logging/setLevel"',
      '"uri":',
      'null',
      '1',
      '1.5',
      '"1"',
      '{',
      '}',
      '[',
      ']',
      ',',
      '\n',
      HELLO,
    ],
  ],
  cases: 300,
  maxBytes: 6000,
  judge: async (input) => {
    const reported = await converse(input)
    const answers = reported.filter(({ method }) => method === undefined)
    must(
      answers.some(({ id, result }) => id === LAST && result !== undefined),
      `it does not answer any more: ${JSON.stringify(reported)}`,
    )
    const said = saidIn(input)
    const open: unknown[] = [LAST, ...said.map(({ id }) => id)]
    for (const { id, error } of answers) {
      if (id === null || id === undefined) must(error !== undefined, 'a result has no request')
      else {
        const at = open.indexOf(id)
        must(at >= 0, `an answer has the id ${JSON.stringify(id)}, which no request has`)
        open.splice(at, 1)
      }
    }
    if (isUtf8(input) && !input.includes('cancelled') && input.length < MAX_LINE)
      for (const { jsonrpc, id, method } of said)
        must(jsonrpc !== '2.0' || typeof method !== 'string' || !isId(id) || answers.some((one) => one.id === id), `${id} has no answer`)
  },
}
