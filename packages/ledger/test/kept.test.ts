// Answers that are kept: which requests are the same, which is nearest, and what becomes of files that several write, or that are damaged.

import { appendFileSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { canonicalJson } from '../../wire/src/json/canonical.js'
import type { Result } from '../../wire/src/result.js'
import { makeTestDirectory } from '../../wire/test/shell.js'
import {
  canonicalText,
  differingPaths,
  type HashedRequest,
  hashOf,
  joinKept,
  type KeptAnswers,
  nearestRequest,
  openKept,
} from '../src/kept/index.js'

const must = (opened: Result<KeptAnswers>): KeptAnswers => {
  if (!opened.ok) throw new Error(opened.error.detail)
  return opened.value
}

const hashed = (value: unknown): HashedRequest => ({ hash: hashOf(value), value: () => value })

const open = (path: string, places: readonly string[] = ['a', 'b'], isOnly = false): KeptAnswers =>
  must(openKept({ stores: [{ path }], isOnly, places }))

t.test('the same request, however it is written', async (t) => {
  t.equal(canonicalText({ b: [1, { d: null, c: 'x' }], a: undefined }), '{"b":[1,{"c":"x","d":null}]}')
  t.equal(hashOf(JSON.parse('{"a":1,"b":{"c":2,"d":3}}')), hashOf(JSON.parse('{ "b": {"d": 3.0, "c": 2}, "a": 1 }')))
  t.not(hashOf({ a: 'x ' }), hashOf({ a: 'x' }), 'texts count byte for byte')
  t.not(hashOf([1, 2]), hashOf([2, 1]))
  const numbers = { tiny: 5e-324, price: 0.7, whole: 100, wide: 2 ** 53, huge: 1e21 }
  t.equal(
    canonicalText(numbers),
    '{"huge":1e+21,"price":0.7,"tiny":5e-324,"whole":100,"wide":9007199254740992}',
    'as older records have it',
  )
  t.equal(canonicalJson('{"a":9007199254740993,"b":10e-1}'), '{"a":9007199254740993,"b":1}', 'digits that no double holds count')
})

t.test('the nearest request', async (t) => {
  const request = { model: 'm', messages: [{ content: 'a' }, { content: 'b' }], settings: { temperature: 0 } }
  t.same(differingPaths(request, { ...request, model: 'n', messages: [{ content: 'a' }] }), ['model', 'messages[1]'])
  t.same(differingPaths(request, { settings: { temperature: 0 }, messages: request.messages, model: 'm' }), [])
  t.same(nearestRequest(request, []), undefined)
  const others = [{ model: 'n' }, { ...request, settings: { temperature: 1 } }, { ...request, model: 'n', settings: {} }]
  t.same(nearestRequest(request, others), { index: 1, paths: ['settings.temperature'] })
})

for (const name of ['directory', 'lines.jsonl']) {
  t.test(`${name}: the nth of equal requests has the nth answer, in the order in which they were asked`, async (t) => {
    const path = join(makeTestDirectory(), name)
    const first = open(path)
    const asked = ['a', 'a', 'b'].map((place) => first.ask(hashed({ q: 1 }), place))
    t.same(
      asked.map(({ found, miss }) => [found, miss]),
      Array(3).fill([undefined, undefined]),
    )
    // The second is answered first, the third never.
    asked[1]?.keep({ text: 'second' })
    asked[0]?.keep({ text: 'first' })
    const again = open(path)
    const found = ['a', 'a', 'a', 'b'].map((place) => again.ask(hashed({ q: 1 }), place).found)
    t.same(
      found.map((one) => one?.answer),
      [{ text: 'first' }, { text: 'second' }, undefined, undefined],
    )
    t.equal(found[0]?.source, 'cache')
    const renamed = open(path, ['c', 'd'])
    const theirs = ['c', 'd', 'd'].map((place) => renamed.ask(hashed({ q: 1 }), place).found?.answer)
    t.same(theirs, [{ text: 'first' }, { text: 'second' }, undefined], 'of names that are gone, each once')
    const only = open(path, ['a'], true)
    t.match(only.ask(hashed({ q: 2 }), 'a').miss, { error: 'cache_miss', category: 'not_found', request: hashOf({ q: 2 }) })
  })

  t.test(`${name}: counted by several processes together`, async (t) => {
    const path = join(makeTestDirectory(), name)
    const before = open(path)
    for (const text of ['x', 'y']) before.ask(hashed('q'), 'a').keep(text)
    const one = open(path)
    const two = must(joinKept(one.fd))
    t.same(
      [one.ask(hashed('q'), 'a').found?.answer, two.ask(hashed('q'), 'a').found?.answer, one.ask(hashed('q'), 'a').found],
      ['x', 'y', undefined],
    )
  })
}

t.test('what is damaged is asked again', async (t) => {
  const directory = makeTestDirectory()
  const path = join(directory, 'lines.jsonl')
  const kept = open(path)
  for (const q of [1, 2, 3]) kept.ask(hashed(q), 'a').keep(`to ${q}`)
  const [one = '', two = '', three = ''] = readFileSync(path, 'utf8').split('\n')
  writeFileSync(path, `${one}\n${two.replace('to 2', 'to X')}\nnonsense\n${three.slice(0, -5)}`)
  const again = open(path)
  t.same(
    [1, 2, 3].map((q) => again.ask(hashed(q), 'a').found?.answer),
    ['to 1', undefined, undefined],
  )
  again.ask(hashed(4), 'a').keep('to 4')
  t.equal(open(path).ask(hashed(4), 'a').found?.answer, 'to 4', 'what comes behind a line that was cut is whole')
  appendFileSync(path, 'x')

  const store = join(directory, 'store')
  open(store).ask(hashed(1), 'a').keep('to 1')
  const [index = '', file = ''] = readdirSync(store)
    .filter((name) => !name.startsWith('.'))
    .map((name) => join(store, name))
  rmSync(index)
  t.equal(open(store).ask(hashed(1), 'a').found?.answer, 'to 1', 'without its index')
  writeFileSync(file, readFileSync(file, 'utf8').slice(0, -10))
  t.equal(open(store).ask(hashed(1), 'a').found, undefined, 'cut')
})

t.test('where there is no room, answers wait for it, and it is said', async (t) => {
  const directory = makeTestDirectory()
  const path = join(directory, 'kept')
  const kept = open(path)
  renameSync(path, join(directory, 'aside'))
  writeFileSync(path, '')
  t.match(kept.ask(hashed('one'), 'a').keep('1'), { error: 'write_failed', path })
  rmSync(path)
  t.equal(kept.ask(hashed('two'), 'a').keep('2'), undefined)
  const again = open(path)
  t.same([again.ask(hashed('one'), 'a').found?.answer, again.ask(hashed('two'), 'a').found?.answer], ['1', '2'], 'with the next')
})

t.test('places that cannot be', async (t) => {
  const directory = makeTestDirectory({ file: '' })
  mkdirSync(join(directory, 'directory.jsonl'))
  for (const name of ['file', 'directory.jsonl'])
    t.match(
      openKept({ stores: [{ path: join(directory, name) }], isOnly: false, places: [] }),
      { ok: false, error: { category: 'config' } },
      name,
    )
  mkdirSync(join(directory, 'deep/er'), { recursive: true })
  t.ok(openKept({ stores: [{ path: join(directory, 'new/and/deep') }], isOnly: false, places: [] }).ok, 'parents are made')
})
