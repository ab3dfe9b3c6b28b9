// Numbered lines: how they are read, against a slow reader by JSON.parse; and what is known of the messages that a program was sent, against
// a list of them.

import fc from 'fast-check'
import t from 'tap'
import { asShared, fault } from '../src/error.js'
import { NumberedLine, textOfError } from '../src/numbered/line.js'
import { SentMessages } from '../src/numbered/sent-messages.js'
import {
  controlText,
  doneText,
  errorText,
  seqLine,
  telemetryLine,
  telemetryText,
  valueLine,
  valueText,
  waitingText,
} from '../src/numbered/write.js'
import { holds, runs } from './property.js'

/** What a line says, or undefined if it is none. */
const read = (text: string, isOurs = false): Record<string, unknown> | undefined => {
  // Something stands before and behind it, as in a chunk.
  const bytes = Buffer.from(`]${text}}`)
  const line = new NumberedLine(isOurs)
  // What was read before must not be seen.
  line.read(Buffer.from('{"seq":7,"port":"x","error":1,"more":true}'), 0, 42)
  const [start, end] = [1, bytes.length - 1]
  if (!line.read(bytes, start, end)) return undefined
  const { kind, seq, seqs, port, isEnd, isLost, isShared, isPaused, error, waiting, isBatched } = line
  const json = bytes.toString('utf8', line.start, line.end)
  if (kind === 'control') return { control: seq, isPaused }
  if (kind === 'telemetry') return { telemetry: json }
  if (kind === 'waiting') return { waiting, isBatched }
  const flags = { ...(isEnd ? { isEnd } : {}), ...(isLost ? { isLost } : {}), ...(isShared ? { isShared } : {}) }
  const about = { seq, ...(seqs.length > 0 ? { seqs } : {}), ...(port === 'output' ? {} : { port }), ...flags }
  return kind === 'value' ? { ...about, value: json } : kind === 'error' ? { ...about, error } : { ...about, kind }
}

const NONE = undefined
/** A line, and what it says where a program of others writes it; and if that is something else, where one of ours does. */
const FORMS: readonly (readonly [string, object | undefined, (object | undefined)?])[] = [
  ['{"seq":1,"value":2}', { seq: 1, value: '2' }],
  ['{"seq":12,"value":{"a": [1e2, 12345678901234567890]} }', { seq: 12, value: '{"a": [1e2, 12345678901234567890]}' }],
  [' \t{ "seq" : 1 , "value" : 2 } ', { seq: 1, value: '2' }],
  ['{"value":2,"seq":1}', { seq: 1, value: '2' }],
  ['{"\\u0073eq":1,"val\\u0075e":"v"}', { seq: 1, value: '"v"' }],
  ['{"seq":1,"value":null}', { seq: 1, value: 'null' }],
  ['{"seq":1,"value":2,"done":true}', { seq: 1, value: '2', isEnd: true }],
  ['{"seq":1,"value":2,"done":false}', { seq: 1, value: '2' }],
  ['{"seq":1,"value":2,"more":true}', { seq: 1, value: '2' }],
  ['{"seq":1,"done":true,"value":2}', { seq: 1, value: '2', isEnd: true }],
  ['{"seq":1,"port":"ctrl_out","value":2}', { seq: 1, port: 'ctrl_out', value: '2' }],
  ['{"seq":1,"port":"é","value":2}', { seq: 1, port: 'é', value: '2' }],
  ['{"seq":1,"port":"a\\"b","value":2}', { seq: 1, port: 'a"b', value: '2' }],
  ['{"seq":1,"port":2,"value":2}', NONE],
  ['{"seq":1,"value":2,"x":{"seq":3,"done":true}}', { seq: 1, value: '2' }],
  ['{"seq":1,"value":{"seq":2,"seq":3}}', { seq: 1, value: '{"seq":2,"seq":3}' }],
  ['{"seq":1,"done":true}', { seq: 1, kind: 'done', isEnd: true }],
  ['{"seq":1,"done":true,"lost":true}', { seq: 1, kind: 'done', isEnd: true }, { seq: 1, kind: 'done', isEnd: true, isLost: true }],
  ['{"seq":1,"done":true,"more":true}', { seq: 1, kind: 'done', isEnd: true }],
  ['{"seq":1,"done":1}', NONE],
  ['{"seq":1,"done":false}', NONE],
  ['{"seq":1}', NONE],
  ['{"seq":1,"error":{"error":"timeout"}}', { seq: 1, error: { error: 'timeout' }, isEnd: true }],
  ['{"seq":1,"error":{"error":"timeout"},"more":true}', { seq: 1, error: { error: 'timeout' } }],
  ['{"seq":1,"error":"no","more":1}', { seq: 1, error: 'no', isEnd: true }],
  ['{"seq":1,"error":null}', { seq: 1, error: null, isEnd: true }],
  ['{"seq":1,"error":"no","more":true,"done":true}', { seq: 1, error: 'no', isEnd: true }],
  ['{"seq":1,"error":"no","shared":true}', { seq: 1, error: 'no', isEnd: true }, { seq: 1, error: 'no', isEnd: true, isShared: true }],
  ['{"seq":1,"value":2,"error":"no"}', NONE],
  ['{"seq":null,"value":2}', { seq: 0, value: '2' }],
  ['{"seq":null,"error":"no"}', NONE],
  ['{"seq":null,"done":true}', NONE],
  ['{"seq":0,"value":2}', NONE],
  ['{"seq":-1,"value":2}', NONE],
  ['{"seq":1.5,"value":2}', NONE],
  ['{"seq":1.0,"value":2}', { seq: 1, value: '2' }],
  ['{"seq":1e1,"value":2}', { seq: 10, value: '2' }],
  ['{"seq":01,"value":2}', NONE],
  ['{"seq":"1","value":2}', NONE],
  ['{"seq":9007199254740991,"value":2}', { seq: 9007199254740991, value: '2' }],
  ['{"seq":9007199254740993,"value":2}', NONE],
  ['{"seq":1e400,"value":2}', NONE],
  ['{"seq":1,"seq":1,"value":2}', NONE],
  ['{"seq":1,"value":2,"value":3}', NONE],
  ['{"seq":1,"\\u0073eq":2,"value":3}', NONE],
  ['{"seq":1,"x":1,"x":2,"value":3}', NONE],
  ['{"seq":1,"value":2', NONE],
  ['{"seq":1,"value":2}x', NONE],
  ['{"seq":1,"value":}', NONE],
  ['{"value":2}', NONE],
  ['2', NONE],
  ['[{"seq":1,"value":2}]', NONE],
  ['', NONE],
  ['{}', NONE],
  [`{"seq":1,"value":${'['.repeat(400)}${']'.repeat(400)}}`, { seq: 1, value: `${'['.repeat(400)}${']'.repeat(400)}` }],
  [`{"seq":1,"value":${'['.repeat(600)}${']'.repeat(600)}}`, NONE],
  ['{"control":1,"done":true}', { control: 1, isPaused: false }],
  ['{"done":true,"control":1,"paused":true}', { control: 1, isPaused: false }, { control: 1, isPaused: true }],
  ['{"control":1}', NONE],
  ['{"control":0,"done":true}', NONE],
  ['{"control":"1","done":true}', NONE],
  ['{"control":1,"done":true,"seq":1}', NONE],
  // Of ours alone.
  ['{"seq":3,"seqs":[1,3],"value":2}', { seq: 3, value: '2' }, { seq: 3, seqs: [1, 3], value: '2' }],
  ['{"value":2,"seq":3,"seqs":[1,3]}', { seq: 3, value: '2' }, { seq: 3, seqs: [1, 3], value: '2' }],
  ['{"seq":3,"seqs":[1,3],"error":"no","more":true}', { seq: 3, error: 'no' }, { seq: 3, seqs: [1, 3], error: 'no' }],
  ['{"seq":3,"seqs":[1,"3"],"error":"no"}', { seq: 3, error: 'no', isEnd: true }],
  ['{"telemetry":{"kind":"usage"}}', NONE, { telemetry: '{"kind":"usage"}' }],
  ['{"waiting":2,"batched":true}', NONE, { waiting: 2, isBatched: true }],
  ['{"waiting":0}', NONE, { waiting: 0, isBatched: false }],
  ['{"waiting":"2"}', NONE],
]

t.test('numbered lines', async (t) => {
  for (const [text, foreign, ours] of FORMS) {
    t.same(read(text), foreign, `of others: ${text.slice(0, 80)}`)
    // In a line of ours a value stands last, and who reads the value checks it.
    if (ours) t.same(read(text, true), ours, `of ours: ${text.slice(0, 80)}`)
  }
})

const seq = fc.integer({ min: 1, max: 1e6 })
const seqs = fc.oneof(
  fc.constant([]),
  seq.map((n) => [n]),
  fc.uniqueArray(seq, { minLength: 2, maxLength: 5 }).map((all) => all.sort((a, b) => a - b)),
)
const value = fc.json({ maxDepth: 3 })
const port = fc.constantFrom('output', 'ctrl_out', 'a_1')

t.test('what is written is read as it was meant', (t) => {
  const bytes = (text: string): [Buffer, number, number] => [Buffer.from(`<${text}>`), 1, Buffer.byteLength(text) + 1]
  const property = fc.property(seqs, port, value, fc.boolean(), fc.boolean(), (all, port, json, isFirst, isSecond) => {
    const last = all.at(-1) ?? 0
    const about = { seq: last, ...(all.length > 1 ? { seqs: all } : {}) }
    const shown = { ...about, ...(port === 'output' ? {} : { port }), value: json }
    t.same(read(String(valueLine(all, port, ...bytes(json))), true), shown)
    t.same(read(valueText(all, port, json), true), shown)
    t.same(read(String(seqLine(last, ...bytes(json))), true), { seq: last, value: json })
    t.same(read(String(telemetryLine(...bytes(json))), true), { telemetry: json })
    t.same(read(telemetryText(json), true), { telemetry: json })
    t.same(read(controlText(last + 1, isFirst), true), { control: last + 1, isPaused: isFirst })
    t.same(read(waitingText(last, isFirst), true), { waiting: last, isBatched: isFirst })
    if (last === 0) return
    t.same(read(doneText(last, isFirst), true), { seq: last, kind: 'done', isEnd: true, ...(isFirst ? { isLost: true } : {}) })
    const said = fault('timeout', json, { seq: 99, seqs: [[1, 2]], line: 3 })
    const { seq: _, seqs: __, ...error } = said
    t.same(read(errorText(all, isSecond ? asShared(said) : said, { hasMore: isFirst, isForOurs: true }), true), {
      ...about,
      error,
      ...(isFirst ? {} : { isEnd: true }),
      ...(isSecond ? { isShared: true } : {}),
    })
  })
  return holds(t, property, { numRuns: runs(400) })
})

/** Members in any order, some of them odd, some twice. */
const members = fc.array(
  fc.oneof(
    fc.tuple(fc.constant('seq'), fc.oneof(fc.integer({ min: -1, max: 20 }), fc.constantFrom(null, '1', 1.5, 2 ** 53))),
    fc.tuple(fc.constant('value'), fc.jsonValue({ maxDepth: 2 })),
    fc.tuple(fc.constant('error'), fc.jsonValue({ maxDepth: 1 })),
    fc.tuple(fc.constantFrom('done', 'more', 'lost', 'shared', 'paused'), fc.constantFrom(true, false, 1)),
    fc.tuple(fc.constant('port'), fc.constantFrom('output', 'a', 3)),
    fc.tuple(fc.constant('control'), fc.integer({ min: -1, max: 20 })),
    fc.tuple(fc.constantFrom('x', '__proto__', 'é', 'telemetry', 'waiting', 'seqs'), fc.jsonValue({ maxDepth: 1 })),
  ),
  { maxLength: 6 },
)

/** The rule, by JSON.parse. */
const slow = (list: readonly (readonly [string, unknown])[]): object | undefined => {
  const of = new Map(list)
  if (of.size < list.length) return undefined
  const isNumber = (n: unknown) => Number.isSafeInteger(n) && (n as number) > 0
  const isTrue = (name: string) => of.get(name) === true
  if (of.has('control')) {
    if (of.has('seq') || !isTrue('done') || !isNumber(of.get('control'))) return undefined
    return { control: of.get('control'), isPaused: false }
  }
  const [n, port] = [of.get('seq'), of.get('port') ?? 'output']
  if ((n !== null && !isNumber(n)) || typeof port !== 'string' || (of.has('value') && of.has('error'))) return undefined
  const isEnd = isTrue('done') || (of.has('error') && !isTrue('more'))
  const about = { seq: n ?? 0, ...(port === 'output' ? {} : { port }), ...(isEnd ? { isEnd } : {}) }
  if (of.has('value')) return { ...about, value: JSON.stringify(of.get('value')) }
  if (n === null) return undefined
  if (of.has('error')) return { ...about, error: JSON.parse(JSON.stringify(of.get('error'))) }
  return isTrue('done') ? { ...about, kind: 'done' } : undefined
}

t.test('members in any order, some of them odd or twice', (t) => {
  const spaces = fc.constantFrom('', ' ', '\t ')
  const property = fc.property(members, spaces, fc.boolean(), (list, space, isEscaped) => {
    const key = (name: string) => {
      const text = JSON.stringify(name)
      return isEscaped ? `"\\u${name.charCodeAt(0).toString(16).padStart(4, '0')}${text.slice(2)}` : text
    }
    const text = `${space}{${list.map(([name, of]) => `${space}${key(name)}${space}:${space}${JSON.stringify(of)}${space}`).join(',')}}${space}`
    t.same(read(text), slow(list), text)
  })
  return holds(t, property, { numRuns: runs(2000) })
})

t.test('an error in any form has words', async (t) => {
  for (const [error, words] of [
    ['no', 'no'],
    [{ detail: 'd', message: 'm' }, 'd'],
    [{ detail: 1, message: 'm' }, 'm'],
    [{ detail: '', message: 'm' }, 'm'],
    [{ error: 'odd', detail: '' }, '{"error":"odd","detail":""}'],
    [{ code: 3 }, '{"code":3}'],
    [null, 'null'],
    [[1], '[1]'],
  ])
    t.equal(textOfError(error), words)
})

interface Known {
  readonly messages: SentMessages<number>
  /** Each that was sent, by its number: whether more may come of it. */
  readonly model: Map<number, { isOpen: boolean; isRefused: boolean }>
  readonly controls: Set<number>
  controlsSent: number
  waiting: number
}

const same = (known: Known): boolean => {
  const { messages, model, controls } = known
  const open = [...model].filter(([, { isOpen }]) => isOpen).map(([n]) => n)
  const listed = [...messages]
  return (
    messages.count === model.size &&
    messages.inHand === open.length &&
    `${listed.map(({ n }) => n)}` === `${open}` &&
    listed.every(({ n, of }) => of === n * 2 && messages.at(n)?.n === n) &&
    messages.controlsInHand === controls.size &&
    messages.waiting === (controls.size === 0 ? known.waiting : 0)
  )
}

const STEPS: Readonly<Record<string, (known: Known, n: number) => boolean>> = {
  send: ({ messages, model }) => {
    const n = model.size + 1
    model.set(n, { isOpen: true, isRefused: false })
    const sent = messages.send(n * 2)
    return sent.n === n && !sent.hasValue
  },
  end: (known, n) => {
    const { messages, model } = known
    const sent = messages.at(n)
    const entry = model.get(n)
    if ((sent !== undefined) !== (entry?.isOpen === true)) return false
    if (!sent || !entry) return true
    messages.end(sent)
    entry.isOpen = false
    known.waiting = 0
    return messages.at(n) === undefined
  },
  refuse: (known, n) => {
    const { messages, model } = known
    const [sent, entry] = [messages.at(n), model.get(n)]
    if (!sent || !entry) return true
    messages.refuse(sent)
    Object.assign(entry, { isOpen: false, isRefused: true })
    known.waiting = 0
    return true
  },
  more: ({ messages, model }, n) => messages.wasRefused(n, false) === (model.get(n)?.isRefused === true),
  last: ({ messages, model }, n) => {
    const entry = model.get(n)
    const wasRefused = entry?.isRefused === true
    if (entry) entry.isRefused = false
    return messages.wasRefused(n, true) === wasRefused
  },
  control: (known) => {
    known.messages.sendControl()
    known.controls.add(++known.controlsSent)
    return true
  },
  endControl: (known, n) => {
    const { messages, controls } = known
    known.waiting = 0
    return messages.endControl(n, n % 2 === 0) === controls.delete(n) && messages.isPaused === (n % 2 === 0)
  },
  wait: (known, n) => {
    known.messages.wait(n, true)
    known.waiting = n
    return known.messages.isBatched === (known.controls.size === 0 && n > 0)
  },
}

t.test('what is known of messages is what a list of them would tell', (t) => {
  const step = fc.tuple(fc.constantFrom('send', 'send', 'send', ...Object.keys(STEPS)), fc.integer({ min: 0, max: 40 }))
  const property = fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
    const known: Known = { messages: new SentMessages(), model: new Map(), controls: new Set(), controlsSent: 0, waiting: 0 }
    return steps.every(([name, n]) => (STEPS[name] as (typeof STEPS)[string])(known, n) && same(known))
  })
  return holds(t, property, { numRuns: runs(1000) })
})

t.test('messages are known by their numbers however many came before', async (t) => {
  const messages = new SentMessages<number>()
  const late = messages.send(1)
  for (let n = 2; n <= 5000; n++) messages.end(messages.send(n))
  t.equal(messages.at(1), late)
  messages.end(late)
  const next = messages.send(5001)
  t.strictSame(
    [next.n, messages.at(5001) === next, messages.at(5000), messages.at(1), messages.inHand],
    [5001, true, undefined, undefined, 1],
  )
})
