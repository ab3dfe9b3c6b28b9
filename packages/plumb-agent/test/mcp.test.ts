// What an agent makes of MCP servers: what they offer, as a file, a message or a plumb-tool of its own says it, and what they answer.

import { readFileSync } from 'node:fs'
import type { Json } from '@plumb/lang'
import type { Fault } from '@plumb/wire'
import t from 'tap'
import { envIn, makeTestDirectory } from '../../wire/test/shell.js'
import { prepare } from '../src/config/prepare.js'
import { readAgentArguments } from '../src/main-flags.js'
import type { ChatMessage } from '../src/provider/provider.js'
import { toModelContent } from '../src/tool/content.js'
import { openOwnServers } from '../src/tool/own-servers.js'
import { openToolPolicy } from '../src/tool/policy.js'
import { type OfferedTools, readOfferedTools } from '../src/tool/server-catalogue.js'
import { anthropicText, openaiText, openClient, openStub, STREAM } from './fixtures/provider/stub.js'
import { openShell } from './shell.js'

const SCHEMA = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] }
const KINDS: Json = [
  { type: 'text', text: 'all' },
  { type: 'image', media_type: 'image/png', data: 'aGk=' },
  { type: 'audio', media_type: 'audio/wav', data: 'aGk=' },
  { type: 'audio', media_type: 'audio/ogg', data: 'aGkh' },
  { type: 'resource', uri: 'file:///a.txt', media_type: 'text/plain', text: 'inside' },
  { type: 'resource', uri: 'file:///dir/b.pdf', media_type: 'application/pdf', data: 'aGk=' },
  { type: 'resource', uri: 'file:///c.bin', data: 'aGkh' },
  { type: 'resource_link', uri: 'file:///d', name: 'd', title: 'The fourth', description: 'a link' },
]

t.test('what is offered', async (t) => {
  const read = (value: unknown, servers: Json[] = [{ command: 'x' }]) => readOfferedTools(value, servers)
  const offered = read([
    {
      name: 'a:x',
      description: 'X',
      input_schema: SCHEMA,
      strict: true,
      effects: ['net'],
      hosts: ['h.example'],
      annotations: { readOnlyHint: true },
    },
    { name: 'a:x', input_schema: {} },
    { name: 'a:y', input_schema: {} },
  ])
  const tools = (offered as { value: OfferedTools }).value
  const [x, y] = [tools.get('a:x'), tools.get('a:y')]
  t.strictSame([...tools.keys()], ['a:x', 'a:y'], 'the first of a name counts')
  t.strictSame(x?.offer, { name: 'a:x', description: 'X', input_schema: SCHEMA, strict: true }, 'hints are not part of it')
  t.match(x, { effects: ['net'], hosts: ['h.example'], isOfServer: true })
  t.strictSame([y?.offer.description, y?.effects], ['', ['exec']], 'what it does not say follows from the servers')
  const both = read([{ name: 'z', input_schema: {} }], [{ command: 'x' }, { url: 'https://h' }]) as { value: OfferedTools }
  t.strictSame(both.value.get('z')?.effects, ['exec', 'net'])

  const fits: readonly [string, unknown][] = [
    ['{"text":"a"}', { ok: true, value: { json: '{"text":"a"}', repairs: [] } }],
    ['"{\\"text\\":\\"a\\"}"', { ok: true, value: { json: '{"text":"a"}', repairs: ['input: text read as the object in it'] } }],
    [
      '{"text":1}',
      { ok: false, error: { error: 'input_type_mismatch', detail: /'a:x' does not fit the schema of its server: \/text must be string/ } },
    ],
    ['{}', { ok: false, error: { detail: /required property 'text'/ } }],
    ['[1]', { ok: false, error: { detail: /is an object, found \[1\]/ } }],
    ['"{"', { ok: false, error: { detail: /is an object/ } }],
  ]
  for (const [json, result] of fits) t.match(x?.fit(json), result, json)

  const wrong: readonly [unknown, RegExp][] = [
    ['no JSON', /not a list of tools/],
    [{ tools: [] }, /not a list/],
    [
      [
        { name: 'a', input_schema: {} },
        { name: '', input_schema: {} },
      ],
      /tool 2/,
    ],
    [[{ name: 'a', input_schema: [] }], /tool 1/],
    [[{ name: 'a', input_schema: {}, effects: ['all'] }], /tool 1/],
    [[{ name: 'a', input_schema: {}, description: 1 }], /tool 1/],
    [[null], /tool 1/],
  ]
  for (const [value, detail] of wrong) t.match(read(value), { ok: false, error: { error: 'config_invalid', detail } }, String(detail))

  const gate = (...policy: object[]) => openToolPolicy(() => ({ policy: policy as never, context: {} }))
  if (x === undefined) return t.fail('no tool')
  t.match(gate({ decision: 'allow', host: 'h.example' }).decide(x), { kind: 'allow' }, 'rules may speak of its host')
  t.match(gate({ decision: 'allow', host: 'other.example' }).decide(x), { kind: 'deny' })
  t.match(gate({ decision: 'deny', tool: 'a:*' }).decide(x), { kind: 'deny' })
  t.match(gate({ decision: 'ask', tool: 'a:x' }).decide(x), { kind: 'ask' })
  return undefined
})

t.test('what a model sees of an answer', async (t) => {
  const blocks = JSON.stringify(KINDS)
  t.strictSame(toModelContent(blocks, false, true), KINDS, 'blocks as they are')
  t.strictSame(toModelContent(blocks, true, true), KINDS, 'of a failure too')
  t.strictSame(toModelContent('"text"', true, true), 'text')
  t.strictSame(toModelContent('[{"type":"text","text":"a"},1]', false, true), '[{"type":"text","text":"a"},1]', 'no blocks are JSON')
  t.strictSame(toModelContent('[{"type":"text","text":"a"}]', false), '[{"type":"text","text":"a"}]', 'nor are those of another tool')
})

const HISTORY: readonly ChatMessage[] = [
  { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'a:kinds', input: {} }] },
  { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: KINDS, is_error: false }] },
]

t.test('every kind of content as the best that an API takes', async (t) => {
  const ask = async (name: 'anthropic' | 'openai') => {
    const { url, received } = await openStub(t, [
      { headers: STREAM, chunks: [name === 'anthropic' ? anthropicText('x') : openaiText('x')] },
    ])
    t.match(await openClient(t, name, url, {}).ask({ history: HISTORY }), { ok: true })
    return received[0]?.body.messages
  }
  const [, anthropic] = await ask('anthropic')
  t.strictSame(anthropic.content[0].content, [
    { type: 'text', text: 'all' },
    { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aGk=' } },
    { type: 'text', text: '[audio, audio/wav, 2 bytes: this API takes none]' },
    { type: 'text', text: '[audio, audio/ogg, 3 bytes: this API takes none]' },
    { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'inside' }, title: 'file:///a.txt' },
    { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'aGk=' }, title: 'file:///dir/b.pdf' },
    { type: 'text', text: '[resource file:///c.bin, 3 bytes: it cannot be shown here]' },
    { type: 'text', text: '[resource file:///d, The fourth, a link]' },
  ])
  const openai = (await ask('openai')).filter(({ role }: { role: string }) => role !== 'system')
  t.strictSame(openai[1], {
    role: 'tool',
    tool_call_id: 'toolu_1',
    content: [
      'all',
      '[audio, audio/ogg, 3 bytes: this API takes none]',
      '<resource uri="file:///a.txt" type="text/plain">\ninside\n</resource>',
      '[resource file:///c.bin, 3 bytes: it cannot be shown here]',
      '[resource file:///d, The fourth, a link]',
    ].join('\n'),
  })
  t.strictSame(openai[2].content, [
    { type: 'text', text: 'Contents of the tool result toolu_1:' },
    { type: 'image_url', image_url: { url: 'data:image/png;base64,aGk=' } },
    { type: 'input_audio', input_audio: { data: 'aGk=', format: 'wav' } },
    { type: 'file', file: { filename: 'b.pdf', file_data: 'data:application/pdf;base64,aGk=' } },
    // The input: messages of one role that follow each other are one.
    { type: 'text', text: 'hello' },
  ])
})

t.test('a plumb-tool that is never ready', async (t) => {
  const directory = makeTestDirectory({
    'a.plumb': `let a : !string -> !string = agent { provider: "eliza", model: "doctor", mcp: [{ command: "sleep", args: ["60"] }] }`,
  })
  const options = await readAgentArguments([`${directory}/a.plumb`])
  if (!options.ok || typeof options.value === 'string') return t.fail('no options')
  process.env.PATH = envIn(directory).PATH
  const reported: string[] = []
  const stderr = {
    report: ({ error }: Fault) => reported.push(error),
    warn: () => {},
    write: (line: string) => reported.push(line),
    end: async () => 0 as const,
  }
  const prepared = await prepare(options.value, undefined)
  if (!prepared.ok) return t.fail(JSON.stringify(prepared.error))
  const servers = await openOwnServers({
    prepared: prepared.value,
    options: options.value,
    ...stderr,
    writeStderr: stderr.write,
    timeoutMs: 1,
  })
  t.equal(servers, undefined)
  t.strictSame(reported, ['timeout'])
  return undefined
})

const LIST = JSON.stringify([{ name: 'notes:echo', description: 'Says it again', input_schema: SCHEMA }])
const AGENT = 'let a : !string -> !string = agent { provider: "eliza", model: "doctor", mcp: [{ command: "x" }] }'
const envelopes = (...messages: (readonly [port: string, msg: unknown])[]): string =>
  messages.map(([__port, msg]) => `${JSON.stringify({ __port, msg })}\n`).join('')
const sent = (mcp_tools: unknown) => ['spec', { entry: 'a', files: { a: AGENT }, modules: {}, mcp_tools }] as const

const { runTable } = openShell({
  'good.jsonl': envelopes(sent(JSON.parse(LIST)), ['spec', { mcp_tools: 3 }], ['input', 'Men are all alike.']),
  'bad.jsonl': envelopes(sent({})),
  'server.cjs': readFileSync('packages/plumb-tool/test/fixtures/mcp-server.cjs', 'utf8'),
  'bot.plumb': `let notes = { command: "node", args: ["./server.cjs"], cache_ttl: 0, sandbox: { write: ["."] } }
let double : { n: int } -> int = tool { mock: 42 }
let bot : !string -> !string = agent { provider: "eliza", model: "doctor", mcp: [notes], tools: [double] }`,
  'gone.plumb': 'let bot : !string -> !string = agent { provider: "eliza", model: "doctor", mcp: [{ command: "./none", tools: ["x"] }] }',
  'secret.plumb': `let bot : !string -> !string = agent { provider: "eliza", model: "doctor",
  mcp: [{ command: "node", args: ["./server.cjs"], prefix: "s", sandbox: { write: ["."] } }, { url: "http://127.0.0.1:9/mcp", token_env: "NOTES_TOKEN" }] }`,
  'list.json': LIST,
  'bad.json': '[{"name":"x"}]',
  // The program that runs tools, by hand.
  'serve.sh': `#!/bin/bash
tee -a seen | pick '({ id: _.id, content: _.name === "double" ? "7" : JSON.stringify("by hand: " + _.name), is_error: false })'`,
})
const ECHO = '"call notes:echo {\\"text\\":\\"a\\"}"'

runTable('where it learns of them', {
  'alone, from a plumb-tool of its own': {
    run: `plumb-agent bot.plumb <<< '${ECHO}'; plumb-agent bot.plumb <<< '"call double {\\"n\\":1}"'; wc -l < starts`,
    out: '"heard: a"\n"42"\n2\n',
  },
  'what keeps that from starting is reported once': {
    run: 'plumb-agent gone.plumb < /dev/null',
    errors: [['config_invalid', /its tools are needed \(x\)/]],
    status: 2,
  },
  'from a file, with the program that answers on fd 5': {
    run: `mkfifo req resp; PLUMB_MCP_TOOLS=list.json plumb-agent bot.plumb <<< '${ECHO}' 4> req 5< resp & ./serve.sh < req > resp; wait; ls starts 2> /dev/null`,
    out: '"by hand: notes:echo"\n',
    status: 2,
  },
  'from a file, and what is declared from the program that answers on fd 5': {
    run: `mkfifo req resp; printf '%s\\n' '${ECHO}' '"call double {\\"n\\":1}"' | plumb-agent bot.plumb 4> req 5< resp & ./serve.sh < req > resp; wait`,
    out: '"heard: a"\n"7"\n',
  },
  'a file that is replaced is read again': {
    run: `export PLUMB_MCP_TOOLS=list.json; mkfifo req resp; ./serve.sh < req > resp & exec 4>req 5<resp; start bot.plumb; exec 4>&- 5<&-
      send '${ECHO}'; receive; sed s/echo/late/ list.json > new; mv new list.json; send '${ECHO}'; receive | grep -o unknown_tool; send '"call notes:late {\\"text\\":\\"a\\"}"'; receive; end; wait`,
    out: '"by hand: notes:echo"\nunknown_tool\n"by hand: notes:late"\n',
  },
  'a file that becomes none was the last word': {
    run: `export PLUMB_MCP_TOOLS=list.json; mkfifo req resp; ./serve.sh < req > resp & exec 4>req 5<resp; start bot.plumb; exec 4>&- 5<&-
      send '${ECHO}'; receive; echo no > new; mv new list.json; send '${ECHO}'; receive; rm list.json; send '${ECHO}'; receive; end; echo $?; wait`,
    out: '"by hand: notes:echo"\n"by hand: notes:echo"\n"by hand: notes:echo"\n1\n',
    errors: [['read_failed', /PLUMB_MCP_TOOLS names 'list\.json'.*not a list/]],
  },
  'a file that is none': {
    run: 'for file in none bad.json bot.plumb; do PLUMB_MCP_TOOLS=$file plumb-agent bot.plumb < /dev/null; done',
    errors: [
      ['file_not_found', /PLUMB_MCP_TOOLS.*none/],
      ['config_invalid', /PLUMB_MCP_TOOLS names 'bad\.json'.*tool 1 is to be/],
      ['config_invalid', /not a list of tools/],
    ],
    status: 2,
  },
  'from messages, elsewhere; what is none changes nothing': {
    run: 'plumb-agent --mux --spec-envelope < good.jsonl',
    out: '{"__port":"output","msg":"IN WHAT WAY"}\n',
    errors: [['input_type_mismatch', /the MCP servers changed: it is not a list/]],
    status: 1,
  },
  'from messages that are none': {
    run: 'plumb-agent --mux --spec-envelope < bad.jsonl',
    errors: [['config_invalid', /came with the spec: it is not a list/]],
    status: 2,
  },
  'a program in place of plumb-tool has the declared ones only': {
    run: `printf '%s\\n' '${ECHO}' '"call double {\\"n\\":1}"' | plumb-agent --tool-command ./serve.sh bot.plumb`,
    out: '"heard: a"\n"7"\n',
  },
  'denied by a policy, and by a grant': {
    run: `echo '[{"decision":"deny","tool":"notes:*"},{"decision":"allow"}]' > policy; plumb-agent --policy policy bot.plumb <<< '${ECHO}' | grep -o permission_denied; plumb-agent --grant net bot.plumb <<< '${ECHO}' | grep -o unknown_tool; wc -l < starts`,
    out: 'permission_denied\nunknown_tool\n1\n',
    errors: [['warning permission_denied']],
  },
  'an address without its token, in the name of its variable': {
    run: `NOTES_TOKEN=secret-canary plumb-agent secret.plumb <<< '"call s:env"' | grep -o canary; echo`,
    out: '\n',
    errors: [['warning connection_failed', /127\.0\.0\.1:9/]],
  },
})
