// Functions of a user's modules, in a child of their own: what they are given, what they may give, how they fail and are ended.

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { NO_SANDBOX } from '../../wire/test/sandbox-here.js'
import { loadFunctions } from '../src/source/function/load-functions.js'
import { makeSource, once, plansOf, running, until } from './source-directory.js'

process.env.PLUMB_CANARY_KEY = process.env.MY_CANARY_TOKEN = 'sk-CANARY-1234'

const MODULE = `
import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { help } from './lib/help.mjs'
export const add = ({ a, b }) => a + b
export const later = async ({ a, b }) => { await new Promise((done) => setTimeout(done, 10)); return help(a + b) }
export const noisy = (x) => { console.log('{"kind":"value","json":"666"}'); console.error('noise'); process.stdout.write('noise'); return x }
export const throws = () => { throw new Error('out of order') }
export const rejects = async () => { throw 'a word' }
export const behind = () => { setTimeout(() => { throw new Error('behind your back') }, 5); return new Promise(() => {}) }
export const nothing = () => undefined
export const big = () => 10n
export const cyclic = () => { const a = {}; a.a = a; return a }
export const infinite = () => [1 / 0]
export const exits = () => process.exit(3)
export const dies = () => { process.kill(process.pid, 'SIGKILL') }
export const hangs = (path) => { writeFileSync(path, 'begun'); for (;;); }
export const waits = (mark) => { spawn('sleep', [mark]); return new Promise(() => {}) }
export const hears = (path, signal) => new Promise((resolve) => {
  signal.addEventListener('abort', () => { writeFileSync(path, 'heard'); resolve('too late') })
  writeFileSync(path, 'begun') })
export const lingers = (x) => { setInterval(() => {}, 1000); return x }
export const around = () => ({ env: process.env, cwd: process.cwd() })
export const declared = { name: 'declared', description: 'd', parameters: { a: { type: 'number' }, b: { type: 'number', default: 5 } }, fn: ({ a, b }) => a * b }
export const schemed = { parameters: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number', default: 7 } } }, fn: ({ a, b }) => a * b }
export const strict = { parameters: { a: { type: 'number', description: 'first' }, op: { type: 'string', enum: ['add'] }, d: { type: 'number', default: 4 }, e: { type: 'boolean', required: false } }, fn: (x) => x }
export const needs = { parameters: { type: 'object', properties: { q: { type: 'string', default: 'x' }, r: { type: 'integer', minimum: 2 } }, required: ['r'] }, fn: (x) => x }
export const wrong = { parameters: { type: 'object', properties: { a: { type: 'nonsense' } } }, fn: (x) => x }
export default (x) => ['default', x]
export const many = ({ n }) => 'x'.repeat(n)
export const reported = () => { throw Object.assign(new Error('one a minute'), { error: 'rate_limited', category: 'unavailable', retry_after: 2, content: 'x', deep: {} }) }
export const addresses = () => { throw new AggregateError([Object.assign(new Error('connect ECONNREFUSED ::1'), { code: 'ECONNREFUSED' })], 'all failed') }
export const late = () => { throw new DOMException('aborted due to timeout', 'TimeoutError') }
export const trap = () => { throw { get error() { throw new Error('again') }, category: 'unavailable' } }
export const circle = () => { const e = new Error('round'); e.cause = e; throw e }
export const unknown = () => { throw { error: 'tired', category: 'unavailable' } }
export const number = 5
export const forges = async () => { const { writeSync } = await import('node:fs'); writeSync(5, 'junk\\n'); return 1 }
`
const CASES: [tool: string, of: string, types?: string][] = [
  ...['add', 'later'].map((name): [string, string, string] => [name, `./m.mjs#${name}`, '{ a: number, b: number } -> number']),
  ...['declared', 'schemed'].map((name): [string, string, string] => [name, `./m.mjs#${name}`, '{ a: number, b?: number } -> number']),
  ...[
    ...[
      'noisy',
      'throws',
      'rejects',
      'behind',
      'nothing',
      'big',
      'cyclic',
      'infinite',
      'exits',
      'dies',
      'hangs',
      'waits',
      'hears',
      'lingers',
      'around',
    ],
    ...['strict', 'needs', 'wrong'],
    ...['many', 'number', 'ad', 'forges', 'reported', 'addresses', 'late', 'trap', 'circle', 'unknown'],
  ].map((name): [string, string] => [name, `./m.mjs#${name}`]),
  ['unit', './m.mjs#nothing', 'json -> unit'],
  ['plain', './m.mjs'],
  ['common', './c.cjs#double'],
  ['single', './s.cjs'],
  ['typed', './t.ts#typed', '{ a: number } -> string'],
  ['typedModule', './t.mts#typed'],
  ['broken', './broken.ts#x'],
  ['unparsed', './unparsed.mjs#x'],
  ['missing', './missing.mjs#x'],
  ['importing', './importing.mjs#x'],
]

const FILES = {
  'm.mjs': MODULE,
  'lib/help.mjs': 'export const help = (x) => x * 10\n',
  'c.cjs': 'exports.double = (x) => x * 2\n',
  's.cjs': 'module.exports = (x) => x * 3\n',
  't.ts': `import { shout, type Loud } from './lib/shout.js'
import { twice } from './lib/twice'
import type { Nowhere } from 'nowhere'
enum Mark { bang = '!' }
interface Input { readonly a: number }
export const typed = async <T extends Input>({ a }: T, _signal?: AbortSignal): Promise<Loud> => shout(String(twice(a)) as Loud) + Mark.bang satisfies string
export type { Nowhere }\n`,
  't.mts': "export const typed = (x: unknown): unknown => [x as string, import.meta.url.endsWith('t.mts')]\n",
  'lib/shout.ts': "export type Loud = string\nexport const shout = (x: Loud): Loud => x.toUpperCase() + 'A'\n",
  'lib/twice.ts': 'export const twice = (x: number): number => x * 2\n',
  'broken.ts': 'export const x = (: number) => 1\n',
  'unparsed.mjs': 'export const x = (\n',
  'importing.mjs': "import 'nowhere'\nexport const x = 1\n",
}

const LEAVES_MARKS = new Set(['hangs', 'hears'])
const SPEC = CASES.map(
  ([name, of, types = 'json -> json']) =>
    `let ${name} : ${types} = tool { function: "${of}"${LEAVES_MARKS.has(name) ? ', effects: ["fs.write"]' : ''} }\n`,
).join('')

t.test('functions and what they give', async (t) => {
  const { call, directory } = makeSource(SPEC, FILES)
  const cases: [tool: string, input: string, value: unknown][] = [
    ['add', '{"a":1,"b":2}', 3],
    ['later', '{"a":1,"b":2}', 30],
    ['noisy', '"x"', 'x'],
    ['unit', '1', null],
    ['plain', '1', ['default', 1]],
    ['common', '4', 8],
    ['single', '4', 12],
    ['typed', '{"a":4}', '8A!'],
    ['typedModule', '4', [4, true]],
    ['declared', '{"a":4}', 20],
    ['declared', '{"a":4,"b":2}', 8],
    ['schemed', '{"a":4}', 28],
    ['lingers', '1', 1],
    ['many', '{"n":3000000}', 'x'.repeat(3_000_000)],
  ]
  for (const [tool, input, value] of cases) {
    const answer = await call(tool, input)
    t.strictSame([answer.value, answer.error], [value, undefined], `${tool} of ${input}`)
  }
  const { env, cwd } = (await call('around', '1')).value as { env: Record<string, string>; cwd: string }
  t.equal(cwd, directory, 'it runs in the docroot')
  t.notMatch(JSON.stringify(env), /CANARY/, '92: no key reaches it')
  t.equal(env.PLUMB_DEPTH, '1')
})

t.test('functions that fail', async (t) => {
  const { call } = makeSource(SPEC, FILES)
  const cases: [tool: string, error: object][] = [
    ['throws', { error: 'tool_crashed', category: 'internal', detail: "function 'throws' threw: out of order" }],
    ['rejects', { error: 'tool_crashed', detail: "function 'rejects' threw: a word" }],
    ['behind', { error: 'tool_crashed', detail: /threw: behind your back/ }],
    [
      'reported',
      { error: 'rate_limited', category: 'unavailable', detail: 'one a minute', retry_after: 2, content: undefined, deep: undefined },
    ],
    ['addresses', { error: 'connection_failed', detail: /could not reach what it needs: all failed: connect ECONNREFUSED/ }],
    ['late', { error: 'timeout', category: 'unavailable' }],
    ['trap', { error: 'tool_crashed' }],
    ['circle', { error: 'tool_crashed', detail: /threw: round/ }],
    ['unknown', { error: 'tool_crashed', detail: /threw: \{"error":"tired"/ }],
    ['nothing', { error: 'output_type_mismatch', detail: /gave undefined/ }],
    ['big', { error: 'output_type_mismatch', detail: /BigInt/ }],
    ['cyclic', { error: 'output_type_mismatch', detail: /circular/ }],
    ['infinite', { error: 'output_type_mismatch', detail: /Infinity is not a JSON number/ }],
    ['exits', { error: 'tool_crashed', detail: /ended with status 3 before it gave a result/ }],
    ['forges', { error: 'tool_crashed' }],
    ['dies', { error: 'tool_crashed', detail: /ended by SIGKILL before/ }],
    ['ad', { error: 'config_invalid', detail: /exports no function 'ad', did you mean 'add'\?/ }],
    ['number', { error: 'config_invalid', detail: /exports no function 'number'/ }],
    ['missing', { error: 'file_not_found', category: 'config' }],
    ['unparsed', { error: 'tool_crashed', detail: /unparsed\.mjs' cannot be loaded/ }],
    ['importing', { error: 'tool_crashed', detail: /Cannot find package 'nowhere'/ }],
    ['broken', { error: 'config_invalid', detail: /broken\.ts' is not TypeScript: .*\(1:19\)/ }],
  ]
  t.match((await call('many', '{"n":40000000}')).error, { error: 'output_type_mismatch', detail: /longer than/ })
  for (const [tool, error] of cases) {
    const answer = await call(tool, '{}')
    t.match(answer.error, error, tool)
    t.notMatch(JSON.stringify(answer.error), /\bat .*:\d+:\d+\)?\b.*\bat /, `${tool}: no stack`)
  }
})

t.test('fault 93: functions that do not end', async (t) => {
  const { call, directory } = makeSource(SPEC, FILES)
  const [hung, heard] = [join(directory, 'hung'), join(directory, 'heard')]
  const mark = `304.${process.pid}`
  const cases: [tool: string, input: string, hasBegun: () => boolean][] = [
    ['hangs', hung, () => existsSync(hung)],
    ['waits', mark, () => running(`sleep ${mark}`).length > 0],
    ['hears', heard, () => existsSync(heard)],
  ]
  for (const [tool, input, hasBegun] of cases) {
    t.match((await call(tool, JSON.stringify(input), once(hasBegun))).error, { error: 'cancelled' }, tool)
  }
  t.equal(readFileSync(heard, 'utf8'), 'heard', 'the signal reaches the function')
  t.ok(await until(() => running(`sleep ${mark}`).length === 0), 'and nothing it started is left')
})

t.test('a function in a sandbox', { skip: NO_SANDBOX }, async (t) => {
  const { call } = makeSource('let tries : string -> json = tool { function: "./w.mjs#tries", sandbox: { write: ["out"] } }', {
    'w.mjs': `import { writeFileSync } from 'node:fs'
import { help } from './lib/help.mjs'
export const tries = () => ['out/x', 'x', '/usr/x'].map((path) => { try { writeFileSync(path, ''); return help(1) } catch ({ code }) { return code } })\n`,
    'lib/help.mjs': FILES['lib/help.mjs'],
    'out/keep': '',
  })
  t.strictSame((await call('tries', '""')).value, [10, 'EROFS', 'EROFS'])
})

t.test('what a function declares of its input holds beside the signature', async (t) => {
  const { call } = makeSource(SPEC, FILES)
  const cases: [tool: string, input: object, result: object | RegExp][] = [
    ['strict', { a: 1, op: 'add' }, { d: 4, a: 1, op: 'add' }],
    ['strict', { a: '1', op: 'add', e: true }, { a: 1, op: 'add', e: true, d: 4 }],
    ['strict', { a: 'x', op: 'add' }, /the schema that the function declares: \/a must be number/],
    ['strict', { a: 1, op: 'zzz' }, /op/],
    ['strict', { op: 'add' }, /a/],
    ['needs', { r: 2 }, { q: 'x', r: 2 }],
    ['needs', { r: 1 }, /r/],
    ['needs', {}, /r/],
    ['wrong', {}, /declares parameters that are not a schema/],
  ]
  for (const [tool, input, result] of cases) {
    const { value, error } = await call(tool, input)
    if (result instanceof RegExp)
      t.match([error?.category, error?.detail], [/^(invalid|config)$/, result], `${tool} ${JSON.stringify(input)}`)
    else t.strictSame([error, value], [undefined, result], `${tool} ${JSON.stringify(input)}`)
  }
})

t.test('what functions say of themselves, as their tools are loaded', async (t) => {
  const declared = `
export const calc = { description: 'Adds up', parameters: { a: { type: 'number', description: 'first' }, op: { type: 'string', enum: ['add'] }, d: { type: 'number', default: 4 } }, fn: (x) => x }
export const plain = (x) => x
export const schema = { parameters: { type: 'object', properties: { q: { type: 'string' }, n: { type: 'integer' } }, required: ['q'] }, fn: (x) => x }
`
  const files = { 'd.mjs': declared, 'broken.mjs': 'throw new Error("no luck")\n', 'hangs.mjs': 'export const x = 1\nprocess.exit(4)\n' }
  const said = async (signature: string, of = 'd.mjs#calc', more = '') => {
    const { plans, session } = plansOf(`let f : ${signature} = tool { function: "./${of}"${more} }`, files)
    const { plans: described, faults } = await loadFunctions(plans, session)
    return { faults: faults.map(({ error, detail }) => `${error}: ${detail}`), plan: described[0] }
  }
  const right = ['{ a: number, op: string }', '{ a: int, op: "add", d?: number }', '{ a: number, op: string, other: json }', 'json']
  for (const type of right) t.strictSame((await said(`${type} -> json`)).faults, [], type)
  const wrong: [signature: string, of: string, shows: RegExp][] = [
    [
      '{ a: string, op: string } -> json',
      'd.mjs#calc',
      /^type_mismatch: function 'calc' of tool 'f' declares 'a: number', and the signature says 'a: string'$/,
    ],
    ['{ a: number, op: "sub" } -> json', 'd.mjs#calc', /'op: "add"', and the signature says 'op: "sub"'/],
    ['{ a: number } -> json', 'd.mjs#calc', /'op: "add"', which has no default, and the signature has no field 'op'/],
    ['{ a?: number, op: string } -> json', 'd.mjs#calc', /may be left out: 'a\?: number'/],
    ['string -> json', 'd.mjs#calc', /and the signature says 'string'/],
    ['{ q: int } -> json', 'd.mjs#schema', /'q: string', and the signature says 'q: int'/],
    ['{ q: string, n: "x" } -> json', 'd.mjs#schema', /'n: int'/],
    ['json -> json', 'd.mjs#plan', /^config_invalid: .* exports no function 'plan', did you mean 'plain'\?$/],
    ['json -> json', 'broken.mjs#x', /^config_invalid: .*broken\.mjs' cannot be loaded: no luck$/],
    ['json -> json', 'hangs.mjs#x', /its process ended with status 4/],
  ]
  for (const [signature, of, shows] of wrong) {
    const { faults } = await said(signature, of)
    t.match(faults, [shows], `${signature} of ${of}`)
    t.equal(faults.length, 1, `${signature} of ${of}: once`)
  }
  const fields = (type: unknown) => (type as { fields: { name: string; description?: string }[] }).fields.map((f) => f.description)
  const { plan } = await said('{ a: number, op: string } -> json')
  t.strictSame([plan?.description, fields(plan?.input)], ['Adds up', ['first', undefined]], 'its words, where the spec has none')
  const own = await said('{ @description "mine" a: number, op: string } -> json', 'd.mjs#calc', ', description: "Mine"')
  t.strictSame([own.plan?.description, fields(own.plan?.input)], ['Mine', ['mine', undefined]], 'those of the spec before them')
})
