// long
// A client's own source stays within the docroot and the grant, whatever it tries.

import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { openMemoryWatch } from '../src/source/memory.js'
import { call, connect, openPlace } from './server.js'

const place = openPlace({
  'root/inside.plumb': 'type N = { n: int }\nlet twice : !N -> !N = map({ n: n * 2 })\n',
  'root/sub/deep.plumb': 'use "../inside.plumb" as I\nlet deep : !I.N -> !I.N = I.twice\n',
  'root/runs.plumb': 'let sh : { arguments?: [string] } -> string = tool { command: "id" }\n',
  'root/good.md': 'Be kind.\n',
  'root/kind.md': '---\nprovider: eliza\nmodel: doctor\n---\nBe kind.\n',
  'root/shell.md': '---\nprovider: eliza\nmodel: doctor\ntools:\n  - name: sh\n    command: id\n---\nx\n',
  'root/reach.md': '---\nprovider: eliza\nmodel: doctor\ntools:\n  - name: out\n    agent: ../secret.md\n---\nx\n',
  'root/remote.md': '---\nprovider: eliza\nmodel: doctor\nmcp:\n  - url: http://169.254.169.254/mcp\n---\nx\n',
  'root/import.chatmd': '<system>x</system><user><import src="../secret.md"/></user>\n',
  'root/nested.plumb': 'use "../outside.plumb" as O\nlet a : !string -> !string = agent { provider: "eliza", model: "doctor" }\n',
  'root/.env': 'KEY=canary\n',
  'root/.ssh/id_rsa': 'canary\n',
  'root/page.txt': 'a page\n',
  'secret.md': '---\nkey: [canary\n---\ncanary\n',
  'outside.plumb': 'type Canary = int\nlet canary : !int -> !int = id\n',
  'prompts/elsewhere.md': 'canary\n',
})
const { directory } = place
const root = join(directory, 'root')
symlinkSync('../outside.plumb', join(root, 'link.plumb'))
symlinkSync('../secret.md', join(root, 'link.md'))
symlinkSync('..', join(root, 'up'))
mkdirSync(join(directory, 'root-evil'))
writeFileSync(join(directory, 'root-evil/x.plumb'), 'let canary : !int -> !int = id\n')
t.teardown(() => place.remove())

const ELIZA = 'provider: "eliza", model: "doctor"'
const agent = (more: string) => `let main : !string -> !string = agent { ${more} }`
const withTool = (signature: string, config: string) =>
  `let t : ${signature} = tool { ${config} }\nlet main : !string -> !string = agent { ${ELIZA}, tools: [t] }`
/** It may be given anything. */
const labelled = (source: string) => source.replace('main : !string -> !string', 'main : !untrusted string -> !untrusted string')
const SHELL = '{ arguments?: [string] } -> string'
const WRITE = '{ path: string, content: string, root?: string, expect_sha256?: string } -> json'

/** A source, and the code of what refuses it. */
const REFUSED: readonly (readonly [why: string, source: string, code: string])[] = [
  ['a command', withTool(SHELL, 'command: "id"'), 'permission_denied'],
  ['a function', withTool('json -> json', 'function: "./x.js#f"'), 'permission_denied'],
  ['a program as an agent', agent('command: ["./x"]'), 'permission_denied'],
  ['an agent elsewhere', agent(`${ELIZA}, via: ["ssh", "host"]`), 'permission_denied'],
  ['variables for a program', agent(`${ELIZA}, env: ["HOME"]`), 'permission_denied'],
  ['an endpoint', agent('provider: "anthropic", model: "m", endpoint: "http://127.0.0.1:1"'), 'permission_denied'],
  ['a server as a program', agent(`${ELIZA}, mcp: [{ command: "id" }]`), 'permission_denied'],
  ['a server by its address', agent(`${ELIZA}, mcp: [{ url: "http://169.254.169.254/" }]`), 'permission_denied'],
  ['a server by a name', `let s = { command: "id" }\n${agent(`${ELIZA}, mcp: [s]`)}`, 'permission_denied'],
  ['a token of the server', agent(`${ELIZA}, mcp: [{ url: "https://x.test/", token_env: "HOME" }]`), 'permission_denied'],
  ['one tool of a server', withTool('json -> json', 'mcp: "http://127.0.0.1:1/mcp", name: "x"'), 'permission_denied'],
  ['a writer', withTool(WRITE, 'builtin: "write_file"'), 'permission_denied'],
  ['a writer of the library', `use fs\nlet main : !string -> !string = agent { ${ELIZA}, tools: [Fs.write] }`, 'permission_denied'],
  ['a shell of the library', `use shell\nlet main : !string -> !string = agent { ${ELIZA}, tools: [Shell.list] }`, 'permission_denied'],
  [
    'a writer behind a composition',
    `use fs\n@tool true let t : json -> json = mk ; Fs.make_directory\n@tool true let mk : json -> { path: string } = map({ path: "x" })\n${agent(`${ELIZA}, tools: [t]`)}`,
    'permission_denied',
  ],
  [
    'a writer in an agent that is a tool',
    `use fs\nlet inner : !string -> !string = agent { ${ELIZA}, tools: [Fs.write] }\n${withTool('string -> string', 'process: inner')}`,
    'permission_denied',
  ],
  [
    'a record of calls',
    `let f : int -> int = tool { mock: 1 }\nlet s : int -> int = tool { spy: f, record: "calls.jsonl" }\n${agent(`${ELIZA}, tools: [s]`)}`,
    'permission_denied',
  ],
  ['more effects than there are', withTool('string -> string', 'mock: "x", effects: ["exec"]'), 'permission_denied'],
  [
    'private addresses',
    withTool('{ url: string } -> string', 'builtin: "webpage_to_markdown", effects: ["net.private"]'),
    'permission_denied',
  ],
  ['a binding that is not used', `let t : ${SHELL} = tool { command: "id" }\nlet main : !string -> !string = id`, 'permission_denied'],
  ['a command in a module', 'use "./runs.plumb" as R\nlet main : !string -> !string = id', 'permission_denied'],
  ['a module outside', 'use "../outside.plumb" as O\nlet main : !int -> !int = O.canary', 'spec_invalid'],
  ['a module by an absolute path', `use "${join(directory, 'outside.plumb')}" as O\nlet main : !int -> !int = O.canary`, 'spec_invalid'],
  ['a module through a link', 'use "./link.plumb" as O\nlet main : !int -> !int = O.canary', 'spec_invalid'],
  ['a module through a linked directory', 'use "./up/outside.plumb" as O\nlet main : !int -> !int = O.canary', 'spec_invalid'],
  ['a module by name, outside', 'use outside\nlet main : !int -> !int = Outside.canary', 'spec_invalid'],
  [
    'a module of a directory whose name begins alike',
    'use "../root-evil/x.plumb" as O\nlet main : !int -> !int = O.canary',
    'spec_invalid',
  ],
  ['a module that leads on outside', 'use "./nested.plumb" as N\nlet main : !string -> !string = N.a', 'spec_invalid'],
  ['a file that is not a spec', 'use "./page.txt" as P\nlet main : !int -> !int = id', 'spec_invalid'],
  ['a key as a module', 'use "./.env" as E\nlet main : !int -> !int = id', 'spec_invalid'],
  ['a device', 'use "/dev/stdin" as D\nlet main : !int -> !int = id', 'spec_invalid'],
  ['documents outside', agent(`${ELIZA}, prompts: ["../secret.md"]`), 'path_denied'],
  ['documents through a link', agent(`${ELIZA}, prompts: ["./link.md"]`), 'path_denied'],
  ['a key as a document', agent(`${ELIZA}, prompts: ["./.env"]`), 'path_denied'],
  ['a document of the server itself', agent(`${ELIZA}, prompts: ["elsewhere.md"]`), 'file_not_found'],
  ['a script outside', agent(`${ELIZA}, script: "/etc/hostname"`), 'path_denied'],
  ['a root outside', withTool('{ path: string } -> json', 'builtin: "read_file", roots: { x: "/etc" }'), 'path_denied'],
  ['a root through a link', withTool('{ path: string } -> json', 'builtin: "read_file", roots: { x: "up" }'), 'path_denied'],
  ['a root that holds keys', withTool('{ path: string } -> json', 'builtin: "read_file", roots: { x: ".ssh" }'), 'path_denied'],
  [
    'a sandbox that writes outside',
    `let inner : !string -> !string = agent { ${ELIZA} }\n${withTool('string -> string', 'process: inner, sandbox: { write: ["/etc"] }')}`,
    'path_denied',
  ],
  ['a prompt outside', withTool('string -> string', 'agent: "../secret.md"'), 'path_denied'],
  ['a prompt through a link', withTool('string -> string', 'agent: "link.md"'), 'path_denied'],
  ['a prompt that runs a command', withTool('string -> string', 'agent: "shell.md", effects: ["exec"]'), 'permission_denied'],
  ['a prompt that hides its command', withTool('string -> string', 'agent: "shell.md"'), 'permission_denied'],
  ['a prompt that names one outside', withTool('string -> string', 'agent: "reach.md"'), 'path_denied'],
  [
    'a prompt that reaches an address',
    labelled(withTool('untrusted string -> untrusted string', 'agent: "remote.md", effects: ["net"]')),
    'permission_denied',
  ],
  ['a prompt that imports', withTool('string -> string', 'agent: "import.chatmd"'), 'path_denied'],
  ['a spec as a prompt that leads outside', withTool('string -> string', 'agent: "nested.plumb"'), 'spec_invalid'],
  ['nothing to run', 'let other : !int -> !int = id', 'main_missing'],
  ['a main of two ports', 'let main : (!int, !int) -> !int = merge', 'main_missing'],
  ['a text that is not a spec', 'let main', 'spec_invalid'],
  ['a text that is too long', ` ${'(* long *)'.repeat(30_000)}`, 'spec_invalid'],
]

t.test('what a client may not write', async (t) => {
  const client = await connect({ ...place, env: { ...place.env, PLUMB_RESOURCES: join(directory, 'prompts'), PLUMB_PATH: directory } }, [
    '--docroot',
    root,
  ])
  await Promise.all(
    REFUSED.map(async ([why, source, code]) => {
      const { error, text } = await call(client, 'call', { source, input: 'call t {}' })
      t.equal(error, code, `${why}: ${text}`)
      t.notMatch(text.replaceAll('O.canary', '').replaceAll('Outside.canary', ''), /canary/, `${why}: nothing of it is shown`)
    }),
  )
  t.notOk(existsSync(join(root, 'calls.jsonl')))
  await client.close()
})

t.test('a program of a client has a bound on its memory', async (t) => {
  const client = await connect(place, ['--docroot', root])
  const stages = (count: number) => Array.from({ length: count }, () => 'map(replace(value, "x", "xxxxxxxxxxxxxxxx"))').join(' ; ')
  const grown = await Promise.all(
    [6, 60].map((count) => call(client, 'call', { source: `let main : !string -> !string = ${stages(count)}`, input: 'xxxx' })),
  )
  for (const { error, text } of grown) t.equal(error, 'too_large', text)
  const rope = `let main : !string -> !string = ${Array.from({ length: 40 }, () => 'map({ a: value, b: value })')
    .join(' ; ')
    .replace(/^/, 'map({ a: value }) ; ')} ; map(text(value))`
  t.match((await call(client, 'call', { source: rope, input: 'x'.repeat(1000) })).error, /too_large|spec_invalid/)
  const after = await call(client, 'call', { source: 'let main : !int -> !int = map(value + 1)', input: 1 })
  t.equal(after.text, '2', 'the next is served')
  await client.close()
})

t.test('programs have a bound on what they take besides the heap, each and together', async (t) => {
  const MIB = 1024 * 1024
  const watch = openMemoryWatch({ run: 300 * MIB, all: 500 * MIB })
  const hold = (mib: number) =>
    new Promise<number>((resolve, reject) => {
      const child = spawn(process.execPath, [
        '-e',
        `const held = Buffer.alloc(${mib} * ${MIB}, 1); console.log(held.length); setInterval(() => held, 1e6)`,
      ])
      t.teardown(() => child.kill('SIGKILL'))
      child.on('error', reject)
      // Watched once it has taken all: which of several is the largest is to be no question of which came first.
      child.stdout.once('data', () => {
        const forget = watch({ pid: child.pid as number, end: resolve })
        t.teardown(forget)
      })
    })
  t.equal(await hold(350), 300 * MIB, 'one that is too large alone')
  const three = [hold(170), hold(180), hold(190)]
  t.equal(await three[2], 500 * MIB, 'the largest of three that are too large together')
})

t.test('what a client may write', async (t) => {
  const client = await connect(place, ['--docroot', root])
  const cases: readonly (readonly [source: string, input: unknown, output: unknown])[] = [
    [
      'use "./sub/deep.plumb" as D\nlet main : !json -> !json = as_n ; D.deep ; out\nlet as_n : !json -> !{ n: int } = map({ n: 2 })\nlet out : !{ n: int } -> !json = map(value)',
      0,
      { n: 4 },
    ],
    ['use inside\nlet main : !Inside.N -> !Inside.N = Inside.twice', { n: 3 }, { n: 6 }],
    [agent(`${ELIZA}, prompts: ["./good.md"]`), 'Men are all alike.', 'IN WHAT WAY'],
    [withTool('string -> string', 'agent: "kind.md"'), 'call t {"input":"Men are all alike."}', /IN WHAT WAY/],
    [withTool('{ path: string } -> json', 'builtin: "read_file"'), 'call t {"path":"page.txt"}', /a page/],
    [withTool('{ path: string } -> json', 'builtin: "read_file"'), 'call t {"path":"../secret.md"}', /path_denied/],
    [withTool('{ path: string } -> json', 'builtin: "read_file"'), 'call t {"path":"up/secret.md"}', /path_denied/],
    [
      labelled(withTool('untrusted { url: string } -> untrusted json', 'builtin: "http_get"')),
      'call t {"url":"http://127.0.0.1:1/"}',
      /address_denied/,
    ],
  ]
  await Promise.all(
    cases.map(async ([source, input, output]) => {
      const { structuredContent, text } = await call(client, 'call', { source, input })
      const given = structuredContent as { output?: unknown } | undefined
      if (output instanceof RegExp) t.match(String(given?.output), output, text)
      else t.strictSame(given?.output, output, text)
    }),
  )
  const all = await call(client, 'call', { source: 'let main : !int -> !int = filter(value > 1)', inputs: [1, 2, 'x', 3] })
  t.match(all.structuredContent, { outputs: [2, 3], errors: [{ error: 'input_type_mismatch', seq: 3 }] })
  t.equal(all.isError, true)
  const none = await call(client, 'call', { source: 'let main : !int -> !int = filter(value > 1)', input: 1 })
  t.strictSame([none.structuredContent, none.text, none.isError], [{}, 'the program gave no output', undefined])
  const digits = await call(client, 'call', { source: 'let main : !json -> !json = map(12345678901234567890)', input: 1 })
  t.equal(digits.text, '12345678901234567890')
  for (const args of [
    { source: 1, input: 1 },
    { source: 'x' },
    { source: 'x', input: 1, inputs: [] },
    { source: 'x', inputs: 1 },
    { source: 'x', input: 1, y: 1 },
    { source: 'x', inputs: Array(1001).fill(1) },
  ]) {
    t.equal((await call(client, 'call', args)).error, 'input_type_mismatch', JSON.stringify(args).slice(0, 60))
  }
  const checked = await call(client, 'check', { source: withTool(SHELL, 'command: "id"') })
  t.match(checked.structuredContent, { ok: true, refused: [{ error: 'permission_denied', effect: 'exec' }] })
  t.match((await call(client, 'check', { source: 'let main = 1' })).structuredContent, { ok: false, diagnostics: [{ severity: 'error' }] })
  await client.close()
})

t.test('a grant opens what it names', async (t) => {
  const client = await connect(place, ['--docroot', root, '--grant', 'exec,fs.write'])
  t.match((await call(client, 'call', { source: withTool(SHELL, 'command: "echo"'), input: 'call t {}' })).text, /untrusted data reaches/)
  const echo = withTool('untrusted { arguments?: [string] } -> string', 'command: "echo hello"')
  t.match((await call(client, 'call', { source: echo, input: 'call t {}' })).structuredContent, { output: /hello/ })
  const writer = withTool(`untrusted ${WRITE}`, 'builtin: "write_file"')
  await call(client, 'call', { source: writer, input: 'call t {"path":"made.txt","content":"x"}' })
  t.ok(existsSync(join(root, 'made.txt')))
  await call(client, 'call', { source: writer, input: 'call t {"path":"../made.txt","content":"x"}' })
  t.notOk(existsSync(join(directory, 'made.txt')), 'still below the docroot')
  const spy = (file: string) =>
    `let f : string -> string = tool { mock: "x" }\nlet t : string -> string = tool { spy: f, record: "${file}" }\n${agent(`${ELIZA}, tools: [t]`)}`
  t.equal((await call(client, 'call', { source: spy('../calls.jsonl'), input: 'call t {"input":"x"}' })).error, 'path_denied')
  symlinkSync('../calls.jsonl', join(root, 'calls.jsonl'))
  t.equal((await call(client, 'call', { source: spy('calls.jsonl'), input: 'call t {"input":"x"}' })).error, 'path_denied')
  t.notOk(existsSync(join(directory, 'calls.jsonl')))
  await client.close()
})
