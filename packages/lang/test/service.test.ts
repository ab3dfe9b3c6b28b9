// What an editor asks: places are marked with ‸ in the texts.

import fc from 'fast-check'
import t from 'tap'
import { holds, runs } from '../../wire/test/property.js'
import { compile } from '../src/compile.js'
import type { Files } from '../src/names/modules.js'
import {
  completionsAt,
  definitionAt,
  type Edit,
  edited,
  fixesOf,
  hoverAt,
  renameAt,
  renameableAt,
  repairsOf,
} from '../src/service/index.js'
import { STANDARD_LIBRARY } from '../src/stdlib/library.js'

const MODULES: Readonly<Record<string, string>> = {
  'words.plumb': `type Word = { text: string, length: int }
(* Counts it. *)
let measure : !string -> !Word = map({ text: value, length: length(value) })
@tool @description "Twice the text"
let double : string -> string = map(value + value)
param most : int = 4
let port : (!int, !int) -> !int = plumb(left, right, out) {
  (left * right) ; out
}
`,
  '<stdlib>/mem.plumb': STANDARD_LIBRARY.mem ?? '',
}

const filesOf = (texts: Readonly<Record<string, string>>): Files => ({
  read: (path) =>
    texts[path] === undefined
      ? { ok: false, error: { error: 'file_not_found', category: 'config', detail: `no '${path}'` } }
      : { ok: true, value: texts[path] },
  find: (name) => [`${name}.plumb`, `<stdlib>/${name}.plumb`].find((path) => texts[path] !== undefined),
  beside: (path) => path.replace(/^\.\//, ''),
})

const files = filesOf(MODULES)

const at = (marked: string) => ({ text: marked.replace('‸', ''), offset: marked.indexOf('‸') })

const compiledAt = (marked: string) => {
  const { text, offset } = at(marked)
  return { compiled: compile({ path: 'main.plumb', text, files }), text, offset }
}

const SPEC = `use words
use mem
type Review = { score: int, remark?: string, by: Person }
type Person = { name: string, tags: [Tag] }
type Tag = { label: "new" | "old" }
(* Looks at it twice. *)
let critic : (!string, !json) -> (!Review, !json) = agent { provider: "eliza" }
let inc : int -> int = map(value + 1)
let main : !string -> !string = plumb(input, output) {
  let drafts : !string = channel
  input ; drafts
  drafts ; critic
  critic ; filter(score > 3) ; map({ n: by.name, first: by.tags[0], all: score }) ; map(n) ; output
  critic@telemetry ; discard
  critic.by.name ; Words.measure ; map(text) ; output
  spawn critic(input=drafts)
}
let orders : !Review -> !Review = filter(has(remark)) ; id
let trusted : !untrusted int -> !int = endorse("read")
let ranked : ![Review] -> !json = map([{ r, who: r.by.name } for r in sort(reviews, h -> -h.score) if length(r.by.tags) > 1])
`

/** The spec with the cursor before the part of `place` behind its bar, as in 'filter(|score'. */
const mark = (place: string): string => {
  const [before = '', after = ''] = place.split('|')
  const i = SPEC.indexOf(before + after)
  if (i < 0) throw new Error(`no '${place}'`)
  return `${SPEC.slice(0, i + before.length)}‸${SPEC.slice(i + before.length)}`
}

t.test('hover', async (t) => {
  t.strictSame(
    compile({ path: 'main.plumb', text: SPEC, files }).diagnostics.filter((d) => d.severity === 'error'),
    [],
  )
  const cases: readonly (readonly [string, string, string?])[] = [
    ['let c|ritic', 'let critic : (!string, !json) -> (!Review, !json) = agent { … }', 'Looks at it twice.'],
    ['drafts ; |critic', 'let critic : (!string, !json) -> (!Review, !json) = agent { … }', 'Looks at it twice.'],
    ['let in|c', 'let inc : int -> int = map(value + 1)'],
    ['ma|in :', 'let main : !string -> !string = plumb(input, output) { … }'],
    ['!Rev|iew, !json', 'type Review = { score: int, remark?: string, by: Person }'],
    ['|input ; drafts', 'input : !string  (* input of main *)'],
    ['map(n) ; |output', 'output : !string  (* output of main *)'],
    ['input ; |drafts', 'let drafts : !string = channel'],
    ['critic@tele|metry', 'critic@telemetry : !json'],
    ['spawn critic(in|put', 'critic@input : !string'],
    ['Words.meas|ure', 'let measure : !string -> !Word = map({ text: value, length: length(value) })', 'Counts it.'],
    ['|Words.meas', 'use words'],
    ['use |words', 'use words'],
    ['filter(sc|ore', 'score : int'],
    ['filter(score |> 3', 'score > 3 : bool'],
    ['by.na|me', 'name : string'],
    ['{ n: |by.', 'by : Person\ntype Person = { name: string, tags: [Tag] }'],
    ['by.tags[|0]', '0 : int'],
    ['by.ta|gs[0]', 'tags : [Tag]'],
    ['by.tags[0]|, all', 'by.tags[0] : Tag\ntype Tag = { label: "new" | "old" }'],
    ['al|l: score', 'all : int'],
    ['map(val|ue + 1', 'value : int'],
    ['has(re|mark)', 'remark? : string'],
    ['h|as(remark', 'has(x) : bool', 'Is the optional field there?'],
    ['for |r in', 'r : Review\ntype Review = { score: int, remark?: string, by: Person }'.split('\n')[0] as string],
    ['for r in so|rt', 'sort(xs, x -> key) : [Review]', 'The items in the order of numbers or strings, or of their keys; stable.'],
    ['h -> -|h.score', 'h : Review'],
    ['if leng|th(r.by', 'length(x) : int', 'How many code points a string has, or items a list.'],
    ['fil|ter(score', 'filter : !Review -> !Review'],
    ['dis|card', 'discard : !json -> !unit'],
    ['en|dorse(', 'endorse : !untrusted int -> !int'],
    ['critic.b|y', '.by : !Review -> !Person'],
  ]
  for (const [place, code, remark] of cases) {
    const { compiled, offset } = compiledAt(mark(place))
    const found = hoverAt(compiled, offset)
    t.match({ code: found?.code, remark: found?.remark }, { code, remark }, place)
  }
  for (const place of ['provider|: "', '|agent {', 'use words|\nuse mem\ntype Review =']) {
    const { compiled, offset } = compiledAt(mark(place))
    t.equal(place.startsWith('use') ? undefined : hoverAt(compiled, offset), undefined, place)
  }
})

t.test('definition', async (t) => {
  const cases: readonly (readonly [string, string | undefined])[] = [
    ['drafts ; |critic', 'main.plumb: let |critic'],
    ['spawn cri|tic', 'main.plumb: let |critic'],
    ['!Rev|iew, !json', 'main.plumb: type |Review'],
    ['tags: [T|ag]', 'main.plumb: type |Tag'],
    ['|input ; drafts', 'main.plumb: plumb(|input'],
    ['critic(input=dra|fts', 'main.plumb: let |drafts'],
    ['Words.meas|ure', 'words.plumb: let |measure'],
    ['|Words.meas', 'words.plumb: |type Word'],
    ['filter(sc|ore', 'main.plumb: type Review = { |score'],
    ['by.na|me', 'main.plumb: type Person = { |name'],
    ['by.ta|gs[0]', 'main.plumb: string, |tags'],
    ['map(te|xt)', 'words.plumb: type Word = { |text'],
    ['critic.b|y', 'main.plumb: remark?: string, |by'],
    ['map([{ |r, who', 'main.plumb: for |r in sort'],
    ['h -> -|h.score', 'main.plumb: (reviews, |h ->'],
    ['-h.sc|ore', 'main.plumb: type Review = { |score'],
    ['critic.by.na|me', 'main.plumb: type Person = { |name'],
    ['critic@tele|metry', 'main.plumb: let |critic'],
    ['by.tags[|0]', undefined],
    ['|filter(score', undefined],
  ]
  for (const [place, expected] of cases) {
    const { compiled, offset } = compiledAt(mark(place))
    const span = definitionAt(compiled, offset)
    const [file = '', there = ''] =
      expected?.split(': ', 2).length === 2 ? [expected.slice(0, expected.indexOf(':')), expected.slice(expected.indexOf(':') + 2)] : []
    const text = file === 'main.plumb' ? SPEC : (MODULES[file] ?? '')
    const [before = ''] = there.split('|')
    t.equal(
      span && `${span.source.path}@${span.start}`,
      expected && `${file}@${text.indexOf(there.replace('|', '')) + before.length}`,
      place,
    )
  }
})

t.test('a declaration that does not parse yet', async (t) => {
  const text = `${SPEC}let broken : !Review -> !Words.Word = critic ; Words.measure ; ( nothing\nlet behind : !int -> !int = id\n`
  const compiled = compile({ path: 'main.plumb', text, files })
  t.match(compiled.diagnostics, [{ code: 'syntax_error' }])
  const hoverOn = (name: string) => hoverAt(compiled, text.lastIndexOf(name) + 1)?.code
  t.match(hoverOn('critic'), /^let critic :/)
  t.match(hoverOn('Review ->'), /^type Review =/)
  t.match(hoverOn('measure'), /^let measure :/)
  t.match(hoverOn('Word ='), /^type Word =/)
  t.equal(hoverOn('Words.measure'), 'use words')
  t.equal(hoverOn('nothing'), undefined)
  t.match(hoverOn('behind'), /^let behind :/)
  t.equal(definitionAt(compiled, text.lastIndexOf('critic'))?.start, SPEC.indexOf('critic'))
})

const TAIL = '\nlet after : !int -> !int = id\n'

t.test('completion', async (t) => {
  const head = `${SPEC}`
  const cases: readonly (readonly [string, string, string?])[] = [
    ['le‸', 'let type use'],
    ['‸', 'let type use'],
    ['use ‸', 'mem'],
    ['use "./x.plumb" ‸', 'as'],
    ['@‸', 'description tool'],
    ['@to‸\nlet f : int -> int = id', 'description tool'],
    ['type T = { a: ‸', 'Review Person Tag string Words'],
    ['type T = { a: ‸ }', 'Review json'],
    ['type T = { @‸ a: int }', 'description min max'],
    ['type T = Words.‸', 'Word', 'Review string'],
    ['type T = { ‸', '', 'Review'],
    ['let f : !‸', 'Review Person int'],
    ['let f : !int -> ‸', 'Review Person int'],
    ['let f : (!int, !Re‸', 'Review'],
    ['let ‸', '', 'critic'],
    ['let f : !int -> !int = ‸', 'critic main agent tool plumb map filter Words', 'inc'],
    ['let f : int -> int = ‸', 'inc map each trace', 'critic filter'],
    ['let f : int -> int = trace(‸', 'inc map', 'critic'],
    ['let f : [int] -> [int] = each(‸', 'inc map', 'critic'],
    ['let f : [Review] -> [int] = each(map(‸', 'score', 'critic'],
    ['let f : !int -> !{ n: int } = fold({ n: sta‸ }, from: { n: 0 })', 'state value', 'critic'],
    ['let f : !int -> !{ n: int } = fold({ n: state.‸ }, from: { n: 0 })', 'n', 'value'],
    ['let f : int -> int = inc ; ‸', 'inc id', 'agent'],
    ['let f : int -> int = Words.‸', 'double', 'measure'],
    ['let f : !int -> !int = Words.‸', 'measure port', 'double'],
    ['let f : !int -> !int = plumb(a, b) {\n  a ; ‸\n  critic ; b\n}', 'a b critic', 'agent spawn'],
    ['let f : !int -> !int = plumb(a, b) {\n  ‸\n  critic ; b\n}', 'a b critic let spawn'],
    ['let f : !int -> !int = plumb(a, b) {\n  let c : !int = ‸\n', 'channel', 'critic'],
    ['let f : !int -> !int = plumb(a, b) {\n  let c : !R‸\n  a ; b\n}', 'Review', 'critic'],
    ['let f : !int -> !int = plumb(a, b) {\n  a ; critic@‸\n}', 'input ctrl_in output ctrl_out telemetry', 'critic'],
    ['let f : !int -> !int = plumb(a, b) {\n  Words.port@‸ ; b\n}', 'left right out'],
    ['let f : !int -> !int = plumb(a, b) {\n  spawn ‸\n}', 'critic Words', 'inc a'],
    ['let f : !int -> !int = plumb(a, b) {\n  spawn critic(‸\n}', 'a b input ctrl_in'],
    ['let f : !int -> !int = plumb(a, b) {\n  spawn critic(input=‸)\n}', 'a b', 'ctrl_in'],
    ['let f : !Review -> !int = map(‸', 'score remark by value has length if', 'critic and'],
    ['let f : !Review -> !int = map(by.‸', 'name tags', 'score'],
    ['let f : !Review -> !int = map(by.tags[0].‸)', 'label'],
    ['let f : !Review -> !int = map({ a: sc‸, b: 2 })', 'score'],
    ['let f : !Review -> !int = map({ ‸', 'score'],
    ['let f : !Review -> !int = map(if score > ‸', 'score'],
    ['let f : !Review -> !int = map(if score > 2 then ‸', 'score'],
    ['let f : !Review -> !int = map(score ‸', 'and or', 'then'],
    ['let f : !Review -> !int = map(if score > 1 ‸', 'and or then else'],
    ['let f : !Review -> !int = map(le‸(remark))', 'length', 'score'],
    ['let f : !Review -> !int = map(‸', 'inc Words', 'orders'],
    ['let f : !Review -> !int = map(in‸(score))', 'inc', 'orders'],
    ['let f : !Review -> !int = map(Words.‸', 'double', 'measure'],
    ['let f : !Review -> !int = map(Words.‸(score) + 1)', 'double', 'measure'],
    ['let f : !Review -> !int = filter(‸) ; map(score)', 'score'],
    ['let f : !Review -> !int = filter(score > 1).‸', 'score by'],
    ['let f : Review -> int = id.‸', 'score by'],
    ['let f : ![Review] -> !json = map([r.‸ for r in value])', 'score by'],
    ['let f : ![Review] -> !json = map([r.score for r in value if r.‸', 'score by'],
    ['let f : ![Review] -> !json = map([‸ for r in value])', 'r value sort', 'score'],
    ['let f : ![Review] -> !json = map(sort(value, h -> h.‸', 'score by'],
    ['let f : ![Review] -> !json = map(sort(value, h -> ‸))', 'h value', 'score'],
    ['let f : !Review -> !json = map($"of {sc‸} by {by.name}")', 'score'],
    ['let f : !Review -> !json = map($"of {by.‸}")', 'name tags'],
    ['let f : !Review -> !json = map($"of {by.‸', 'name tags'],
    ['let f : !Review -> !json = map($"of sc‸ {by}")', ''],
    ['let f : Review -> Review = trace(id, max: 3, until: ‸', 'score'],
    ['let f : !int -> !int = agent { ‸', 'provider model prompt tools', 'process'],
    ['let f : !int -> !int = agent { provider: "eliza", ‸ }', 'model', 'provider'],
    ['let f : !int -> !int = agent {\n  mo‸\n  provider: "eliza"\n}', 'model', 'provider'],
    ['let f : !int -> !int = agent { provider: ‸', '"anthropic" "openai" "eliza"'],
    ['let f : !int -> !int = agent { amnesiac: ‸ }', 'true false'],
    ['@tool\nlet f : int -> int = id\nlet g : !int -> !int = agent { tools: [‸', 'f Words', 'critic'],
    ['let g : int -> int = tool { process: ‸', 'critic main', 'inc'],
    ['let seek : int -> int = tool { command: "seek" }\nlet g : !int -> !int = map(‸', 'seek value', 'critic'],
    ['let seek : int -> int = tool { command: "seek" }\nlet g : !int -> !int = map(1 + ‸', 'value', 'seek'],
    ['let g : int -> int = tool { ‸', 'process command', 'provider'],
    ['let f : !int -> !int = agent { request: { ‸', '', 'model'],
    ['let f : !int -> !int = agent { mcp: [{ command: "x", ‸ }] }', 'args env tools', 'command model'],
    ['let g : int -> int = tool { command: "x", breaker: { ‸', 'failures reset', 'retry'],
    ['let f : !int -> !int = agent { mcp: [{ command: "x", env: { ‸ } }] }', '', 'args'],
    ['let f : int -> int = id\nlet g : int -> int = tool { pool: [‸', 'f', 'critic'],
    ['@ver‸\nlet f : int -> int = id', 'version tool', 'min'],
    ['(* ‸', '', 'let'],
    ['let a = { p: "x‸" }', '', 'let'],
    ['let a = { p: 12‸ }', ''],
    ['type S = { k: "a", x: int } | { k: "b" }\nlet f : !S -> !json = map(has(‸', 'k x'],
    ['type S = { k: "a", x: int } | { k: "b" }\nlet f : !S -> !json = map(has(value.‸', 'k x'],
    ['type S = { k: "a", x: int } | { k: "b" }\nlet f : !S -> !json = map(if k = "a" then ‸', 'k x'],
    ['type S = { k: "a", x: int } | { k: "b" }\nlet f : !S -> !json = map(‸', 'k match let', 'x'],
    ['let f : !Review -> !json = map(let w = by in w.‸', 'name tags', 'score'],
    ['let f : !Review -> !json = fold(state + 1, from: 0, by: ‸', 'score', 'state'],
    ['let f : !Review -> !json = plumb(a, b) {\n  a ; (id * id) ; barrier(by: (‸, score)) ; b\n}', 'score', 'critic'],
    ['let f : !Review -> !string = agent { conversation: ‸ }', 'score by', 'critic'],
    ['param size : int = 2\nlet f : !int -> ![int] = batch(‸', 'size Words', 'critic value'],
    ['param size : int = 2\nlet f : !int -> ![int] = batch(2, within: si‸)', 'size', 'critic'],
    ['param size : int = 2\nlet f : [int] -> [int] = each(inc, parallel: ‸', 'size', 'inc'],
    ['let f : [int] -> [int] = each(inc, parallel: Words.‸', 'most', 'measure'],
  ]
  for (const [marked, wanted, unwanted = ''] of cases) {
    for (const tail of ['', TAIL]) {
      const { text, offset } = at(`${head}${marked}${tail}`)
      const { items, start } = completionsAt({ path: 'main.plumb', text }, files, offset)
      const labels = new Set(items.map((i) => i.label))
      const missing = words(wanted).filter((w) => !labels.has(w))
      const extra = [...words(unwanted).filter((w) => labels.has(w)), ...(wanted === '' ? labels : [])]
      t.strictSame({ missing, extra }, { missing: [], extra: [] }, marked + (tail && ' …'))
      t.equal(text.slice(start, offset), /[A-Za-z_]*$/.exec(text.slice(0, offset))?.[0])
    }
  }
  const { text, offset } = at(mark('input ; |drafts'))
  const items = completionsAt({ path: 'main.plumb', text }, files, offset).items
  t.strictSame(
    items.filter((i) => ['input', 'drafts', 'critic'].includes(i.label)),
    [
      { label: 'input', kind: 'parameter', detail: '!string' },
      { label: 'drafts', kind: 'channel', detail: '!string' },
      { label: 'critic', kind: 'process', detail: '(!string, !json) -> (!Review, !json)' },
    ],
  )
})

const words = (text: string): string[] => text.split(' ').filter(Boolean)

const apply = (text: string, path: string, edits: readonly Edit[]): string =>
  edited(
    text,
    edits.filter((e) => e.span.source.path === path),
  )

t.test('rename', async (t) => {
  const cases: readonly (readonly [string, string, Readonly<Record<string, number>> | RegExp])[] = [
    ['let c|ritic', 'judge', { 'main.plumb': 6 }],
    ['drafts ; |critic', 'judge', { 'main.plumb': 6 }],
    ['!Rev|iew, !json', 'Verdict', { 'main.plumb': 5 }],
    ['|input ; drafts', 'incoming', { 'main.plumb': 2 }],
    ['input ; |drafts', 'papers', { 'main.plumb': 4 }],
    ['Words.meas|ure', 'weigh', { 'main.plumb': 1, 'words.plumb': 1 }],
    ['let c|ritic', 'critic', {}],
    ['let c|ritic', 'filter', /reserved word/],
    ['let c|ritic', '1st', /is not a name/],
    ['let c|ritic', '', /is not a name/],
    ['let c|ritic', 'main', /already means something/],
    ['let c|ritic', 'drafts', /already means something/],
    ['input ; |drafts', 'critic', /already means something/],
    ['|input ; drafts', 'output', /already means something/],
    ['!Rev|iew, !json', 'int', /type of the language/],
    ['!Rev|iew, !json', 'Tag', /already means something/],
    ['critic@tele|metry', 'usage', /named by the language/],
    ['h -> -|h.score', 'hit', { 'main.plumb': 2 }],
    ['for |r in', 'row', { 'main.plumb': 4 }],
    ['|r.by.name', 'h', { 'main.plumb': 4 }],
    ['use |mem', 'memory', /module/],
    ['filter(sc|ore', 'points', /nothing that can be renamed/],
  ]
  for (const [place, name, expected] of cases) {
    const { compiled, offset } = compiledAt(mark(place))
    const renamed = renameAt(compiled, [], files, offset, name)
    const counts: Record<string, number> = {}
    if (renamed.ok) for (const e of renamed.value) counts[e.span.source.path] = (counts[e.span.source.path] ?? 0) + 1
    if (expected instanceof RegExp) t.match(renamed.ok || renamed.error.detail, expected, `${place} to '${name}'`)
    else t.strictSame(renamed.ok && counts, expected, `${place} to '${name}'`)
  }
  const captured = compiledAt('let f : !{ n: int, xs: [int] } -> !json = map([x‸ + n for x in xs])\n')
  t.match(renameAt(captured.compiled, [], files, captured.offset, 'n'), { ok: false, error: { detail: /already means something/ } })
  const shorthand = compiledAt('let f : ![int] -> !json = map([{ x‸, y: x } for x in xs])\n')
  const renamed = renameAt(shorthand.compiled, [], files, shorthand.offset, 'n')
  t.match(renamed.ok && apply(shorthand.text, 'main.plumb', renamed.value), /\[\{ x: n, y: n \} for n in xs\]/)
  const numbers =
    'use words\nparam n‸ : int = 2\nlet f : ![int] -> ![[int]] = each(id, parallel: n, on_error: "skip") ; batch(n, within: Words.most)\n'
  const param = compiledAt(numbers)
  const resized = renameAt(param.compiled, [], files, param.offset, 'size')
  t.equal(resized.ok && apply(param.text, 'main.plumb', resized.value), param.text.replace(/\bn\b/g, 'size'))
  const place = param.text.indexOf('most')
  t.equal(definitionAt(param.compiled, place)?.source.path, 'words.plumb')
  t.match(hoverAt(param.compiled, place)?.code, /^param most : int/)
  const stdlib = compiledAt('use mem\nlet f : !Mem.Ctrl‸Cmd -> !int = map(1)\n')
  t.match(renameableAt(stdlib.compiled, stdlib.offset), { ok: false, error: { detail: /standard library/ } })
  const broken = compiledAt('let f‸ : !int -> !int = id\nlet g : !int -> !int = f ; ;\n')
  t.match(renameAt(broken.compiled, [], files, broken.offset, 'h'), { ok: false, error: { detail: /syntax error/ } })
})

t.test('what map applies is the binding of that name', async (t) => {
  const marked = (at: number) => {
    const parts = [
      'let in',
      'c : int -> int = map(value + 1)\nlet R : { inc: int } -> int = map(in',
      'c)\nlet a : !int -> !int = map(in',
      'c)\n',
    ]
    return parts.map((part, i) => (i === at ? `‸${part}` : part)).join('')
  }
  for (const [place, count] of [
    [1, 2],
    [2, 0],
    [3, 2],
  ] as const) {
    const { compiled, offset } = compiledAt(marked(place))
    const renamed = renameAt(compiled, [], files, offset, 'next')
    t.equal(renamed.ok ? renamed.value.length : 0, count, `place ${place}`)
  }
  const member = compiledAt('use words\nlet a : !string -> !string = map(Words.dou‸ble)\n')
  t.match(hoverAt(member.compiled, member.offset)?.code, /^let double : string -> string/)
  t.equal(definitionAt(member.compiled, member.offset)?.source.path, 'words.plumb')
})

t.test('rename in the keys of a test', async (t) => {
  const text = `let bot : !string -> !string = agent { provider: "eliza" }
test "t" of bot { given: ["bot"], models: { bot: ["a"] }, calls: { bot: 1 }, live: ["bot"] }
`
  const compiled = compile({ path: 'main.plumb', text, files })
  const renamed = renameAt(compiled, [], files, text.indexOf('bot'), 'doctor')
  t.equal(
    renamed.ok && apply(text, 'main.plumb', renamed.value),
    text
      .replace(/\bbot\b(?="\], models)/, '§')
      .replace(/\bbot\b/g, 'doctor')
      .replace('§', 'bot'),
  )
})

t.test('rename in other open programs, and in the quotes of a config', async (t) => {
  const library = compile({ path: 'words.plumb', text: MODULES['words.plumb'] ?? '', files })
  const text = 'use words\nlet bot : !string -> !string = agent { provider: "eliza", tools: ["Words.double", Words.double] }\n'
  const user = compile({ path: 'main.plumb', text, files })
  const offset = (MODULES['words.plumb'] ?? '').indexOf('double')
  const renamed = renameAt(library, [user], filesOf({ ...MODULES, 'main.plumb': text }), offset, 'twice')
  if (!renamed.ok) {
    t.fail(renamed.error.detail)
    return
  }
  t.equal(apply(text, 'main.plumb', renamed.value), text.replaceAll('double', 'twice'))
  // A parameter is a port to those who use the plumb.
  const wired =
    'use words\nlet main : !int -> !int = plumb(a, b) {\n  a ; Words.port@left\n  spawn Words.port(right=a)\n  Words.port ; b\n}\n'
  const at0 = (MODULES['words.plumb'] ?? '').indexOf('left, right')
  for (const [name, from] of [
    ['west', at0],
    ['east', at0 + 6],
  ] as const) {
    const other = compile({ path: 'main.plumb', text: wired, files })
    const port = renameAt(library, [other], filesOf({ ...MODULES, 'main.plumb': wired }), from, name)
    t.equal(port.ok && apply(wired, 'main.plumb', port.value), wired.replace(name === 'west' ? 'left' : 'right', name))
  }
})

t.test('fixes', async (t) => {
  const cases: readonly (readonly [string, string])[] = [
    [
      'let critic : !int -> !int = id\nlet f : !int -> !int = crtic ; id\n',
      'let critic : !int -> !int = id\nlet f : !int -> !int = critic ; id\n',
    ],
    ['type Review = int\nlet f : !Reveiw -> !int = id\n', 'type Review = int\nlet f : !Review -> !int = id\n'],
    ['let f : !{ score: int } -> !int = map(scor)\n', 'let f : !{ score: int } -> !int = map(score)\n'],
    ['let f : !string -> !int = map(lenght(value))\n', 'let f : !string -> !int = map(length(value))\n'],
    ['let f : !int -> !int = agent { modle: "x" }\n', 'let f : !int -> !int = agent { model: "x" }\n'],
    ['let f : !int -> !int = agent { provider: "elisa" }\n', 'let f : !int -> !int = agent { provider: "eliza" }\n'],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a template of another language
    ['let f : !{ n: int } -> !string = map($"{n} of ${n}")\n', 'let f : !{ n: int } -> !string = map($"{n} of {n}")\n'],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a template of another language
    ['let f : !{ n: int } -> !string = map("${n} of ${n}")\n', 'let f : !{ n: int } -> !string = map($"{n} of {n}")\n'],
    ['type A = { @descripton "x" a: int }\n', 'type A = { @description "x" a: int }\n'],
  ]
  for (const [text, fixed] of cases) {
    const { diagnostics } = compile({ path: 'main.plumb', text, files })
    const [fix] = diagnostics.flatMap(fixesOf)
    t.equal(fix && apply(text, 'main.plumb', [fix]), fixed, text)
  }
  t.strictSame(compile({ path: 'main.plumb', text: 'let f : !int -> !int = 1\n', files }).diagnostics.flatMap(fixesOf), [])
  // What is repaired means what was meant, or nothing is repaired.
  const errorsOf = (text: string) => compile({ path: 'main.plumb', text, files }).diagnostics.filter(({ severity }) => severity === 'error')
  for (const [code, meant] of [
    ['n !== 1', 'n != 1'],
    ['n === 1', 'n = 1'],
    ['n <> 1', 'n != 1'],
    ['$n', 'n'],
    ['n += 1', 'n + 1'],
    ['n ** 2', 'n ** 2'],
    ['n << 2', 'n << 2'],
    ['n // 2', 'n // 2'],
  ]) {
    const text = `let f : !{ n: int } -> !json = map(${code})\n`
    const errors = errorsOf(text)
    const source = errors[0]?.span.source
    const repaired = source && apply(text, 'main.plumb', [...repairsOf(source, errors, errorsOf).values()])
    t.equal(repaired, `let f : !{ n: int } -> !json = map(${meant})\n`)
  }
})

t.test('any text, any place', async (t) => {
  // Pieces of the spec, cut and joined anyhow: nothing throws, and what is given lies in the text.
  const piece = fc.tuple(fc.nat(SPEC.length), fc.nat(60)).map(([i, n]) => SPEC.slice(i, i + n))
  const text = fc.oneof(
    fc.array(piece, { maxLength: 8 }).map((p) => p.join('')),
    fc.tuple(fc.nat(SPEC.length), fc.nat(30)).map(([i, n]) => SPEC.slice(0, i) + SPEC.slice(i + n)),
  )
  await holds(
    t,
    fc.property(text, fc.double({ min: 0, max: 1, noNaN: true }), (broken, part) => {
      const offset = Math.floor(part * broken.length)
      const compiled = compile({ path: 'main.plumb', text: broken, files })
      const hover = hoverAt(compiled, offset)
      if (hover && !(hover.span.start <= offset && offset <= hover.span.end)) return false
      definitionAt(compiled, offset)
      const { start } = completionsAt({ path: 'main.plumb', text: broken }, files, offset)
      const place = renameableAt(compiled, offset)
      const renamed = renameAt(compiled, [], files, offset, 'other')
      // There and back again.
      if (renamed.ok && renamed.value.length > 0 && place.ok) {
        const other = apply(broken, 'main.plumb', renamed.value)
        const moved = renamed.value.filter((e) => e.span.source.path === 'main.plumb' && e.span.start < place.value.start)
        const back = place.value.start + moved.reduce((sum, e) => sum + e.text.length - (e.span.end - e.span.start), 0)
        const own = filesOf({ ...MODULES, 'words.plumb': apply(MODULES['words.plumb'] ?? '', 'words.plumb', renamed.value) })
        const again = renameAt(
          compile({ path: 'main.plumb', text: other, files: own }),
          [],
          own,
          back,
          broken.slice(place.value.start, place.value.end),
        )
        if (!again.ok || apply(other, 'main.plumb', again.value) !== broken) return false
      }
      return start <= offset
    }),
    { numRuns: runs(300) },
  )
})
