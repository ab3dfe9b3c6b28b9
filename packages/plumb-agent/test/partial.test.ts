// Answers that are told while they grow: random values of random types, cut into random pieces, against a slow reference that reads each
// beginning again; mended texts; and what is told over each wire, at most once in 50 ms.

import type { Json, Type } from '@plumb/lang'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { runs } from '../../wire/test/property.js'
import { PartialJson } from '../src/answer/partial-json.js'
import { Partials } from '../src/answer/partials.js'
import { readAnswer } from '../src/answer/read.js'
import type { TelemetryEvent } from '../src/io/telemetry.js'
import { anthropicText, json, named, openaiText, openClient, openStub, STREAM } from './fixtures/provider/stub.js'

const STRING: Type = { kind: 'string' }
const list = (item: Type): Type => ({ kind: 'array', item })
const record = (fields: Record<string, Type>, more: object = {}): Type => ({
  kind: 'record',
  fields: Object.entries(fields).map(([name, type]) => ({ name, type, isOptional: false, ...more })),
})
const JSON_TYPE: Type = { kind: 'json' }

interface Shown {
  readonly json: string | undefined
  readonly open: readonly string[]
}

/** Each beginning read anew, by its tokens: what is whole, and texts as far as they go. */
const reference = (text: string): Shown => {
  const tokens = [...text.matchAll(/[{}[\],:]|"(?:[^"\\]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"?|[^\s{}[\],:"]+|\s+/g)].filter(
    ([word]) => word.trim() !== '',
  )
  let out = ''
  const stack: { kind: string; segment: string; count: number; key: string | undefined }[] = []
  let openText: string | undefined
  const segment = (): string => {
    const top = stack.at(-1)
    if (!top) return ''
    return `/${(top.kind === '[' ? String(top.count) : (JSON.parse(top.key ?? '""') as string)).replaceAll('~', '~0').replaceAll('/', '~1')}`
  }
  const put = (word: string): void => {
    const top = stack.at(-1)
    if (top) {
      out += top.count > 0 ? ',' : ''
      if (top.kind === '{') out += `${top.key}:`
      top.count++
    }
    out += word
  }
  for (const [i, token] of tokens.entries()) {
    const [word] = token
    const top = stack.at(-1)
    const isLast = i === tokens.length - 1 && token.index + word.length === text.length
    if (word === '{' || word === '[') {
      const at = segment()
      put(word)
      stack.push({ kind: word, segment: at, count: 0, key: undefined })
      if (top) top.key = undefined
    } else if (word === '}' || word === ']') {
      stack.pop()
      out += word
    } else if (word === ':' || word === ',') continue
    else if (top?.kind === '{' && top.key === undefined) {
      if (isWholeText(word)) top.key = word
      else break
    } else {
      if (word.startsWith('"') && !isWholeText(word)) {
        openText = segment()
        // What the pattern left out is an escape that is not whole.
        put(withoutHalf(word))
        break
      }
      if (!word.startsWith('"') && isLast) break
      put(word)
      if (top) top.key = undefined
    }
  }
  const open: string[] = []
  for (const one of stack) open.push(`${open.at(-1) ?? ''}${one.segment}`)
  if (openText !== undefined) open.push(`${open.at(-1) ?? ''}${openText}`)
  if (out === '') return { json: undefined, open: [''] }
  return {
    json: `${out}${openText === undefined ? '' : '"'}${stack
      .map(({ kind }) => (kind === '{' ? '}' : ']'))
      .reverse()
      .join('')}`,
    open,
  }
}

const isWholeText = (word: string): boolean => word.length > 1 && /^"(?:[^"\\]|\\.)*"$/s.test(word)
const withoutHalf = (word: string): string => word.replace(/(?:[\ud800-\udbff]|\\u[dD][89abAB][0-9a-fA-F]{2})$/, '')

const pieces = (text: string, cuts: readonly number[]): string[] => {
  const at = [...new Set([0, ...cuts.map((cut) => cut % (text.length + 1)), text.length])].sort((a, b) => a - b)
  return at.slice(1).map((end, i) => text.slice(at[i], end))
}

const values = fc.oneof(
  fc.array(fc.jsonValue({ maxDepth: 3, noUnicodeString: false }), { maxLength: 5 }),
  fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue({ maxDepth: 3, noUnicodeString: false }), { maxKeys: 5 }),
)
const written = fc.tuple(values, fc.integer({ min: 0, max: 2 }), fc.boolean()).map(([value, indent, isEscaped]) => {
  const text = JSON.stringify(value, null, indent)
  return isEscaped ? text.replace(/[\u0080-\uffff]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`) : text
})

/** What was final before is there as it was, and all of it begins the answer. */
const begins = (json: string, open: readonly string[], before: Shown | undefined, answer: string): void => {
  const value = JSON.parse(json) as Json
  if (before?.json !== undefined && !keeps(JSON.parse(before.json) as Json, new Set(before.open), value))
    throw new Error('what was final has changed')
  if (!keeps(value, new Set(open), JSON.parse(answer) as Json)) throw new Error('it is not a beginning of the answer')
}

/** What is not open is in the later value as it is. */
const keeps = (before: Json, open: ReadonlySet<string>, after: Json | undefined, at = ''): boolean => {
  if (!open.has(at)) return JSON.stringify(before) === JSON.stringify(after)
  if (typeof before === 'string') return typeof after === 'string' && after.startsWith(before)
  if (typeof before !== 'object' || before === null) return false
  const entries = Object.entries(before) as [string, Json][]
  return entries.every(([key, value]) => {
    const next = (after as { [key: string]: Json } | undefined)?.[key]
    return keeps(value, open, next, `${at}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`)
  })
}

t.test('each beginning of 5,000 random answers, as the reference reads it', async (t) => {
  let shown = 0
  const details = fc.check(
    fc.property(written, fc.array(fc.nat({ max: 5000 }), { maxLength: 12 }), (text, cuts) => {
      const reader = new PartialJson(JSON_TYPE, false)
      let come = ''
      let before: Shown | undefined
      for (const piece of pieces(text, cuts)) {
        reader.push(piece)
        come += piece
        if (come === text) break
        const now = reader.now
        const wanted = reference(come)
        if (JSON.stringify(now) !== JSON.stringify(wanted))
          throw new Error(`${JSON.stringify(come)}: ${JSON.stringify(now)}, not ${JSON.stringify(wanted)}`)
        if (now.json === undefined) continue
        shown++
        begins(now.json, now.open, before, text)
        before = now
      }
      return !reader.now.open.some((pointer) => pointer === '') || text.trim() === ''
    }),
    { numRuns: runs(20_000) },
  )
  t.equal((await details).failed, false, fc.defaultReportMessage(await details) ?? 'all of them')
  t.ok(shown > 1000, `${shown} beginnings`)
})

const NOTE = record({ score: { kind: 'int' }, text: STRING })
const OPTIONAL: Type = {
  kind: 'record',
  fields: [
    { name: 'a', type: { kind: 'int' }, isOptional: true },
    { name: 'b', type: STRING, isOptional: false, default: '"x"' },
    { name: 'c', type: STRING, isOptional: false },
  ],
}

/** The text, cut behind each `|`, and what is shown there. */
const TEXTS: readonly (readonly [what: string, type: Type, text: string, shown: readonly (string | undefined)[], isWrapped?: boolean])[] = [
  ['a fence', NOTE, 'Here:\n```json\n{"score": 1,| "text": "a|b"}\n```', ['{"score":1} ,', '{"score":1,"text":"a"} ,,/text']],
  ['words before it', NOTE, 'It is | {"score": 12|3, "text": |"a"}. Yes.', [undefined, '{} ,', '{"score":123} ,']],
  ['single quotes and bare keys', NOTE, "{score: 1, /* so */ text: 'it\\'s \"a|b\"'}", ['{"score":1,"text":"it\'s \\"a"} ,,/text']],
  ['a trailing comma', list({ kind: 'int' }), '[1, 2,| ]', ['[1,2] ,']],
  ['wrapped', list(STRING), '{"value": ["a", "b|c"]|}', ['["a","b"] ,,/1', '["a","bc"]'], true],
  ['not wrapped, though asked for', list(STRING), '["a", "b|c"]', ['["a","b"] ,,/1'], true],
  ['a null that is read as absent', OPTIONAL, '{"a": null, "c": "y|"}', ['{"c":"y"} ,,/c']],
  [
    'defaults of records that have ended',
    list(OPTIONAL),
    '[{"c": "y"}|, {"a": 1|}]',
    ['[{"c":"y","b":"x"}] ,', '[{"c":"y","b":"x"},{}] ,,/1'],
  ],
  ['a lone value for a list', record({ tags: list(STRING) }), '{"tags": "a|b"}', ['{} ,']],
  ['a key that the type has not', NOTE, '{"score": 1, "other": "a|b"}', ['{"score":1} ,']],
  ['a key twice', record({ a: STRING }), '{"a": "x", "a": "b|c"}', ['{"a":"x"} ,']],
  ['escapes', list(STRING), '["\\u00|e9\\ud83d|\\ude00\\|n"]', ['[""] ,,/0', '["\\u00e9"] ,,/0', '["\\u00e9\\ud83d\\ude00"] ,,/0']],
  ['half of a pair', list(STRING), '["\ud83d|\ude00"]', ['[""] ,,/0']],
  ['pointers', JSON_TYPE, '{"a/b~c": ["x|y"]}', ['{"a/b~c":["x"]} ,,/a~1b~0c,/a~1b~0c/0']],
  ['a number, a literal and a key', JSON_TYPE, '[12|, tru|e, {"ke|y": 1|}]', ['[] ,', '[12] ,', '[12,true,{}] ,,/2', '[12,true,{}] ,,/2']],
]

t.test('mended texts, defaults, and what is not whole', async (t) => {
  for (const [what, type, text, shown, isWrapped = false] of TEXTS) {
    const reader = new PartialJson(type, isWrapped)
    const parts = text.split('|')
    const seen = parts.slice(0, -1).map((part) => {
      reader.push(part)
      const { json, open } = reader.now
      return json === undefined
        ? undefined
        : `${json}${
            open.length === 0
              ? ''
              : ` ,${open
                  .slice(1)
                  .map((one) => `,${one}`)
                  .join('')}`
          }`
    })
    t.strictSame(seen, shown, what)
    const whole = readAnswer(parts.join(''), type, isWrapped)
    const last = reader.now
    if (whole.ok && last.json !== undefined)
      t.ok(
        keeps(JSON.parse(last.json) as Json, new Set(last.open), JSON.parse(whole.value.json) as Json),
        `${what}: a beginning of the output`,
      )
  }
})

t.test('linear in the length of the answer, however it is cut', async (t) => {
  const text = JSON.stringify({
    text: 'a\\"é'.repeat(40_000),
    list: Array.from({ length: 4_000 }, (_, i) => ({ i, ['k'.repeat(20)]: `${i}` })),
  })
  for (const size of [1, 7, 65_536]) {
    const reader = new PartialJson(JSON_TYPE, false)
    for (let at = 0; at < text.length - 1; at += size) reader.push(text.slice(at, Math.min(at + size, text.length - 1)))
    t.strictSame(JSON.parse(reader.now.json ?? ''), JSON.parse(text))
  }
  const grown = new PartialJson(JSON_TYPE, false)
  const lengths = ['[', '[', ']', ',', '{', '}', '"', 'a', '"', '1', ']'].map((piece) => {
    grown.push(piece)
    return grown.length
  })
  t.notOk(lengths[2] === lengths[1] || lengths[5] === lengths[4], 'an end is news')
  const number = new PartialJson(JSON_TYPE, false)
  number.push('[')
  for (let i = 0; i < 50_000; i++) number.push('1')
  t.equal(number.now.json, '[]')
})

const watch = (type: Type) => {
  const told: TelemetryEvent[] = []
  return { partials: new Partials(type, (event) => told.push(event)), told: () => told.filter(({ kind }) => kind === 'partial') }
}

t.test('attempts begin with an empty one, and the last is the output', async (t) => {
  const { partials, told } = watch(NOTE)
  partials.begin(false)
  partials.emit({ kind: 'text', delta: '{"score": 1, "te' })
  partials.emit({ kind: 'text', delta: 'xt": "a' })
  partials.emit({ kind: 'retry', attempt: 1, reason: 'the connection broke off', wait_ms: 400 })
  partials.emit({ kind: 'text', delta: 'b' })
  partials.begin(true)
  partials.emit({ kind: 'text', delta: '{"score": 2, ' })
  partials.end('{"score":2,"text":"x"}')
  t.strictSame(told(), [
    { kind: 'partial', json: '{"score":1}', open: [''] },
    { kind: 'partial', open: [''] },
    { kind: 'partial', json: '{"score":2,"text":"x"}', open: [] },
  ])
})

t.test('all that is told of a long answer is so many times its length', async (t) => {
  const { partials, told } = watch(list(STRING))
  partials.begin(false)
  const item = `"${'x'.repeat(999)}"`
  const lengths: number[] = []
  for (let i = 0; i < 1_000; i++) {
    partials.emit({ kind: 'text', delta: i === 0 ? `[${item}` : `,${item}` })
    // As if 50 ms had passed.
    partials.tellNow()
    lengths.push(told().length)
  }
  partials.stop()
  const bytes = told().reduce((sum, event) => sum + (event.kind === 'partial' ? (event.json?.length ?? 0) : 0), 0)
  t.equal(lengths[50], 51, 'each, as long as it is short')
  t.ok(bytes < 12_000_000, `${bytes} bytes of ${told().length} for 1,000,000`)
})

const frames = (...texts: readonly string[]): { readonly [wire: string]: string } => {
  const chat = texts.map((content) => ({
    id: 'c',
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta: { content }, finish_reason: null }],
  }))
  const data = (...events: readonly object[]) => events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')
  const block = { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }
  return {
    anthropic: named(
      {
        type: 'message_start',
        message: {
          id: 'm',
          type: 'message',
          role: 'assistant',
          model: 'm',
          content: [],
          stop_reason: null,
          usage: { input_tokens: 1, output_tokens: 1 },
        },
      },
      block,
      ...texts.map((text) => ({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } })),
    ),
    chat: data(...chat),
    responses: data(
      { type: 'response.created', response: { id: 'r' } },
      { type: 'response.output_item.added', output_index: 0, item: { type: 'message', id: 'i', role: 'assistant', content: [] } },
      ...texts.map((delta) => ({ type: 'response.output_text.delta', output_index: 0, content_index: 0, item_id: 'i', delta })),
    ),
  }
}

/** The text as the model's own pieces, and its stream in pieces of bytes that end anywhere, within characters too. */
const cutStream = (t: Test, wire: string, text: string, cuts: readonly number[]): readonly Uint8Array[] => {
  const texts = pieces(text, cuts).map((piece) => Buffer.from(piece).toString())
  if (texts.join('') !== text) return []
  const bytes = Buffer.from(`${frames(...texts)[wire] ?? t.bailout(wire)}${ENDS[wire]}`)
  const at = [...new Set([0, ...cuts.map((cut) => (cut * 7919) % bytes.length), bytes.length])].sort((a, b) => a - b)
  return at.slice(1).map((end, i) => bytes.subarray(at[i], end))
}

const ENDS: Readonly<Record<string, string>> = {
  anthropic: named(
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: { output_tokens: 1 } },
    { type: 'message_stop' },
  ),
  chat: `data: ${JSON.stringify({ id: 'c', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })}\n\ndata: [DONE]\n\n`,
  responses: `data: ${JSON.stringify({ type: 'response.completed', response: { id: 'r', status: 'completed', output: [], usage: { input_tokens: 1, output_tokens: 1 } } })}\n\n`,
}

const OBJECT: Type = { kind: 'json' }

t.test('random answers, cut anywhere, over each wire', async (t) => {
  const seed = Number(process.env.PLUMB_SEED ?? Date.now() % 1_000_000)
  for (const wire of ['anthropic', 'chat', 'responses']) {
    let chunks: readonly Uint8Array[] = []
    const { url } = await openStub(t, [() => ({ headers: STREAM, chunks })])
    const name = wire === 'anthropic' ? 'anthropic' : 'openai'
    const { ask } = openClient(t, name, url, { ...(name === 'openai' ? { wire } : {}), transport_retries: 2 })
    let [answers, shown] = [0, 0]
    const overWire = fc.asyncProperty(written, fc.array(fc.nat({ max: 5000 }), { maxLength: 12 }), async (text, cuts) => {
      chunks = cutStream(t, wire, text, cuts)
      // Half of a surrogate pair is in no stream of UTF-8.
      if (chunks.length === 0) return
      answers++
      const [reader, come] = [new PartialJson(OBJECT, false), { text: '' }]
      let before: Shown | undefined
      const emit = (event: TelemetryEvent): void => {
        if (event.kind !== 'text') return
        reader.push(event.delta)
        come.text += event.delta
        if (come.text === text) return
        const now = reader.now
        if (JSON.stringify(now) !== JSON.stringify(reference(come.text))) throw new Error(`${come.text}: ${JSON.stringify(now)}`)
        if (now.json === undefined) return
        shown++
        begins(now.json, now.open, before, text)
        before = now
      }
      const { partials, told } = watch(OBJECT)
      partials.begin(false)
      const answer = await ask({ output: OBJECT, emit: (event) => [emit(event), partials.emit(event)] })
      if (!answer.ok || come.text !== text) throw new Error(`${wire}: ${JSON.stringify(answer)}, ${come.text}`)
      const whole = readAnswer(text, OBJECT, false)
      if (!whole.ok) throw new Error(whole.error.detail)
      partials.end(whole.value.json)
      const last = told().at(-1)
      if (last?.kind !== 'partial' || last.open.length > 0 || last.json !== whole.value.json) throw new Error('the last is not the output')
    })
    const details = await fc.check(overWire, { numRuns: runs(200), seed })
    t.notOk(
      details.failed,
      (await fc.asyncDefaultReportMessage(details)) ?? `${wire}: ${answers} answers, ${shown} beginnings, seed ${seed}`,
    )
    t.ok(answers > 0 && shown > 0, `${wire}: ${answers} answers, ${shown} beginnings, seed ${seed}`)
  }
})

t.test('over each wire, and again after a stream that broke', async (t) => {
  for (const wire of ['anthropic', 'chat', 'responses']) await overWire(t, wire)
})

const overWire = async (t: Test, wire: string): Promise<void> => {
  const { partials, told } = watch(NOTE)
  const cut: string = frames('{"score": 4, "text"', ': "ab')[wire] ?? ''
  const broken = { headers: STREAM, chunks: [cut], after: 'reset' } as const
  const whole =
    wire === 'anthropic'
      ? { headers: STREAM, chunks: [anthropicText('{"score":5,"text":"c"}')] }
      : { headers: STREAM, chunks: [openaiText('{"score":5,"text":"c"}')] }
  const { url } = await openStub(t, [broken, wire === 'responses' ? json({ error: { message: 'no' } }, 400) : whole])
  const name = wire === 'anthropic' ? 'anthropic' : 'openai'
  const { ask } = openClient(t, name, url, { ...(name === 'openai' ? { wire } : {}), transport_retries: 1 })
  partials.begin(false)
  await ask({ output: NOTE, emit: partials.emit, onAttempt: partials.onAttempt() })
  const [first, second] = told()
  t.match(first, { json: /^\{"score":4/, open: [''] }, wire)
  t.ok(
    told().some((event) => event.kind === 'partial' && event.json === undefined && event !== first),
    `${wire}: empty`,
  )
  t.ok(second)
  partials.stop()
}
