// long
// Bytes that come in (plumb-faults(7), Bytes and JSON): each strange line, wherever lines are read, is one error that names it, or goes through as it is; the
// lines after it go on.

import { isUtf8 } from 'node:buffer'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { Writable } from 'node:stream'
import t, { type Test } from 'tap'
import { parseTree } from '../../packages/wire/src/json/index.js'
import { parseJson } from '../../packages/wire/src/json/parse.js'
import type { Ran } from '../../packages/wire/test/shell.js'
import { HOSTILE_LINES, type HostileLine, SUITE } from './hostile-lines.js'
import { LIVING, LIVING_FILES } from './living.js'
import { scene, sceneTable, until } from './scene.js'

// Blank lines are none.
const LINES = HOSTILE_LINES.filter(({ bytes }) => bytes.toString('latin1').trim() !== '')
const GOOD = LINES.filter(({ code }) => code === undefined)

const ELIZA = 'agent { provider: "eliza", model: "doctor" }\n'
const TOOLS = '@tool true\nlet one : json -> json = id\n'
const FILES = {
  'json.plumb': 'let main : !json -> !json = id\n',
  'map.plumb': 'let main : !json -> !json = map([value])\n',
  'pair.plumb': 'let main : !json -> !(json, json) = plumb(input, output) { input ; (id * id) ; barrier ; output }\n',
  'nest.plumb':
    'type S = { n: int, v: json }\nlet step : !S -> !S = map({ n: n - 1, v: [v] })\nlet main : !S -> !json = plumb(input, output) {\n input ; step\n step ; filter(n > 0) ; step\n step ; filter(n <= 0).v ; output\n}\n',
  'child.plumb': 'let main : !json -> !json = agent { command: ["cat", "in"], answers: "some" }\n',
  'bot.plumb': `let bot : !json -> !json = ${ELIZA}`,
  'tools.plumb': TOOLS,
  'asks.plumb': `${TOOLS}let main : !json -> !json = agent { command: ["./ask"], tools: [one], answers: "some" }\n`,
  ask: `#!/bin/bash\nread -r line\ncat in >&4 &\nexec head -n ${GOOD.length} <&5\n`,
}

/** What one line comes to: the code of its error, or the text that it comes out as. */
type Outcome = { readonly line: number; readonly code: string } | { readonly text: string }

interface Mouth {
  /** What stands around a line there; `#` is its number. */
  readonly around?: readonly [before: string, behind: string]
  /** Reads all of them from stdin, or from the file `in`. */
  readonly run: string
  /** What a good line comes out as. Undefined: something. */
  readonly gives?: (text: string, number: number) => string
  /** Lines that are read before. */
  readonly before?: number
}

const ENVELOPE = ['{"__port":"input","msg":', '}'] as const
const REQUEST = ['{"id":"#","name":"one","input":', '}'] as const
const answer = (text: string, number: number): string => JSON.stringify({ id: `${number}`, content: text, is_error: false })
const CALL = ['{"jsonrpc":"2.0","id":#,"method":"tools/call","params":{"name":"one","arguments":', '}}'] as const
const HELLO = [
  '{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}',
  '{"jsonrpc":"2.0","method":"notifications/initialized"}',
]

const MOUTHS: Readonly<Record<string, Mouth>> = {
  'plumb, that passes on': { run: 'plumb json.plumb', gives: (text) => text },
  'plumb, that computes': { run: 'plumb map.plumb', gives: (text) => `[${text}]` },
  'plumb --mux': { around: ENVELOPE, run: 'plumb --mux json.plumb', gives: (text) => `{"__port":"output","msg":${text}}` },
  'plumb, from a child': { run: 'plumb child.plumb < /dev/null', gives: (text) => text },
  'plumb, from a child that calls tools': { around: REQUEST, run: 'plumb asks.plumb <<< 1', gives: answer },
  'plumb-agent': { run: 'plumb-agent bot.plumb' },
  'plumb-agent --mux': { around: ENVELOPE, run: 'plumb-agent --mux bot.plumb' },
  'plumb-mux': { around: ENVELOPE, run: 'plumb-mux -- cat', gives: (text) => `{"__port":"output","msg":${text}}` },
  'plumb-mux, from its command': { run: 'plumb-mux -- cat in < /dev/null', gives: (text) => `{"__port":"output","msg":${text}}` },
  'plumb-tool serve': { around: REQUEST, run: 'plumb-tool tools.plumb serve', gives: answer },
  'plumb-mcp': {
    around: CALL,
    run: `{ printf '%s\\n' '${HELLO.join("' '")}'; cat; } | plumb-mcp tools.plumb | grep -v -e '"id":"init"' -e '"id":null'`,
    before: HELLO.length,
  },
}

const TITLE = 'faults 5, 6, 8, 9, 10, 13, 14, 15, 16, 17, 18, 21: strange lines'

for (const [name, { around: [before, behind] = ['', ''], run, gives, before: earlier = 0 }] of Object.entries(MOUTHS)) {
  const wrap = ({ bytes }: HostileLine, i: number): Buffer =>
    Buffer.concat([Buffer.from(before.replace('#', `${i + 1}`)), bytes, Buffer.from(`${behind}\n`)])
  scene(`${TITLE} come to ${name}`, FILES, async (t, { bash }) => {
    const ran = await bash(`cat > in; { ${run}; } < in`, Buffer.concat(LINES.map(wrap)))
    const expected = LINES.map(({ code, bytes }, i): Outcome => {
      if (code !== undefined) return { line: i + 1 + earlier, code: code.source }
      return { text: gives?.(`${bytes}`.trim(), i + 1) ?? '' }
    })
    compare(t, ran, expected, gives !== undefined)
  })
}

const withoutSpace = (text: string): string => text.replaceAll(/\s/g, '')

const compare = (t: Test, ran: Ran, expected: readonly Outcome[], isTextKnown: boolean): void => {
  const errors = ran.err
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as { line: number; error: string })
  const wrong = expected.flatMap((outcome) => ('line' in outcome ? [outcome] : []))
  t.equal(errors.length, wrong.length, 'one error for each that is wrong')
  for (const [i, { line, code }] of wrong.entries()) {
    const reported = errors[i]
    if (reported?.line !== line || !new RegExp(code).test(reported.error)) t.fail(`line ${line} came to ${JSON.stringify(reported)}`)
  }
  const out = ran.out.split('\n').slice(0, -1)
  const good = expected.flatMap((outcome) => ('text' in outcome ? [outcome.text] : []))
  t.equal(out.length, good.length, 'all others come through')
  if (isTextKnown) t.strictSame(out.map(withoutSpace).sort(), good.map(withoutSpace).sort(), 'as they were')
}

t.test('fault 21: the readers of whole texts take JSONTestSuite as it is meant', async (t) => {
  for (const { name, bytes, isGood } of SUITE) {
    if (!isUtf8(bytes)) t.notOk(isGood, name)
    else {
      t.equal(parseJson(bytes, 0, bytes.length).ok, isGood, `wire: ${name}`)
      t.equal(parseTree(Buffer.concat([bytes, Buffer.from('\n')]), 0, bytes.length).kind !== 'fault', isGood, `lang: ${name}`)
    }
  }
})

sceneTable(
  'what strange keys are worth',
  {
    ...FILES,
    'a.plumb': 'let main : !json -> !json = map(value.a)\n',
    'own.plumb': 'let main : !json -> !json = map(value.toString)\n',
    'typed.plumb':
      'type T = { then?: int, constructor?: int, __proto__?: json, toString?: int }\nlet main : !T -> !json = map({ a: constructor ?? 0, b: toString ?? 0, c: value.then ?? 0, ...value })\n',
    'spread.plumb': 'let main : !json -> !json = map({ ...value, x: 1 })\n',
    'tool.plumb': '@tool true\nlet one : { a: int, b?: json } -> { a: int, b?: json } = map(value)\n',
  },
  {
    'fault 16: an error where a type looks; of a json the last one counts': {
      run: `cat > in; plumb a.plumb < in; plumb-tool tool.plumb call one - < in; plumb-tool tool.plumb call one "$(cat in)"`,
      in: '{"a":"x","a":2}\n',
      out: '2\n',
      errors: Array.from({ length: 2 }, () => ({ error: 'input_type_mismatch', path: '.a' })),
    },
    'fault 16: of two ports the last one counts, in all executables': {
      run: 'cat > in; plumb --mux json.plumb < in; plumb-agent --mux bot.plumb < in; plumb-mux -- cat < in; plumb-mux --unwrap -- cat in < /dev/null',
      in: '{"__port":"input","msg":1,"__port":"nowhere"}\n',
      errors: Array.from({ length: 4 }, () => ({ error: 'unknown_port', port: 'nowhere' })),
    },
    'fault 18: only what a value itself has is a field': {
      run: 'plumb own.plumb',
      in: '{}\n{"toString":1}\n[]\n"x"\n',
      out: '1\n',
      errors: Array.from({ length: 3 }, () => ({ error: 'evaluation_failed' })),
    },
    'faults 17, 18: declared names that objects have': {
      run: 'plumb typed.plumb',
      in: '{}\n{"constructor":1,"then":2}\n{"__proto__":{"toString":5}}\n',
      out: '{"a":0,"b":0,"c":0}\n{"a":1,"b":0,"c":2,"then":2,"constructor":1}\n{"a":0,"b":0,"c":0,"__proto__":{"toString":5}}\n',
    },
    'fault 17: __proto__ is spread as any field': {
      run: 'plumb spread.plumb',
      in: '{"__proto__":{"y":2}}\n{"constructor":{"prototype":1}}\n',
      out: '{"__proto__":{"y":2},"x":1}\n{"constructor":{"prototype":1},"x":1}\n',
    },
    'fault 13: what an expression or a barrier nests too deep is an error, also around a loop': {
      run: `cat > in; plumb map.plumb < in | wc -c; plumb pair.plumb < in | wc -c; echo '{"n":600,"v":0}' | plumb nest.plumb`,
      in: `${'['.repeat(512)}${']'.repeat(512)}\n${'['.repeat(511)}${']'.repeat(511)}\n`,
      out: '1025\n2048\n',
      errors: [
        { error: 'too_deep', seq: 1 },
        { error: 'too_deep', process: 'barrier', seq: 1 },
        { error: 'too_deep', process: 'step', seq: 1 },
      ],
    },
  },
)

const LARGE = `
const record = JSON.stringify(Object.fromEntries(Array.from({ length: 100000 }, (_, i) => ["k" + i, i])))
const list = JSON.stringify(Array.from({ length: 1000000 }, (_, i) => i % 10))
for (const text of [record, list]) console.log(process.argv[2] ? process.argv[2].replace("@", text) : text)
`

sceneTable(
  'fault 19: a record of 100,000 fields and a list of 1,000,000 items',
  {
    ...FILES,
    'large.js': LARGE,
    'typed.plumb': 'let main : !json -> !json = map({ v: value })\n',
    'ints.plumb': 'let main : ![int] -> !int = map(length(value))\n',
    'equal.plumb': 'let main : !json -> !bool = map(value = parse(text(value)))\n',
  },
  {
    'fault 19: passed on, computed with, compared': {
      run: 'node large.js > in; plumb json.plumb < in | cmp - in; plumb typed.plumb < in | wc -l; plumb equal.plumb < in; tail -1 in | plumb ints.plumb',
      out: '2\ntrue\ntrue\n1000000\n',
    },
    'fault 19: for agents, tools and envelopes': {
      run: `node large.js | plumb-agent bot.plumb | wc -l; node large.js '{"id":"1","name":"one","input":@}' > in; plumb-tool tools.plumb serve < in | wc -l
        node large.js '{"__port":"input","msg":@}' | plumb-mux -- cat | wc -l; node large.js | plumb-tool tools.plumb call one - | wc -l`,
      out: '2\n2\n2\n2\n',
    },
  },
)

const MiB = 1024 * 1024
const LONG = 64 * MiB
/** Of a program and four lines of the limit, 16 MiB. */
const LIMIT_KB = 128 * 1024

for (const [name, { command, line: good }] of Object.entries(LIVING)) {
  scene(`faults 11, 12: a line without end comes to ${name}`, LIVING_FILES, async (t, { start }) => {
    const reader = start(command)
    reader.write(good)
    t.ok(await reader.reports(/\n/), 'it reads')
    const before = reader.reported().length
    const piece = Buffer.alloc(MiB, 'a')
    for (let sent = 0; sent < LONG; sent += MiB) if (!reader.child.stdin?.write(piece)) await once(reader.child.stdin as Writable, 'drain')
    t.ok(await reader.reports(/^\{"error":"line_too_long"/, 2), 'it is reported before its end')
    reader.write(`\n${good}`)
    t.ok(await until(() => reader.reported().length > before), 'the next one goes on')
    const peak = Number(/VmHWM:\s*(\d+) kB/.exec(readFileSync(`/proc/${reader.pid}/status`, 'utf8'))?.[1])
    t.ok(peak > 0 && peak < LIMIT_KB, `${peak} kB at most`)
    reader.child.stdin?.end()
    t.match(await reader.ended, { signal: null })
  })
}
