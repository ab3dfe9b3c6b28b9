// plumb-chat at a real terminal: what a person sees, and what is left afterwards.

import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { scaled } from '../packages/wire/test/patience.js'
import { Pty, type PtyOptions } from './pty.js'
import { openTalkingModel, type Turn } from './talking-model.js'

const CHAT = resolve('packages/plumb-chat/bin/plumb-chat')
const MODEL = 'let bot : !string -> !string = agent { provider: "anthropic", model: "m" }'
const DANGER = `type N = { n: int }
@description "makes it nothing"
let danger : N -> N = tool { mock: { n: 7 }, approval: "ask" }
let bot : !string -> !string = agent { provider: "eliza", model: "doctor", tools: [danger] }`

const ENTER = '\r'
const BACKSPACE = '\x7f'
const [CTRL_C, CTRL_D, CTRL_R, UP, DOWN, TAB] = ['\x03', '\x04', '\x12', '\x1b[A', '\x1b[B', '\t']
const paste = (text: string) => `\x1b[200~${text}\x1b[201~`

interface Chat extends Pty {
  readonly directory: string
}

/** In a directory of its own, which is its home; both are gone after the test. */
const openChat = async (t: Test, args: readonly string[], { env = {}, ...rest }: Partial<PtyOptions> = {}): Promise<Chat> => {
  const directory = mkdtempSync(join(tmpdir(), 'plumb-chat-'))
  const pty = new Pty({ command: [CHAT, ...args], cwd: directory, env: { HOME: directory, ANTHROPIC_API_KEY: 'none', ...env }, ...rest })
  t.teardown(async () => {
    await pty.close()
    rmSync(directory, { recursive: true, force: true })
  })
  await pty.shows(/(^|\n)> ?$/)
  return Object.assign(pty, { directory })
}

const promptAgain = /\n> ?$/

t.test('ELIZA, from hello to goodbye', async (t) => {
  const chat = await openChat(t, [])
  t.match(chat.screen, /^talking to ELIZA, since no spec is given\n\/help/)
  chat.type(`Men are all alike.${ENTER}`)
  await chat.shows(/IN WHAT WAY\ndoctor, 1 call, \d+\+\d+ tokens\n> ?$/)
  chat.type(`/memory${ENTER}`)
  await chat.shows('user: Men are all alike.\nassistant: IN WHAT WAY')
  chat.type(`/cost${ENTER}`)
  await chat.shows(/eliza \(doctor\): 1 call, \d+ in \/ \d+ out, \d+\.\d s/)
  chat.type(`/hlep${ENTER}`)
  await chat.shows("there is no command '/hlep'; did you mean '/help'?")
  chat.type(CTRL_D)
  t.strictSame(await chat.exited, { status: 0, signal: 0 })
  t.ok(chat.output.endsWith('\x1b[?2004l'), 'pastes are not marked any more')
})

t.test('lines are edited, and remembered from one conversation to the next', async (t) => {
  const chat = await openChat(t, [])
  chat.type(`I feel gold\x1b[D\x1b[D\x1b[D\x1b[D\x1b[3~\x1b[3~\x1b[3~\x1b[3~sad${ENTER}`)
  await chat.shows(/> I feel sad\nTELL ME MORE ABOUT SUCH FEELINGS\n/)
  await chat.shows(promptAgain)
  chat.type(` nobody keeps this${ENTER}`)
  await chat.shows(/nobody keeps this\n.+\ndoctor, 1 call.*\n> ?$/)
  chat.type(UP + UP)
  await chat.shows(/> I feel sad$/)
  chat.type(`${CTRL_C}/he${TAB}`)
  await chat.shows(/> I feel sad\^C\n> \/help$/)
  chat.type(`${CTRL_C}draft${UP}${UP}${DOWN}${DOWN}`)
  await chat.shows(/> draft$/)
  chat.type(`${CTRL_C}/quit${ENTER}`)
  t.equal((await chat.exited).status, 0)

  const file = join(chat.directory, '.local/state/plumb/chat-history')
  t.equal(readFileSync(file, 'utf8'), '"I feel sad"\n"/quit"\n')
  t.equal(statSync(file).mode & 0o777, 0o600)

  const next = await openChat(t, [], { env: { XDG_STATE_HOME: join(chat.directory, '.local/state') } })
  next.type(UP + UP)
  await next.shows(/> I feel sad$/)
  const other = await openChat(t, ['--no-history'])
  other.type(`Hello${ENTER}`)
  await other.shows(/HOW DO YOU DO[\s\S]*> ?$/)
  other.type(CTRL_D)
  await other.exited
  t.notOk(existsSync(join(other.directory, '.local')))
})

t.test('a message of several lines', async (t) => {
  const model = await openTalkingModel()
  t.teardown(model.close)
  const chat = await openChat(t, ['-e', MODEL], { env: { PLUMB_ENDPOINT: model.url } })
  const said = async (keys: string): Promise<unknown> => {
    chat.type(keys)
    const turn = await model.turn()
    turn.say('noted')
    turn.end()
    await chat.shows(/noted\nm, 1 call, .*\n> ?$/)
    chat.type(`/memory clear${ENTER}`)
    await chat.shows(/0 messages remembered\n> ?$/)
    return turn.body.messages.at(-1)?.content
  }
  const text = (content: unknown): unknown => (Array.isArray(content) ? content.map(({ text }) => text).join('') : content)
  const table: readonly (readonly [keys: string, message: string])[] = [
    [`one\\${ENTER}two${ENTER}`, 'one\ntwo'],
    [`one\x1b${ENTER}two${ENTER}`, 'one\ntwo'],
    [`${paste('a\r\nb\n\tc\x1b[31m')}${ENTER}`, 'a\nb\n\tc[31m'],
    [`"""${ENTER}/help \\${ENTER}end${ENTER}"""${ENTER}`, '/help \\\nend'],
    [`//etc is a directory${ENTER}`, '/etc is a directory'],
    [`日本語 and 👩‍💻${ENTER}`, '日本語 and 👩‍💻'],
    [`${paste('日本')}\x7f\x7fabc${ENTER}`, 'abc'],
  ]
  for (const [keys, message] of table) t.equal(text(await said(keys)), message, JSON.stringify(keys))
})

t.test('an answer comes as it is made, and can be dropped', async (t) => {
  const model = await openTalkingModel()
  t.teardown(model.close)
  const chat = await openChat(t, ['-e', MODEL], { env: { PLUMB_ENDPOINT: model.url } })
  chat.type(`hello${ENTER}`)
  const turn = await model.turn()
  turn.say('It was ')
  await chat.shows(/> hello\nIt was ?$/)
  turn.say('a dark\nand stormy 夜. ')
  await chat.shows(/It was a dark\nand stormy 夜\.$/)
  chat.type('typed ahead')
  turn.end()
  await chat.shows(/夜\.\nm, 1 call, 10\+2 tokens\n> typed ahead$/)
  t.equal(chat.screen.split('stormy').length, 2, 'once')

  chat.type(ENTER)
  const second = await model.turn()
  second.say('Never ')
  await chat.shows(/Never$/)
  chat.type(CTRL_C)
  await second.dropped
  await chat.shows(/Never\nthe answer was dropped\n> ?$/)
  chat.type(CTRL_C)
  await chat.shows(/Ctrl-C again leaves, and so does Ctrl-D\n> ?$/)
  chat.type(`/memory${ENTER}`)
  await chat.shows(/user: hello\nassistant: It was a dark\nand stormy 夜. ?\n> ?$/)

  chat.type(`again${ENTER}`)
  const third = await model.turn()
  third.say('Still ')
  await chat.shows(/Still$/)
  chat.resize(40, 10)
  third.say('here ')
  await chat.shows(/Still here$/)
  chat.type(CTRL_C + CTRL_C)
  t.strictSame(await chat.exited, { status: 0, signal: 2 })
})

t.test('while nothing comes a dim line says so', async (t) => {
  const model = await openTalkingModel()
  t.teardown(model.close)
  const spec = DANGER.replace(/provider.*doctor"/, 'provider: "anthropic", model: "m"')
  const plain = await openChat(t, ['-e', spec], { env: { PLUMB_ENDPOINT: model.url, NO_COLOR: '1' } })
  plain.type(`hello${ENTER}`)
  await model.turn()
  const chat = await openChat(t, ['-e', spec], { env: { PLUMB_ENDPOINT: model.url } })
  chat.type(`hello${ENTER}`)
  const turn = await model.turn()
  await chat.shows(/> hello\nwaiting for an answer…$/)
  t.match(chat.output, '\x1b[2mwaiting for an answer…\x1b[0m')
  turn.call('danger', { n: 1 })
  turn.end()
  await chat.shows(/> hello\ndanger: .*\n {2}n {2}1\n.* e edit\] ?$/)
  chat.type('y')
  const second = await model.turn()
  await chat.shows(/e edit\] yes\ndanger .*\nwaiting for an answer…$/)
  second.say('It is ')
  await chat.shows(/\ndanger .*\nIt is ?$/)
  second.say('done')
  second.end()
  await chat.shows(/\nIt is done\nm, 2 calls, .*\n> ?$/)
  chat.type(`more${ENTER}`)
  await model.turn()
  await chat.shows(/> more\nwaiting for an answer…$/)
  chat.type(CTRL_C)
  await chat.shows(/> more\nthe answer was dropped\n> ?$/)
  t.notMatch(plain.output, 'waiting', 'which has waited for longer')
})

t.test('control sequences of a model have no effect', async (t) => {
  const model = await openTalkingModel()
  t.teardown(model.close)
  const chat = await openChat(t, ['-e', MODEL], { env: { PLUMB_ENDPOINT: model.url } })
  chat.type(`hello${ENTER}`)
  const turn = await model.turn()
  for (const piece of ['a\x1b]0;title\x07b', '\x1b[2J', '\u009b31m', '\r', '\nc\rd', '\u202eright', '\ud83d', '\ude00 \x7f'])
    turn.say(piece)
  turn.end()
  await chat.shows(/> ?$/)
  await chat.shows('a\\u001b]0;title\\u0007b\\u001b[2J\\u009b31m\nc\\rd\\u202eright😀 \\u007f\nm, 1 call')
  t.notOk(chat.output.includes('\x1b]0;'))
})

t.test('settings and memory', async (t) => {
  const model = await openTalkingModel()
  t.teardown(model.close)
  const chat = await openChat(t, ['-e', MODEL], { env: { PLUMB_ENDPOINT: model.url } })
  const command = async (text: string, shown: RegExp): Promise<void> => {
    chat.type(text + ENTER)
    // A notice that is longer than the screen is broken between two words.
    const broken = shown.source.replaceAll(' ', '\\s+')
    await chat.shows(new RegExp(`> ${text.replace(/[/.[\]]/g, '\\$&')}\\n${broken}\\n> ?$`))
  }
  const say = async (text: string): Promise<Record<string, unknown>> => {
    chat.type(text + ENTER)
    const turn = await model.turn()
    turn.say(`to ${text}`)
    turn.end()
    await chat.shows(new RegExp(`> ${text}\\nto ${text}\\n(m|other), 1 call, .*\\n> ?$`))
    return turn.body
  }
  await command('/temp 0.3', /temperature 0\.3/)
  await command('/model other', /model other/)
  await command('/effort low', /effort low/)
  t.match(await say('first'), { temperature: 0.3, model: 'other', output_config: { effort: 'low' } })
  await command('/temp', /temperature as in the spec/)
  await command('/model', /model as in the spec/)
  await command('/effort', /effort as in the spec/)
  await command(
    '/effort enough',
    /error: 'set_effort' takes "none", "minimal", "low", "medium", "high", "max" or null, found "enough" \(input_type_mismatch\)/,
  )
  const body = await say('second')
  t.match(body, { model: 'm' })
  t.notOk('temperature' in body)

  await command('/save talk.json', /4 messages saved in talk\.json/)
  t.equal(statSync(join(chat.directory, 'talk.json')).mode & 0o777, 0o600)
  t.match(JSON.parse(readFileSync(join(chat.directory, 'talk.json'), 'utf8')), { kind: 'memory', messages: [{ role: 'user' }, {}, {}, {}] })
  await command('/memory clear', /4 messages forgotten, 0 messages remembered/)
  await command('/memory', /nothing is remembered/)
  await command('/load talk.json', /0 messages forgotten, 4 messages remembered/)
  t.equal(((await say('third')) as { messages: unknown[] }).messages.length, 5)
  await command('/save talk.json', /6 messages saved in talk\.json/)

  writeFileSync(join(chat.directory, 'other.txt'), 'precious\n')
  await command('/save other.txt', /error: 'other\.txt' exists and holds no saved memory; choose another name \(file_exists\)/)
  await command('/save no/such', /error: cannot write 'no\/such': no such file or directory \(ENOENT\) \(write_failed\)/)
  await command('/load other.txt', /error: 'other\.txt' holds no saved memory \(input_type_mismatch\)/)
  await command('/load none', /error: cannot read 'none': no such file or directory \(ENOENT\) \(file_not_found\)/)
  await command('/temp warm', /error: \/temp takes a number from 0 to 2 such as 0\.3, or nothing \(usage\)/)
  for (const wrong of ['3', '-0.1'])
    await command(
      `/temp ${wrong}`,
      new RegExp(`error: 'set_temp' takes a number from 0 to 2, or null, found ${wrong} \\(input_type_mismatch\\)`),
    )
  await command('/memory all', /error: \/memory takes 'clear', or nothing \(usage\)/)
  await command('/save', /error: \/save takes the name of a file \(usage\)/)
  await command('/load', /error: \/load takes the name of a file \(usage\)/)
  await command('/tools', /there are none/)

  await command('/pause', /paused: what is said waits for \/resume/)
  chat.type(`held${ENTER}`)
  await chat.shows(/> held\n> ?$/)
  chat.type(`/resume${ENTER}`)
  const turn = await model.turn()
  turn.say('at last')
  turn.end()
  await chat.shows(/> \/resume\nat last\nm, 1 call, .*\n> ?$/)
  await command('/cost', /bot \(other\): 1 call, .*\nbot \(m\): 3 calls, .*\nall: 4 calls, 40 in \/ 8 out, .* s/)
})

t.test('a tool call waits for approval, and its result is shown', async (t) => {
  const chat = await openChat(t, ['-e', DANGER])
  t.match(chat.screen, /^talking to 'bot': doctor; tool danger; \/help/)
  const question = /\ndanger: makes it nothing\n {2}n {2}\d\nallow 'danger'\? \[y once, a always in this session, N no, e edit\] ?$/
  chat.type(`call danger {"n":1}${ENTER}`)
  await chat.shows(question)
  chat.type('y')
  await chat.shows(/N no, e edit\] yes\ndanger {"n":1}: \d+ bytes \([\d.]+ m?s\)\n[\s\S]*{"n":7}[\s\S]*\ndoctor, 2 calls, .*\n> ?$/)
  for (const [key, echo] of [
    ['n', 'no'],
    [ENTER, 'no'],
    ['\x1b', 'no'],
    [CTRL_D, 'no'],
  ] as const) {
    chat.type(`call danger {"n":2}${ENTER}`)
    await chat.shows(question)
    chat.type(`x${key}`)
    await chat.shows(new RegExp(`N no, e edit\\] ${echo}\n[^]*> ?$`))
  }
  chat.type(`call danger {"n":3}${ENTER}`)
  await chat.shows(question)
  for (const key of 'really') chat.type(key)
  chat.type(ENTER)
  await chat.shows(/ {2}3\n.* N no, e edit\] no\n[\s\S]*> ?$/)
  t.ok((chat.screen.match(/\ndanger {"n":\d} failed: the call of 'danger' was denied \([\d.]+ m?s\)\n/g)?.length ?? 0) >= 3)
  t.match(chat.output, '\x1b[1;31mdanger {"n":2} failed: ')
  t.match(chat.screen, /the answer was dropped/)
  chat.type(`/tools${ENTER}`)
  await chat.shows(/> \/tools\ndanger : N -> N\n {2}makes it nothing\n> ?$/)
  chat.type(`call danger {"n":4}${ENTER}`)
  await chat.shows(question)
  chat.type('a')
  await chat.shows(/\nalways allow 'danger' in this session\? \[y\/N\] ?$/)
  chat.type('y')
  await chat.shows(/session\? \[y\/N\] yes\n[\s\S]*\n> ?$/)
  chat.type(`call danger {"n":5}${ENTER}`)
  await chat.shows(/danger {"n":5} is allowed, as always in this session\n[\s\S]*danger {"n":5}: \d+ bytes \([\d.]+ m?s\)\n[\s\S]*\n> ?$/)
})

for (const [name, editor, steps] of [
  ['an editor', 'sed -i s/1/x/', [/ {2}n {2}1\n {2}not changed: .*n.*\nallow/]],
  ['an editor that fails', 'false', [/ {2}n {2}1\n {2}not changed: the editor 'false' ended with status 1/]],
  [
    'an editor that takes words',
    'sed -i -e s/1/5/',
    [/ {2}n {2}5\nallow .*edit\] ?$/, 'y', /\ndanger {"n":5}: [\s\S]*to {"n":5}\n[\s\S]*{"n":7}[\s\S]*\n> ?$/],
  ],
  [
    'a line',
    '',
    [/new input, as JSON: {"n":1}$/, `${BACKSPACE}${BACKSPACE}8}${ENTER}`, / {2}n {2}8\nallow .*edit\] ?$/, 'n', /was denied/],
  ],
] as const)
  t.test(`the input of a call is edited: ${name}`, async (t) => {
    const chat = await openChat(t, ['-e', DANGER], { env: { EDITOR: editor } })
    chat.type(`call danger {"n":1}${ENTER}`)
    await chat.shows(/ {2}n {2}1\nallow 'danger'\? .*edit\] ?$/)
    chat.type('e')
    for (const step of steps) {
      if (typeof step === 'string') chat.type(step)
      else await chat.shows(step)
    }
    t.match(chat.screen, /e edit\] edit\n/)
  })

const ASKING = `let danger : json -> json = tool { mock: { n: 7 }, approval: "ask" }
let quick : json -> json = tool { mock: { n: 8 } }
let bot : !string -> !string = agent { provider: "anthropic", model: "m", tools: [danger, quick] }`
const asks = (number = '') => `${number}allow 'danger'? [y once, a always in this session, N no, e edit]`

t.test('what a protocol allows', async (t) => {
  const chat = await openChat(t, [
    '-e',
    `protocol Refund = { lookup: loop, verify: { refund: end, end }, end }
let lookup : { order: int } -> string = tool { mock: "a grinder" }
let verify : { order: int } -> string = tool { mock: "it is theirs" }
let refund : { order: int } -> string = tool { mock: "paid back" }
let bot : !string -> !string = agent { provider: "eliza", model: "doctor", tools: [lookup, verify, refund],
  protocol: Refund, protocol_per: "conversation" }`,
  ])
  chat.type(`call refund {"order":7}${ENTER}`)
  await chat.shows(
    /refund {"order":7} failed: 'refund' may not be called now: the protocol 'Refund'\s+allows 'lookup', 'verify'[\s\S]*\n> ?$/,
  )
  chat.type(`call verify {"order":7}${ENTER}`)
  await chat.shows(/it is theirs[\s\S]*\n> ?$/)
  chat.type(`call refund {"order":7}${ENTER}`)
  await chat.shows(/paid back[\s\S]*\n> ?$/)
  t.equal(chat.screen.match(/ failed: /g)?.length, 1, 'the protocol goes on from message to message')
})

t.test('a question stays below notices, and several are asked one by one', async (t) => {
  const model = await openTalkingModel()
  t.teardown(model.close)
  const chat = await openChat(t, ['-e', ASKING], { env: { PLUMB_ENDPOINT: model.url } })
  const endsWith = (text: string) => chat.until(() => chat.screen.endsWith(text), `${text} at the end`)
  chat.type(`hello${ENTER}`)
  const turn = await model.turn()
  turn.say('Let me see.')
  for (const [name, n] of [
    ['danger', 1],
    ['danger', 2],
    ['quick', 3],
    ['danger', 4],
  ] as const)
    turn.call(name, { n })
  turn.end()
  await chat.shows(/Let me see\.\n[\s\S]*\n {2}n {2}1\n[\s\S]*\(1 of 3\) allow.*$/)
  await chat.shows(/\nquick {"n":3}: \d+ bytes \([\d.]+ m?s\)\n/)
  await endsWith(`\n${asks('(1 of 3) ')}`)
  t.equal(chat.screen.split('\n  n  1\n').length, 2, 'it stands there once')
  chat.type(`${paste('kept for later')}x`)
  chat.resize(24, 24)
  await endsWith(`\n${asks('(1 of 3) ')}`)
  chat.resize(80, 24)
  await endsWith(`\n${asks('(1 of 3) ')}`)
  t.equal(chat.screen.split('(1 of 3) allow').length, 2, 'it stands there once')
  chat.type(`${BACKSPACE}y`)
  await endsWith(`\n${asks('(2 of 3) ')}`)
  await chat.shows(/\n\(1 of 3\) .*N no, e edit\] yes\n[\s\S]*danger {"n":1}: \d+ bytes \([\d.]+ m?s\)\n[\s\S]*\(2 of 3\)/)
  chat.type(CTRL_C)
  await chat.shows(/\n\(2 of 3\) .*N no, e edit\] no\n/)
  await chat.shows(/\n\(3 of 3\) .* withdrawn, the answer that it was for was dropped\n[\s\S]*> kept for later$/)
  t.notMatch(chat.screen, /no call with the id/)
})

t.test('a long question is shown whole, above', async (t) => {
  const model = await openTalkingModel()
  t.teardown(model.close)
  const chat = await openChat(t, ['-e', ASKING], { env: { PLUMB_ENDPOINT: model.url } })
  chat.type(`hello${ENTER}`)
  const turn = await model.turn()
  const text = 'word '.repeat(300)
  turn.call('danger', { text })
  turn.call('quick', {})
  turn.end()
  await chat.shows(/\nquick [\s\S]*\nallow 'danger'\? .*N no, e edit\]$/)
  const shown = chat.screen.replaceAll(/\s/g, '')
  t.equal(shown.split(`danger:text"${text}"`.replaceAll(/\s/g, '')).length, 2, 'once')
  chat.type('n')
  await model.turn()
})

t.test('notices during a question, and an approval from elsewhere', async (t) => {
  const model = await openTalkingModel()
  t.teardown(model.close)
  const spec = `${ASKING.replace('!string -> !string', '(!string, !json) -> (!string, !json)')}
let talker : !string -> !string = agent { provider: "anthropic", model: "talker" }
let gate : !json -> !json = agent { command: ["bash", "-c", "read -r line; read -r go < go; echo \\"$line\\"; cat"] }
let main : (!string, !json) -> (!string, !json) = plumb(input, ctrl_in, output, ctrl_out) {
  let asked : !json = channel
  let said : !json = channel
  spawn bot(input=input, ctrl_in=said, output=output, ctrl_out=asked)
  input ; talker ; output
  ctrl_in ; said
  asked ; ctrl_out
  asked ; filter(value.kind = "approval") ; map({ approve: value.id }) ; gate ; said
}`
  const chat = await openChat(t, ['-e', spec], { env: { PLUMB_ENDPOINT: model.url } })
  execFileSync('mkfifo', [join(chat.directory, 'go')])
  chat.type(`hello${ENTER}`)
  const turns = new Map([await model.turn(), await model.turn()].map((turn) => [turn.body.model, turn]))
  const [bot, talker] = ['m', 'talker'].map((name) => turns.get(name) as Turn) as [Turn, Turn]
  talker.say('One ')
  await chat.shows(/\[talker\] One$/)
  bot.call('danger', { n: 1 })
  bot.end()
  await chat.shows(/\n\[talker\] One\n(.*\n)*allow .* N no, e edit\]$/)
  talker.say(' two\nthree')
  await chat.shows(/\n two\nallow .* N no, e edit\]$/)
  talker.say(' four\n')
  await chat.shows(/\n two\nthree four\nallow .* N no, e edit\]$/)
  writeFileSync(join(chat.directory, 'go'), 'go\n')
  await chat.shows(/\nallow .* N no, e edit\] withdrawn, it was approved elsewhere\n/)
  const again = await model.turn()
  again.say('done')
  again.end()
  talker.end()
  await chat.shows(/done[\s\S]*\n> ?$/)
  t.equal(chat.screen.split(' e edit]').length, 2, 'once')
})

t.test('search in the history', async (t) => {
  const chat = await openChat(t, [])
  for (const text of ['I feel sad', 'I feel glad', 'Hello']) {
    chat.type(text + ENTER)
    await chat.shows(new RegExp(`> ${text}\\n[^>]*> ?$`))
  }
  chat.type(`draft${CTRL_R}`)
  await chat.shows(/\n\(reverse-i-search\)`': draft$/)
  chat.type('fee')
  await chat.shows(/`fee': I feel glad$/)
  chat.type(CTRL_R)
  await chat.shows(/`fee': I feel sad$/)
  chat.type(CTRL_R)
  await chat.shows(/\n\(failed reverse-i-search\)`fee': I feel sad$/)
  chat.type('\x07')
  await chat.shows(/\n> draft$/)
  chat.type(`${CTRL_R}Helx\x7f\x01My ${ENTER}`)
  await chat.shows(/\n> My Hello\n/)
  await chat.shows(promptAgain)
  chat.type(`${CTRL_R}glad${ENTER}`)
  await chat.shows(/\n> I feel glad\n[^>]*> ?$/)
  t.notMatch(chat.screen, /i-search/)
})

for (const doesReflow of [true, false])
  t.test(`a line that is typed, on a terminal of several widths that ${doesReflow ? 'lays rows out anew' : 'cuts rows off'}`, async (t) => {
    const chat = await openChat(t, [], { doesReflow })
    const before = chat.screen.replace(/> ?$/, '')
    const shows = (text: string) =>
      t.resolves(
        chat.until(() => chat.screen === `${before}> ${text}`.trimEnd(), JSON.stringify(text)),
        text,
      )
    let text = ''
    const type = (more: string): void => {
      text += more
      chat.type(more)
    }
    type('0123456789 '.repeat(6))
    await shows(text)
    for (const columns of [40, 33, 80, 21, 60]) {
      chat.resize(columns, 24)
      type(`${columns} 日本語で。`)
      await shows(text)
    }
    // In the middle of it, and several widths at once.
    let at = [...text].length - 30
    const put = async (key: string): Promise<void> => {
      const characters = [...text]
      characters.splice(at++, 0, key)
      text = characters.join('')
      chat.type(key)
      await shows(text)
    }
    chat.type('\x1b[D'.repeat(30))
    await put('!')
    for (const columns of [50, 26, 90]) chat.resize(columns, 24)
    await put('?')
    chat.type(`\x05${CTRL_C}`)
    await shows(`${text}^C\n>`)
  })

t.test('an input that is not a string is typed as JSON, and errors name its type', async (t) => {
  const chat = await openChat(t, [
    '-e',
    'type Point = { x: int, y: int }\nlet main : !Point -> !{ sum: int } = map({ sum: value.x + value.y })',
  ])
  chat.type(`hello${ENTER}`)
  await chat.shows(/error: not JSON at byte 1: .*; it takes Point, written\s+as JSON \(invalid_json\)\n> ?$/)
  chat.type(`${paste('{"x": 1,\n "y": 2}')}${ENTER}`)
  await chat.shows(/{"sum":3}\n> ?$/)
  chat.type(`{"x": 1}${ENTER}`)
  await chat.shows(/error: .*y.*\s+\(input_type_mismatch\)\n> ?$/)
  chat.type(`/memory${ENTER}`)
  await t.resolves(chat.shows(/error: this program takes no control: [\s\S]*\s\(unknown_port\)\n> ?$/))
})

t.test('a program of several agents', async (t) => {
  const model = await openTalkingModel()
  t.teardown(model.close)
  const spec = `let writer : !string -> !string = agent { provider: "anthropic", model: "w" }
let critic : !string -> !string = agent { provider: "anthropic", model: "c" }
let main : !string -> !string = writer ; critic ; filter(value != "no")`
  const chat = await openChat(t, ['-e', spec], { env: { PLUMB_ENDPOINT: model.url } })
  chat.type(`hello${ENTER}`)
  const writer = await model.turn()
  t.equal(writer.body.model, 'w')
  writer.say('draft')
  writer.end()
  const critic = await model.turn()
  t.equal(critic.body.model, 'c')
  critic.say('fine')
  critic.end()
  await chat.shows(/> hello\n\[writer\] draft\n\[critic\] fine\nw and c, 2 calls, 20\+4 tokens\n> ?$/)
  chat.type(`more${ENTER}`)
  await model.turn()
  chat.type(CTRL_C)
  await chat.shows(/the answer was dropped; this program takes no control, so it was restarted and\s+has lost its memory\n> ?$/)
  chat.type(`anew${ENTER}`)
  const again = await model.turn()
  t.equal(again.body.messages.length, 1)
  chat.type(CTRL_C + CTRL_C + CTRL_C)
  t.equal((await chat.exited).signal, 2)
})

t.test('in a pipeline each agent is heard, also one that answers in one piece', async (t) => {
  const eliza = 'agent { provider: "eliza", model: "doctor" }'
  const note = 'map({ text: value }) ; noted ; map(text)'
  const spec = `type Note = { text: string }
let writer : !string -> !string = ${eliza}
let noted : !Note -> !Note = ${eliza}
let critic : !string -> !string = ${eliza}
let main : !string -> !string = writer ; ${note} ; critic`
  const chat = await openChat(t, ['-e', spec])
  chat.type(`Men are all alike.${ENTER}`)
  await chat.shows(/> Men are all alike.\n\[writer\] IN WHAT WAY\n\[noted\] \{"text":"[A-Z ]+"\}\n\[critic\] [A-Z ]+\ndoctor, 3 calls/)
  chat.type(CTRL_D)
  t.equal((await chat.exited).status, 0)
})

t.test('a prompt file in place of a spec', async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'plumb-chat-'))
  t.teardown(() => rmSync(directory, { recursive: true, force: true }))
  const file = join(directory, 'helper.chatmd')
  writeFileSync(
    file,
    '<config provider="eliza" model="doctor"/>\n<tool name="read_file"/>\n<user>Hello</user>\n<assistant>Hi</assistant>\n',
  )
  const chat = await openChat(t, ['--grant', 'fs.read', file])
  t.match(chat.screen, /^talking to 'helper': doctor; tool read_file\n\/help/)
  chat.type(`Men are all alike.${ENTER}`)
  await chat.shows(/> Men are all alike\.\nIN WHAT WAY\ndoctor, .*\n> ?$/)
  chat.type(`/memory${ENTER}`)
  await chat.shows(/> \/memory\nuser: Hello\nassistant: Hi\nuser: Men are all alike\.\nassistant: IN WHAT WAY\n> ?$/)
  chat.type(`/tools${ENTER}`)
  await chat.shows(/> \/tools\nread_file : {.*} -> FileText_1 \[fs.read\]\n {2}Read a UTF-8 text file/)
})

t.test('a main with control ports of its own', async (t) => {
  const spec = `let bot : (!string, !json) -> !string = agent { provider: "eliza", model: "doctor" }
let main : (!string, !json) -> (!string, !json) = plumb(input, ctrl_in, output, ctrl_out) {
  spawn bot(input=input, ctrl_in=ctrl_in, output=output, ctrl_out=ctrl_out)
}`
  const chat = await openChat(t, ['-e', spec])
  chat.type(`I feel sad${ENTER}`)
  await chat.shows(/TELL ME MORE ABOUT SUCH FEELINGS\n[\s\S]*> ?$/)
  chat.type(`/memory${ENTER}`)
  await t.resolves(chat.shows(/user: I feel sad\nassistant: TELL ME MORE ABOUT SUCH FEELINGS\n> ?$/))
})

t.test('options reach the agents', async (t) => {
  const model = await openTalkingModel()
  t.teardown(model.close)
  const spec = `let one : !int -> !int = map(1)
let bot : !string -> !string = agent { provider: "eliza", tools: [fine] }
@tool true
let fine : int -> int = map(value)`
  for (const main of ['bot', 'bot ; map(value)']) {
    const args = ['--thinking', '--no-parallel-tool-calls', '--provider', 'anthropic', '--model', 'given', '--no-history', '-e']
    const chat = await openChat(t, [...args, `${spec}\nlet main : !string -> !string = ${main}`], { env: { PLUMB_ENDPOINT: model.url } })
    chat.type(`hello${ENTER}`)
    const turn = await model.turn()
    t.match(turn.body, { model: 'given', tool_choice: { disable_parallel_tool_use: true } }, main)
    turn.think('hm\x07')
    turn.say('well')
    turn.end()
    await chat.shows(/\[(bot|main) thinking\] hm\\u0007\nwell\ngiven, 1 call, 10\+2 tokens\n> ?$/)
    chat.type(CTRL_D)
    await chat.exited
  }
})

t.test('the reader of the answers may go away', async (t) => {
  const pty = new Pty({ command: ['bash', '-c', `${CHAT} --no-history | head -1`] })
  t.teardown(() => pty.close())
  await pty.shows(/\n> ?$/)
  pty.type(`Men are all alike.${ENTER}`)
  // It comes by way of another program, and may come after the next prompt.
  await pty.shows(/IN WHAT WAY/)
  pty.type(`Hello${ENTER}`)
  t.strictSame(await pty.exited, { status: 0, signal: 0 })
})

t.test('answers that cannot be written end it', { skip: existsSync('/dev/full') ? false : 'there is no /dev/full' }, async (t) => {
  const pty = new Pty({ command: ['bash', '-c', `${CHAT} --no-history > /dev/full`] })
  t.teardown(() => pty.close())
  await pty.shows(/\n> ?$/)
  pty.type(`Men are all alike.${ENTER}`)
  await pty.shows(/error: cannot write: no space left on device \(ENOSPC\) \(write_failed\)/)
  t.strictSame(await pty.exited, { status: 1, signal: 0 })
})

t.test('colours only where they belong', async (t) => {
  const talk = async (env: Readonly<Record<string, string>>): Promise<string> => {
    const chat = await openChat(t, [], { env })
    chat.type(`Hello${ENTER}/nonsense${ENTER}`)
    await chat.shows(/HOW DO YOU DO[\s\S]*\(usage\)\n> ?$/)
    chat.type(CTRL_D)
    await chat.exited
    return chat.output
  }
  const coloured = await talk({})
  t.match(coloured, '\x1b[2mdoctor, 1 call')
  t.match(coloured, '\x1b[1;31merror: ')
  const sequences = (await talk({ NO_COLOR: '1' })).split('\x1b[').slice(1)
  t.notOk(sequences.some((sequence) => /^\d*m/.test(sequence)))
  t.notOk((await talk({ TERM: 'dumb' })).includes('\x1b'), 'no control of any kind')
})

t.test('a terminal that can do lines alone', async (t) => {
  const chat = await openChat(t, ['-e', DANGER], { env: { TERM: 'dumb' } })
  chat.type(`one\\${ENTER}two${ENTER}`)
  await chat.shows(/\ndoctor, .*\n> ?$/)
  chat.type(`/memory${ENTER}`)
  await chat.shows('user: one\ntwo\n')
  chat.type(`call danger {"n":1}${ENTER}`)
  await chat.shows(/N no, e edit\] ?$/)
  chat.type(`yes${ENTER}`)
  await chat.shows(/{"n":7}[\s\S]*> ?$/)
  // What looks like an answer was typed before there was a question.
  chat.type(`call danger {"n":2}${ENTER}y${ENTER}`)
  await chat.shows(/ {2}n {2}2\n.* N no, e edit\] ?$/)
  chat.type(`n${ENTER}`)
  // It is a message of its own, after the question.
  await chat.shows(/ failed: [\s\S]*doctor, .* tokens\n[\s\S]*doctor, .* tokens\n> ?$/)
  chat.type(CTRL_C)
  await chat.shows(/Ctrl-C again leaves, and so does Ctrl-D/)
  chat.type(CTRL_C)
  t.strictSame(await chat.exited, { status: 0, signal: 2 })
})

t.test(
  'however it ends, the terminal is as it was and no child is left',
  { skip: existsSync('/proc/self/stat') ? false : 'no /proc' },
  async (t) => {
    const table: readonly (readonly [name: string, end: (chat: Chat, child: number) => void, wanted: object])[] = [
      ['TERM', (chat) => chat.signal('SIGTERM'), { status: 0, signal: 15 }],
      ['HUP', (chat) => chat.signal('SIGHUP'), { status: 0, signal: 1 }],
      ['KILL of the child', (_, child) => process.kill(child, 'SIGKILL'), { status: 1, signal: 0 }],
      ['KILL', (chat) => chat.signal('SIGKILL'), { status: 0, signal: 9 }],
      ['/quit', (chat) => chat.type(`/quit${ENTER}`), { status: 0, signal: 0 }],
    ]
    for (const [name, end, wanted] of table) {
      const chat = await openChat(t, [])
      chat.type(`Hello${ENTER}`)
      await chat.shows(/HOW DO YOU DO[\s\S]*> ?$/)
      const children = childrenOf(chat.pid)
      t.equal(children.length, 1, `${name}: there is one child`)
      end(chat, children[0] as number)
      t.strictSame(await chat.exited, wanted, name)
      if (name !== 'KILL') t.ok(chat.output.trimEnd().endsWith('\x1b[?2004l'), `${name}: pastes are not marked any more`)
      if (name === 'KILL of the child') t.match(chat.screen, /error: plumb-agent was ended by SIGKILL \(child_failed\)/)
      for (const pid of children) await hasGone(pid)
    }
  },
)

t.test('an interactive shell gets its terminal back', async (t) => {
  const shell = new Pty({ command: ['bash', '--norc', '--noediting', '-i'], env: { PS1: '$ ', TERM: 'xterm' } })
  t.teardown(() => shell.close())
  await shell.shows(/\$ ?$/)
  shell.type(`stty -a > /dev/null; before=$(stty -g); ${CHAT} --no-history${ENTER}`)
  await shell.shows(/\n> ?$/)
  shell.type('\x1a')
  await shell.shows(/Stopped[\s\S]*\$ ?$/)
  shell.type(`[ "$before" = "$(stty -g)" ] && echo sane while stopped${ENTER}`)
  await shell.shows(/\nsane while stopped\n\$ ?$/)
  shell.type(`fg${ENTER}`)
  await shell.shows(/fg\n.*plumb-chat.*\n> ?$/)
  shell.type(`Hello${ENTER}`)
  await shell.shows(/HOW DO YOU DO[\s\S]*> ?$/)
  shell.type(CTRL_D)
  await shell.shows(/\$ ?$/)
  shell.type(`[ "$before" = "$(stty -g)" ] && echo sane at the end${ENTER}`)
  await t.resolves(shell.shows(/\nsane at the end\n/))
})

t.test('without a terminal it is a filter', async (t) => {
  const cases: readonly (readonly [script: string, out: string | RegExp, status: number])[] = [
    ['printf "Men are all alike.\\nThey are always bugging us.\\n" | $CHAT', 'IN WHAT WAY\nCAN YOU THINK OF A SPECIFIC EXAMPLE\n', 0],
    ['printf "1\\n2\\n" | $CHAT -e "let main : !int -> !int = map(value + 1)"', '2\n3\n', 0],
    ['echo /help | $CHAT -e "let main : !string -> !string = id"', '/help\n', 0],
    ['yes | $CHAT -e "let main : !string -> !string = id" | head -1', 'y\n', 0],
    ['echo x | $CHAT -e "let main : !int -> !int = id" 2>&1', /^{"error":"invalid_json".*}\n$/, 1],
    ['$CHAT nowhere.plumb </dev/null 2>&1', /^{"error":"file_not_found".*nowhere\.plumb.*}\n$/, 2],
    ['$CHAT -e "let x" </dev/null 2>&1', /<eval>:1:6: error: /, 2],
    ['$CHAT -e "let a : !int -> !int = id let b : !int -> !int = id" </dev/null 2>&1', /"main_missing".*--agent, from a, b/, 2],
    ['$CHAT a.plumb -e "" </dev/null 2>&1', /^{"error":"usage"/, 2],
    ['$CHAT --nonsense </dev/null 2>&1', /^{"error":"unknown_option"/, 2],
    ['echo x | $CHAT --provider anthropic --model m 2>&1', /^{"error":"missing_key"/, 2],
    ['echo x | $CHAT > /dev/full', /^$/, 1],
  ]
  for (const [script, out, status] of cases) {
    const run = spawnSync('bash', ['-c', `set -o pipefail; ${script}`], {
      env: { PATH: process.env.PATH, CHAT },
      encoding: 'utf8',
      timeout: scaled(60_000),
    })
    const isPiped = script.includes('head')
    t.match(run.stdout, out, script)
    t.equal(isPiped ? 0 : run.status, status, script)
  }
})

t.test('the manual shows a conversation as it is', async (t) => {
  const page = readFileSync('man/plumb-chat.1', 'utf8')
  const [, shown = ''] = /no-run needs a terminal\n\.Bd.*\n([\s\S]*?)\.Ed/.exec(page) ?? []
  const lines = shown.trimEnd().replaceAll('\\-', '-').replaceAll('\\(aq', "'").split('\n').slice(1)
  const chat = await openChat(t, ['--no-history', resolve('packages/plumb/examples/eliza.plumb')])
  for (const [i, line] of lines.entries()) {
    await chat.shows(lines.slice(0, i).join('\n'))
    if (!line.startsWith('> ')) continue
    await chat.shows(/(^|\n)> ?$/)
    chat.type(line.slice(2) + ENTER)
  }
  t.equal((await chat.exited).status, 0)
  t.equal(chat.screen, lines.join('\n'))
})

/** Processes whose parent it is. */
const childrenOf = (pid: number): number[] =>
  readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) && statOf(name)[1] === String(pid) ? [Number(name)] : []))

/** State and parent; none where it is gone. */
const statOf = (pid: number | string): string[] => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  } catch {
    return []
  }
}

const hasGone = async (pid: number): Promise<void> => {
  const end = Date.now() + scaled(30_000)
  while (![undefined, 'Z', 'X'].includes(statOf(pid)[0])) {
    if (Date.now() > end) throw new Error(`process ${pid} is left`)
    await setTimeout(20)
  }
}
