// long
// Agents with MCP servers under plumb: it opens them at their spawn, gives them what is offered, and answers their calls.

import { readFileSync } from 'node:fs'
import t from 'tap'
import { processes, until } from '../../wire/test/processes.js'
import { lines, makeShell } from './shell.js'

const SERVER = readFileSync('packages/plumb-tool/test/fixtures/mcp-server.cjs', 'utf8')

/** It counts its starts in a file. */
const OPEN = 'sandbox: { write: ["."] }'
const NOTES = `let notes = { command: "node", args: ["./server.cjs"], ${OPEN}, cache_ttl: 0 }`
const agent = (keys: string, name = 'bot'): string =>
  `let ${name} : !string -> !string = agent { provider: "eliza", model: "doctor", ${keys} }`
const program = (...bindings: string[]): string => `${[NOTES, ...bindings].join('\n')}\nlet main : !string -> !string = bot\n`

const { table, shell } = makeShell({
  'server.cjs': SERVER,
  'bot.plumb': program(agent('mcp: [notes]')),
  'inline.plumb': program(agent(`mcp: [{ command: "node", args: ["./server.cjs", "In line"], ${OPEN}, cache_ttl: 0 }]`)),
  'two.plumb': `${NOTES}\n${agent('mcp: [notes]', 'a')}\n${agent('mcp: [notes]', 'b')}\nlet main : !string -> !string = a ; b`,
  'lacking.plumb': program(agent(`mcp: [{ command: "node", args: ["./server.cjs"], ${OPEN}, tools: ["ehco"], cache_ttl: 0 }]`)),
  'absent.plumb': program(agent('mcp: [{ command: "./none" }, notes]')),
  'needed.plumb': program(agent('mcp: [{ command: "./none", tools: ["x"] }]')),
  'taken.plumb': program(
    'let notes__echo : { text: string } -> string = tool { mock: "mine" }',
    agent('mcp: [notes], tools: [notes__echo]'),
  ),
  'narrow.plumb': program(agent('mcp: [notes], grant: ["net"]')),
  'far.plumb': program(agent('mcp: [notes], via: ["env"]')),
  'nested.plumb': program(
    agent('mcp: [notes]', 'inner'),
    'let ask : string -> string = tool { process: inner }',
    agent('tools: [ask], max_retries: 0'),
  ),
  'foreign.plumb': `${NOTES}\nlet bot : !string -> !json = agent { command: ["./agent.sh"], answers: "some", ${OPEN}, mcp: [notes] }\nlet main : !string -> !json = bot`,
  // Without a word of JSON: what it is sent, and what it is answered.
  'agent.sh': `#!/bin/bash
echo "$PLUMB_MCP_TOOLS" > where
while read -r line; do
  stat -c '{"mode":"%a"}' "$PLUMB_MCP_TOOLS"
  echo '{"id":"1","name":"notes:echo","input":{"text":"x"}}' >&4
  read -r answer <&5
  echo "$answer"
done`,
  'tool.sh': `#!/bin/bash
id='"id":"[^"]*"'
while read -r line; do [[ $line =~ $id ]]; echo "{\${BASH_REMATCH[0]},\\"content\\":\\"\\\\\\"one\\\\\\"\\"}"; done`,
  'deny.json': '[{"decision":"deny","tool":"notes:echo"},{"decision":"ask","tool":"notes:fail"},{"decision":"allow"}]',
})

const call = (name: string, input: object = {}): string => `call ${name} ${JSON.stringify(input)}`

table('servers of an agent', {
  'their tools are prefix:name, and each agent has its own connection': {
    run: 'plumb bot.plumb; wc -l < starts',
    in: lines(call('notes:echo', { text: 'good day' }), call('notes:fail', { text: 'b' }), call('notes:echo', { text: 'again' })),
    out: `${lines('heard: good day', 'refused: b', 'heard: again')}1\n`,
  },
  'two agents, two connections': {
    run: 'plumb two.plumb; wc -l < starts',
    in: lines(call('notes:typed')),
    out: (out) => out.endsWith('2\n'),
  },
  'what a server calls itself, cleaned, is its prefix': {
    run: 'inline',
    in: lines(call('In_line:echo', { text: 'a' })),
    out: lines('heard: a'),
  },
  'content of every kind': {
    run: 'bot',
    in: lines(call('notes:kinds')),
    out: lines('all kinds\n[image]\n[audio]\n[resource]\n[resource]\n[resource_link]'),
  },
  'a tool that came later can be called, and the change is reported (fault 107)': {
    run: 'bot',
    in: lines(call('notes:more'), call('notes:grow'), call('notes:more')),
    out: (out) => /unknown_tool.*\n"grown"\n"more"\n$/.test(out),
    errors: [{ warning: 'tool_changed', process: 'bot' }],
    status: 0,
  },
  'one that dies in a call is dead for the later ones (fault 109)': {
    run: 'plumb bot.plumb; wc -l < starts',
    in: lines(call('notes:die'), call('notes:echo', { text: 'a' })),
    out: (out) => /^".*mcp_dead.*"\n".*mcp_dead.*"\n1\n$/.test(out),
  },
  'a listed tool that is missing: nothing runs': {
    run: 'lacking',
    in: lines('Men are all alike.'),
    errors: [{ error: 'not_a_tool', process: 'bot', detail: /'ehco', did you mean 'echo'/ }],
    status: 2,
  },
  'one that does not start is left out': {
    run: 'absent',
    in: lines(call('notes:echo', { text: 'a' })),
    out: lines('heard: a'),
    errors: [{ warning: /./, process: 'bot', detail: /none.*its tools are left out/ }],
    status: 0,
  },
  'unless its tools are listed': {
    run: 'needed',
    errors: [{ error: 'config_invalid', process: 'bot', detail: /its tools are needed \(x\).*none/ }],
    status: 2,
  },
  "the agent's own tool wins": {
    run: 'taken',
    in: lines(call('notes__echo', { text: 'a' }), call('notes:echo', { text: 'a' })),
    out: (out) => /^"mine"\n".*unknown_tool.*"\n$/.test(out),
    errors: [{ warning: 'duplicate_name', detail: /'notes:echo' has the name of the agent's own tool 'notes__echo'/ }],
    status: 0,
  },
  'what is not granted is not started': {
    run: 'plumb narrow.plumb; ls starts 2>&1 | wc -w',
    in: lines('Men are all alike.'),
    out: (out) => out.startsWith('"IN WHAT WAY"\n'),
    errors: [{ warning: 'permission_denied', detail: /'notes' is left out.*exec/ }],
    status: 0,
  },
  'a policy speaks of them by prefix and name': {
    run: 'plumb --policy deny.json bot.plumb',
    in: lines(call('notes:echo', { text: 'a' }), call('notes:fail', { text: 'a' }), call('notes:typed')),
    out: (out) => /^".*permission_denied.*"\n".*approval_required.*"\n"\{ \\"n\\": 1\.50 \}"\n$/.test(out),
  },
  'an agent elsewhere is reported over its one stream, of changes too': {
    run: 'plumb far.plumb; wc -l < starts',
    in: lines(call('notes:echo', { text: 'a' }), call('notes:grow'), call('notes:more')),
    out: `${lines('heard: a', 'grown', 'more')}1\n`,
    errors: [{ warning: 'tool_changed' }],
    status: 0,
  },
  'an agent that is a tool opens its own': {
    run: 'nested',
    in: lines(call('ask', { input: call('notes:echo', { text: 'a' }) })),
    out: lines('heard: a'),
  },
  'a program in the place of an agent reads the file, which is for its owner alone and gone at the end': {
    run: 'plumb foreign.plumb; ls "$(cat where)" 2>&1 | wc -l; ls -d "$(dirname "$(cat where)")" 2> /dev/null',
    in: lines('go'),
    out: `{"mode":"600"}\n{"id":"1","content":"\\"heard: x\\"","is_error":false}\n1\n`,
    status: 2,
  },
  'a program in the place of the dispatcher has the tools of the spec, and not those of servers': {
    run: 'plumb --tool-command ./tool.sh taken.plumb 2> /dev/null',
    in: lines(call('notes__echo', { text: 'a' }), call('notes:fail', { text: 'a' })),
    out: lines('one', 'refused: a'),
  },
  'no place for the file': {
    run: 'TMPDIR=/none plumb bot.plumb',
    errors: [{ error: 'write_failed', process: 'bot', detail: /PLUMB_MCP_TOOLS/ }],
  },
  'checking, drawing and explaining start nothing': {
    run: 'plumb check bot.plumb > out; plumb render bot.plumb > out; plumb fmt --check bot.plumb; ls starts',
    errors: [/starts/],
    status: 2,
  },
  'nor is what was there handed on': {
    run: 'PLUMB_MCP_TOOLS=/nowhere plumb bot.plumb',
    in: lines(call('notes:echo', { text: 'a' })),
    out: lines('heard: a'),
  },
})

t.test('a run that is killed leaves no server behind', async (t) => {
  const serversIn = (directory: string) => processes().filter(({ args }) => args.includes(directory))
  const mark = `mark-${process.pid}`
  const spec = `let bot : !string -> !string = agent { provider: "eliza", model: "doctor", mcp: [{ command: "node", args: ["./server.cjs", "${mark}"], ${OPEN}, cache_ttl: 0 }] }
let main : !string -> !string = bot`
  const script = (signal: string) => `cat > it.plumb; mkdir tmp; export TMPDIR=$PWD/tmp; mkfifo in; plumb it.plumb < in > out & exec 8>in
    echo '"call ${mark}:echo {\\"text\\":\\"a\\"}"' >&8; until [ -s out ]; do sleep 0.05; done; kill -${signal} $!; wait $!; cat out; [ ${signal} = KILL ] || ls tmp`
  for (const signal of ['TERM', 'KILL']) {
    const { out } = await shell(script(signal), spec)
    t.equal(out, lines('heard: a'), `${signal}: it was there`)
    t.ok(await until(() => serversIn(mark).length === 0), `${signal}: it is gone`)
  }
})
