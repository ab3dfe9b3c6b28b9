// What a model says becomes a value of the output type, or is asked for again; and what a stub of a model makes of a conversation.

import { type Json, KeyReader, MessageScanner, resolve, type Type } from '@plumb/lang'
import { fail, type Result, succeed } from '@plumb/wire'
import fc from 'fast-check'
import t from 'tap'
import { expression } from '../../lang/test/parsed.js'
import { holds } from '../../wire/test/property.js'
import { readAnswer } from '../src/answer/read.js'
import { validate } from '../src/answer/validate.js'
import type { AgentConfig } from '../src/config/config.js'
import { parseControl } from '../src/control/message.js'
import { openConversation } from '../src/conversation/conversation.js'
import type { Intake } from '../src/io/intake.js'
import type { Outlets } from '../src/io/outlets.js'
import { InFlight } from '../src/loop/in-flight.js'
import { Loop } from '../src/loop/loop.js'
import type { Input } from '../src/loop/pending-queue.js'
import { Cancellation } from '../src/provider/cancellation.js'
import { fit } from '../src/provider/eliza/fit.js'
import type { ModelAnswer, ModelRequest, Provider } from '../src/provider/provider.js'
import { NO_TOOLS } from '../src/tool/no-tools.js'

type NamedType = Extract<Type, { kind: 'named' }>

const STRING: Type = { kind: 'string' }
const INT: Type = { kind: 'int' }
const list = (item: Type): Type => ({ kind: 'array', item })
const sum = (...variants: Type[]): Type => ({ kind: 'sum', variants })
const literal = (value: string): Type => ({ kind: 'literal', value })
const record = (
  fields: Record<string, Type>,
  optional: Record<string, Type> = {},
  defaults: Record<string, readonly [Type, string]> = {},
): Type => ({
  kind: 'record',
  fields: [
    ...Object.entries(fields).map(([name, type]) => ({ name, type, isOptional: false })),
    ...Object.entries(optional).map(([name, type]) => ({ name, type, isOptional: true })),
    ...Object.entries(defaults).map(([name, [type, text]]) => ({ name, type, isOptional: false, default: text })),
  ],
})
const named = (name: string, make: (self: Type) => Type): Type => {
  const self: NamedType = { kind: 'named', name, target: STRING }
  self.target = make(self)
  return self
}

const COUNT = record({ count: INT }, { tags: list(STRING) })

t.test('answers are read, and repaired where that invents nothing', async (t) => {
  const cases: [text: string, type: Type, json: string | null, repaired?: string][] = [
    ['as "it" is\n', STRING, '"as \\"it\\" is\\n"'],
    ['{"count": 12345678901234567890}', COUNT, '{"count": 12345678901234567890}'],
    ['{\n  "count": 1,\n  "tags": ["a\\nb"]\n}\n', COUNT, '{"count": 1,"tags": ["a\\nb"]}'],
    ['Here it is:\n```json\n{"count": 42}\n```\nDone.', COUNT, '{"count":42}', 'code fence'],
    ['The count is {"count": 42}, I think [sic].', COUNT, '{"count":42}', 'text around the value'],
    [
      "{count: 1, 'tags': ['it\\'s', 'a \"b\"',],}",
      COUNT,
      '{"count":1,"tags":["it\'s","a \\"b\\""]}',
      'bare key, single quotes, trailing comma',
    ],
    ['{"count": 1 /* one */, // two\n "tags": []}', COUNT, '{"count":1,"tags":[]}', 'comment'],
    ['{"count": 1, "tags": "a"}', COUNT, '{"count":1,"tags":["a"]}', 'lone value for a list'],
    ['{"count": 1}', list(COUNT), '[{"count":1}]', 'lone value for a list'],
    ['7', sum(list(INT), record({ a: STRING })), '[7]', 'lone value for a list'],
    ['{"a": 1}', record({ a: INT }, {}, { b: [INT, '5'] }), '{"a": 1,"b":5}'],
    ['{"count": "many"}', COUNT, null],
    ['{"a b": 7}', { kind: 'map', item: list(INT) }, '{"a b":[7]}', 'lone value for a list'],
    ['{}', COUNT, null],
    ['no value at all', COUNT, null],
    ['{"count": 1} or {"count": 2}', COUNT, null],
    ['{"count": 1} and again {"count": 1}', COUNT, '{"count":1}', 'text around the value'],
    ['{"count": 1', COUNT, null],
    ['{"count": 01}', COUNT, null],
    ['I would say "calm".', sum(literal('calm'), literal('cross')), null],
    ['{"count": 1, "extra": true}', COUNT, null],
    [`${'['.repeat(2000)}${']'.repeat(2000)}`, { kind: 'json' }, null],
    [`{"a": "\ud800"}`, record({ a: STRING }), '{"a": "\\ud800"}'],
    [`x ${'{a:'.repeat(20_000)}`, COUNT, null],
  ]
  for (const [text, type, json, repaired = ''] of cases) {
    const read = readAnswer(text, type)
    const name = text.slice(0, 60)
    if (json === null) t.equal(!read.ok && read.error.error, 'output_type_mismatch', name)
    else t.strictSame(read, succeed({ json, repairs: repaired === '' ? [] : repaired.split(', ') }), name)
  }
  const mismatch = readAnswer('```\n{"count": "many"}\n```', COUNT)
  t.match(!mismatch.ok && mismatch.error, { detail: /at \.count: expected int, found "many"/, path: '.count', expected: 'int' })
})

t.test('what was right is never repaired', async (t) =>
  holds(
    t,
    fc.property(fc.json(), (json) => {
      const read = readAnswer(json, { kind: 'json' })
      return read.ok && read.value.repairs.length === 0 && read.value.json === json.trim()
    }),
  ),
)

const TREE = named('Tree', (self) => record({ kids: list(self), left: sum(self, { kind: 'unit' }) }, { word: STRING }))

t.test('eliza puts its sentence into the smallest value that carries it', async (t) => {
  const ranged: Type = {
    kind: 'record',
    fields: [
      { name: 'score', type: INT, isOptional: false, min: 1, max: 5 },
      { name: 'says', type: STRING, isOptional: false },
    ],
  }
  const cases: [Type, Json | undefined][] = [
    [STRING, 'S'],
    [{ kind: 'json' }, 'S'],
    [INT, 0],
    [sum(literal('a'), literal('b')), 'a'],
    [record({ n: INT, list: list(STRING), a: STRING, b: STRING }), { n: 0, list: [], a: 'S', b: '' }],
    [record({ list: list(STRING) }, { note: STRING }), { list: [], note: 'S' }],
    [record({ list: list(STRING) }), { list: ['S'] }],
    [record({ n: INT }, { note: STRING, more: STRING }), { n: 0, note: 'S' }],
    [record({ n: INT }, {}, { note: [STRING, '"x"'] }), { n: 0, note: 'S' }],
    [record({ inner: record({ deep: STRING }), flat: INT }), { inner: { deep: 'S' }, flat: 0 }],
    [{ kind: 'tuple', items: [{ kind: 'bool' }, STRING, { kind: 'unit' }] }, [false, 'S', null]],
    [sum(INT, record({ s: STRING })), { s: 'S' }],
    [ranged, { score: 1, says: 'S' }],
    [TREE, { kids: [], left: null, word: 'S' }],
    [named('Endless', (self) => record({ next: self })), undefined],
  ]
  for (const [type, value] of cases) {
    const found = fit(type, 'S')
    t.strictSame(found === undefined ? found : JSON.parse(JSON.stringify(found)), value, JSON.stringify(value))
    if (found !== undefined) t.ok(validate(JSON.stringify(found), type).ok)
  }
})

t.test('what was asked for as { value: T } comes out as T, and may come without that', async (t) => {
  const cases: [text: string, type: Type, json: string | null][] = [
    ['{"value": 12345678901234567890.50}', { kind: 'number' }, '12345678901234567890.50'],
    [' {"value":["a", "b"]} ', list(STRING), '["a", "b"]'],
    ['{"\\u0076alue": "}"}', sum(STRING, INT), '"}"'],
    ['```json\n{"value": 3}\n```', INT, '3'],
    ['{value: 3,}', INT, '3'],
    ['{"value": "a"}', list(STRING), '["a"]'],
    ['3', INT, '3'],
    ['The list is ["a"].', list(STRING), '["a"]'],
    ['{"value": 1}', { kind: 'json' }, '1'],
    ['{"value": {"value": 1}}', { kind: 'json' }, '{"value": 1}'],
    ['{"values": 1}', { kind: 'json' }, '{"values": 1}'],
    ['{"value": "x"}', INT, null],
    ['x', INT, null],
  ]
  for (const [text, type, json] of cases) {
    const read = readAnswer(text, type, true)
    t.equal(read.ok ? read.value.json : null, json, text)
  }
  const mismatch = readAnswer('{"value": "x"}', INT, true)
  t.match(!mismatch.ok && mismatch.error, { error: 'output_type_mismatch', path: '.value' }, 'the place is that in what was asked for')
})

const typeArbitrary: fc.Arbitrary<Type> = fc.letrec<{ type: Type }>((tie) => ({
  type: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom<Type>(STRING, INT, { kind: 'number' }, { kind: 'bool' }, { kind: 'unit' }, { kind: 'json' }, literal('x')),
    tie('type').map(list),
    fc.array(tie('type'), { minLength: 2, maxLength: 3 }).map((items): Type => ({ kind: 'tuple', items })),
    fc
      .tuple(fc.dictionary(fc.string(), tie('type'), { maxKeys: 3 }), fc.boolean())
      .map(([fields, isOptional]) => record(isOptional ? {} : fields, isOptional ? fields : {})),
  ),
})).type

t.test('what eliza makes fits its type', async (t) =>
  holds(
    t,
    fc.property(typeArbitrary, fc.string(), (type, sentence) => {
      const said = JSON.stringify(fit(type, sentence))
      const isText = resolve(type).kind === 'string'
      return isText ? said === JSON.stringify(sentence) : validate(said, type).ok
    }),
  ),
)

const USAGE = { input_tokens: 1, output_tokens: 1, cache_read_tokens: 0, cache_creation_tokens: 0 }

const saying = (text: string): ModelAnswer => ({ content: [{ type: 'text', text }], stop: 'end', usage: USAGE })

// Says what it is asked to, in turn, and keeps what it was asked.
const stub = (...says: (string | Result<ModelAnswer>)[]) => {
  const asked: ModelRequest[] = []
  const provider: Provider = {
    answer: async (question) => {
      asked.push({ ...question, history: [...question.history], turn: [...question.turn] })
      const said = says[Math.min(asked.length, says.length) - 1] ?? ''
      return typeof said === 'string' ? succeed(saying(said)) : said
    },
  }
  return { asked, provider }
}

const configure = (provider: Provider, more: Partial<AgentConfig> = {}): AgentConfig => ({
  agent: 'bot',
  input: STRING,
  output: COUNT,
  hasTelemetry: true,
  provider,
  providerWith: () => provider,
  providerName: 'stub',
  conversations: undefined,
  account: '',
  limit: undefined,
  rate: undefined,
  model: 'm',
  temperature: 0.5,
  effort: undefined,
  system: '',
  documents: [],
  maxTokens: 100,
  maxRetries: 2,
  schemaInPrompt: 'auto',
  keepsCut: false,
  tools: [],
  servers: [],
  skills: [],
  compose: undefined,
  maxToolCalls: Number.POSITIVE_INFINITY,
  parallelToolCalls: true,
  hasRuntimeContext: false,
  grant: undefined,
  minutes: undefined,
  isAmnesiac: false,
  history: [],
  concurrency: 1,
  lane: 'now',
  isUnordered: false,
  afterFailure: 'go on',
  maxMessages: Number.POSITIVE_INFINITY,
  ...more,
})

const WANTED = new Cancellation()

const said = (text: string) => ({ text, isString: true })

t.test('an answer that does not fit goes back with the reason', async (t) => {
  const { asked, provider } = stub('{"count":"umpteen"}', 'Well: {"count": 3}', '"x"')
  const reported: string[] = []
  const conversation = openConversation(
    configure(provider),
    NO_TOOLS,
    (event) => reported.push(event.kind),
    () => {},
  )
  t.strictSame(await conversation.answer(said('how many?'), WANTED), succeed('{"count":3}'))
  t.match(asked[1]?.turn, [
    { content: 'how many?' },
    { role: 'assistant', content: '{"count":"umpteen"}' },
    { role: 'user', content: /count.*int/ },
  ])
  t.strictSame(reported, ['usage', 'retry', 'usage', 'mended'])
  t.strictSame(
    conversation.memoryOf().map(({ content }) => content),
    ['how many?', 'Well: {"count": 3}'],
    'only what was accepted is remembered',
  )

  const spent = await conversation.answer(said('and now?'), WANTED)
  t.match(!spent.ok && spent.error, { error: 'output_type_mismatch', detail: /after 2 retries/ })
  t.equal(asked.length, 5, 'max_retries after the first')
  t.equal(conversation.memoryOf().length, 2, 'as if it had not been asked')
})

t.test('settings hold from the next question; null is the spec again', async (t) => {
  const { asked, provider } = stub('{"count":1}')
  const conversation = openConversation(
    configure(provider, { isAmnesiac: true, effort: 'low' }),
    NO_TOOLS,
    () => {},
    () => {},
  )
  const ask = async () => {
    await conversation.answer(said('x'), WANTED)
    const { model, temperature, effort, history } = asked.at(-1) as ModelRequest
    return [model, temperature, effort, history.length]
  }
  t.strictSame(await ask(), ['m', 0.5, 'low', 0])
  conversation.setModel('n')
  conversation.setTemperature(0)
  conversation.setEffort('max')
  t.strictSame(await ask(), ['n', 0, 'max', 0])
  conversation.setModel(null)
  conversation.setTemperature(null)
  conversation.setEffort(null)
  t.strictSame(await ask(), ['m', 0.5, 'low', 0])
})

t.test('a refusal is the error of its input', async (t) => {
  const { provider } = stub(fail('overloaded', 'too busy'))
  const conversation = openConversation(
    configure(provider),
    NO_TOOLS,
    () => {},
    () => {},
  )
  t.match(await conversation.answer(said('x'), WANTED), { ok: false, error: { error: 'overloaded' } })
  t.equal(conversation.memoryOf().length, 0)
})

// A loop over lines that are there already, with a provider that answers when it is let.
const openLoop = (lines: readonly string[], concurrency = 1, key?: KeyReader) => {
  const waiting: { text: string; answer: (text: string) => void }[] = []
  const provider: Provider = {
    answer: ({ turn }, { signal }) =>
      new Promise((resolve) => {
        const answer = (text: string) => resolve(succeed(saying(text)))
        signal.addEventListener('abort', () => answer(''))
        waiting.push({ text: String(turn[0]?.content), answer })
      }),
  }
  const rest = [...lines]
  const seen: string[] = []
  const reported: unknown[] = []
  const intake: Intake = {
    next: () => {
      const text = rest.shift()
      if (text?.startsWith('{')) return { kind: 'control', message: JSON.parse(text), text: Buffer.from(text) }
      return text === undefined ? undefined : { kind: 'input', line: 1, json: Buffer.from(JSON.stringify(text)), isLast: false }
    },
    get hasEnded() {
      return rest.length === 0
    },
    mayCarryControl: true,
    mayCarryAll: false,
  }
  const outlets = {
    flush: () => {},
    writeOutput: (_seq: number, json: string) => void seen.push(json),
    endControl: () => {},
    reply: ({ kind }: { kind: string }) => seen.push(kind) > 0,
    replyCount: () => 0,
    isFull: () => false,
  } as unknown as Outlets
  const config = configure(provider, {
    output: STRING,
    concurrency,
    isAmnesiac: concurrency > 1 && !key,
    conversations: key && { key, max: 2 },
  })
  const conversation = openConversation(
    config,
    NO_TOOLS,
    () => {},
    () => {},
  )
  const loop = new Loop({
    config,
    conversation,
    approvals: { settle: () => {}, end: () => {}, refuseUnused: () => {}, questions: undefined },
    toolAnswers: { receive: () => {}, end: () => {}, onBacklog: () => {} },
    onAuthority: () => {},
    intake,
    outlets,
    emit: (event) => void reported.push(event),
    report: ({ error, seq }) => void seen.push(`${error} ${seq}`),
    count: () => {},
    onFinish: () => void seen.push('end'),
  })
  loop.start('open')
  const answer = async (text: string) => {
    waiting.find((question) => question.text === text)?.answer(text.toUpperCase())
    for (let i = 0; i < 3; i++) await new Promise(setImmediate)
  }
  return { loop, seen, reported, waiting, answer }
}

t.test('an answer that waits for its turn holds no place; no more than 1,000 wait', async (t) => {
  const lines = Array.from({ length: 1200 }, (_, i) => `${i}`)
  const { seen, waiting, answer } = openLoop(lines, 2)
  for (let i = 1; waiting[i]; i++) {
    waiting[i]?.answer(`${i}`)
    for (let turns = 0; turns < 3; turns++) await new Promise(setImmediate)
  }
  t.equal(waiting.length, 1001, 'the first, and those that wait for it')
  t.strictSame(seen, [])
  await answer('0')
  t.equal(seen.length, 1001)
  t.equal(seen[1000], '"1000"')
  t.equal(waiting.length, 1003, 'then it goes on')
})

t.test('order: memory between inputs, cancel at once, stop after the current one', async (t) => {
  const { seen, waiting, answer, loop } = openLoop(['a', 'b', '{"get_memory":true}', 'c', '{"set_model":"x"}', 'd', '{"stop":true}', 'e'])
  t.strictSame(
    waiting.map(({ text }) => text),
    ['a'],
    'one at a time',
  )
  await answer('a')
  loop.control({ cancel: true })
  for (let i = 0; i < 10; i++) await null
  t.strictSame(seen, ['"A"', 'cancelled 2', 'memory'])
  loop.control({ get_memory: true })
  t.equal(seen.length, 3, 'not while an answer is being made')
  await answer('c')
  await answer('d')
  t.strictSame(seen.slice(3), ['"C"', 'memory', '"D"', 'end'])
})

t.test('while paused, memory is handled at once and inputs wait', async (t) => {
  const { seen, answer, loop } = openLoop(['a', '{"pause":true}', 'b', '{"get_memory":true}'])
  t.strictSame(seen, ['paused'])
  await answer('a')
  t.strictSame(seen, ['paused', '"A"', 'memory'], 'past the one that is held')
  loop.control({ resume: true })
  await answer('b')
  t.strictSame(seen.slice(3), ['resumed', '"B"', 'end'])
})

t.test('several at once come out in the order of their inputs', async (t) => {
  const { seen, waiting, answer } = openLoop(['a', 'b', 'c', 'd'], 3)
  t.equal(waiting.length, 3)
  await answer('b')
  t.strictSame(seen, [])
  await answer('a')
  t.strictSame(seen, ['"A"', '"B"'])
  await answer('d')
  await answer('c')
  t.strictSame(seen, ['"A"', '"B"', '"C"', '"D"', 'end'])
})

t.test('of many at once, eight are started in a turn of the event loop, and each place that is free is taken', async (t) => {
  const lines = Array.from({ length: 30 }, (_, i) => `${i}`)
  const { seen, waiting, answer } = openLoop(lines, 20)
  const started = () => waiting.map(({ text }) => Number(text))
  const turns = async (count: number) => {
    for (let i = 0; i < count; i++) await new Promise(setImmediate)
  }
  t.equal(waiting.length, 8)
  await turns(1)
  t.equal(waiting.length, 16)
  await turns(10)
  t.equal(waiting.length, 20, 'as many as its concurrency')
  await answer('0')
  t.equal(waiting.length, 21)
  for (const text of started().slice(1)) await answer(`${text}`)
  t.strictSame(started(), lines.map(Number), 'in order')
  for (const text of lines.slice(21)) await answer(text)
  t.strictSame(seen, [...lines.map((text) => `"${text}"`), 'end'])
})

t.test('inputs of one conversation are answered in their order, and hold up no others', async (t) => {
  const key = () => new KeyReader(expression('value[:1]'), { input: STRING }, new MessageScanner(STRING))
  const texts = (waiting: readonly { text: string }[]) => waiting.map(({ text }) => text).join(' ')
  const { seen, waiting, answer, loop } = openLoop(
    ['a1', 'a2', 'b1', 'a3', 'c1', 'a4', '{"get_memory":true,"conversation":"a"}', 'b2'],
    2,
    key(),
  )
  t.equal(texts(waiting), 'a1 b1')
  await answer('b1')
  t.equal(texts(waiting), 'a1 b1 c1', 'a2 and a3 wait for a1, and hold no place')
  loop.control({ pause: true })
  loop.control({ get_memory: true, conversation: 'b' })
  await answer('c1')
  t.strictSame(seen, ['paused'], 'nothing is asked of the memory while a1 is being answered')
  await answer('a1')
  t.strictSame(seen.slice(1), ['"A1"', 'memory', 'memory'], 'then of both, while a2 and all behind it wait')
  t.equal(texts(waiting), 'a1 b1 c1')
  loop.control({ resume: true })
  t.equal(texts(waiting), 'a1 b1 c1 a2 b2')
  for (const text of ['a2', 'a3', 'b2']) await answer(text)
  loop.control({ stop: true })
  await answer('a4')
  t.strictSame(seen.slice(4), ['resumed', '"A2"', '"B1"', '"A3"', '"C1"', '"A4"', '"B2"', 'end'])
})

t.test('one that waits is dropped by stop, and left by cancel', async (t) => {
  const key = new KeyReader(expression('value[:1]'), { input: STRING }, new MessageScanner(STRING))
  const { seen, answer, loop } = openLoop(['a1', 'a2', 'b1', 'a3', 'b2'], 2, key)
  loop.control({ cancel: true })
  for (let i = 0; i < 3; i++) await new Promise(setImmediate)
  t.strictSame(seen, ['cancelled 1'], 'a2 goes before b1')
  loop.control({ stop: true })
  await answer('a2')
  await answer('b2')
  t.strictSame(seen.slice(1), ['"A2"', 'cancelled 3', '"B2"', 'end'])
})

t.test('cancelled up to a number: also what has not begun, or comes only then', async (t) => {
  const key = new KeyReader(expression('value[:1]'), { input: STRING }, new MessageScanner(STRING))
  const { seen, waiting, answer, loop } = openLoop(['a1', 'a2', 'b1', 'c1', 'c2', 'c3'], 2, key)
  loop.control({ cancel: 5 })
  for (let i = 0; i < 5; i++) await new Promise(setImmediate)
  t.strictSame(
    seen,
    [1, 2, 3, 4, 5].map((seq) => `cancelled ${seq}`),
  )
  t.strictSame(
    waiting.map(({ text }) => text),
    ['a1', 'b1', 'c3'],
    'of the others nothing was asked',
  )
  loop.control({ cancel: 3 })
  await answer('c3')
  t.strictSame(seen.slice(5), ['"C3"', 'end'])
  for (const cancel of [0, 1.5, 'all', null])
    t.match(parseControl({ cancel }), { ok: false, error: { detail: /'cancel' takes true, or the number of an input/ } })
})

t.test('as many as may wait in one conversation: it goes on', async (t) => {
  const key = new KeyReader(expression('value[:1]'), { input: STRING }, new MessageScanner(STRING))
  const lines = Array.from({ length: 1500 }, (_, i) => `a${i}`)
  const { seen, waiting, answer } = openLoop(lines, 2, key)
  t.equal(waiting.length, 1)
  for (const line of lines) await answer(line)
  t.equal(seen.length, 1501)
})

t.test('the last input is reported in the turn in which it was answered', async (t) => {
  const { reported, waiting } = openLoop(['1', '2', '3', '4', '5', '6', '7', '8'], 20)
  for (const { text, answer } of waiting) answer(text)
  for (let i = 0; i < 20; i++) await null
  t.match(reported.at(-1), { kind: 'settled', inputs: 8, outputs: 8 })
})

t.test('control messages are taken whole or not at all', async (t) => {
  const right = { set_temp: null, set_model: 'x', stop: false, pause: true, set_memory: [{ role: 'user', content: { a: [1] } }] }
  t.match(parseControl(right), {
    ok: true,
    value: { temperature: null, model: 'x', isStop: false, isPause: true, memory: right.set_memory },
  })
  const wrong: [unknown, RegExp][] = [
    [null, /must be an object/],
    [{ set_temp: '1' }, /'set_temp' takes a number from 0 to 2, or null, found "1"/],
    [{ set_temp: 3 }, /'set_temp' takes a number from 0 to 2, or null, found 3/],
    [{ set_temp: -0.1 }, /'set_temp' .* found -0.1/],
    [{ set_memory: [{ role: 'a', content: 1, more: 2 }] }, /message 0 has an unknown field 'more'/],
    [{ set_memory: [{ content: 1 }] }, /needs a 'role'/],
    [{ get_memroy: true }, /did you mean 'get_memory'/],
    [JSON.parse('{"__proto__":1}'), /unknown field '__proto__'/],
  ]
  for (const [value, detail] of wrong)
    t.match(parseControl(value), { ok: false, error: { error: 'input_type_mismatch', detail } }, JSON.stringify(value))
})

t.test('what is in flight is what a Set of it would hold, in whatever order it settles', (t) =>
  holds(
    t,
    fc.property(fc.boolean(), fc.array(fc.nat(9), { maxLength: 200 }), (isUnordered, picks) => {
      const inFlight = new InFlight(isUnordered)
      const [open, settled] = [new Set<Input>(), [] as Input[]]
      const taken: number[] = []
      let seq = 0
      const start = () => {
        const input: Input = {
          kind: 'input',
          seq: ++seq,
          line: seq,
          bytes: 0,
          read: () => fail('internal', ''),
          cancellation: new Cancellation(),
        }
        inFlight.start(input)
        if (seq % 3 > 0) inFlight.begin(input)
        open.add(input)
      }
      const take = () => {
        const next = isUnordered ? settled.shift() : [...open].find(({ outcome }, i) => i === 0 && outcome)
        if (next) open.delete(next)
        const input = inFlight.takeSettled()
        if (input) taken.push(input.seq)
        const isBusy = [...open].some(({ hasBegun, outcome }) => hasBegun && !outcome)
        return input === next && inFlight.isEmpty === (open.size === 0) && inFlight.isBusy === isBusy
      }
      // Twice as many start as settle, so that it grows, and at the end all have to come out.
      for (const pick of picks) {
        const waiting = [...open].filter(({ outcome }) => !outcome)
        const one = waiting[pick % Math.max(1, waiting.length)]
        if (pick > 2 || !one) start()
        else {
          inFlight.settle(one, { ok: true, value: '' })
          settled.push(one)
        }
        if (pick % 2 === 0 && !take()) return false
      }
      inFlight.cancel('begun')
      if (![...open].every(({ cancellation, hasBegun }) => cancellation.isCancelled === (hasBegun ?? false))) return false
      const dropped = [...open].filter(({ outcome, hasBegun }) => !outcome && !hasBegun)
      inFlight.drop(dropped)
      for (const one of dropped) open.delete(one)
      for (const one of open) {
        if (one.outcome) continue
        inFlight.settle(one, { ok: true, value: '' })
        settled.push(one)
      }
      while (open.size > 0) if (!take()) return false
      return new Set(taken).size === seq - dropped.length
    }),
    { examples: [[false, [0, 0, 0, 3, 3, 3, 3, 3, 3]]] },
  ),
)
