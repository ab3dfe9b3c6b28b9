// long
// Tools of MCP servers: one by one under types of the spec, and all that the servers of an agent offer. Servers are real children.

import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Json, Type } from '@plumb/lang'
import t from 'tap'
import { readToolAnswer } from '../../mcp-client/src/answer.js'
import type { McpAnswer, McpConnection } from '../../mcp-client/src/connection.js'
import { connectionKey, describeServer, readServer } from '../../mcp-client/src/server-entry.js'
import { nameTools, prefixOf } from '../src/source/mcp/name-tools.js'
import { mayStart } from '../src/source/mcp/open-server.js'
import { contentOfAnswer, toValue } from '../src/source/mcp/result.js'
import { fitServerInput } from '../src/source/mcp/server-call.js'
import { INT, JSON_TYPE, list, record, STRING } from './call-session.js'
import { makeTestDirectory, running } from './source-directory.js'
import { shell, table } from './tool-shell.js'

// Where lists of tools are kept for a while.
process.env.XDG_CACHE_HOME = makeTestDirectory({})

const SERVER = readFileSync('packages/plumb-tool/test/fixtures/mcp-server.cjs', 'utf8')

/** The program of a server that others have written. */
const published = (name: string): string => {
  const directory = resolve(`packages/plumb-tool/node_modules/@modelcontextprotocol/${name}`)
  const { bin } = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')) as { bin: Record<string, string> }
  return join(directory, Object.values(bin)[0] as string)
}

t.test('what a server is called, and which connection it shares', async (t) => {
  const server = (config: object) => readServer(config as never, '/specs/a.plumb')
  t.strictSame(readServer('https://host/mcp', 'a.plumb'), { url: 'https://host/mcp' }, 'a URL alone')
  const specPath = '/specs/a.plumb'
  t.strictSame(server({ command: './x' }), { command: '/specs/x', specPath }, 'a command with a slash is relative to the spec')
  t.strictSame(server({ command: 'x/../y' }), { command: '/specs/y', specPath })
  t.strictSame(
    [server({ command: 'x' }), server({ command: '/x' })],
    [
      { command: 'x', specPath },
      { command: '/x', specPath },
    ],
  )

  const same = (a: object, b: object) => connectionKey(a) === connectionKey(b)
  t.ok(same({ url: 'HTTPS://Host:443/mcp' }, { url: 'https://host/mcp' }), 'URLs are compared as they are meant')
  t.notOk(same({ url: 'https://host/mcp' }, { url: 'https://host/other' }))
  t.ok(same({ url: 'https://host/mcp' }, { url: 'https://host./mcp/#top' }), 'with a slash at the end, too')
  t.ok(same({ url: 'https://host' }, { url: 'https://host/' }))
  t.notOk(same({ url: 'https://host/mcp?a=b' }, { url: 'https://host/mcp' }))
  t.notOk(same({ url: 'https://host/mcp' }, { url: 'http://host/mcp' }))
  t.notOk(same({ url: 'https://host/mcp' }, { url: 'https://host/mcp', token_env: 'T' }), 'who calls is a part of it')
  t.ok(same({ command: 'x', args: [], prefix: 'a', tools: ['t'], strict: true, timeout: 1 }, { args: [], command: 'x' }))
  t.notOk(same({ command: 'x', env: { A: '1' } }, { command: 'x', env: { A: '2' } }))

  t.equal(describeServer({ url: 'https://user:secret@host/mcp?token=secret' }), "'https://host/mcp'", 'no secret in a message')
  const prefixes: readonly [object, string, string][] = [
    [{ prefix: 'docs', command: 'x' }, 'Server', 'docs'],
    [{ command: 'x' }, 'My server: 2', 'My_server_2'],
    [{ command: '/opt/bin/notes-mcp' }, ' ', 'notes-mcp'],
    [{ url: 'https://Docs.example/mcp' }, '', 'docs.example'],
    [{ command: '/' }, '::', '_'],
  ]
  for (const [config, name, prefix] of prefixes) t.equal(prefixOf(config, name), prefix, `${JSON.stringify(config)} and '${name}'`)
})

t.test('names: what is taken, and what no provider would take, is left out with a word (faults 107, 108)', async (t) => {
  const warnings: string[] = []
  const schemas: Readonly<Record<string, Json>> = { remote: { $ref: 'https://far/schema' } }
  const offers = (prefix: string, ...names: string[]) => ({
    config: { command: 'x', prefix },
    connection: {} as McpConnection,
    prefix,
    tools: names.map((name) => ({ name, inputSchema: schemas[name] ?? {} })),
  })
  const named = nameTools(
    [offers('a', 'x', 'y:z', 'q'), offers('a', 'x', 'w'), offers('b', 'x', 'remote')],
    ['a__q', 'b:x'],
    ({ detail }) => warnings.push(detail),
  )
  t.strictSame([...named.keys()], ['a:x', 'a:y:z', 'a:w'])
  t.match(warnings, [
    /'a:q' has the name of the agent's own tool 'a__q'/,
    /'a:x' already; .*'prefix'/,
    /own tool 'b:x'/,
    /of 'b:remote'.*'https:\/\/far\/schema', outside of itself/,
  ])
})

t.test('fault 108: a schema for the input cannot keep us busy either', async (t) => {
  const of = (inputSchema: Json) => fitServerInput('x', { name: 'x', inputSchema }, JSON.stringify({ s: `${'a'.repeat(50)}b` }))
  t.match(of({ type: 'object', properties: { s: { pattern: '^(a|a)*$' } } }), {
    error: { error: 'input_type_mismatch', detail: /pattern/ },
  })
  t.match(of({ allOf: [{ $ref: '#' }] }), { ok: false, error: { detail: /too much work/ } })
  const fan = Object.fromEntries(
    Array.from({ length: 40 }, (_, i) => [`r${i}`, { anyOf: [{ $ref: `#/$defs/r${i + 1}` }, { $ref: `#/$defs/r${i + 1}` }] }]),
  )
  const fanned = { properties: { s: { $ref: '#/$defs/r0' } }, $defs: { ...fan, r40: { type: 'integer' } } }
  t.match(of(fanned), { ok: false, error: { detail: /too much work/ } })
  const remote = { properties: { s: { $ref: 'http://127.0.0.1:9/schema.json' } } }
  t.match(of(remote), { ok: false, error: { detail: /outside of itself/ } })
})

t.test('what may not be called at all is not started', async (t) => {
  const may = (config: object, authority: object) => mayStart(config, { policy: [], context: {}, ...authority } as never, 0)
  const [command, url] = [{ command: 'x' }, { url: 'https://docs.example/mcp' }]
  t.equal(may(command, {}), undefined, 'to declare it grants it')
  t.match(may(command, { grant: ['net'] }), {
    error: 'permission_denied',
    detail: /MCP server 'x' is left out: .*exec.*only net is granted/,
  })
  t.equal(may(url, { grant: ['net'] }), undefined)
  t.match(may(url, { grant: ['exec'] }), { error: 'permission_denied' })
  const rules = (...policy: object[]) => ({ policy })
  t.match(may(command, rules({ decision: 'allow', effect: 'net' })), { detail: /no rule of the policy allows it/ })
  t.equal(may(command, rules({ decision: 'allow', tool: 'notes:echo' })), undefined, 'one of its tools may be that')
  t.equal(may(command, rules({ decision: 'ask', tool: 'notes:*' })), undefined)
  t.match(may(command, rules({ decision: 'deny', effect: 'exec' }, { decision: 'allow' })), { detail: /rule 1/ })
  t.equal(may(url, rules({ decision: 'allow', host: '*.example' })), undefined)
  t.match(may(url, rules({ decision: 'allow', host: 'other.example' })), { error: 'permission_denied' })
})

t.test('answers as values of a type, and as content', async (t) => {
  const limit = { maxOutput: 1000, onCut: () => t.fail('none of them is long') }
  const words = (text: string) => ({ type: 'text' as const, text })
  const image = { type: 'image' as const, media_type: 'image/png', data: 'AAAA' }
  const link = { type: 'resource_link' as const, uri: 'file:///a', name: 'a' }
  const resource = { type: 'resource' as const, uri: 'file:///a', text: 'inside' }
  const answer = (content: McpAnswer['content'], structured?: string): McpAnswer => ({
    content,
    isError: false,
    ...(structured === undefined ? {} : { structured }),
  })
  const values: readonly [McpAnswer, Type, string][] = [
    [answer([words('a'), words('b')]), STRING, '"a\\nb"'],
    [answer([words('{"n":1}')]), STRING, '"{\\"n\\":1}"'],
    [answer([words('{"n":\n1.50}')]), record({ n: { kind: 'number' } }), '{"n": 1.50}'],
    [answer([words('12')]), INT, '12'],
    [answer([words('twelve')]), INT, '"twelve"'],
    [answer([words('twelve')]), JSON_TYPE, '"twelve"'],
    [answer([words('see there')], '{"n":2}'), record({ n: INT }), '{"n":2}'],
    [answer([words('see there')], '{"n":2}'), STRING, '"see there"'],
    [answer([], '{"n":2}'), STRING, '"{\\"n\\":2}"'],
    [answer([]), { kind: 'unit' }, 'null'],
    [answer([image]), JSON_TYPE, JSON.stringify(image)],
    [answer([image]), list(JSON_TYPE), JSON.stringify([image])],
    [answer([words('see'), image, link, resource]), STRING, '"see\\n[image image/png]\\n[a file:///a]\\ninside"'],
  ]
  for (const [given, type, json] of values) t.strictSame(toValue('x', given, type, limit), { ok: true, value: json }, json)

  const contents: readonly [McpAnswer, unknown][] = [
    [answer([words('one')]), 'one'],
    [answer([]), ''],
    [answer([words('{ "n": 1.0 }')], '{"n":1}'), '{ "n": 1.0 }'],
    [answer([words('n is 1')], '{"n":1}'), [words('n is 1'), words('{"n":1}')]],
    [answer([words('1')], '{"n":1}'), '1'],
    [answer([words('a'), words('b')], '{"text":"a\\nb"}'), [words('a'), words('b')]],
    [answer([], '{"n":1}'), '{"n":1}'],
    [answer([words('see'), image, link]), [words('see'), image, link]],
  ]
  for (const [given, shown] of contents) t.strictSame(contentOfAnswer('x', given, limit), { ok: true, value: JSON.stringify(shown) })
  const ours = { error: 'rate_limited', category: 'unavailable', detail: 'slow down', retry_after: 2 }
  const said = (error: object, ...more: McpAnswer['content']) =>
    readToolAnswer(
      { content: [words(JSON.stringify(error)), ...more], isError: true },
      { server: 's', tool: 'x', check: undefined, takesNull: false },
    )
  const answers = [said(ours), said({ ...ours, error: 'no_such_code' }), said(ours, words('more'))]
  const errors = answers.map((answer) => (answer.ok ? contentOfAnswer('x', answer.value, limit) : answer))
  t.strictSame(errors[0], { ok: false, error: { ...ours, tool: 'x' } }, 'an error object of ours is that error')
  t.match(errors.slice(1), [{ error: { error: 'tool_crashed' } }, { error: { error: 'tool_crashed' } }])
  const failed = contentOfAnswer('x', { content: [words('no'), image], isError: true }, limit)
  t.match(failed, {
    ok: false,
    error: { error: 'tool_crashed', detail: "tool 'x' failed: no\\n[image image/png]", content: [words('no'), image] },
  })
})

t.test('content is held to max_output: the text of all blocks together is cut, and data stays', async (t) => {
  const words = (text: string) => ({ type: 'text' as const, text })
  const image = { type: 'image' as const, media_type: 'image/png', data: 'A'.repeat(1000) }
  let cut = 0
  const shown = (maxOutput: number, answer: Partial<McpAnswer>) => {
    cut = 0
    const result = contentOfAnswer('x', { content: [], isError: false, ...answer }, { maxOutput, onCut: (bytes) => (cut = bytes) })
    return result.ok ? JSON.parse(result.value) : result.error
  }
  t.equal(shown(10, { content: [words('0123456789')] }), '0123456789', 'as many as are allowed')
  t.equal(shown(3, { content: [words('😀😀😀')] }), '😀😀😀', 'characters')
  t.equal(cut, 0)
  t.equal(shown(10, { content: [words('one\ntwo\nthree')] }), 'one\n[truncated: 4 more bytes]\nthree')
  t.equal(cut, 4)
  const several = [words('one'), image, words(`two\n${'x'.repeat(100)}`), words('y'.repeat(50)), image]
  t.strictSame(shown(359, { content: several }), several, 'several blocks that are short enough together')
  t.equal(cut, 0, 'although their data alone is not')
  const [first, , , , last] = several
  t.strictSame(shown(200, { content: several }), [first, image, words(`two\n${'x'.repeat(21)}\n[truncated: 129 more bytes]`), last])
  const nothing = shown(1000, { content: Array.from({ length: 100_000 }, () => words('')) })
  t.ok(nothing.length < 40, 'empty blocks without end')
  t.strictSame(shown(0, { content: [words('a'), image] }), '[truncated: 42 more bytes]', 'not even the name of an image')
  const link = { type: 'resource_link' as const, uri: 'file:///a', name: 'a'.repeat(500) }
  t.match(shown(100, { content: [words('a'), link] }), [words('a'), words('[truncated: 552 more bytes]')], 'a long name')
  const big = JSON.stringify({ list: 'z'.repeat(100) })
  t.match(shown(50, { content: [words('see')], structured: big }), { error: 'too_large', detail: /111 characters .*50 .*'max_output'/ })
  t.strictSame(shown(112, { content: [words('see')], structured: big }), [words('s\n[truncated: 2 more bytes]'), words(big)])
  t.match(shown(50, { content: [words(big)], structured: big }), /truncated/, 'said in words, it is a text')
  t.match(shown(50, { content: [words('no'.repeat(100))], isError: true }), { error: 'tool_crashed', content: /truncated: 150 more/ })
})

const FILES = {
  'server.cjs': SERVER,
  't.plumb': `
type Say = { text: string }
let notes = { command: "node", args: ["./server.cjs"], sandbox: { write: ["."] }, cache_ttl: 0 }
@description "says it again" let say : Say -> string = tool { mcp: notes, name: "echo" }
let kept : Say -> string = tool { mcp: notes, name: "echo", cache: 60 }
let asked : Say -> string = tool { mcp: notes, name: "echo", approval: "ask" }
let words : string -> string = tool { mcp: notes, name: "echo" }
let sulk : Say -> json = tool { mcp: notes, name: "fail" }
let kinds : unit -> json = tool { mcp: notes, name: "kinds" }
let typed : unit -> { n: number } = tool { mcp: notes, name: "typed" }
let steps : unit -> string = tool { mcp: notes, name: "progress" }
let env : unit -> json = tool { mcp: { command: "node", args: ["./server.cjs"], sandbox: { write: ["."] }, env: { MINE: "yes" } }, name: "env" }
let hang : unit -> json = tool { mcp: notes, name: "hang", timeout: 0.2 }
let die : unit -> json = tool { mcp: notes, name: "die" }
let lost : Say -> json = tool { mcp: notes, name: "ehco" }
@tool true let both : Say -> (string, string) = say * kept
let mute : Say -> json = tool { mcp: { command: "sleep", args: ["100"] }, name: "x" }
@tool true let pair : Say -> (json, json) = mute * sulk
@tool true let other : Say -> json = sulk + say
let long : Say -> string = tool { mcp: { command: "node", args: ["./server.cjs"], sandbox: { write: ["."] }, max_output: 10 }, name: "echo" }
let longer : Say -> string = tool { mcp: { command: "node", args: ["./server.cjs"], sandbox: { write: ["."] }, max_output: 10 }, name: "echo", max_output: 12 }
let value : Say -> json = tool { mcp: notes, name: "echo", max_output: 10 }
let gone : unit -> json = tool { mcp: { command: "./none" }, name: "x" }
let far : unit -> json = tool { mcp: "http://127.0.0.1:9/mcp", name: "x", retry: 1 }`,
  'deny.json': '[{"decision":"deny","tool":"say"},{"decision":"allow"}]',
}

/** How many were started. */
const STARTS = '; wc -l < starts'
t.test('one tool of a server, as any other tool', (t) =>
  table(
    t,
    {
      'is called under the types of the spec': {
        run: `plumb-tool t.plumb call say '{"text":"good day"}'${STARTS}`,
        out: '"heard: good day"\n1\n',
      },
      'an error of its own is an error': {
        run: `plumb-tool t.plumb call sulk '{"text":"no"}'`,
        errors: [{ error: 'tool_crashed', detail: "tool 'sulk' failed: refused: no", content: 'refused: no' }],
      },
      'what has the wrong type does not reach it': {
        run: `plumb-tool t.plumb call say '{"txt":"x"}'; ls starts 2>&1 | wc -l`,
        out: '1\n',
        errors: [{ error: 'input_type_mismatch' }],
        status: 0,
      },
      'what its own schema refuses neither': {
        run: `plumb-tool t.plumb call words '"x"'`,
        errors: [{ error: 'input_type_mismatch', detail: /'words' does not fit the schema of its server: .*'text'.*'input'/ }],
      },
      'a long text is cut, at 100,000 characters where nothing else is said': {
        run: `for size in 99000 100001; do head -c $size /dev/zero | tr '\\0' x | jq -Rc '{text: .}' > in; plumb-tool t.plumb call say - < in | jq -r . | grep -o 'truncated.*' || echo whole; done`,
        out: 'whole\ntruncated: 8 more bytes]\n',
      },
      'a long text is cut at max_output of the server, or of the tool': {
        run: `for tool in long longer; do plumb-tool t.plumb call $tool '{"text":"good day"}'; done; plumb-tool t.plumb call --envelope long '{"text":"good day"}' | jq .truncated`,
        out: '"heard\\n[truncated: 5 more bytes]\\nd day"\n"heard:\\n[truncated: 3 more bytes]\\nod day"\ntrue\n',
      },
      'a value that is longer is an error': {
        run: `plumb-tool t.plumb call value '{"text":"good day"}'`,
        errors: [{ error: 'too_large', detail: /'value'.* 17 characters .*10 are the limit.*'max_output'/ }],
      },
      'a tool that it has not, with the nearest': {
        run: `plumb-tool t.plumb call lost '{"text":"x"}'`,
        errors: [{ error: 'unknown_tool', detail: /has no tool 'ehco', did you mean 'echo'/ }],
      },
      'a server that cannot be started': {
        run: 'plumb-tool t.plumb call gone',
        errors: [{ error: 'file_not_found', detail: /none/ }],
        status: 2,
      },
      'a server that is not there': {
        run: 'plumb-tool t.plumb call far',
        errors: [{ error: 'connection_failed', detail: /127\.0\.0\.1:9/ }],
      },
      'structured content': { run: 'plumb-tool t.plumb call typed', out: '{"n":1.5}\n' },
      'content of every kind': {
        run: 'plumb-tool t.plumb call kinds',
        out: (out) =>
          (JSON.parse(out) as { type: string }[]).map(({ type }) => type).join() === 'text,image,audio,resource,resource,resource_link',
      },
      'its environment is an allow-list and what the spec adds': {
        run: `ANTHROPIC_API_KEY=sk-canary CANARY=1 plumb-tool t.plumb call env | grep -o 'canary\\|CANARY\\|MINE'`,
        out: 'MINE\n',
      },
      'listing, looking up and checking start nothing': {
        run: `plumb-tool t.plumb list | head -1; plumb-tool t.plumb schema say; plumb-tool t.plumb find says | head -1; plumb check t.plumb > checked 2>&1; plumb-tool --agent none t.plumb list 2> /dev/null; ls starts 2> /dev/null`,
        out: /^\{"name":"say","type":"Say -> string","description":"says it again","effects":\["exec"\],.*"source":"mcp".*\n\{"name":"say",.*\n.*say.*\n$/,
        status: 2,
      },
    },
    FILES,
  ),
)

t.test('the stages hold', (t) =>
  table(
    t,
    {
      'not granted, not started': {
        run: `plumb-tool --grant net t.plumb call say '{"text":"x"}'; ls starts 2> /dev/null`,
        errors: [{ error: 'permission_denied', effect: 'exec' }],
        status: 2,
      },
      'denied by a rule with its name': {
        run: `plumb-tool --policy deny.json t.plumb call say '{"text":"x"}'; plumb-tool --policy deny.json t.plumb call kept '{"text":"x"}'`,
        out: '"heard: x"\n',
        errors: [{ error: 'permission_denied' }],
        status: 0,
      },
      'there is no person to ask': { run: `plumb-tool t.plumb call asked '{"text":"x"}'`, errors: [{ error: 'approval_required' }] },
      'kept for a while': {
        run: `printf '{"text":"a"}\\n{"text":"a"}\\n' | plumb-tool --envelope t.plumb call kept - | grep -o '"cached":[a-z]*'`,
        out: '"cached":false\n"cached":true\n',
      },
      'in a composition': {
        run: `plumb-tool t.plumb call both '{"text":"a"}'; plumb-tool t.plumb call other '{"text":"b"}'`,
        out: '["heard: a","heard: a"]\n"heard: b"\n',
      },
      'too late: the server is notified that the answer is not wanted any more (fault 103)': {
        run: 'plumb-tool t.plumb call hang; until grep -s cancelled received; do sleep 0.05; done',
        out: 'notifications/cancelled\n',
        errors: [{ error: 'timeout', detail: /0\.2 s/ }],
        status: 0,
      },
      'cancelled: it is notified too': {
        run: `sed 's/timeout: 0.2/timeout: 60/' t.plumb > u.plumb; plumb-tool u.plumb call hang 2> /dev/null & until grep -qs 'call hang' received; do sleep 0.05; done; kill -TERM $!; wait $!; grep cancelled received`,
        out: 'notifications/cancelled\n',
      },
      'one that is not ready yet is dropped': {
        run: `plumb-tool t.plumb call pair '{"text":"x"}'`,
        errors: [{ error: 'tool_crashed', detail: /refused: x/ }],
      },
      'progress is noted, however much there is (fault 104)': {
        run: 'plumb-tool --envelope t.plumb call steps',
        out: /"result":"done".*"\d+ reports of progress, the last \d+ of 1000"/,
      },
    },
    FILES,
  ),
)

const AGENT = `
let notes = { command: "node", args: ["./server.cjs"], sandbox: { write: ["."] }, cache_ttl: 0 }
let mine : { text: string } -> string = tool { mcp: notes, name: "echo" }
let bot : !string -> !string = agent { provider: "eliza", model: "doctor", tools: [mine], mcp: [notes] }
let few : !string -> !string = agent { provider: "eliza", model: "doctor", mcp: [{ command: "node", args: ["./server.cjs", "few"], sandbox: { write: ["."] }, tools: ["echo"], strict: true, cache_ttl: 0 }] }
let slow : !string -> !string = agent { provider: "eliza", model: "doctor", mcp: [{ command: "node", args: ["./server.cjs"], sandbox: { write: ["."] }, prefix: "s", timeout: 0.3, cache_ttl: 0 }] }
let mute : !string -> !string = agent { provider: "eliza", model: "doctor", mcp: [{ command: "sleep", args: ["100"], handshake_timeout: 0.3 }, { command: "node", args: ["./server.cjs"], sandbox: { write: ["."] }, prefix: "s", tools: ["echo"] }] }`

/** Asks one thing after the other, and shows the answers, without lists that come between. */
const START = `start () { mkfifo in out; plumb-tool "$@" < in > out & pid=$!; exec 8>in 9<out; }
ask () { echo "{\\"id\\":\\"$((++id))\\",\\"name\\":\\"$1\\",\\"input\\":$2}" >&8; while IFS= read -r line <&9 && [[ $line == "["* ]]; do :; done; echo "$line"; }
end () { exec 8>&-; wait $pid; }; `

t.test('the dispatcher has the servers of its agent', (t) =>
  table(
    t,
    {
      'and says what they offer': {
        run: 'plumb-tool --agent few t.plumb serve --offers < /dev/null',
        out: `${JSON.stringify([
          {
            name: 'few:echo',
            description: 'Says it again',
            input_schema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'], additionalProperties: false },
            strict: true,
            effects: ['exec'],
          },
        ])}\n`,
      },
      'calls by prefix:name, one connection with the tools that the spec declares': {
        run: `${START} start --agent bot t.plumb serve; ask notes:echo '{"text":"a"}'; ask mine '{"text":"b"}'; ask notes:fail '{"text":"c"}'; ask notes:echo '{}'; ask notes:none '{}'; end${STARTS}`,
        out: new RegExp(
          [
            '^{"id":"1","content":"\\\\"heard: a\\\\"","is_error":false}',
            '{"id":"2","content":"\\\\"heard: b\\\\"","is_error":false}',
            '{"id":"3","content":"\\\\"refused: c\\\\"","is_error":true}',
            `{"id":"4","content":".*input_type_mismatch.*'notes:echo'.*'text'.*","is_error":true}`,
            '{"id":"5","content":".*unknown_tool.*","is_error":true}\n1\n$',
          ].join('\n'),
        ),
      },
      'dies in a call: that one and the later ones are errors (fault 109)': {
        run: `${START} start --agent bot t.plumb serve; ask notes:die '{}'; ask notes:echo '{"text":"a"}'; end${STARTS}`,
        out: /^\{"id":"1","content":".*mcp_dead.*","is_error":true\}\n\{"id":"2","content":".*mcp_dead.*","is_error":true\}\n1\n$/,
      },
      'is late: the call is an error, and the connection is dead (fault 103)': {
        run: `${START} start --agent slow t.plumb serve; ask s:hang '{}'; ask s:echo '{"text":"a"}'; end`,
        out: /^\{"id":"1","content":".*timeout.*0\.3 s.*","is_error":true\}\n\{"id":"2","content":".*mcp_dead.*","is_error":true\}\n$/,
      },
      'never shakes hands: it is left out, and the others go on (fault 103)': {
        run: `${START} start --agent mute t.plumb serve; ask s:echo '{"text":"a"}'; end`,
        out: /"heard: a/,
        errors: [{ warning: 'timeout', detail: /'sleep'.*0\.3 s.*its tools are left out/ }],
        status: 0,
      },
      'what changes is reported, and offered (fault 107)': {
        run: `${START} start --agent bot t.plumb serve --offers; read -r first <&9; echo '{"id":"0","name":"notes:grow","input":{}}' >&8; read -r second <&9; read -r grown <&9
          echo "$grown"; for list in "$first" "$second"; do echo "$list" | grep -o '"notes:more"\\|Says something else now'; done; ask notes:more '{}'; end`,
        out: '{"id":"0","content":"\\"grown\\"","is_error":false}\nSays something else now\n"notes:more"\n{"id":"1","content":"\\"more\\"","is_error":false}\n',
        errors: [{ warning: 'tool_changed', tool: 'grow' }],
        status: 0,
      },
    },
    { 'server.cjs': SERVER, 't.plumb': AGENT },
  ),
)

const PUBLISHED = `
let everything = { command: "node", args: ["${published('server-everything')}"] }
let files = { command: "node", args: ["${published('server-filesystem')}", "."], tools: ["read_text_file", "list_directory"] }
let memory = { command: "node", args: ["${published('server-memory')}"], env: { MEMORY_FILE_PATH: "/proc/self/cwd/memory.jsonl" }, sandbox: { write: ["."] } }
let bot : !string -> !string = agent { provider: "eliza", model: "doctor", mcp: [everything, files, memory] }
let echo : { message: string } -> string = tool { mcp: everything, name: "echo" }
let weather : { location: "New York" | "Chicago" } -> { temperature: number, conditions: string, humidity: number } = tool { mcp: everything, name: "get-structured-content" }
let read : { path: string } -> { content: string } = tool { mcp: files, name: "read_text_file" }
let add : { entities: [{ name: string, entityType: string, observations: [string] }] } -> json = tool { mcp: memory, name: "create_entities" }
let graph : unit -> { entities: [json], relations: [json] } = tool { mcp: memory, name: "read_graph" }`

t.test('servers that others have written', (t) =>
  table(
    t,
    {
      everything: {
        run: `plumb-tool t.plumb call echo '{"message":"hi"}'; plumb-tool t.plumb call weather '{"location":"Chicago"}' | grep -c humidity`,
        out: '"Echo: hi"\n1\n',
      },
      filesystem: {
        run: `echo text > note.txt; plumb-tool t.plumb call read '{"path":"note.txt"}'; plumb-tool t.plumb call read '{"path":"/etc/passwd"}'`,
        out: '{"content":"text\\n"}\n',
        errors: [{ error: 'tool_crashed', detail: /outside allowed directories/ }],
      },
      memory: {
        run: `plumb-tool t.plumb call add '{"entities":[{"name":"a","entityType":"b","observations":["c"]}]}' > added; plumb-tool t.plumb call graph`,
        out: /"name":"a"/,
      },
      'all three of an agent': {
        run: `${START} start --agent bot t.plumb serve --offers; read -r offered <&9; ask everything:get-sum '{"a":1,"b":2}'; ask files:list_directory '{"path":"."}'; ask memory:read_graph '{}'; end; echo "$offered" | grep -o '"name":"[a-z]*:' | uniq -c | wc -l; echo "$offered" | grep -o '"files:[a-z_]*"'`,
        out: /sum of 1 and 2 is 3.*\n.*\[FILE\] t\.plumb.*\n.*entities.*\n3\n"files:read_text_file"\n"files:list_directory"\n$/,
        errors: [{ warning: 'cannot_run', detail: /'everything:simulate-research-query' runs as a task alone/ }],
        status: 0,
      },
    },
    { 't.plumb': PUBLISHED },
  ),
)

const ASK = (text: string): string => JSON.stringify(`call ${text}`)

t.test('prompt files bring their servers', (t) =>
  table(
    t,
    {
      'in the front matter of Markdown': { run: `plumb-tool t.plumb call text '${ASK('notes:echo {"text":"a"}')}'`, out: '"heard: a"\n' },
      'as tags of chatmd, of which some tools are chosen': {
        run: `plumb-tool t.plumb call chat '${ASK('probe:echo {"text":"a"}')}'; plumb-tool t.plumb call chat '${ASK('probe:fail {"text":"a"}')}' | grep -o unknown_tool`,
        out: '"heard: a"\nunknown_tool\n',
      },
      'a server that is not there is reported once, whichever program starts it': {
        run: `for tool in md chatmd process; do printf '"Men are all alike."\\n"a"\\n' | plumb-tool dead.plumb call $tool -; done; plumb-tool dead.plumb call deeper '${ASK('inner {"input":"Men are all alike."}')}'`,
        out: (out) => out.split('\n').length === 8 && out.startsWith('"IN WHAT WAY"\n') && out.endsWith('"IN WHAT WAY"\n'),
        errors: [1, 2, 3, 4].map(() => ({
          warning: 'file_not_found',
          detail: /none' does not exist; its tools are left out$/,
        })),
        status: 0,
      },
      'what they may do is to be declared': {
        run: `sed 's/, effects: .*\\]//' t.plumb > u.plumb; plumb-tool u.plumb call text '"x"'`,
        errors: [
          { error: 'config_invalid', detail: /may do exec/ },
          { error: 'config_invalid', detail: /may do exec/ },
        ],
        status: 2,
      },
    },
    {
      'server.cjs': SERVER,
      't.plumb': `let text : string -> string = tool { agent: "p.md", effects: ["exec"] }
let chat : string -> string = tool { agent: "p.chatmd", effects: ["exec"] }`,
      'dead.plumb': `let md : string -> string = tool { agent: "dead.md", effects: ["exec"] }
let chatmd : string -> string = tool { agent: "dead.chatmd", effects: ["exec"] }
let bot : !string -> !string = agent { provider: "eliza", model: "doctor", mcp: [{ command: "./none" }] }
let process : string -> string = tool { process: bot }
let deeper : string -> string = tool { agent: "deeper.plumb", effects: ["exec"] }`,
      'deeper.plumb': `let inner : string -> string = tool { agent: "dead.md", effects: ["exec"] }
let main : !string -> !string = agent { provider: "eliza", model: "doctor", tools: [inner] }`,
      'dead.md': '---\nprovider: eliza\nmodel: doctor\nmcp:\n  - command: ./none\n---\nBe brief.\n',
      'dead.chatmd': `<config provider="eliza" model="doctor"/><tool mcp_server="stdio:./none"/>`,
      'p.md': '---\nprovider: eliza\nmodel: doctor\nmcp:\n  - command: node\n    args: [./server.cjs]\n    prefix: notes\n---\nBe brief.\n',
      'p.chatmd': `<config provider="eliza" model="doctor"/>
<tool mcp_server="stdio:node ./server.cjs" includes="echo, typed" strict/>
<developer>Be brief.</developer>`,
    },
  ),
)

// Over HTTP, in JSON; it wants a token.
const HTTP_SERVER = `
const { appendFileSync, writeFileSync } = require('node:fs')
require('node:http').createServer((request, response) => {
  let text = ''
  request.on('data', (piece) => { text += piece }).on('end', () => {
    if (!request.url.startsWith('/open') && request.headers.authorization !== 'Bearer canary-token') return response.writeHead(401).end()
    if (request.method === 'DELETE') { appendFileSync('deleted', request.headers['mcp-session-id']); return response.end() }
    if (request.method !== 'POST') return response.writeHead(405).end()
    const { id, method, params } = JSON.parse(text)
    if (id === undefined) return response.writeHead(202).end()
    const result = { initialize: () => ({ protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'far', version: '1' } }),
      'tools/list': () => ({ tools: [{ name: 'echo', inputSchema: { type: 'object' } }] }),
      'tools/call': () => ({ content: [{ type: 'text', text: 'far: ' + params.arguments.text }] }) }[method]?.()
    response.writeHead(200, { 'content-type': 'application/json', 'mcp-session-id': 's1' }).end(JSON.stringify({ jsonrpc: '2.0', id, result }))
  })
}).listen(0, '127.0.0.1', function () {
  const url = 'http://127.0.0.1:' + this.address().port + '/mcp'
  const keys = 'token_env: "FAR_TOKEN", cache_ttl: 0'
  writeFileSync('t.plumb', 'let far = { url: "' + url + '", ' + keys + ' }\\n' +
    'let say : { text: string } -> string = tool { mcp: far, name: "echo" }\\n' +
    'let bare : { text: string } -> string = tool { mcp: "' + url + '", name: "echo", retry: 1 }\\n' +
    'let bot : !string -> !string = agent { provider: "eliza", model: "doctor", mcp: [far] }\\n' +
    'let ask : string -> string = tool { process: bot }\\n')
  writeFileSync('c.chatmd', '<config provider="eliza" model="doctor"/><tool mcp_server="' + url.replace('mcp', 'open') + '" includes="echo" client_id_env="NOT_SET"/>')
  writeFileSync('c.plumb', 'let chat : string -> string = tool { agent: "c.chatmd", effects: ["net"] }')
  writeFileSync('ready', '')
})`

t.test('servers at an address', (t) =>
  table(
    t,
    {
      'the address of the spec needs no net.private; the token is found wherever the server is opened': {
        run: `node server.cjs & trap "kill $!" EXIT; until [ -e ready ]; do sleep 0.05; done; export FAR_TOKEN=canary-token
          plumb-tool t.plumb list | grep -c '"effects":\\["net"\\]'
          plumb-tool t.plumb call say '{"text":"a"}'; plumb-agent t.plumb <<< '"call far:echo {\\"text\\":\\"b\\"}"'; plumb-tool t.plumb call ask '"call far:echo {\\"text\\":\\"c\\"}"'
          echo '[{"decision":"allow","host":"other.example"},{"decision":"allow","effect":"model"}]' > policy; plumb-tool --policy policy t.plumb call say '{"text":"d"}'
          plumb-tool t.plumb call bare '{"text":"e"}'; cat deleted`,
        out: '2\n"far: a"\n"far: b"\n"far: c"\ns1s1s1',
        errors: [{ error: 'permission_denied', effect: 'net' }, { error: 'unauthorized' }],
        status: 0,
      },
      'the id of a client goes into the address of a prompt file if it is set': {
        run: `node server.cjs & trap "kill $!" EXIT; until [ -e ready ]; do sleep 0.05; done; plumb-tool c.plumb call chat '"call far:echo {\\"text\\":\\"a\\"}"'`,
        out: '"far: a"\n',
        errors: [{ warning: 'missing_key', detail: /no NOT_SET, which client_id_env names.*; it is asked without$/ }],
        status: 0,
      },
    },
    { 'server.cjs': HTTP_SERVER },
  ),
)

const KEPT = `
let notes = { command: "node", args: ["./server.cjs"], sandbox: { write: ["."] } }
let a : { n?: json, k?: json } -> { n?: json, k?: json } = tool { mcp: notes, name: "a" }
let late : unit -> json = tool { mcp: notes, name: "b" }
let bot : !string -> !string = agent { provider: "eliza", model: "doctor", mcp: [notes] }
let few : !string -> !string = agent { provider: "eliza", model: "doctor", mcp: [{ command: "node", args: ["./server.cjs"], sandbox: { write: ["."] }, tools: ["a"] }] }`

/** Writes what the server lists from now on: names, or tools with what they have. */
const LISTS = `export XDG_CACHE_HOME=$PWD; lists () { printf '%s\n' "$@" | jq -cs 'map(if type == "string" then { name: . } else . end | { inputSchema: { type: "object" } } + .)' > tools.json; }
kept () { ls plumb/mcp 2> /dev/null | wc -l; }; `

t.test('a list that was kept is checked whenever the server is started', (t) =>
  table(
    t,
    {
      'a tool of the white list that is gone is an error': {
        run: `${LISTS} lists '"a"'; plumb-tool --agent few t.plumb serve < /dev/null; kept; lists '"b"'; plumb-tool --agent few t.plumb serve < /dev/null`,
        out: '1\n',
        errors: [{ error: 'not_a_tool', detail: /lists what it has not: 'a'/ }],
        status: 2,
      },
      'what is new is offered and called, what is gone is not': {
        run: `${LISTS} ${START} lists '"a"'; plumb-tool --agent bot t.plumb serve --offers < /dev/null | jq -c 'map(.name)'
          lists '"b"'; start --agent bot t.plumb serve; ask notes:b '{"n":1}'; ask notes:a '{}'; end; plumb-tool t.plumb call late; plumb-tool t.plumb call a '{}'`,
        out: /^\["notes:a"\]\n\{"id":"1","content":"\\"\{\\\\\\"n\\\\\\":1\}\\"".*\n\{"id":"2","content":".*unknown_tool.*\n\{\}\n$/,
        errors: [{ error: 'unknown_tool', detail: /has no tool 'a'/ }],
      },
      'a schema that was edited is the one that holds': {
        run: `${LISTS} with () { lists '{ "name": "a", "inputSchema": { "type": "object", "properties": { "n": { "type": "'$1'", "default": '$2' } } } }'; }
          with integer 1; plumb-tool t.plumb call a '{}'; with string '"two"'; plumb-tool t.plumb call a '{}'; plumb-tool t.plumb call a '{"n":"3"}'`,
        out: '{"n":1}\n{"n":"two"}\n{"n":"3"}\n',
      },
      'a warning is given each time': {
        run: `${LISTS} lists '"a"' '{ "name": "b", "inputSchema": 5 }'; for i in 1 2; do plumb-tool --agent bot t.plumb serve < /dev/null; done; kept`,
        out: '0\n',
        errors: [{ warning: 'bad_reply', detail: /'b' has no input schema/ }, { warning: 'bad_reply' }],
        status: 0,
      },
      'a server that is slow to list its tools has those that were kept, until it has listed them': {
        run: `${LISTS} ${START} lists '"a"'; plumb-tool --agent bot t.plumb serve < /dev/null; lists '"a"' '"b"'; touch hold
          start --agent bot t.plumb serve --offers; read -r offers <&9; echo "$offers" | jq -c 'map(.name)'; ask notes:a '{}'
          rm hold; read -r offers <&9; echo "$offers" | jq -c 'map(.name)'; ask notes:b '{}'; end`,
        out: '["notes:a"]\n{"id":"1","content":"\\"{}\\"","is_error":false}\n["notes:a","notes:b"]\n{"id":"2","content":"\\"{}\\"","is_error":false}\n',
        errors: [],
        status: 0,
      },
      'a name that is not among those that were kept waits for the list': {
        run: `${LISTS} ${START} lists '"a"'; plumb-tool --agent bot t.plumb serve < /dev/null; lists '"b"'; touch hold
          start --agent bot t.plumb serve --offers; read -r offers <&9; rm hold; ask notes:b '{}'; end`,
        out: '{"id":"1","content":"\\"{}\\"","is_error":false}\n',
      },
      'an input that the server refuses ends it for all': {
        run: `${LISTS} lists '{ "name": "a", "refuses": true }'; plumb-tool --agent bot t.plumb serve < /dev/null; kept; plumb-tool t.plumb call a '{"n":1}'; kept`,
        out: '1\n0\n',
        errors: [{ error: 'tool_crashed', detail: /-32602: not/ }],
        status: 0,
      },
      'and so does another version of it': {
        run: `${LISTS} ${START} touch -d @0 server.cjs; lists '"a"'; plumb-tool --agent bot t.plumb serve < /dev/null; kept
          sed -i 's/1\\.0\\.0/1.0.1/' server.cjs; touch -d @0 server.cjs; lists '"b"'; touch hold
          start --agent bot t.plumb serve --offers; until [ $(kept) = 0 ]; do sleep 0.05; done; rm hold; read -r offers <&9; end; echo "$offers" | jq -c 'map(.name)'`,
        out: '1\n["notes:b"]\n',
      },
    },
    { 'server.cjs': SERVER, 't.plumb': KEPT },
  ),
)

t.test('inputs of a server have the defaults and the repairs of those that a spec declares', async (t) => {
  const properties = {
    n: { type: 'integer', default: 7 },
    k: { type: 'number' },
    on: { type: 'boolean' },
    many: { type: 'array', items: { type: 'string' } },
    paths: { type: 'array', items: { type: 'string' } },
    o: { type: 'object', properties: { z: { type: 'string', default: 'zed' } } },
    kind: { enum: ['a', 'b'], default: 'a' },
    odd: { type: 'integer', maximum: 3, default: 4 },
  }
  const fit = (input: string, schema: Json = { type: 'object', properties, required: ['k'], additionalProperties: { type: 'integer' } }) =>
    fitServerInput('x', { name: 'x', inputSchema: schema }, input)
  const { odd: _, ...sound } = properties
  const given = (more: string) => fit(`{"k":1${more}}`, { type: 'object', properties: sound, required: ['k'] })
  const fits: readonly [string, string, readonly string[]][] = [
    ['', '{"k":1,"n":7,"kind":"a"}', []],
    [',"n":12345678901234567890,"kind":"b"', '{"k":1,"n":12345678901234567890,"kind":"b"}', []],
    [',"kind":"b","n":"5"', '{"k":1,"kind":"b","n":5}', ['n: "5" read as 5']],
    [',"on":"true","n":1,"kind":"b"', '{"k":1,"on":true,"n":1,"kind":"b"}', ['on: "true" read as true']],
    [',"many":"m","n":1,"kind":"b"', '{"k":1,"many":["m"],"n":1,"kind":"b"}', ['many: a lone value read as a list']],
    [
      ',"o":"{\\"y\\":1}","n":1,"kind":"b","more":null',
      '{"k":1,"o":{"y":1,"z":"zed"},"n":1,"kind":"b","more":null}',
      ['o: text read as the object in it'],
    ],
  ]
  for (const [more, json, repairs] of fits) t.strictSame(given(more), { ok: true, value: { json, repairs } }, json)
  t.match(given(',"paths":"[\\"a\\"]"'), { error: { error: 'input_type_mismatch', detail: /\/paths must be array/ } }, 'never on paths')
  t.match(given(',"n":"5x"'), { error: { detail: /\/n must be integer/ } })
  const filled = '"n":7,"kind":"a"}'
  t.strictSame(fit('{"k":1}'), { ok: true, value: { json: `{"k":1,${filled}`, repairs: [] } }, 'a default that the schema refuses is none')
  t.strictSame(fit('{"k":"1","more":2}'), { ok: true, value: { json: `{"k":1,"more":2,${filled}`, repairs: ['k: "1" read as 1'] } })
  t.match(fit('{"k":1,"odd":4}'), {
    ok: false,
    error: { detail: "the input of 'x' does not fit the schema of its server: /odd must be <= 3" },
  })
  t.match(fit('[1]'), { error: { detail: "the input of 'x' is an object, found [1]" } })
  const nested = { $ref: '#/$defs/a' }
  const self = { type: 'object', properties: { s: nested }, $defs: { a: nested } }
  t.match(fit('{"s":"1"}', self), { ok: false }, 'a name for itself ends')
  const either = { type: 'object', properties: { s: { anyOf: [{ type: 'integer' }, { type: 'null' }], default: null } } }
  t.match(fit('{}', either), { value: { json: '{"s":null}' } })
  t.match(fit('{"s":"4"}', either), { value: { json: '{"s":4}' } })
})

const DEFAULTED = `lists '{ "name": "a", "inputSchema": { "type": "object", "properties": { "n": { "type": "integer", "default": 7 }, "k": { "type": "number" } } } }';`

t.test('and say so in the trace', (t) =>
  table(
    t,
    {
      'of a tool of the spec': {
        run: `${LISTS} ${DEFAULTED} plumb-tool --envelope t.plumb call a '{"k":"5"}' | jq -c '[.result, .repairs, (.stages | map(select(.stage == "validate").note))]'`,
        out: '[{"k":5,"n":7},["k: \\"5\\" read as 5"],["fits","fits after 1 repair"]]\n',
      },
      'of an agent, and of what it calls': {
        run: `${LISTS} ${DEFAULTED} plumb-agent bot.plumb <<< '"call notes:a {\\"k\\":\\"5\\"}"'`,
        out: '"{\\"k\\":5,\\"n\\":7}"\n',
      },
    },
    { 'server.cjs': SERVER, 't.plumb': KEPT, 'bot.plumb': KEPT.replace(/let few.*/, '') },
  ),
)

t.test('nothing is left when it ends', async (t) => {
  const files = {
    'server.cjs': SERVER,
    't.plumb': `let bot : !string -> !string = agent { provider: "eliza", model: "doctor", mcp: [{ command: "sh", args: ["-c", "sleep 1000.${process.pid} & node ./server.cjs; wait"], sandbox: { write: ["."] }, prefix: "s" }] }`,
  }
  const { out } = await shell(`${START} start --agent bot t.plumb serve; ask s:echo '{"text":"a"}'; end`, files)
  t.match(out, /heard: a/)
  t.strictSame(running(`sleep 1000.${process.pid}`), [], 'nor what a server has started (fault 109)')
})
