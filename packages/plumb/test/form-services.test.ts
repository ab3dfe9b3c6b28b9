// Each form that takes apart, narrows, names, stands in, refuses or keeps by key, and each part that knows the language: it is laid out, with
// comments anywhere; an editor shows, completes and renames what is in it; it is mutated; labels flow through it.

import { type Compiled, compile } from '@plumb/lang'
import { completionsAt, format, hoverAt, renameAt } from '@plumb/lang/service'
import t from 'tap'
import { tokenize } from '../../lang/src/parse/lexer.js'
import { changed, changesOf } from '../../spec-test/src/mutate.js'

interface Row {
  /** As `fmt` writes it. */
  readonly spec: string
  /** The last place of a text, and what is shown there. */
  readonly hover?: readonly (readonly [string, string])[]
  /** What is written up to the cursor in place of what follows, and what can be written there. */
  readonly complete?: readonly (readonly [string, string])[]
  /** What is renamed to `Other`, and how often it stands there. */
  readonly rename?: readonly [string, number]
  /** Of the mutants that compile. */
  readonly mutants?: readonly string[]
}

const SUM = `type P = { k: "p", n: int }
type Q = { k: "q", s: string }
type W = P | Q
`
const ROWS: Readonly<Record<string, Row>> = {
  match: {
    spec: `${SUM}let main : !W -> !int = map(match value { one : P -> one.n + 1, two : Q -> length(two.s) })\n`,
    hover: [
      ['match', 'match value'],
      ['P ->', 'type P = { k: "p", n: int }'],
      ['one.n', 'one : P'],
    ],
    complete: [
      ['match value { one : ', 'P'],
      ['one : P -> one.', 'n'],
      ['map(', 'match'],
    ],
    rename: ['P', 3],
    mutants: ["'+' becomes '-'"],
  },
  'a condition': {
    spec: `${SUM}let main : !W -> !int = map(if k = "p" then n else length(s))\n`,
    hover: [['s))', 's : string']],
    complete: [['if k = "p" then ', 'n']],
  },
  let: {
    spec: `${SUM}let main : !P -> !int = map(let twice = n * 2 in twice + 1)\n`,
    hover: [['twice +', 'twice : int']],
    complete: [
      ['in twi', 'twice'],
      ['let twice = ', 'n'],
    ],
    rename: ['twice', 2],
    mutants: ["'+' becomes '-'"],
  },
  fail: {
    spec: `${SUM}let main : !P -> !int = map(if n > 3 then fail("many") else n)\n`,
    hover: [['fail', 'fail(text)']],
    complete: [['then fa', 'fail']],
    mutants: ["the branches of 'if' change places"],
  },
  '??': {
    spec: 'type R = { a?: { b?: int | unit } | unit }\nlet main : !R -> !int = map(value.a.b ?? 0)\n',
    hover: [['b ??', 'b? : int']],
    complete: [['value.a.b ?? ', 'value']],
    mutants: ['0 becomes 1', "'value.a.b ?? 0' is always what stands in"],
  },
  'an open record': {
    spec: 'type O = { id: int, ... }\nlet main : !O -> !json = map({ ...value, x: id })\n',
    hover: [['O ->', 'type O = { id: int, ... }']],
    complete: [['map({ ...value, x: ', 'id']],
    rename: ['O', 2],
  },
  'a key that is a string': {
    spec: 'type H = { "c-t": string, n?: int }\nlet main : !H -> !json = map({ "x-y": value."c-t", n: has(n) })\n',
    hover: [['"c-t", n', ': string']],
    complete: [['"x-y": value.', 'c-t']],
  },
  'a computed key': {
    spec: 'let main : !{ [string]: int } -> !{ [string]: int } = map({ ...without(value, "b"), ["a"]: 1 })\n',
    hover: [['without', 'without(m, k)']],
    complete: [['...with', 'without']],
    mutants: ['1 becomes 2', '\'without(value, "b")\' takes nothing out'],
  },
  'omit and pick': {
    spec: 'type H = { a: int, b?: int }\nlet main : !H -> !json = map([omit(value, "a"), pick(value, "b")])\n',
    hover: [['pick', 'pick(r, "a", "b") : { b?: int }']],
    complete: [['map([omi', 'omit']],
  },
  'a default': {
    spec: 'type H = { a: [int] = [1], b: { c: int = 2 } = {} }\nlet main : !H -> !int = map(b.c + length(a))\n',
    hover: [['c +', 'c : int']],
    complete: [['map(b.', 'c']],
  },
  'a fold by key': {
    spec: 'param start : int = 1\nlet main : !{ k: string, n: int } -> !int = fold(state + n, from: start, by: k, emit: "end")\n',
    hover: [
      ['k, emit', 'k : string'],
      ['state', 'state : int'],
    ],
    complete: [
      ['from: start, ', 'emit'],
      ['by: ', 'k'],
      ['emit: ', '"end"'],
    ],
    rename: ['start', 2],
    mutants: ["'k' is one key for all messages", 'each state is sent'],
  },
  'a barrier by keys': {
    spec: 'type H = { k: string }\nlet main : !H -> !(H, H) = (id * id) ; barrier(by: (k, k), within: 3, unmatched: "drop")\n',
    hover: [['k, k', 'k : string']],
    complete: [
      ['barrier(', 'by'],
      ['barrier(by: (k, k), ', 'unmatched'],
      ['within: 3, unmatched: ', '"drop"'],
      ['by: (k, ', 'k'],
    ],
    mutants: ["'k, k' is one key for all messages", 'what finds no partner is told'],
  },
  'a batch of all': {
    spec: 'let main : !int -> ![int] = batch()\n',
    hover: [['batch', 'batch : !int -> ![int]']],
    complete: [['batch(', 'within']],
  },
  'a conversation': {
    spec: 'type H = { k: string }\nlet main : !H -> !string = agent { provider: "eliza", model: "doctor", conversation: k }\n',
    hover: [['k }', 'k : string']],
    complete: [
      ['conver', 'conversation'],
      ['conversation: ', 'k'],
    ],
    mutants: ["'conversation: k' is left out"],
  },
  'an each that skips': {
    spec: 'let f : int -> int = map(n + 1)\nlet g : [int] -> [int] = each(f, on_error: "skip")\nlet main : ![int] -> ![int] = map(g)\n',
    hover: [['f, on', 'let f : int -> int']],
    complete: [
      ['each(f, ', 'on_error'],
      ['on_error: ', '"skip"'],
    ],
    rename: ['f', 2],
    mutants: ['an element that fails fails its list'],
  },
}

const FILES: Parameters<typeof compile>[0]['files'] = {
  read: () => ({ ok: false, error: { error: 'file_not_found', category: 'config', detail: 'no such file' } }),
  find: () => undefined,
  beside: (path) => path,
}
const compiledOf = (text: string): Compiled => compile({ path: 'main.plumb', text, files: FILES })
const formatted = (text: string): string => {
  const result = format({ path: 'main.plumb', text })
  return result.ok ? result.text : JSON.stringify(result)
}

for (const [name, { spec, hover = [], complete = [], rename, mutants = [] }] of Object.entries(ROWS)) {
  t.test(name, async (t) => {
    const compiled = compiledOf(spec)
    t.strictSame(compiled.diagnostics, [])
    t.equal(formatted(spec.replace(/(\S) (?=\S)/g, '$1  ')), spec, 'laid out')
    const places = tokenize({ path: '', text: spec }, () => {}).tokens.slice(1, -1)
    const odd = places.filter(({ span: { start } }) => {
      const once = formatted(`${spec.slice(0, start)} (* why *) ${spec.slice(start)}`)
      return !once.includes('(* why *)') || formatted(once) !== once
    })
    t.strictSame(
      odd.map(({ text, span }) => `${text} at ${span.start}`),
      [],
      'a comment before any word',
    )
    for (const [place, shown] of hover) t.match(hoverAt(compiled, spec.lastIndexOf(place))?.code ?? '', shown, `hover over ${place}`)
    for (const [written, label] of complete) {
      const end = spec.lastIndexOf(written) + written.length
      const { items } = completionsAt({ path: 'main.plumb', text: spec.slice(0, end) }, FILES, end)
      t.ok(
        items.some((item) => item.label === label),
        `${written}: ${items.map((item) => item.label).join(' ')}`,
      )
    }
    if (rename) {
      const renamed = renameAt(compiled, [], FILES, spec.search(new RegExp(`\\b${rename[0]}\\b(?!")`)), 'Other')
      t.equal(renamed.ok ? renamed.value.length : JSON.stringify(renamed), rename[1], `${rename[0]} is renamed`)
    }
    const changes = changesOf(compiled.program).filter(
      (change) => !compiledOf(changed(change)).diagnostics.some((d) => d.severity === 'error'),
    )
    for (const what of mutants)
      t.ok(
        changes.some((change) => change.what.startsWith(what)),
        `${what}: ${changes.map((change) => change.what)}`,
      )
  })
}
