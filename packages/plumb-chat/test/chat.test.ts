// The parts that need no terminal: keys, texts, the program, files.

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fail, hasStyles, type Result, succeed } from '@plumb/wire'
import t from 'tap'
import { shownQuestion } from '../../ledger/src/approval/person-question.js'
import { consentQuestion } from '../../ledger/src/approval/question.js'
import { guardOutputsBelow } from '../../wire/src/output/index.js'
import { openAnswers } from '../src/answers.js'
import { ApprovalPrompts } from '../src/approvals.js'
import { completeCommand, readCommand } from '../src/command/table.js'
import { historyFile, MAX_ENTRIES, openHistory } from '../src/history.js'
import { readMemory, writeMemory } from '../src/memory-file.js'
import { formatEvent, formatFault } from '../src/messages.js'
import { type ProgramEvent, withInputText } from '../src/program/events.js'
import { specText } from '../src/program/inspect-spec.js'
import { describeProgram, type RenderedGraph } from '../src/program/program.js'
import { Requests } from '../src/requests.js'
import { makePaint } from '../src/terminal/colour.js'
import { continueMessage, removeFences } from '../src/terminal/continuation.js'
import { KeyReader } from '../src/terminal/keys.js'
import { sanitize, TextSanitizer } from '../src/terminal/sanitize.js'
import type { Screen } from '../src/terminal/screen.js'
import { Search } from '../src/terminal/search.js'
import type { QuestionAnswer } from '../src/terminal/terminal.js'

const directory = mkdtempSync(join(tmpdir(), 'plumb-chat-rooms-'))
t.teardown(() => rmSync(directory, { recursive: true, force: true }))

t.test('keys and pastes, for every cut of the input', async (t) => {
  const text = 'ab\x1b[C\rc\x1b\r\n\x03\x04\x1a\x1b[200~one\r\ntwo\x03\x1b[201~d'
  const whole = new KeyReader().push(text)
  t.strictSame(whole, [
    { kind: 'keys', text: 'ab\x1b[C' },
    { kind: 'enter' },
    { kind: 'keys', text: 'c' },
    ...['newline', 'newline', 'interrupt', 'end', 'suspend'].map((kind) => ({ kind })),
    { kind: 'paste', text: 'one\ntwo\x03' },
    { kind: 'keys', text: 'd' },
  ])
  const paste = '\x1b[200~one\r\ntwo\x1b[201~d'
  for (let at = 2; at < paste.length; at++) {
    const reader = new KeyReader()
    t.strictSame(
      [...reader.push(paste.slice(0, at)), ...reader.push(paste.slice(at))],
      [
        { kind: 'paste', text: 'one\ntwo' },
        { kind: 'keys', text: 'd' },
      ],
      `cut at ${at}`,
    )
  }
  t.strictSame(new KeyReader().push('\x1b'), [{ kind: 'keys', text: '\x1b' }], 'the escape key alone does not wait')
  const place = 'a\x1b[12;7Rb'
  for (let at = 3; at < place.length - 1; at++) {
    const reader = new KeyReader()
    t.strictSame(
      [...reader.push(place.slice(0, at)), ...reader.push(place.slice(at))],
      [
        { kind: 'keys', text: 'a' },
        { kind: 'position', column: 6 },
        { kind: 'keys', text: 'b' },
      ],
      `where the cursor is, cut at ${at}`,
    )
  }
})

t.test('text is made safe for a terminal', async (t) => {
  t.equal(sanitize('a\tb\r\nc\x1b[0m\x00\u009b\u2028\u202e\ud800'), 'a\tb\nc\\u001b[0m\\u0000\\u009b\\u2028\\u202e\\ud800')
  const pieces = new TextSanitizer()
  t.equal(['😀'.slice(0, 1), '😀'.slice(1), '\r', '\n', '\r'].map((piece) => pieces.push(piece)).join('') + pieces.end(), '😀\n\\r')
  const flood = [...`Z${'\u0301'.repeat(10)}`]
  t.equal(flood.map((piece) => pieces.push(piece)).join(''), sanitize(flood.join('')), 'marks that come one by one')
})

t.test('search in the history', async (t) => {
  const entries = ['make test', 'git push', 'make build', 'git push', 'git pull']
  const found = new Search(entries, 'last', { prompt: '> ', text: 'draft', cursor: 2 })
  const sees = (prompt: string, text: string, cursor: number, why: string) => t.strictSame(found.view, { prompt, text, cursor }, why)
  sees("(reverse-i-search)`': ", 'draft', 2, 'nothing is searched yet')
  found.type('gi')
  sees("(reverse-i-search)`gi': ", 'git push', 0, 'the newest')
  found.type('t pu')
  sees("(reverse-i-search)`git pu': ", 'git push', 0, 'the entry that is shown still matches')
  found.older()
  sees("(reverse-i-search)`git pu': ", 'git pull', 0, 'the same line is not shown again')
  found.older()
  sees("(failed reverse-i-search)`git pu': ", 'git pull', 0, 'there is no older')
  found.newer()
  sees("(i-search)`git pu': ", 'git push', 0, 'a newer')
  for (let i = 0; i < 5; i++) found.erase()
  found.type('nothing like it')
  t.match(found.view, { prompt: /^\(failed/ })
  const again = new Search(entries, 'push', { prompt: '> ', text: '', cursor: 0 })
  again.older()
  t.match(again.view, { prompt: "(reverse-i-search)`push': ", text: 'git push', cursor: 4 }, 'the last query')
})

t.test('approvals', async (t) => {
  const written: string[] = []
  const edits: Result<string | undefined>[] = []
  let answer: (answer: QuestionAnswer) => void = () => {}
  const approvals = new ApprovalPrompts({
    ask: ({ line }) => {
      written.push(line)
      return new Promise((resolve) => {
        answer = resolve
      })
    },
    reword: ({ line }) => void written.push(`reworded: ${line}`),
    withdraw: (why) => {
      written.push(why)
      answer('withdrawn')
    },
    notice: (text) => void written.push(text),
    decide: (id, consent) =>
      void written.push(`${id} ${typeof consent === 'object' ? Object.values(consent) : consent ? 'allowed' : 'denied'}`),
    columns: () => undefined,
    isStyled: false,
    edit: async () => edits.shift() ?? succeed(undefined),
    describe: async (tool) => (tool === 't' ? { description: 'does it\nand more', effects: ['exec'] } : {}),
  })
  const add = (id: string) => approvals.add({ kind: 'approval', id, tool: 't', input: id })
  const takeWritten = async () => {
    await new Promise(setImmediate)
    return written.splice(0)
  }
  const line = (_: string, number: string) => `${number}allow 't'? [y once, a always in this session, N no, e edit] `
  add('a')
  t.strictSame(await takeWritten(), [line('a', '')], 'one alone has no number')
  for (const id of ['b', 'c', 'd']) add(id)
  t.strictSame(
    await takeWritten(),
    ['(1 of 2) ', '(1 of 3) ', '(1 of 4) '].map((number) => `reworded: ${line('a', number)}`),
  )
  approvals.settle('c', 'timeout')
  t.strictSame(await takeWritten(), [`${line('c', '(3 of 4) ')}withdrawn, its time is up`], 'a call whose question was not shown yet')
  answer('yes')
  t.strictSame(await takeWritten(), ['a allowed', line('b', '(2 of 4) ')])
  approvals.settle('a', 'approved')
  t.strictSame(await takeWritten(), [], 'an answer given here is not reported again')
  approvals.settle('b', 'approved')
  t.strictSame(await takeWritten(), ['withdrawn, it was approved elsewhere', line('d', '(4 of 4) ')])
  answer('no')
  approvals.settle('e', 'denied')
  add('e')
  t.strictSame(await takeWritten(), ['d denied'], 'a call that was settled before it was announced is not asked about')
  for (const id of ['f', 'g']) add(id)
  approvals.end()
  t.strictSame(await takeWritten(), [
    `${line('g', '(2 of 2) ')}withdrawn, its agent has ended without it`,
    `${line('f', '(1 of 2) ')}withdrawn, its agent has ended without it`,
  ])
  add('h')
  approvals.settle('h', 'timeout')
  t.strictSame(await takeWritten(), [`${line('h', '')}withdrawn, its time is up`], 'one that is withdrawn while its tool is looked up')
  add('i')
  await takeWritten()
  edits.push(fail('child_failed', 'the editor ended'), succeed('"k"'))
  for (const times of [1, 2]) {
    answer('edit')
    t.strictSame(await takeWritten(), times === 1 ? [line('i', '')] : ['i "k"'], 'it is asked about again until it is edited')
  }
  approvals.settle('i', 'edited')
  approvals.add({ kind: 'approval', id: 'i~2', tool: 't', input: 'k' })
  await takeWritten()
  answer('yes')
  t.strictSame(await takeWritten(), ['i~2 allowed'])
  add('i')
  await takeWritten()
  answer('always')
  t.strictSame(await takeWritten(), ['i allowed'])
  add('j')
  t.strictSame(await takeWritten(), [`t "j" is allowed, as always in this session`, 'j allowed'])
  approvals.add({ kind: 'approval', id: 'j~2', tool: 't', input: 'j', wrong: 'no text' })
  t.strictSame(await takeWritten(), [line('j', '')], 'but not one that was meant to have another input')
})

t.test('lines of one message', async (t) => {
  const table: readonly (readonly [text: string, longer: string | undefined])[] = [
    ['one', undefined],
    ['one\\', 'one\n'],
    ['"""', '"""\n'],
    ['"""\na\\', '"""\na\\\n'],
    ['"""\na\n"""', undefined],
    ['"""a"""', undefined],
  ]
  for (const [text, longer] of table) t.equal(continueMessage(text), longer, JSON.stringify(text))
  t.equal(removeFences('"""\n a\n\n"""'), ' a\n')
  t.equal(removeFences('"""a"""'), 'a')
  t.equal(removeFences('"""a'), '"""a')
})

t.test('commands', async (t) => {
  t.match(readCommand('/temp  0.3 '), { command: { name: 'temp' }, argument: '0.3' })
  t.match(readCommand('/quit'), { command: { name: 'quit' }, argument: '' })
  t.match(readCommand('/'), { error: { error: 'usage', detail: /\/help lists those there are/ } })
  t.strictSame(completeCommand('/me'), ['/memory '])
  t.strictSame(completeCommand('me'), [])
})

t.test('the program that a spec holds', async (t) => {
  const port = (type: string) => [{ name: 'x', type }]
  const node = (id: number, name: string, kind: string, type = 'T', more: object = {}) => ({
    ...{ id, name, kind, inputs: port(type), outputs: port(type) },
    ...more,
  })
  const graph = (...between: RenderedGraph['nodes']): RenderedGraph => ({
    nodes: [node(0, 'input', 'input'), node(1, 'output', 'output'), ...between],
    edges: [{ from: 0, to: 2, checked: false }],
  })
  const names = { types: { T: 'U', U: 'string' }, bindings: { bot: { kind: 'stream' } } }
  const told = { model: 'm', tools: ['look', 'look'], mcp: ['files'], max_cost: 0.5 }
  t.match(describeProgram('main', graph(node(2, 'bot', 'agent', 'T', told)), names), {
    ...{ talkers: ['bot'], models: ['m'], tools: ['look'], servers: ['files'], maxCost: 0.5 },
    runs: 'plumb-agent',
    binding: 'bot',
    input: { name: 'input', isText: true },
    hasControl: true,
  })
  const asPlumb = { runs: 'plumb', binding: 'main', hasControl: false }
  t.match(describeProgram('main', graph(node(2, 'M.bot', 'agent')), names), asPlumb, 'of a module')
  t.match(describeProgram('main', graph(node(2, 'bot', 'agent', 'T', { command: ['./x'] })), names), asPlumb, 'another program')
  t.match(describeProgram('main', graph(node(2, 'bot', 'agent'), node(3, 'm', 'map')), names), asPlumb, 'more than the agent')
  const checked = { ...graph(node(2, 'bot', 'agent')), edges: [{ from: 0, to: 2, checked: true }] }
  t.match(describeProgram('main', checked, names), asPlumb, 'main takes less than the agent')
  t.equal(describeProgram('main', { nodes: [node(1, 'output', 'output')], edges: [] }, names), undefined)
  for (const [type, isText] of [
    ['"a" | "b"', true],
    ['json', false],
    ['string | int', false],
    ['Unknown', false],
  ] as const) {
    const one = { nodes: [node(0, 'input', 'input', type)], edges: [] }
    t.equal(describeProgram('main', one, names)?.input.isText, isText, type)
  }
  t.match(specText({ kind: 'none' }, undefined, undefined), /eliza/)
  t.match(specText({ kind: 'none' }, 'openai', 'eliza'), /assistant/)
  t.match(specText({ kind: 'none' }, undefined, 'openai'), /assistant/)
})

t.test('one answer at a time', async (t) => {
  const shown: string[] = []
  const screen = {
    answer: (piece: string) => shown.push(piece),
    endAnswer: () => shown.push('.'),
    startAnswer: (agent: string, isProse: boolean) => shown.push(`[${agent}]${isProse ? '' : ' as it is'}`),
    output: (text: string) => shown.push(`=${text}`),
    prose: (text: string) => shown.push(`~${text}`),
  } as unknown as Screen
  const text = (agent: string, delta: string) => ({ kind: 'text', delta, agent }) as ProgramEvent
  const usage = (agent: string) => ({ kind: 'usage', agent }) as ProgramEvent
  const answers = openAnswers({
    screen,
    isStreamed: true,
    isNamed: true,
    isProse: (agent) => agent === 'a',
    isGrowing: (agent) => agent === 'g',
  })
  for (const event of [
    text('g', '{'),
    text('a', '1'),
    text('b', '2'),
    text('a', '3'),
    text('b', '4'),
    usage('b'),
    text('a', '5'),
    usage('a'),
  ])
    answers.addEvent(event)
  answers.output('"24"', undefined)
  answers.output('9007199254740993', 'big')
  answers.output('"**x**"', undefined)
  t.strictSame(shown, ['[a]', '1', '3', '5', '.', '[b] as it is', '24', '.', '=big: 9007199254740993', '~**x**'])
})

t.test('colours', async (t) => {
  t.ok(hasStyles(true, { TERM: 'xterm', NO_COLOR: '' }))
  for (const env of [{ TERM: 'xterm', NO_COLOR: '1' }, { TERM: 'dumb' }, {}]) t.notOk(hasStyles(true, env))
  t.notOk(hasStyles(false, { TERM: 'xterm' }))
  const paint = makePaint(true, ['a'])
  t.equal(paint.agent('a', 'x'), '\x1b[36mx\x1b[0m')
  t.not(paint.agent('b', 'x'), paint.agent('a', 'x'))
  t.equal(makePaint(false, []).error('x'), 'x')
})

t.test('faults, events and questions as text', async (t) => {
  t.equal(formatFault({ error: 'timeout', category: 'unavailable', detail: 'a\nb' }), 'error: a\\nb (timeout)')
  const format = (event: object, isForPerson = false) =>
    formatEvent({ agent: 'a', time: '', ...event } as never, { inputOf: () => '{"path":"x"}', isForPerson })
  const usage = { kind: 'usage', input_tokens: 3, output_tokens: 4, cache_read_tokens: 5, cache_creation_tokens: 6 }
  t.equal(format(usage), '3 in / 4 out (cache: 5 read, 6 create)')
  t.equal(format(usage, true), undefined)
  const result = { kind: 'tool_result', id: '1', name: 'r', is_error: true, ms: 2, bytes: 9, detail: 'above the limit\x1b' }
  t.equal(format(result), 'r {"path":"x"} -> error, 9 bytes in 2 ms')
  t.equal(format(result, true), 'r {"path":"x"} failed: above the limit\\u001b (2 ms)')
  t.equal(format({ ...result, is_error: false, ms: 2345 }, true), 'r {"path":"x"}: 9 bytes (2.3 s)')
  t.equal(format({ kind: 'retry', attempt: 2, reason: 'late\x1b', wait_ms: 0 }), 'asks again (2): late\\u001b')
  t.equal(format({ kind: 'mended', what: 'a comma' }), 'mended: a comma')
  t.equal(format({ kind: 'text', delta: 'x' }), undefined)
  t.strictSame(consentQuestion({ tool: 't\x1b', input: '{"n":1,"long name":9007199254740993}' }, { number: '(2 of 3) ' }), {
    above: 't\\u001b:\n  n          1\n  long name  9007199254740993',
    line: "(2 of 3) allow 't\\u001b'? [y once, N no, e edit] ",
  })
  const about = { description: 'does it\nand more', effects: ['exec', 'net'] }
  t.equal(consentQuestion({ tool: 't', input: '"x\u202e"', ...about }).above, 't: does it\n  "x\\u202e"\n  effects: exec, net')
  const { above } = consentQuestion({ tool: 't', input: `{"x":"${'word '.repeat(30)}${'y'.repeat(70)}"}` }, { columns: 40 })
  t.ok(
    above.split('\n').every((line, i) => line.trimEnd().length <= 40 && (i === 0 || /^ {2}x {2}\S|^ {5}\S/.test(line))),
    above,
  )
  t.equal(above.replaceAll(/\n {5}/g, ''), `t:\n  x  "${'word '.repeat(30)}${'y'.repeat(70)}"`, 'nothing is left out')
  const styled = consentQuestion(
    { tool: 't\x1b', input: '{"n":"\u202e"}', process: 'bot', effects: ['exec'] },
    { columns: 40, isStyled: true },
  )
  t.equal(
    styled.above.replaceAll('\x1b', '␛'),
    '␛[1mt\\u001b␛[0m, asked for by bot:\n␛[2m  n  ␛[0m"\\u202e"\n␛[2m  effects: ␛[0mexec',
    'nothing of the call is obeyed',
  )
  const question = {
    agent: 'review',
    prompt: 'Is this what we say to customers?',
    input: '"a reply\\nof two lines, which goes on"',
    schema: {},
  }
  t.equal(
    shownQuestion(question, { columns: 32 }),
    "'review' asks: Is this what we \n  say to customers?\n  a reply\n  of two lines, which goes on",
  )
  t.equal(shownQuestion(question), "'review' asks: Is this what we say to customers?\n  a reply\n  of two lines, which goes on")
  t.match(shownQuestion(question, { columns: 32, isStyled: true }), "\x1b[1m'review' asks:\x1b[0m Is this")
  t.match(consentQuestion({ tool: 't', input: `{"x":"${'x'.repeat(5000)}"}` }).above, /^t:\n {2}{"x":"x+ … and 1008 more characters$/)
})

t.test('replies', async (t) => {
  const requests = new Requests()
  const [paused, memory, lost] = [requests.waitFor('paused'), requests.waitFor('memory'), requests.waitFor('resumed')]
  t.notOk(requests.settle({ kind: 'approval' }))
  t.ok(requests.settle({ kind: 'memory', messages: [] }))
  t.ok(requests.settle({ kind: 'error', error: 'overflow', category: 'internal', detail: 'd' }))
  t.match(await memory, { ok: true })
  t.match(await paused, { ok: false, error: { error: 'overflow' } })
  requests.end()
  t.match(await lost, { ok: false, error: { error: 'child_failed' } })
  t.notOk(requests.settle({ kind: 'error', error: 'x' }))
})

t.test('history', async (t) => {
  t.equal(historyFile({ XDG_STATE_HOME: '/s', HOME: '/h' }), '/s/plumb/chat-history')
  t.equal(historyFile({ XDG_STATE_HOME: 'relative', HOME: '/h' }), '/h/.local/state/plumb/chat-history')
  t.equal(historyFile({}), undefined)
  const path = join(directory, 'state/plumb/chat-history')
  mkdirSync(join(directory, 'state/plumb'), { recursive: true })
  const lines = Array.from({ length: 2 * MAX_ENTRIES }, (_, i) => JSON.stringify(`n${i}`))
  writeFileSync(path, `${lines.join('\n')}\n"cut`, { mode: 0o666 })
  const opened = openHistory(path)
  if (!opened.ok) throw new Error(opened.error.detail)
  const history = opened.value
  t.equal(statSync(path).mode & 0o777, 0o600)
  t.equal(history.entries.length, MAX_ENTRIES)
  t.equal(history.entries[0], `n${2 * MAX_ENTRIES - 1}`)
  for (const entry of ['two\nlines', 'two\nlines', ' secret', 'x'.repeat(10_001)]) history.add(entry)
  const kept = readFileSync(path, 'utf8').trimEnd().split('\n')
  t.equal(kept.length, MAX_ENTRIES + 1, 'the file was made shorter, and one was added')
  t.equal(kept.at(-1), '"two\\nlines"')
  rmSync(join(directory, 'state'), { recursive: true })
  t.doesNotThrow(() => history.add('nowhere to go'))
  t.match(openHistory(directory), { ok: false, error: { detail: /^no history is kept: / } })
})

t.test('memory in a file', async (t) => {
  const path = join(directory, 'memory.json')
  const messages = [{ role: 'user', content: 'x' }]
  t.equal(writeMemory(path, messages), undefined)
  t.strictSame(readMemory(path), { ok: true, value: messages })
  writeFileSync(path, JSON.stringify(messages))
  t.strictSame(readMemory(path), { ok: true, value: messages }, 'the list alone')
  t.match(readMemory(directory), { ok: false, error: { error: 'file_not_found', detail: /is not a regular file/ } })
  symlinkSync(join(directory, 'nowhere'), join(directory, 'dangling'))
  t.match(writeMemory(join(directory, 'dangling'), messages), { error: 'file_exists' })
  guardOutputsBelow(directory)
  mkdirSync(join(directory, 'elsewhere'))
  symlinkSync(join(directory, 'elsewhere'), join(directory, 'led'))
  t.match(writeMemory(join(directory, 'led', 'm.json'), messages), { error: 'write_failed', detail: /'.*led' is a link/ })
  t.strictSame(readdirSync(join(directory, 'elsewhere')), [], 'nothing is written through a link')
})

t.test('a call is shown with the digits that were written', async (t) => {
  const text = '{"kind":"approval","id":"1","in":0,"input":{"n":9007199254740993}}'
  t.match(withInputText(JSON.parse(text), Buffer.from(text)), { id: '1', inputText: '{"n":9007199254740993}' })
  t.strictSame(withInputText({ kind: 'text', input: 1 }, Buffer.from('{"kind":"text","input":1}')), { kind: 'text', input: 1 })
})
