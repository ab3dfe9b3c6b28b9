// Prompt files as tools: read, turned into specs, held to what the mounting tool declares, and run.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { type ChatElement, parseChatmd } from '../src/source/agent/chatmd-parser.js'
import { loadPromptProgram } from '../src/source/agent/prompt-program.js'
import { readPromptTool } from '../src/source/agent/prompt-tool.js'
import { readPromptFile } from '../src/source/agent/read-prompt-file.js'
import { type Files, makeSource, makeTestDirectory } from './source-directory.js'

const TEXT = { kind: 'string' } as const
const ELIZA = { caller: { provider: 'eliza', model: 'doctor' } }

const mountAll = (files: Files) => {
  const directory = makeTestDirectory(files)
  return (name: string, output: Parameters<typeof loadPromptProgram>[1]['output'] = TEXT) =>
    loadPromptProgram(join(directory, name), { input: TEXT, output })
}

/** The text that a child is given. */
const textOf = (mounted: ReturnType<typeof loadPromptProgram>, caller?: { provider: string; model: string }): string => {
  if (!mounted.ok) return `${mounted.error.error}: ${mounted.error.detail}`
  const { entry, files } = mounted.value.filesFor(caller).bundle(mounted.value.bound.scope.module.path)
  return files[entry] ?? ''
}

t.test('.chatmd: what is markup and what is text', async (t) => {
  const parsed = parseChatmd(`<!-- a <user> in a comment -->
<config model="gpt &quot;x&quot;" show_tool_call/>
<user role='a \\'b\\'' >Hello <b>world</b> RAW| <user> & |RAW <doc src="x" local/> a < b</user>`)
  if (!parsed.ok) throw new Error(parsed.error.detail)
  const [config, user] = parsed.value.filter((node): node is ChatElement => node.kind === 'element')
  t.strictSame(config?.attributes, { model: 'gpt "x"', show_tool_call: true })
  t.strictSame(user?.attributes, { role: "a 'b'" })
  t.strictSame(user?.line, 3)
  t.match(user?.children, [
    { text: 'Hello <b>world</b> ' },
    { text: ' <user> & ' },
    { text: ' ' },
    { name: 'doc', attributes: { src: 'x', local: true } },
    { text: ' a < b' },
  ])
  const cases: [text: string, detail: RegExp][] = [
    ['<user>x', /line 1: <user> is never closed/],
    ['\n<user>x</assistant>', /line 2: <\/assistant> closes <user> of line 1|line 2: <\/assistant> closes <user> of line 2/],
    ['</user>', /closes nothing/],
    ['<user>RAW| x</user>', /'RAW\|' is never closed/],
    ['<tool name="x>', /never closed, or has an attribute without its closing quote/],
  ]
  for (const [text, detail] of cases) t.match(parseChatmd(text), { ok: false, error: { detail } }, text)
})

t.test('the attributes of a tool', async (t) => {
  const cases: [attributes: Parameters<typeof readPromptTool>[0], tool: object | RegExp][] = [
    [{ name: 'read_file' }, { kind: 'builtin', name: 'read_file', of: 'read_file' }],
    [
      { name: 'st', command: 'git status', description: 'd' },
      { kind: 'command', name: 'st', of: 'git status', description: 'd' },
    ],
    [
      { name: 'triage', agent: 'a.chatmd', local: true },
      { kind: 'agent', name: 'triage', of: 'a.chatmd' },
    ],
    [{ mcp_server: 'stdio:npx -y brave%20search' }, { kind: 'server', server: { command: 'npx', args: ['-y', 'brave search'] } }],
    [
      { mcp_server: 'https://tools.acme.dev', includes: 'weather, stock', strict: true, client_id_env: 'A' },
      { server: { url: 'https://tools.acme.dev', tools: ['weather', 'stock'], strict: true, client_id_env: 'A', auth: 'query' } },
    ],
    [{ mcp_server: 'mcp+http://h/', name: 'one', include: 'two' }, { server: { url: 'http://h/', tools: ['one'] } }],
    [
      { name: 'a', command: 'x', effects: 'fs.write, net' },
      { kind: 'command', effects: ['fs.write', 'net'] },
    ],
    [
      { name: 'a', command: 'x', sandbox: 'false' },
      { kind: 'command', sandbox: false },
    ],
    [
      { name: 'a', command: 'x', sandbox: '{"write":["out"]}' },
      { kind: 'command', sandbox: { write: ['out'] } },
    ],
    [{ name: 'a', command: 'x', sandbox: 'yes' }, /is not a sandbox: expected false, or an object/],
    [{ mcp_server: 'stdio:x', sandbox: 'false' }, { server: { command: 'x', sandbox: false } }],
    [{ mcp_server: 'ftp://h' }, /is not an MCP server/],
    [{ name: 'x', command: 'a', agent: 'b' }, /one of command and agent, not both/],
    [{ name: 'x', agent: 'b' }, /give it the attribute 'local'/],
    [{ nmae: 'x' }, /no attribute 'nmae', did you mean 'name'\?/],
    [{ command: 'x' }, /needs a name/],
    [{ name: 'a b' }, /found 'a b'/],
    [{ name: true }, /'name' of a tool needs a value/],
  ]
  for (const [attributes, wanted] of cases) {
    const read = readPromptTool(attributes)
    const found = read.ok ? read.value : read.error.detail
    t.match(found, wanted, JSON.stringify(attributes))
  }
})

t.test('a .chatmd file as a spec', async (t) => {
  const mounted = mountAll({
    'a.chatmd': `<config model="gpt-x" temperature="0.5" max_tokens="100" reasoning_effort="high" id="1" show_tool_call/>
<config model="not this one"/>
<developer>Be brief.<import src="lib/more.md"/></developer>
<system>Know this: <doc src="lib/facts.txt" local/></system>
<tool name="status" command="./git.sh status" description="Show &quot;it&quot;"/>
<tool name="other" agent="b.chatmd" local/>
<tool mcp_server="https://tools.acme.dev" includes="weather"/>
<import src="lib/tools.chatmd"/>
<user>First <b>question</b></user>
<user>Look: <img src="pic/a.png" local/></user>
<assistant>First <import src="nowhere"/> answer</assistant>
<msg role="user">RAW|<user>|RAW</msg>
<reasoning id="r"><summary>thought</summary></reasoning>
`,
    'lib/more.md': ' And <b>bold</b>.',
    'lib/facts.txt': 'facts <user>',
    'lib/tools.chatmd': '<tool name="again" agent="a.chatmd" local/>',
    'b.chatmd': '<config model="m"/><developer>B</developer><tool name="up" command="tr a-z A-Z"/>',
  })
  const a = mounted('a.chatmd')
  if (!a.ok) throw new Error(a.error.detail)
  t.equal(
    textOf(a),
    `let status : { arguments?: [string] } -> string = tool { command: "./git.sh status", description: "Show \\"it\\"" }
let other : string -> string = tool { agent: "b.chatmd", effects: ["exec"] }
let again : string -> string = tool { agent: "a.chatmd", effects: [] }
let a : !string -> !string = agent {
  model: "gpt-x",
  temperature: 0.5,
  max_tokens: 100,
  request: {"reasoning_effort":"high"},
  prompt: "Be brief. And <b>bold</b>.\\n\\nKnow this: facts <user>",
  mcp: [{"url":"https://tools.acme.dev","tools":["weather"]}],
  history: [{"role":"user","content":"First <b>question</b>"},{"role":"user","content":[{"type":"text","text":"Look:"},{"type":"image","path":"pic/a.png"}]},{"role":"assistant","content":"First  answer"},{"role":"user","content":"<user>"}],
  tools: [status, other, again]
}
`,
  )
  t.strictSame(a.value.effects, ['net', 'exec'])
  t.match(
    textOf(a, { provider: 'eliza', model: 'doctor' }),
    /provider: "eliza",\n {2}model: "gpt-x"/,
    'the caller is heard where the file says nothing',
  )
})

t.test('a .md file as a spec', async (t) => {
  const mounted = mountAll({
    'plain.md': 'Only a prompt.\n',
    'full.md': `---
name: reviewer
description: Reviews
provider: eliza
model: doctor
max_retries: 1
tools:
  - { name: status, command: git status }
  - name: deeper
    agent: plain.md
mcp:
  - { command: server, args: [--stdio] }
---

# Reviewer

Review it.
---
`,
    'filter.md': '---\n---\nx',
    'for.md': '---\n---\nx',
  })
  t.equal(textOf(mounted('plain.md')), 'let plain : !string -> !string = agent {\n  prompt: "Only a prompt."\n}\n')
  t.equal(
    textOf(mounted('full.md')),
    `let status : { arguments?: [string] } -> string = tool { command: "git status" }
let deeper : string -> string = tool { agent: "plain.md", effects: [] }
let full : !string -> !string = agent {
  description: "Reviews",
  provider: "eliza",
  model: "doctor",
  max_retries: 1,
  mcp: [{"command":"server","args":["--stdio"]}],
  prompt: "# Reviewer\\n\\nReview it.\\n---",
  tools: [status, deeper]
}
`,
  )
  t.match(textOf(mounted('filter.md')), /^let filter_prompt : /, 'a reserved word is not a name')
  t.match(textOf(mounted('for.md')), /^let for_prompt : /, 'nor is one that became a word later')
  const review = {
    kind: 'named',
    name: 'Review',
    target: {
      kind: 'record',
      fields: [
        { name: 'score', type: { kind: 'int' }, isOptional: false, min: 1, max: 5, description: 'how "good"' },
        {
          name: 'level',
          type: {
            kind: 'sum',
            variants: [
              { kind: 'literal', value: 'a' },
              { kind: 'literal', value: 'b' },
            ],
          },
          isOptional: true,
          default: '"a"',
        },
        {
          name: 'notes',
          type: { kind: 'array', item: { kind: 'tuple', items: [{ kind: 'string' }, { kind: 'json' }] } },
          isOptional: true,
        },
      ],
    },
  } as const
  t.match(
    textOf(mounted('plain.md', review as unknown as typeof TEXT)),
    'type Review_1 = { @description "how \\"good\\"" @min 1 @max 5 score: int, level?: ("a" | "b") = "a", notes?: [(string, json)] }\nlet plain : !string -> !Review_1 =',
  )
})

t.test('prompt files that cannot be used', async (t) => {
  const FILES = {
    'stray.chatmd': '<user>x</user>\nHello',
    'script.chatmd': '<script language="chatml" id="x"></script>',
    'image.chatmd': '<user>\n<img src="x"/></user>',
    'said.chatmd': '<assistant><img src="x" local/></assistant><developer><img src="x" local/></developer>',
    'remote.chatmd': '<user><doc src="http://example.com"/></user>',
    'circle.chatmd': '<import src="circle.chatmd"/>',
    'config.chatmd': '<config modle="x"/>',
    'number.chatmd': '<config temperature="warm"/>',
    'shell.chatmd': '<tool type="shell" name="x"/>',
    'nested.chatmd': '<tool name="read_file"><read id="x"/></tool>',
    'fork.chatmd': '<tool name="fork"/>',
    'wrong.md': '---\nmodle: x\n---\n',
    'yaml.md': '---\na: [\n---\n',
    'scalar.md': '---\njust text\n---\n',
    'prompt.md': '---\nprompt: x\n---\n',
    'tools.md': '---\ntools: 5\n---\n',
    'two.plumb': 'let a : !string -> !string = agent { model: "m" }\nlet b : !string -> !string = agent { model: "m" }\n',
    'none.plumb': 'type T = int\n',
    'types.plumb': 'let a : !int -> !string = agent { model: "m" }\n',
    'ports.plumb': 'let main : !string -> (!string, !string) = copy\n',
    'bad.plumb': 'let main : !string -> !string = nowhere\n',
  }
  const mounted = mountAll(FILES)
  const cases: [name: string, detail: RegExp][] = [
    ['stray.chatmd', /cannot use '.*stray\.chatmd': text is outside of all tags: 'Hello'/],
    ['script.chatmd', /line 1: <script> has no place in a prompt/],
    ['image.chatmd', /line 2: <img> must be a file: give it the attribute 'local'/],
    ['said.chatmd', /line 1: <img> in <developer> is not served; put it into <user>/],
    ['remote.chatmd', /<doc> must be a file/],
    ['circle.chatmd', /import each other in a circle/],
    ['config.chatmd', /no attribute 'modle', did you mean 'model'\?/],
    ['number.chatmd', /'temperature' in <config> takes a number, found 'warm'/],
    ['shell.chatmd', /a tool has no attribute 'type'/],
    ['nested.chatmd', /<tool> holds nothing/],
    ['fork.chatmd', /'fork' is not part of this system/],
    ['wrong.md', /cannot use '.*wrong\.md': .*modle.*model/],
    ['yaml.md', /front matter is not YAML/],
    ['scalar.md', /front matter is not a list of entries/],
    ['prompt.md', /'prompt' is the text below the front matter/],
    ['tools.md', /'tools' takes a list/],
    ['two.plumb', /a main or exactly one agent, and it has the agents a, b/],
    ['none.plumb', /it has no agent/],
    ['types.plumb', /'a' in '.*types\.plumb' takes 'int', and the tool 'string'/],
    ['ports.plumb', /has several ports/],
    ['bad.plumb', /no binding is named 'nowhere'/],
    ['missing.md', /missing\.md'/],
  ]
  for (const [name, detail] of cases) t.match(mounted(name), { ok: false, error: { category: 'config', detail } }, name)
  t.equal(readPromptFile('a.plumb'), undefined)
})

t.test('what a prompt file may do stands in the mounting tool', async (t) => {
  const spec = (effects: string) => `let ask : string -> string = tool { agent: "p/a.md"${effects} }`
  const files = { 'p/a.md': '---\ntools: [{ name: up, command: ./up.sh }]\nmcp: [{ url: "https://h/" }]\n---\nx' }
  const refused = makeSource(spec(''), files).tool('ask')
  t.match(refused, {
    error: { category: 'config', detail: /'p\/a\.md' may do net, exec, and tool 'ask'.*write effects: \["net","exec"\]/ },
  })
  t.match(makeSource(spec(', effects: ["exec"]'), files).tool('ask'), { error: { detail: /may do net, and.*\["exec","net"\]/ } })
  t.ok(makeSource(spec(', effects: ["exec", "net"]'), files).tool('ask').ok)
})

t.test('calls: each is a fresh conversation', async (t) => {
  const spec = `
    let plain : string -> string = tool { agent: "p/plain.md" }
    let chat : string -> string = tool { agent: "p/chat.chatmd" }
    let spec_agent : string -> string = tool { agent: "p/one.plumb" }
    let count : string -> int = tool { agent: "p/main.plumb" }
    let helper : string -> string = tool { agent: "p/tools.chatmd", effects: ["exec"] }
    type Said = { said: string }
    let typed : string -> Said = tool { agent: "p/plain.md" }
  `
  const { call } = makeSource(
    spec,
    {
      'p/plain.md': 'You are a doctor.',
      'p/chat.chatmd':
        '<config provider="eliza" model="doctor"/><user>My mother takes care of me.</user><assistant>TELL ME MORE</assistant>',
      'p/one.plumb': 'let bot : !string -> !string = agent { provider: "eliza", model: "doctor" }\n',
      'p/main.plumb': 'let main : !string -> !int = map(length(value))\n',
      'p/tools.chatmd': '<config provider="eliza" model="doctor"/><tool name="up" command="./up.sh"/>',
      'p/up.sh': '#!/bin/sh\necho "up: $*"\n',
    },
    ELIZA,
  )
  const alike = JSON.stringify('Men are all alike.')
  for (const name of ['plain', 'spec_agent', 'plain', 'chat']) t.equal((await call(name, alike)).value, 'IN WHAT WAY', name)
  t.strictSame((await call('typed', alike)).value, { said: 'IN WHAT WAY' })
  t.equal((await call('count', '"abc"')).value, 3)
  const helper = await call('helper', JSON.stringify('call up {"arguments":["a"]}'))
  t.match(helper.value, /up: a/, 'its own tools are relative to it')
})

t.test('what was said before stands in the spec that the agent is handed', async (t) => {
  const bin = makeTestDirectory({
    'plumb-agent': '#!/bin/bash\necho "$*" > arguments\nread -r line <&9\necho "$line" > handed\nexec cat\n',
  })
  const before = process.env.PATH
  process.env.PATH = `${bin}:${before}`
  const { call, directory } = makeSource('let chat : string -> string = tool { agent: "c.chatmd" }', {
    'c.chatmd': '<config model="m"/><user>one</user><assistant>two</assistant>',
  })
  process.chdir(directory)
  t.equal((await call('chat', '"three"')).value, 'three')
  t.match(readFileSync('arguments', 'utf8'), /^--agent c --telemetry --no-envelopes --fds 3 --sources-fd /)
  const { entry, files } = JSON.parse(readFileSync('handed', 'utf8'))
  t.match(files[entry], 'history: [{"role":"user","content":"one"},{"role":"assistant","content":"two"}]')
  process.chdir('/')
  process.env.PATH = before
})
