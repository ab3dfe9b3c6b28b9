// --progress as a person sees it: on a real terminal, with errors in between, resized, without colours, and where there is no terminal.

import { execFileSync } from 'node:child_process'
import { closeSync, constants, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join, resolve } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { styledTable, styledTotals } from '../packages/runtime/src/display/styled-table.js'
import { styledText } from '../packages/wire/src/terminal/style.js'
import { Pty, type PtyOptions } from './pty.js'

const PATH = [...['plumb', 'plumb-agent', 'plumb-mcp'].map((name) => resolve('packages', name, 'bin')), process.env.PATH].join(delimiter)

/** Answers a line each time the gate is given one. */
const AGENT = `exec 9<gate
while read -r line; do read -r go <&9; printf '%s\\n' "$line"; done
`
const SPEC = `
let slow : !int -> !int = agent { command: ["bash", "agent.sh"] }
let main : !int -> !int = plumb(input, output) { input ; filter(value > 0) ; slow ; output }
`

/** Calls a tool that a person has to allow. */
const ASKER = `exec 9<gate
while read -r line; do
  read -r go <&9; echo '{"id":"a","name":"today","input":{}}' >&4; read -r answer <&5
  case $answer in *Sunday*) echo 7;; *) echo 0;; esac
done
`
const ASKS = `
let today : { arguments?: [string] } -> string = tool { command: "echo Sunday", approval: "ask" }
let asker : !int -> !int = agent { command: ["bash", "asker.sh"], tools: [today] }
let main : !int -> !int = plumb(input, output) { input ; filter(value = 1) ; asker ; output }
`

const ASKING_AGENTS = `
@description "Sends a mail"
let send : string -> string = tool { mock: "sent", approval: "ask" }
let one : !string -> !string = agent { provider: "eliza", model: "doctor", tools: [send], amnesiac: true }
let two : !string -> !string = agent { provider: "eliza", model: "doctor", tools: [send], amnesiac: true }
let main : !string -> (!string, !string) = plumb(input, ones, twos) { input ; one ; ones ; input ; two ; twos }
`.replace('ones ; input', 'ones\n input')

/** It stays: of one that has ended, node-pty drops what it has not read within 200 ms. */
const SHOW = 'cat out.jsonl; read -r'

const open = (t: Test, script: string, options: Partial<PtyOptions> = {}) => {
  const cwd = mkdtempSync(join(tmpdir(), 'plumb-progress-'))
  writeFileSync(join(cwd, 'agent.sh'), AGENT)
  writeFileSync(join(cwd, 'slow.plumb'), SPEC)
  writeFileSync(join(cwd, 'asker.sh'), ASKER)
  writeFileSync(join(cwd, 'asks.plumb'), ASKS)
  writeFileSync(join(cwd, 'agents.plumb'), ASKING_AGENTS)
  writeFileSync(join(cwd, 'in.jsonl'), '1\n2\n"three"\n-4\n5\n')
  execFileSync('mkfifo', ['gate'], { cwd })
  const gate = openSync(join(cwd, 'gate'), constants.O_RDWR)
  const pty = new Pty({ command: ['bash', '-c', script], cwd, columns: 80, rows: 24, ...options, env: { PATH, ...options.env } })
  t.teardown(async () => {
    await pty.close()
    closeSync(gate)
    rmSync(cwd, { recursive: true })
  })
  return { pty, answer: (count: number) => writeSync(gate, 'go\n'.repeat(count)) }
}

t.test('live: a line a stage, errors above, gone at the end', async (t) => {
  const { pty, answer } = open(t, `plumb slow.plumb < in.jsonl > out.jsonl; ${SHOW}`)
  await pty.shows(/^slow +3 +0/m)
  answer(1)
  await pty.shows(/^slow +3 +1 /m)
  const { screen } = pty
  t.match(
    screen,
    /^plumb: error: (?:\w+, )?input 3: .*\n\nstage +in +out +rate\nfilter +4 +3 .*\nslow +3 +1 .*\n5 in, 1 out, 1 error, .* s/,
  )
  t.equal(screen.match(/^stage/gm)?.length, 1, 'drawn in one place')
  t.match(pty.output, '\x1b[2mstage', 'titles are dim')
  answer(2)
  await pty.shows(/^plumb: error: .*\n1\n2\n5$/)
})

t.test('live: narrower, and without colours', async (t) => {
  const { pty, answer } = open(t, 'plumb slow.plumb < in.jsonl > out.jsonl; stty size', { env: { NO_COLOR: '1' } })
  await pty.shows(/^slow +3 +0/m)
  pty.resize(30, 24)
  answer(1)
  await pty.shows(/^slow +3 +1( .*)?\n5 in, 1 out, 1 error(, .*s)?$/m)
  t.equal(pty.screen.match(/^stage/gm)?.length, 1, 'drawn in one place')
  answer(2)
  await pty.shows(/^plumb: error: [^\n]*\n24 30$/)
  t.notOk(pty.output.includes('\x1b[2m'), 'no colour')
})

t.test('live: outputs on the same terminal', async (t) => {
  const { pty, answer } = open(t, 'plumb slow.plumb < in.jsonl')
  await pty.shows(/^slow +3 +0/m)
  answer(3)
  await t.resolves(pty.shows(/^plumb: error: .*\n1\n2\n5$/))
})

t.test('live: out of the way while a person is asked', async (t) => {
  const { pty, answer } = open(t, `plumb asks.plumb < in.jsonl > out.jsonl; ${SHOW}`)
  await pty.shows(/^asker +1 +0/m)
  answer(1)
  await pty.shows(/^allow 'today'\? \[y once, N no, e edit\]$/m)
  await setTimeout(300)
  t.notMatch(pty.screen, /^stage/m)
  pty.type('y\r')
  await pty.shows(/^plumb: error: .*\ntoday:\n {2}{}\nallow 'today'\? \[y once, N no, e edit\] y\n7$/)
})

t.test('what was typed before a question does not answer it', async (t) => {
  const { pty, answer } = open(t, `plumb --no-progress asks.plumb < in.jsonl 2> err > out.jsonl; ${SHOW}`)
  pty.type('y\rno more\ry\r')
  await pty.shows(/^y\nno more\ny$/)
  answer(1)
  await pty.shows(/^allow 'today'\? \[y once, N no, e edit\] ?$/m)
  pty.type('n\r')
  await t.resolves(pty.shows(/\[y once, N no, e edit\] n\n0$/))
})

/** Of live lines, before they are drawn again. */
const ERASE = '\x1b[J'

t.test('not asked for, or not possible', async (t) => {
  const none = open(t, 'plumb --no-progress slow.plumb < in.jsonl')
  none.answer(3)
  await none.pty.shows(/^plumb: error: .*\n1\n2\n5$/)
  t.notOk(none.pty.output.includes(ERASE))

  const typed = open(t, 'plumb slow.plumb')
  typed.pty.type('7\n\x04')
  typed.answer(1)
  await typed.pty.exited
  t.notOk(typed.pty.output.includes(ERASE), 'nothing is drawn where a person types')

  const behind = open(t, `set -m; plumb slow.plumb < in.jsonl > out.jsonl & wait; ${SHOW}`)
  await behind.pty.shows(/error/)
  // Longer than it takes to be drawn first.
  await setTimeout(1000)
  behind.answer(3)
  await behind.pty.shows(/1\n2\n5$/)
  t.notOk(behind.pty.output.includes(ERASE), 'nothing is drawn from the background')

  const dumb = open(t, 'plumb --progress slow.plumb < in.jsonl', { env: { TERM: 'dumb' } })
  dumb.answer(3)
  await dumb.pty.shows(/^plumb: error: .*\n1\n2\n5\nplumb: 5 in, 3 out, 1 error, .*$/)
  t.notOk(dumb.pty.output.includes('\x1b'))
})

t.test('at a terminal it is said what is read, and nowhere else', async (t) => {
  const { pty } = open(t, 'plumb slow.plumb; echo done; plumb -e "let main : !string -> !string = id" < /dev/null; echo done twice')
  await pty.shows(/^plumb: reads one JSON value a line, of type int, until Ctrl-D$/m)
  pty.type('\x04')
  await pty.shows(/^done twice$/m)
  t.equal(pty.screen.match(/ reads /g)?.length, 1)
  const text = open(t, 'plumb -R -e "let main : !string -> !string = id" | cat')
  await text.pty.shows(/^plumb: reads lines of plain text, until Ctrl-D$/m)
  const mcp = open(t, 'plumb-mcp; echo done')
  await mcp.pty.shows(/^plumb-mcp: reads MCP, which clients speak, until Ctrl-D; see --help$/m)
  mcp.pty.type('\x04')
  await mcp.pty.shows(/^done$/m)
  text.pty.type('Hello\n\x04')
  await text.pty.shows(/^"Hello"$/m)
})

t.test('Ctrl-C says what it waits for, and a second one ends it', async (t) => {
  const { pty, answer } = open(t, 'plumb --no-progress slow.plumb < in.jsonl', { columns: 120 })
  await pty.shows(/input 3/)
  answer(1)
  await pty.shows(/^1$/m)
  pty.type('\x03')
  await pty.shows(/plumb: stopping: 2 messages are in flight and have 5 s; Ctrl-C again ends it at once$/m)
  pty.type('\x03')
  await t.resolves(pty.shows(/inputs 2, 5 \(cancelled\)/))
})

t.test('a recorded run that Ctrl-C has ended says how it goes on', async (t) => {
  const amnesiac = `sed -i 's/"agent.sh"]/&, amnesiac: true/' slow.plumb`
  const { pty } = open(t, `${amnesiac}; plumb --no-progress --record rec slow.plumb < in.jsonl; read -r`)
  await pty.shows(/input 3/)
  pty.type('\x03')
  await pty.shows(/stopping/)
  pty.type('\x03')
  await t.resolves(pty.shows(/^plumb: the same with --resume rec goes on with it$/m))
})

t.test('agents of a program ask at its terminal, one after the other', async (t) => {
  const { pty } = open(t, `echo 'call send "ann"' | plumb -R agents.plumb > out.jsonl; sort out.jsonl; read -r`)
  await pty.shows(/send, asked for by (one|two): Sends a mail\n {2}"ann"\nallow 'send'\? \[y once, N no, e edit\] ?$/)
  pty.type('y\r')
  await pty.shows(/\[y once, N no, e edit\] y\n[\s\S]*send, asked for by (one|two): [\s\S]*allow 'send'\? \[y once, N no, e edit\] ?$/)
  pty.type('n\r')
  await pty.shows(/{"__port":"(ones|twos)","msg":".*sent/)
  await pty.shows(/the call of 'send' was denied/)
  t.equal(pty.screen.split("allow 'send'?").length, 3)
})

t.test('of a table only what has failed is red, in rows of any length', async (t) => {
  const rows = [
    'stage  out  errors  tool calls  failed calls  retries',
    'a       28       1          84            16',
    'errors  27',
    'c        2       3',
  ]
  const [titles, ...shown] = styledTable(rows)
  t.strictSame(titles, [['dim', rows[0]]])
  for (const [i, row] of shown.entries()) t.equal(styledText(row, false), rows[i + 1])
  t.strictSame(
    shown.map((row) => row.flatMap((part) => (typeof part === 'string' || part[1] === '' ? [] : [part]))),
    [
      [
        ['error', '1'],
        ['error', '16'],
      ],
      [],
      [['error', '3']],
    ],
  )
  t.equal(styledText(styledTotals('3 in, 1 error, 4 tool calls, 2 failed'), false), '3 in, 1 error, 4 tool calls, 2 failed')
})

t.test('a summary has dim titles, red errors and bold totals, and names the command that shows the run', async (t) => {
  const { pty, answer } = open(t, `plumb --no-progress --record rec --summary slow.plumb < in.jsonl >/dev/null; ${SHOW}`)
  answer(4)
  await pty.shows(/\n\nstage [\s\S]*\n\n[\s\S]*\nplumb view rec shows the run\nslow\.plumb main: 5 in, 3 out, \d errors?/)
  const shown = pty.output.replaceAll('\x1b', '␛')
  t.match(shown, /␛\[2mstage +in +out/)
  t.match(shown, /␛\[1;31m\d errors?␛\[0m␛\[1m, /)
  pty.type('\n')
  await pty.exited
})
