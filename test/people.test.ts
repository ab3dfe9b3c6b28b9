// An agent whose model is a person, asked where a person is: at the terminal of plumb, plumb-agent and plumb-chat, and by a parent.

import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import t, { type Test } from 'tap'
import { Pty } from './pty.js'

const bin = (name: string): string => resolve('packages', name, 'bin', name)
const ENTER = '\r'

const ONE = 'let main : !string -> !string = agent { provider: "person", prompt: "Rewrite it" }'
const SAID = `${ONE.replace('main', 'person')}
let main : !string -> !string = person ; map("said " + value)`
const RECORD = `type Draft = { text: string, @min 1 @max 5 stars: int, kind: "a" | "b", note?: string }
let review : !string -> !Draft = agent { provider: "person", prompt: "How good is it?" }
let main : !string -> !string = review ; map($"{text} {stars} {kind} {note ?? "none"}")`

const open = (t: Test, command: readonly string[], spec: string, env: Readonly<Record<string, string>> = {}): Pty => {
  const directory = mkdtempSync(join(tmpdir(), 'plumb-people-'))
  writeFileSync(join(directory, 'r.plumb'), spec)
  writeFileSync(join(directory, 'in.jsonl'), '"a poem"\n')
  const pty = new Pty({ command, cwd: directory, env: { HOME: directory, ...env } })
  t.teardown(async () => {
    await pty.close()
    rmSync(directory, { recursive: true, force: true })
  })
  return pty
}

t.test('at the terminal of a run, field by field, until it fits', async (t) => {
  const pty = open(t, ['bash', '-c', `${bin('plumb')} --no-progress r.plumb <in.jsonl`], RECORD)
  await pty.shows(/'review' asks: How good is it\?\n +a poem\ntext, or skip: ?$/)
  pty.type(`fine${ENTER}`)
  await pty.shows(/stars, a number, or skip: ?$/)
  pty.type(`9${ENTER}`)
  await pty.shows(/kind \[1 a, 2 b\], or skip: ?$/)
  pty.type(`2${ENTER}`)
  await pty.shows(/note \(may be left out\), or skip: ?$/)
  pty.type(ENTER)
  await pty.shows(/max 5'\ntext, or skip: ?$/)
  pty.type(`{"text":"fine","stars":3,"kind":"b"}${ENTER}`)
  await pty.shows(/"fine 3 b none"/)
  t.strictSame(await pty.exited, { status: 0, signal: 0 })
})

t.test('an output does not end the line of the next question', async (t) => {
  const pty = open(t, ['bash', '-c', `printf '"a"\\n"b"\\n' | ${bin('plumb')} r.plumb`], SAID)
  await pty.shows(/ a\nanswer, or skip: ?$/)
  pty.type(`one${ENTER}`)
  await pty.shows(/ b\nanswer, or skip: ?\n"said one"\nanswer, or skip: ?$/)
  pty.type(`two${ENTER}`)
  await pty.shows(/\nanswer, or skip: two\n"said two"$/)
  t.strictSame(await pty.exited, { status: 0, signal: 0 })
})

for (const [program, args] of [
  ['plumb', '--no-progress'],
  ['plumb-agent', ''],
] as const)
  t.test(`${program} asks; skip is no answer`, async (t) => {
    const pty = open(t, ['bash', '-c', `printf '"a"\\n"b"\\n' | ${bin(program)} ${args} r.plumb; echo "status $?"`], ONE)
    await pty.shows(/asks: Rewrite it\n +a\nanswer, or skip: ?$/)
    pty.type(`skip${ENTER}`)
    await pty.shows(/asks: Rewrite it\n +b\nanswer, or skip:/)
    pty.type(`a "text"${ENTER}`)
    await pty.shows(/status 1/)
    t.match(pty.screen, /answer_refused/)
    t.match(pty.screen, /"a \\"text\\""/)
  })

// What it ran with is what its record, its telemetry and the model say, also when it is resumed.
t.test('at the terminal of a run the input of a call is edited, by an agent and by a map', async (t) => {
  const spec = `let pay : { arguments: [string] } -> string = tool { command: "echo paid", approval: "ask" }
let bot : !string -> !string = agent { provider: "eliza", model: "doctor", tools: [pay] }
let main : !string -> !string = bot ; map({ arguments: [value] }) ; map(pay)`
  const input = JSON.stringify('call pay {"arguments":["100"]}')
  const run = (more: string) => `${bin('plumb')} --no-progress ${more} r.plumb < in.jsonl`
  const command = `echo '${input}' > in.jsonl; ${run('--record rec')}; echo "status $?"; grep -c '"edited","input":{"arguments":\\["20"\\]}\\|"input":{"arguments":\\["20"\\]},"ok":true' rec/events.jsonl; ${run('--resume rec')}; echo done`
  const pty = open(t, ['bash', '-c', command], spec, { EDITOR: 'sed -i s/100/20/' })
  await pty.shows(/pay, asked for by bot:\n {2}arguments {2}\["100"\]\n[^\n]*\nallow 'pay'\? .*edit\] ?$/)
  pty.type(`e${ENTER}`)
  await pty.shows(/ {2}arguments {2}\["20"\]\n[^\n]*\nallow 'pay'\? .*edit\] ?$/)
  pty.type(`y${ENTER}`)
  await pty.shows(/changed the input[\s\S]*allow 'pay'\? .*edit\] ?$/)
  pty.type(`y${ENTER}`)
  await pty.shows(/\n("paid A person changed [\s\S]*20[\s\S]*")\nstatus 0\n2\n\1\ndone/)
  t.strictSame(await pty.exited, { status: 0, signal: 0 })
})

for (const [name, spec, says] of [
  [
    'one agent',
    ONE,
    [
      ['a poem', /Rewrite it/],
      ['fine text', /fine text/],
    ],
  ],
  [
    'a pipeline',
    RECORD,
    [
      ['a poem', /text, or skip:/],
      ['fine', /stars, a number/],
      ['3', /kind \[1 a/],
      ['a', /note/],
      ['none here', /fine 3 a none here/],
    ],
  ],
] as const)
  t.test(`plumb-chat asks whoever chats, in ${name}`, async (t) => {
    const pty = open(t, [bin('plumb-chat'), '--no-history', 'r.plumb'], spec)
    await pty.shows(/(^|\n)> ?$/)
    for (const [typed, shown] of says) {
      pty.type(`${typed}${ENTER}`)
      await pty.shows(shown)
      await pty.shows(/\n> ?$/)
    }
    pty.type('\x04')
    t.strictSame(await pty.exited, { status: 0, signal: 0 })
  })

t.test('plumb asks whoever has started it', async (t) => {
  const spec = `let refund : { amount: int } -> string = tool { mock: "refunded", approval: "ask" }
let bot : !string -> !string = agent { provider: "eliza", model: "doctor", tools: [refund] }
let reply : !string -> !string = agent { provider: "person", prompt: "Rewrite it" }
let main : !string -> !string = bot ; reply`
  const directory = mkdtempSync(join(tmpdir(), 'plumb-people-'))
  t.teardown(() => rmSync(directory, { recursive: true, force: true }))
  writeFileSync(join(directory, 'r.plumb'), spec)
  const child = spawn(bin('plumb'), ['run', '--numbered', '--answers-fd', '6', 'r.plumb'], {
    cwd: directory,
    stdio: ['pipe', 'pipe', 'inherit', 'ignore', 'ignore', 'ignore', 'pipe'],
  })
  const [stdin, stdout, , , , , answers] = child.stdio as unknown as [Writable, Readable, ...unknown[]] & { 6: Writable }
  const asked: string[] = []
  const values: unknown[] = []
  stdin.end(`${JSON.stringify('call refund {"amount":7}')}\n`)
  let rest = ''
  for await (const piece of stdout.setEncoding('utf8')) {
    const lines = (rest + String(piece)).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      const { port, value } = JSON.parse(line) as { port?: string; value?: { kind: string; id: string; input: unknown } }
      if (port === 'ctrl_out' && value) {
        asked.push(value.kind)
        answers.write(
          `${JSON.stringify(value.kind === 'approval' ? { approve: value.id } : { answer: value.id, value: `${value.input}!` })}\n`,
        )
      } else if (value) values.push(value)
    }
  }
  t.strictSame([asked, values], [['approval', 'question'], ['refunded!']])
})
