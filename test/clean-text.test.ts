// What a model or a stranger wrote cannot hide, reorder or erase text where a person reads or decides: one cleaning function, all that prints,
// and the commands themselves, in a pipe and on a terminal.

import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join, resolve } from 'node:path'
import t from 'tap'
import { escapeControls, escapeLines } from '../packages/wire/src/preview.js'
import { scaled } from '../packages/wire/test/patience.js'
import { Pty } from './pty.js'

const HIDDEN = [
  ...[
    '\x07',
    '\x1b[2K',
    '\x7f',
    '\x9b2K',
    '\x85',
    '\u2028',
    '\u2029',
    '\u061c',
    '\u200e',
    '\u200f',
    '\u202a',
    '\u202e',
    '\u2066',
    '\u2069',
  ],
  ...['\u200b', 'a\u200cb', 'a\u200db', '\u2060', '\u2062', '\ufeff', '\u00ad', '\u034f', '\u115f', '\u3164', '\uffa0', '\u17b4', '\u180e'],
  ...['\u2800', 'a\ufe0f', '1\ufe0f2', 'a\ufe00', 'a\u{e0100}', '\u{e0001}', '\u{e0041}', '\u{e007f}', '\u{1d173}', '\ufff9', '\ud800'],
  `Z${'\u0334\u0301'.repeat(50)}`,
]
const WRITTEN = [
  'é ü 漢字 かな 한글',
  'می\u200cروم',
  'क्\u200dष',
  '👨\u200d👩\u200d👧',
  '❤\ufe0f',
  '1\ufe0f\u20e3',
  '葛\u{e0100}',
  '\u0600١',
  '\u00a0',
  'ཧྐྵྨླྺྼྻྂ',
  'q\u0323\u0307\u0301',
]

t.test('what is hidden is escaped, what is written stays, and JSON is the same JSON', async (t) => {
  for (const text of HIDDEN) {
    t.match(escapeControls(text), /^[ -~]*\p{M}{0,8}\\[ -~]*$/u, JSON.stringify(escapeControls(text)))
    t.equal(JSON.parse(escapeLines(JSON.stringify({ [text]: [text] })))[text][0], text)
  }
  for (const text of WRITTEN) t.equal(escapeControls(text), text)
})

/** Files that write to descriptor 1 or 2 and do not clean what they write, with the reason. */
const OTHERWISE: Readonly<Record<string, string>> = {
  'plumb-agent/src/io/outlets.ts': 'openLineOutput cleans what goes to a terminal',
  'plumb-agent/src/main.ts': 'its own help',
  'plumb-chat/src/acp/serve-acp.ts': 'messages of a protocol',
  'plumb-chat/src/conversation.ts': 'only the width of the terminal',
  'plumb-chat/src/filter.ts': 'openDataOutput cleans what goes to a terminal',
  'plumb-chat/src/main.ts': 'its own help',
  'plumb-chat/src/run.ts': 'the terminal, whose lines are cleaned by sanitize and messages.ts',
  'plumb-mcp/src/serve.ts': 'messages of a protocol',
  'plumb-serve/src/main.ts': 'its own help',
  'plumb-serve/src/look/log.ts': 'openDataOutput cleans what goes to a terminal',
  'plumb-mux/src/main.ts': 'its own help',
  'plumb-mux/src/play-back.ts': 'openDataOutput cleans what goes to a terminal',
  'plumb-mux/src/run.ts': 'openLineOutput cleans what goes to a terminal',
  'plumb-mux/src/tee.ts': 'a file',
  'plumb-tool/src/cli/list.ts': 'a table, whose cells wrappedTable cleans',
  'plumb-tool/src/cli/serve.ts': 'openLineOutput cleans what goes to a terminal',
  'plumb-tool/src/main.ts': 'its own help',
  'plumb/src/command/completion.ts': 'a script of ours',
  'plumb/src/command/explain.ts': 'texts of ours',
  'plumb/src/command/render.ts': 'a picture, whose words are cleaned as they are drawn',
  'plumb/src/command/version.ts': 'texts of ours',
  'runtime/src/record/approvals.ts': 'showCalls and showPending clean what they show',
  'runtime/src/record/write-whole.ts': 'writes for those that are listed here',
  'runtime/src/display/display.ts': 'openLineOutput cleans what goes to a terminal',
  'runtime/src/display/live-screen.ts': 'its lines come from textTable and fitWidth, and from the reporter',
  'runtime/src/display/run-display.ts': 'openDataOutput cleans what goes to a terminal',
  'engine/src/submit.ts': 'openLineOutput cleans what goes to a terminal, or the name of the run',
  'plumb/src/main-commands.ts': 'its own help',
  'plumb/src/lsp/lsp.ts': 'messages of a protocol',
  'runtime/src/run/asking.ts': 'questions for the process that has started it',
  'runtime/src/run/run.ts': 'dryRun cleans its words; the telemetry of a child',
  'spec-test/src/snapshot.ts': 'a file',
  'plumb/src/view/serve.ts': 'the address of the page',
  'plumb/src/view/view-command.ts': 'a page, in which every value is escaped',
  'wire/src/cli/command-line.ts': 'its own help',
  'wire/src/cli/program.ts': 'the version',
  'wire/src/cli/write-stdout.ts': 'writes for those that are listed here',
}

t.test('whatever writes to a terminal cleans what it writes, or is known here', async (t) => {
  const writes = /\b(?:writeStdout|writeWhole|openOutput|openLineOutput|openDataOutput)\(|process\.(?:stdout|stderr)\b|\bwriteSync\([12],/
  const found = filesBelow('packages').filter((file) => {
    const text = readFileSync(join('packages', file), 'utf8').replace(/^\s*(?:\/\/|\*|\/\*).*$/gm, '')
    return writes.test(text) && !/\bescape(?:Controls|Lines)\(/.test(text)
  })
  t.strictSame(found, Object.keys(OTHERWISE).sort())
})

const filesBelow = (directory: string): string[] =>
  readdirSync(directory)
    .flatMap((name) =>
      readdirSync(join(directory, name, 'src'), { recursive: true, encoding: 'utf8' }).map((file) => join(name, 'src', file)),
    )
    .filter((file) => file.endsWith('.ts'))
    .sort()

// A bell, C1, directions, zero width, a blank letter and a tag, as they are.
const EVIL = '\u009b2K\u009b1G\u202e\u200b\u061c\ufeff\u3164\u{e0041}'
const RAW = /[\u0080-\u009f\u200b\u202e\u061c\ufeff\u3164\u{e0041}]/u

const SERVER = `
const tools = [{ name: 'look', description: ${JSON.stringify(`looks ${EVIL}`)}, inputSchema: { type: 'object' } }]
const answers = { initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: ${JSON.stringify(EVIL)}, version: '1' } }),
  'tools/list': () => ({ tools }), 'tools/call': () => ({ content: [{ type: 'text', text: ${JSON.stringify(`saw ${EVIL}`)} }] }) }
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line)
  if (id !== undefined) process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, ...(answers[method] ? { result: answers[method](params) } : { error: { code: -32601, message: ${JSON.stringify(EVIL)} } }) }) + '\\n')
})
`
const SPEC = `
let pay : { to: string } -> string = tool { mock: "paid", approval: "ask" }
@description "tells ${EVIL}"
let tell : {} -> string = tool { mock: "told ${EVIL}" }
let spied : string -> string = tool { spy: echo }
let echo : string -> string = tool { mock: "${EVIL}" }
let main : !string -> !string = map({ to: value }) ; map(pay)
`

/** What prints the words of others, and whether these are data, which a pipe gets as they are. */
const COMMANDS: readonly (readonly [command: string, isData?: boolean])[] = [
  ['plumb approvals rec'],
  ['plumb-tool s.plumb list'],
  ['plumb-tool s.plumb schema tell'],
  ['plumb-tool s.plumb find tells'],
  ['plumb-tool s.plumb call tell', true],
  ["plumb-tool s.plumb call -r tell '{}'", true],
  [`plumb-tool s.plumb call spied '"x"' 2>&1 >/dev/null`],
  [`plumb-tool s.plumb call pay "$(cat evil)"`],
  ['plumb-mcp tools -- node server.cjs'],
  ['plumb-mcp call look -- node server.cjs'],
  [`plumb check "$(cat evil)"`],
  [`plumb check wrong.plumb`],
  [`plumb -e "$(cat id.plumb)" <evil`, true],
  [`plumb -r -e "$(cat id.plumb)" <evil`, true],
  [`plumb -e 'let main : !int -> !int = id' <evil`],
  [`plumb test wrong-test.plumb`],
  [`plumb test --reporter json wrong-test.plumb`],
  [`plumb test --reporter tap wrong-test.plumb`],
  [`plumb test --mutate wrong-test.plumb`],
  [`plumb --dry-run s.plumb "$(cat evil)"`],
  [`plumb nosuch"$(cat evil)"`],
  ['plumb-mux --replay session.jsonl', true],
]

t.test('what the commands print, in a pipe and on a terminal', async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'plumb-clean-'))
  t.teardown(() => rmSync(directory, { recursive: true }))
  const bins = ['plumb', 'plumb-agent', 'plumb-tool', 'plumb-mcp', 'plumb-mux'].map((name) => resolve('packages', name, 'bin'))
  const env = { PATH: [...bins, process.env.PATH].join(delimiter), HOME: directory, LANG: 'C.UTF-8', PLUMB_SANDBOX: '' }
  const lay = (name: string, text: string) => writeFileSync(join(directory, name), text)
  lay('s.plumb', SPEC)
  lay('server.cjs', SERVER)
  lay('session.jsonl', `{"time":"2026-11-21T12:00:00.000Z","direction":"out","line":{"__port":"output","msg":${JSON.stringify(EVIL)}}}\n`)
  lay('evil', `${JSON.stringify(EVIL)}\n`)
  lay('id.plumb', 'let main : !string -> !string = id')
  lay('wrong.plumb', `let main : !string -> !int = map("${EVIL}") ; no${EVIL}\n`)
  lay(
    'wrong-test.plumb',
    `let main : !string -> !string = map("${EVIL}")\ntest "t ${EVIL}" of main { given: ["a"], expect: ["${EVIL} b"] }\n`,
  )
  spawnSync('plumb', ['--record', 'rec', '--park', 's.plumb'], { cwd: directory, env, input: `${JSON.stringify(`ann${EVIL}`)}\n` })
  for (const [command, isData = false] of COMMANDS) {
    const piped = spawnSync('bash', ['-c', command], { cwd: directory, env, encoding: 'utf8', timeout: scaled(30_000) })
    const text = piped.stdout + piped.stderr
    t.not(text, '', `${command} prints`)
    t.equal(
      RAW.exec(text) !== null,
      isData,
      `${command}: ${isData ? 'data as it is' : 'clean'} in a pipe: ${JSON.stringify(text.slice(0, 300))}`,
    )
    const pty = new Pty({ command: ['bash', '-c', command], cwd: directory, env, columns: 400 })
    try {
      await pty.exited
      t.notMatch(pty.output, RAW, `${command}: clean on a terminal`)
    } finally {
      await pty.close()
    }
  }
})
